package opscope

import (
	"context"
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

	// The singular values of a tall matrix are those of its triangular factor,
	// which blocks of rows update in turn. The blocks bound the memory and
	// let a cancelled context be seen.
	tall := w.Rows >= w.Cols
	long, short := max(w.Rows, w.Cols), min(w.Rows, w.Cols)
	blockRows := max(2*short, 256)
	var r *mat.Dense
	for from := 0; from < long; from += blockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r = triangle(r, denseBlock(w, tall, from, min(from+blockRows, long)))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var svd mat.SVD
	if !svd.Factorize(r, mat.SVDNone) {
		return nil, fmt.Errorf("opscope: the singular values of a %d x %d matrix did not converge", w.Rows, w.Cols)
	}
	return svd.Values(nil), nil
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

// denseBlock copies rows from to to of w, or columns as rows if tall is false.
func denseBlock(w Matrix, tall bool, from, to int) *mat.Dense {
	if tall {
		d := mat.NewDense(to-from, w.Cols, nil)
		for i := from; i < to; i++ {
			for j, v := range w.Data[i*w.Stride:][:w.Cols] {
				d.Set(i-from, j, float64(v))
			}
		}
		return d
	}
	d := mat.NewDense(to-from, w.Rows, nil)
	for i := range w.Rows {
		for j, v := range w.Data[i*w.Stride:][from:to] {
			d.Set(j, i, float64(v))
		}
	}
	return d
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
