package kernels

// F32 is the float32 weight stored output-major, [n,k], so that every element of
// y is a dot product of two contiguous rows and a call with one row of x reads
// the weight once, in order. Sums run in float32; the error bound is that of
// Dense.
type F32 struct {
	wt Matrix // [n,k]
}

// NewF32 copies w[k,n]. It returns a *ShapeError when w is malformed.
func NewF32(w Matrix, opts ...Option) (*F32, error) {
	const op = "NewF32"
	if _, err := applyOptions(op, opts); err != nil {
		return nil, err
	}
	if err := checkMatrix(op, "w", w); err != nil {
		return nil, err
	}
	return &F32{transposed(w)}, nil
}

// Dims returns the shape [k, n] of W.
func (f *F32) Dims() (k, n int) { return f.wt.Cols, f.wt.Rows }

// MulTo overwrites y[m,n] with x[m,k] W.
func (f *F32) MulTo(y, x Matrix) {
	CheckMulTo("F32.MulTo", y, x, f.wt.Cols, f.wt.Rows)
	for i := range x.Rows {
		xi, yi := row(x, i), row(y, i)
		for j := range yi {
			yi[j] = dot(xi, row(f.wt, j))
		}
	}
}

// Info describes the prepared weight.
func (f *F32) Info() Info {
	return Info{Scheme: SchemeF32, Impl: ImplRef, WeightBytes: 4 * int64(len(f.wt.Data)), Exact: true}
}
