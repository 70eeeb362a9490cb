package kernels

// SkipZeros is the float32 weight, row-major [k,n], multiplied by the loop of
// Dense that skips the zeros of x: the work is proportional to the number of
// nonzero activations. It is exact, because a finite weight times zero is zero;
// the error bound is that of Dense with the nonzeros of a row in place of k.
type SkipZeros struct {
	w Matrix // [k,n], finite
}

// NewSkipZeros copies w[k,n]. It returns a *ShapeError when w is malformed and a
// *NonFiniteError when it is not finite.
func NewSkipZeros(w Matrix, opts ...Option) (*SkipZeros, error) {
	const op = "NewSkipZeros"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	if _, err := refOnly.choose(op, o.impl); err != nil {
		return nil, err
	}
	if err := checkFiniteMatrix(op, "w", w); err != nil {
		return nil, err
	}
	return &SkipZeros{compact(w)}, nil
}

// Dims returns the shape [k, n] of W.
func (s *SkipZeros) Dims() (k, n int) { return s.w.Rows, s.w.Cols }

// MulTo overwrites y[m,n] with x[m,k] W.
func (s *SkipZeros) MulTo(y, x Matrix) {
	CheckMulTo("SkipZeros.MulTo", y, x, s.w.Rows, s.w.Cols)
	for i := range x.Rows {
		xi, yi := row(x, i), row(y, i)
		if firstNonFinite(xi) >= 0 {
			fill(yi, nan)
			continue
		}
		clear(yi)
		for p, a := range xi {
			if a != 0 {
				axpy(yi, a, row(s.w, p))
			}
		}
	}
}

// Info describes the prepared weight. WeightBytes is the whole weight; a call
// reads only the rows of W that meet a nonzero of x.
func (s *SkipZeros) Info() Info {
	return Info{Scheme: SchemeSkipZeros, Impl: ImplRef, WeightBytes: 4 * int64(len(s.w.Data)), Exact: true}
}
