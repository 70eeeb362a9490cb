package kernels

// Dense is the float32 weight as it is, row-major [k,n], multiplied by the plain
// i-k-j loop: for each row of x, each input adds its multiple of a row of W.
// Sums run in float32 in the order of k, so with u = 2^-24
//
//	|y - xW| <= k u / (1 - k u) * sum over k of |x W|
//
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), as
// long as nothing overflows or underflows. It is the baseline of the
// speed-ups, not a fast kernel.
type Dense struct {
	w Matrix // [k,n]
}

// NewDense copies w[k,n]. It returns a *ShapeError when w is malformed.
func NewDense(w Matrix, opts ...Option) (*Dense, error) {
	const op = "NewDense"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	if _, err := refOnly.choose(op, o.impl); err != nil {
		return nil, err
	}
	if err := checkMatrix(op, "w", w); err != nil {
		return nil, err
	}
	return &Dense{compact(w)}, nil
}

// Dims returns the shape [k, n] of W.
func (d *Dense) Dims() (k, n int) { return d.w.Rows, d.w.Cols }

// MulTo overwrites y[m,n] with x[m,k] W.
func (d *Dense) MulTo(y, x Matrix) {
	CheckMulTo("Dense.MulTo", y, x, d.w.Rows, d.w.Cols)
	for i := range x.Rows {
		yi := row(y, i)
		clear(yi)
		for p, a := range row(x, i) {
			axpy(yi, a, row(d.w, p))
		}
	}
}

// Info describes the prepared weight.
func (d *Dense) Info() Info {
	return Info{Scheme: SchemeDense, Impl: ImplRef, WeightBytes: 4 * int64(len(d.w.Data)), Exact: true}
}
