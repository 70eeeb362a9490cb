package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

// SkipZeros is the float32 weight multiplied by the nonzeros of x alone: the work is
// proportional to their number, and a zero costs no more than looking at it. It is
// exact, because a finite weight times zero is zero; the error bound is that of
// Dense with the nonzeros of a row in place of k.
type SkipZeros struct {
	k, n int
	w    []float32 // finite, as impl.funcs.pack arranged it
	impl impl[skipZerosFuncs]
}

// skipZerosFuncs is an implementation of SkipZeros.
type skipZerosFuncs struct {
	pack func(w Matrix) []float32
	// mul overwrites y[m,n] with x[m,k] W, where no dimension is 0. A row of x that is
	// not finite gives a row of NaN.
	mul func(y, x Matrix, w []float32)
}

var skipZerosTable = append(table[skipZerosFuncs]{{cpu.Ref, skipZerosRef}}, skipZerosAsm...)

// NewSkipZeros copies w[k,n]. It returns a *ShapeError when w is malformed and a
// *NonFiniteError when it is not finite.
func NewSkipZeros(w Matrix, opts ...Option) (*SkipZeros, error) {
	const op = "NewSkipZeros"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	impl, err := skipZerosTable.choose(op, o.impl)
	if err != nil {
		return nil, err
	}
	if err := checkFiniteMatrix(op, "w", w); err != nil {
		return nil, err
	}
	return &SkipZeros{w.Rows, w.Cols, impl.funcs.pack(w), impl}, nil
}

// Dims returns the shape [k, n] of W.
func (s *SkipZeros) Dims() (k, n int) { return s.k, s.n }

// MulTo overwrites y[m,n] with x[m,k] W.
func (s *SkipZeros) MulTo(y, x Matrix) {
	CheckMulTo("SkipZeros.MulTo", y, x, s.k, s.n)
	if !emptyProduct(y, s.k) {
		s.impl.funcs.mul(y, x, s.w)
	}
}

// Info describes the prepared weight. WeightBytes is the whole weight; a call
// reads only the rows of W that meet a nonzero of x.
func (s *SkipZeros) Info() Info {
	return Info{Scheme: SchemeSkipZeros, Impl: s.impl.name(), WeightBytes: 4 * int64(s.k) * int64(s.n), Exact: true}
}
