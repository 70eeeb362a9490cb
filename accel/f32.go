package accel

import "github.com/rlx-go/gopherscope/kernels"

// float32Weight is a weight for a function that takes float32 matrices as they are.
type float32Weight struct {
	w kernels.Matrix // [k,n], no gaps
	// multiply overwrites y with x w.
	multiply func(y, x, w kernels.Matrix) error
}

func (f *float32Weight) weight() (bytes int64, exact bool) { return 4 * int64(len(f.w.Data)), true }

func (f *float32Weight) mulTo(y, x kernels.Matrix, callers slots) error {
	callers.enter()
	defer callers.leave()
	return f.multiply(y, x, f.w)
}

func (f *float32Weight) ready(x kernels.Matrix) func() error {
	y := kernels.New(x.Rows, f.w.Cols)
	return func() error { return f.multiply(y, x, f.w) }
}

// float32Scheme prepares weights for multiply.
func float32Scheme(multiply func(y, x, w kernels.Matrix) error) func(kernels.Matrix) (prepared, error) {
	return func(w kernels.Matrix) (prepared, error) { return &float32Weight{w, multiply}, nil }
}
