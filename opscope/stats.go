package opscope

import (
	"context"
	"fmt"
	"math"

	"github.com/rlx-go/gopherscope/internal/elementwise"
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

// stats is what a first pass over a matrix gathers. absMax, rowMax and colMax
// hold the largest magnitude of the tensor, of each row and of each column as
// stored. All but elements and nonFinite are without meaning if there are
// non-finite elements.
type stats struct {
	byColumns bool
	elements  int
	zeros     int
	nonFinite NonFinite
	sum       float64
	sumAbs    float64
	sumSq     float64
	min, max  float32
	absMax    float64
	rowMax    []float32
	colMax    []float32
}

func gather(ctx context.Context, w Matrix) (stats, error) {
	return gatherInput(ctx, memoryInput(w), false)
}

// rowStats is what one row adds to stats.
type rowStats struct {
	elementwise.RowSums
	bad, badAt int // the number of non-finite elements and the first
}

// gatherInput makes the pass. The first non-finite element is the first by
// rows, or by columns.
func gatherInput(ctx context.Context, in *input, byColumns bool) (stats, error) {
	s := stats{
		byColumns: byColumns,
		elements:  in.rows * in.cols,
		nonFinite: NonFinite{Row: -1, Col: -1},
		rowMax:    make([]float32, in.rows),
		colMax:    make([]float32, in.cols),
	}
	colMax := make([][]uint32, workers())
	for i := range colMax {
		colMax[i] = make([]uint32, in.cols)
	}
	var rows []rowStats
	err := in.scan(ctx, 1, func(first int, block Matrix) error {
		rows = append(rows[:0], make([]rowStats, block.Rows)...)
		parallelRows(len(colMax), block, func(worker, r int, row []float32) {
			rows[r] = gatherRow(row, colMax[worker])
		})
		for r, row := range rows {
			s.add(first+r, row)
		}
		return nil
	})
	for j := range s.colMax {
		var largest uint32
		for _, m := range colMax {
			largest = max(largest, m[j])
		}
		s.colMax[j] = math.Float32frombits(largest)
	}
	return s, err
}

// gatherRow raises the magnitudes in colMax, as bits, to those of the row.
func gatherRow(row []float32, colMax []uint32) rowStats {
	s := rowStats{RowSums: elementwise.SumRow(row, colMax)}
	if !(s.SumSq <= math.MaxFloat64) {
		for j, x := range row {
			if x-x != 0 {
				if s.bad == 0 {
					s.badAt = j
				}
				s.bad++
			}
		}
	}
	return s
}

func (s *stats) add(row int, r rowStats) {
	if r.bad > 0 {
		if s.nonFinite.Count == 0 || s.byColumns && r.badAt < s.nonFinite.Col {
			s.nonFinite.Row, s.nonFinite.Col = row, r.badAt
		}
		s.nonFinite.Count += r.bad
	}
	if row == 0 {
		s.min, s.max = r.Min, r.Max
	}
	s.min, s.max = min(s.min, r.Min), max(s.max, r.Max)
	s.zeros += r.Zeros
	s.sum += r.Sum
	s.sumAbs += r.SumAbs
	s.sumSq += r.SumSq
	s.rowMax[row] = max(r.Max, -r.Min)
	s.absMax = max(s.absMax, float64(s.rowMax[row]))
}

// degenerate reports whether the matrix has non-finite elements or is zero or empty,
// and what every figure is then by definition: NaN or 0.
func (s stats) degenerate() (figure float64, yes bool) {
	if s.nonFinite.Count > 0 {
		return math.NaN(), true
	}
	return 0, s.sumSq == 0
}

func (s stats) density() float64 { return s.perElement(float64(s.elements - s.zeros)) }

func (s stats) mean() float64 { return s.perElement(s.sum) }

func (s stats) norm() float64 {
	if figure, yes := s.degenerate(); yes {
		return figure
	}
	return math.Sqrt(s.sumSq)
}

func (s stats) perElement(sum float64) float64 {
	if figure, yes := s.degenerate(); yes {
		return figure
	}
	return sum / float64(s.elements)
}
