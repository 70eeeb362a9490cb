package kernels

import "fmt"

// LowRank is the weight as two float32 factors, W ~ U V with U[k,r] and V[r,n],
// multiplied in two steps: t = xU, y = tV. That is r(k+n) multiply-adds for each
// row of x in place of kn.
//
// The result is within the rounding of two float32 sums of xUV. Its distance
// from xW is that of the factors: |x| |W - UV| in the 2-norm, row by row.
type LowRank struct {
	u, v Matrix // [k,r], [r,n], finite
}

// NewLowRank factorizes w[k,n] at the rank that the option Rank gives, which is
// required. It returns the errors of Factorize.
func NewLowRank(w Matrix, opts ...Option) (*LowRank, error) {
	const op = "NewLowRank"
	o, err := applyOptions(op, opts, "Rank")
	if err != nil {
		return nil, err
	}
	if _, err := refOnly.choose(op, o.impl); err != nil {
		return nil, err
	}
	u, v, _, err := factorize(op, w, o.rank)
	if err != nil {
		return nil, err
	}
	return &LowRank{u, v}, nil
}

// NewLowRankFactors copies the factors u[k,r] and v[r,n]. It returns a
// *ShapeError when they are malformed or do not fit each other and a
// *NonFiniteError when one is not finite.
func NewLowRankFactors(u, v Matrix, opts ...Option) (*LowRank, error) {
	const op = "NewLowRankFactors"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	if _, err := refOnly.choose(op, o.impl); err != nil {
		return nil, err
	}
	if err := checkFiniteMatrix(op, "u", u); err != nil {
		return nil, err
	}
	if err := checkFiniteMatrix(op, "v", v); err != nil {
		return nil, err
	}
	if v.Rows != u.Cols {
		return nil, &ShapeError{Op: op, Operand: "v", Got: shape(v.Rows, v.Cols), Want: fmt.Sprintf("[%d,n]", u.Cols)}
	}
	return &LowRank{compact(u), compact(v)}, nil
}

// Dims returns the shape [k, n] of W.
func (l *LowRank) Dims() (k, n int) { return l.u.Rows, l.v.Cols }

// Rank returns r, which is lower than the rank asked for when the weight has a
// lower one.
func (l *LowRank) Rank() int { return l.u.Cols }

// MulTo overwrites y[m,n] with x[m,k] U V.
func (l *LowRank) MulTo(y, x Matrix) {
	CheckMulTo("LowRank.MulTo", y, x, l.u.Rows, l.v.Cols)
	t := scratchF32.get(l.Rank())
	for i := range x.Rows {
		xi, yi := row(x, i), row(y, i)
		if firstNonFinite(xi) >= 0 {
			fill(yi, nan)
			continue
		}
		clear(t)
		for p, a := range xi {
			axpy(t, a, row(l.u, p))
		}
		clear(yi)
		for p, a := range t {
			axpy(yi, a, row(l.v, p))
		}
	}
	scratchF32.put(t)
}

// Info describes the prepared weight.
func (l *LowRank) Info() Info {
	bytes := 4 * (int64(len(l.u.Data)) + int64(len(l.v.Data)))
	return Info{Scheme: SchemeLowRank, Impl: ImplRef, WeightBytes: bytes}
}
