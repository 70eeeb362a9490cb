package accel

import (
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
)

// verify multiplies matrices of odd sizes, one row and several, with and without gaps
// between the rows, and returns an error unless the results are those of the
// reference. They are integers that every scheme represents exactly; pairs of the
// largest are there, whose products do not fit 16 bits.
func (l *Library) verify(scheme string) error {
	tolerance := exact
	if scheme == "bnns-i8" {
		tolerance = undocumented
	}
	return verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return l.new(scheme, w) }, tolerance)
}

// The relative L2 errors up to which a product is right.
const (
	// exact is for sums of integers that float32 and int32 hold.
	exact = 1e-6
	// undocumented is for a library that does not say how it adds; half precision would
	// be within it, a wrong stride or scale is not.
	undocumented = 1e-2
)

func verify(prepare func(w kernels.Matrix) (kernels.Multiplier, error), tolerance float64) (err error) {
	const k, n, gap = 13, 7, 3
	w := integers(k, n, 0, func(p, _ int) bool { return p < 2 })
	reference, err := kernels.NewDense(w)
	if err != nil {
		return err
	}
	vendor, err := prepare(w)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(*CallError)
			if !ok {
				panic(r)
			}
			err = failed
		}
	}()
	for _, c := range []struct{ m, gap int }{{1, 0}, {5, 0}, {5, gap}} {
		x := integers(c.m, k, c.gap, func(_, p int) bool { return p < 2 })
		want := kernels.Mul(reference, x)
		y := kernels.Matrix{Rows: c.m, Cols: n, Stride: n + c.gap, Data: make([]float32, c.m*(n+c.gap))}
		for i := range y.Data {
			y.Data[i] = outside
		}
		vendor.MulTo(y, x)
		if e := kernels.RelErr(y, want); !(e <= tolerance) { // written so that a NaN fails
			return fmt.Errorf("wrong products: [%d,%d] times [%d,%d] has a relative error of %.3g", c.m, k, k, n, e)
		}
		for i := range y.Data {
			if i%y.Stride >= n && y.Data[i] != outside {
				return fmt.Errorf("it writes beside the result of [%d,%d] times [%d,%d]", c.m, k, k, n)
			}
		}
	}
	return nil
}

// outside marks memory that a product must not write.
const outside = -12345

// integers returns a matrix of integers from -127 to 127, which are 127 where large.
func integers(rows, cols, gap int, large func(i, j int) bool) kernels.Matrix {
	a := kernels.Matrix{Rows: rows, Cols: cols, Stride: cols + gap, Data: make([]float32, rows*(cols+gap))}
	for i := range rows {
		for j := range cols {
			v := (i*cols+j)*37%255 - 127
			if large(i, j) {
				v = 127
			}
			a.Data[i*a.Stride+j] = float32(v)
		}
	}
	return a
}
