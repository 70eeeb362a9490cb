package kernels

import (
	"fmt"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// LowRank is the weight as two float32 factors, W ~ U V with U[k,r] and V[r,n],
// multiplied in two steps: t = xU, y = tV. That is r(k+n) multiply-adds for each
// row of x in place of kn.
//
// The result is within the rounding of two float32 sums of xUV. Its distance
// from xW is that of the factors: |x| |W - UV| in the 2-norm, row by row.
type LowRank struct {
	k, r, n int
	factors lowRankFactors
	impl    impl[lowRankFuncs]
}

// lowRankFuncs is an implementation of LowRank.
type lowRankFuncs struct {
	// pack copies u[k,r] and v[r,n], which are finite and may have a dimension of 0.
	pack func(u, v Matrix) lowRankFactors
}

// lowRankFactors are U[k,r] and V[r,n] as an implementation arranged them.
type lowRankFactors interface {
	// mul overwrites y[m,n] with x[m,k] U V, where no dimension is 0. A row of x that
	// is not finite gives a row of NaN.
	mul(y, x Matrix)
}

var lowRankTable = append(table[lowRankFuncs]{{cpu.Ref, lowRankRef}}, lowRankAsm...)

// NewLowRank factorizes w[k,n] at the rank that the option Rank gives, or at the
// least one for which the error is within the option MaxError. One of them is
// required. With MaxError alone the rank is at most kn/(k+n): a higher one would
// take more work than W itself. It returns the errors of Factorize or
// FactorizeWithin.
func NewLowRank(w Matrix, opts ...Option) (*LowRank, error) {
	const op = "NewLowRank"
	o, err := applyOptions(op, opts, "Rank", "MaxError")
	if err != nil {
		return nil, err
	}
	impl, err := lowRankTable.choose(op, o.impl)
	if err != nil {
		return nil, err
	}
	var u, v Matrix
	if o.maxErr != nil {
		rank := o.rank
		if rank == 0 {
			rank = max(1, w.Rows*w.Cols/max(1, w.Rows+w.Cols))
		}
		u, v, _, err = factorizeWithin(op, w, *o.maxErr, rank)
	} else {
		u, v, _, err = factorize(op, w, o.rank)
	}
	if err != nil {
		return nil, err
	}
	return newLowRank(u, v, impl), nil
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
	impl, err := lowRankTable.choose(op, o.impl)
	if err != nil {
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
	return newLowRank(u, v, impl), nil
}

func newLowRank(u, v Matrix, impl impl[lowRankFuncs]) *LowRank {
	return &LowRank{u.Rows, u.Cols, v.Cols, impl.funcs.pack(u, v), impl}
}

// Dims returns the shape [k, n] of W.
func (l *LowRank) Dims() (k, n int) { return l.k, l.n }

// Rank returns r, which is lower than the rank asked for when the weight has a
// lower one.
func (l *LowRank) Rank() int { return l.r }

// MulTo overwrites y[m,n] with x[m,k] U V.
func (l *LowRank) MulTo(y, x Matrix) {
	CheckMulTo("LowRank.MulTo", y, x, l.k, l.n)
	switch {
	case emptyProduct(y, l.k):
	case l.r == 0:
		for i := range x.Rows {
			fill(row(y, i), 0)
			nanUnlessFinite(row(y, i), row(x, i))
		}
	default:
		l.factors.mul(y, x)
	}
}

// nanUnlessFinite sets y, a row of a product, to NaN if that of x is not finite.
func nanUnlessFinite(y, x []float32) {
	if firstNonFinite(x) >= 0 {
		fill(y, nan)
	}
}

// Info describes the prepared weight.
func (l *LowRank) Info() Info {
	bytes := 4 * int64(l.r) * (int64(l.k) + int64(l.n))
	return Info{Scheme: SchemeLowRank, Impl: l.impl.name(), WeightBytes: bytes}
}
