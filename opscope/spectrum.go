package opscope

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Spectrum holds the singular values of a matrix, largest first: min(rows, cols) of
// them, in the unit of the elements.
type Spectrum []float64

// SingularValues computes all singular values of w in float64, by QR of blocks
// of rows and then LAPACK's bidiagonal QR (gonum's mat.SVD). The error of each
// is about 1e-15 of the largest.
//
// It takes about 4·rows·cols·min(rows, cols) floating-point operations, half a
// second for 1024 x 1024, and the memory of 6·min(rows, cols)² float64 values.
// The errors are a malformed matrix, non-finite elements, and the context's
// own; a cancelled context is seen between blocks.
func SingularValues(ctx context.Context, w Matrix) (Spectrum, error) {
	if err := check(w); err != nil {
		return nil, err
	}
	if w.Rows == 0 || w.Cols == 0 {
		return Spectrum{}, ctx.Err()
	}
	if n := CountNonFinite(w); n.Count > 0 {
		return nil, fmt.Errorf("opscope: singular values of a matrix with %v", n)
	}

	return singularValues(ctx, memoryInput(w))
}

// singularValues computes all singular values of a finite matrix. Those of a
// tall one are those of its triangular factor, which blocks of rows update in
// turn. The blocks bound the memory and let a cancelled context be seen.
func singularValues(ctx context.Context, in *input) (Spectrum, error) {
	var r *mat.Dense
	if err := eachTallBlock(ctx, in, func(block *mat.Dense) { r = triangle(r, block) }); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := mat.Norm(r, 2); math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, errNotFinite
	}
	var svd mat.SVD
	if !svd.Factorize(r, mat.SVDNone) {
		return nil, fmt.Errorf("opscope: the singular values of a %d x %d matrix did not converge", in.rows, in.cols)
	}
	return svd.Values(nil), nil
}

// errNotFinite is for a norm of the caller's that is not the matrix's.
var errNotFinite = errors.New("opscope: singular values of a matrix whose norm was given, but which has non-finite elements or a much larger norm")

// eachTallBlock calls f for blocks of rows of the matrix, or of its transpose
// where that is taller.
func eachTallBlock(ctx context.Context, in *input, f func(*mat.Dense)) error {
	if in.rows >= in.cols {
		return in.scan(ctx, 1, func(_ int, block Matrix) error {
			d := mat.NewDense(block.Rows, block.Cols, nil)
			for i := range block.Rows {
				row := d.RawRowView(i)
				for j, v := range block.Data[i*block.Stride:][:block.Cols] {
					row[j] = float64(v)
				}
			}
			f(d)
			return nil
		})
	}
	width := max(2*in.rows, 256)
	if in.r != nil {
		// Every block of columns reads the whole matrix.
		width = max(width, int(in.memory/32)/in.rows)
	}
	for from := 0; from < in.cols; from += width {
		to := min(from+width, in.cols)
		d := mat.NewDense(to-from, in.rows, nil)
		err := in.scan(ctx, 1, func(first int, block Matrix) error {
			for i := range block.Rows {
				for j, v := range block.Data[i*block.Stride:][from:to] {
					d.Set(j, first+i, float64(v))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		f(d)
	}
	return nil
}

// triangle returns a matrix with the singular values of r stacked on block,
// r being nil for none, and no more rows than it has columns or block has rows.
func triangle(r, block *mat.Dense) *mat.Dense {
	if r != nil {
		var stacked mat.Dense
		stacked.Stack(r, block)
		block = &stacked
	}
	rows, cols := block.Dims()
	if rows <= cols {
		return block
	}
	var qr mat.QR
	qr.Factorize(block)
	var upper mat.Dense
	qr.RTo(&upper)
	return mat.DenseCopyOf(upper.Slice(0, cols, 0, cols))
}

// energy is the sum of the squares of s from index r on, smallest first, so
// that a long tail of small values is not lost in a large sum.
func (s Spectrum) energy(r int) float64 {
	var sum float64
	for i := len(s) - 1; i >= r; i-- {
		sum += s[i] * s[i]
	}
	return sum
}

// StableRank is ‖W‖²/σ₁², the Frobenius norm over the spectral norm, squared:
// between 1 and the rank, 0 for a zero or an empty matrix. It says how evenly
// the norm is spread over directions, not how well a low rank approximates W;
// that is TruncationError.
func (s Spectrum) StableRank() float64 {
	if len(s) == 0 || s[0] == 0 {
		return 0
	}
	return s.energy(0) / (s[0] * s[0])
}

// TruncationError is the relative L2 error of the best approximation of rank
// r, sqrt(sum of σᵢ² for i > r / sum of all σᵢ²) (Eckart and Young, 1936). It falls
// from 1 at rank 0 to 0 at rank min(rows, cols), and is 0 at every rank for a zero
// or an empty matrix. A negative r counts as 0.
func (s Spectrum) TruncationError(r int) float64 {
	if len(s) == 0 || s[0] == 0 {
		return 0
	}
	return math.Sqrt(s.energy(max(r, 0)) / s.energy(0))
}

// RankFor is the smallest rank whose TruncationError is at most relErr, in
// [0, len(s)]. It is len(s) if relErr is negative or NaN.
func (s Spectrum) RankFor(relErr float64) int {
	if len(s) == 0 || s[0] == 0 {
		return 0
	}
	if !(relErr >= 0) {
		return len(s)
	}
	bound := relErr * relErr * s.energy(0)
	var tail float64
	for r := len(s); r > 0; r-- {
		if tail += s[r-1] * s[r-1]; tail > bound {
			return r
		}
	}
	return 0
}

// BreakEvenRank is the largest rank r at which factors [k,r] and [r,n] hold
// fewer numbers than a weight of k x n: r(k+n) < kn. For a square weight that is
// just under half the side.
func BreakEvenRank(k, n int) int {
	if k <= 0 || n <= 0 {
		return 0
	}
	return (k*n - 1) / (k + n)
}

// EffectiveRank is exp(H) of the entropy H of the distribution σᵢ / sum of σ (Roy
// and Vetterli, EUSIPCO 2007): between 1 and the rank, r if r values are equal and
// the rest 0, and 0 for a zero or empty matrix. It has no unit. s must hold all
// singular values; those of a sketch give less.
func (s Spectrum) EffectiveRank() float64 {
	if len(s) == 0 || s[0] == 0 {
		return 0
	}
	var sum float64
	for _, v := range s {
		sum += v / s[0]
	}
	var entropy float64
	for _, v := range s {
		if p := v / s[0] / sum; p > 0 {
			entropy -= p * math.Log(p)
		}
	}
	return math.Exp(entropy)
}
