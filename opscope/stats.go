package opscope

import (
	"context"
	"fmt"
	"math"
)

// NonFinite is the number of NaN and infinite elements of a matrix, and the
// place of the first one in row-major order; Row and Col are -1 if there is none.
type NonFinite struct {
	Count int `json:"count"`
	Row   int `json:"row"`
	Col   int `json:"col"`
}

// String names the count and the place, such as "2 non-finite values, the first at row 3, column 0".
func (n NonFinite) String() string {
	switch n.Count {
	case 0:
		return "no non-finite values"
	case 1:
		return fmt.Sprintf("1 non-finite value, at row %d, column %d", n.Row, n.Col)
	}
	return fmt.Sprintf("%d non-finite values, the first at row %d, column %d", n.Count, n.Row, n.Col)
}

// CountNonFinite counts the NaN and infinite elements of w.
// It panics on a malformed matrix.
func CountNonFinite(w Matrix) NonFinite {
	mustCheck(w)
	s, _ := gather(context.Background(), w)
	return s.nonFinite
}

// Density is the fraction of the elements of w that are not exactly zero
// (-0 is zero), in [0,1]. It is over the whole matrix; no axis is involved.
// NaN if w has non-finite elements, 0 if it is empty.
// It panics on a malformed matrix.
func Density(w Matrix) float64 {
	mustCheck(w)
	s, _ := gather(context.Background(), w)
	return s.density()
}

// Norm is the Frobenius norm of w, the square root of the sum of the squares
// of its elements, in the unit of the elements. NaN if w has non-finite
// elements. It panics on a malformed matrix.
func Norm(w Matrix) float64 {
	mustCheck(w)
	s, _ := gather(context.Background(), w)
	return s.norm()
}

// stats is what one pass over a matrix gathers. absMax, rowMax and colMax hold
// the largest magnitude of the tensor, of each row and of each column; they and
// the sums leave non-finite elements out.
type stats struct {
	elements  int
	nonZero   int
	nonFinite NonFinite
	sumSq     float64
	absMax    float64
	rowMax    []float64
	colMax    []float64
}

func gather(ctx context.Context, w Matrix) (stats, error) {
	s := stats{
		elements:  w.Rows * w.Cols,
		nonFinite: NonFinite{Row: -1, Col: -1},
		rowMax:    make([]float64, w.Rows),
		colMax:    make([]float64, w.Cols),
	}
	err := eachRow(ctx, w, func(i int, row []float32) {
		var rowMax, sumSq float64
		nonZero := 0
		colMax := s.colMax[:len(row)]
		for j, v := range row {
			a := math.Abs(float64(v))
			if !(a <= math.MaxFloat32) {
				if s.nonFinite.Count == 0 {
					s.nonFinite.Row, s.nonFinite.Col = i, j
				}
				s.nonFinite.Count++
				continue
			}
			if a != 0 {
				nonZero++
			}
			sumSq += a * a
			rowMax = max(rowMax, a)
			colMax[j] = max(colMax[j], a)
		}
		s.nonZero += nonZero
		s.sumSq += sumSq
		s.rowMax[i] = rowMax
		s.absMax = max(s.absMax, rowMax)
	})
	return s, err
}

func (s stats) density() float64 {
	if s.nonFinite.Count > 0 {
		return math.NaN()
	}
	if s.elements == 0 {
		return 0
	}
	return float64(s.nonZero) / float64(s.elements)
}

func (s stats) norm() float64 {
	if s.nonFinite.Count > 0 {
		return math.NaN()
	}
	return math.Sqrt(s.sumSq)
}
