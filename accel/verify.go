package accel

import (
	"errors"
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
)

// The relative L2 errors up to which a product is right.
const (
	// exact is for sums of integers that float32 and int32 hold.
	exact = 1e-6
	// undocumented is for a library that does not say how it adds; half precision would
	// be within it, a wrong stride or scale is not.
	undocumented = 1e-2
)

// verify returns an error unless the products of a scheme are those of the reference:
// of matrices of odd sizes, one row and several, with and without gaps between the
// rows.
func (l *Library) verify(scheme string) error {
	tolerance := exact
	if scheme == "bnns-i8" {
		tolerance = undocumented
	}
	return verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return l.new(scheme, w) }, tolerance)
}

func verify(prepare func(w kernels.Matrix) (kernels.Multiplier, error), tolerance float64) error {
	// Small ones, and some that fill the tiles of fast code.
	for _, s := range []struct{ m, k, n int }{{5, 13, 7}, {37, 149, 103}} {
		w := integers(s.k, s.n, 0, func(p, _ int) bool { return p < 2 })
		reference, err := kernels.NewDense(w)
		if err != nil {
			return err
		}
		vendor, err := prepare(w)
		if err != nil {
			return err
		}
		for _, c := range []struct{ m, gap int }{{1, 0}, {s.m, 0}, {s.m, 3}} {
			x := integers(c.m, s.k, c.gap, func(_, p int) bool { return p < 2 })
			if err := compare(vendor, x, kernels.Mul(reference, x), c.gap, tolerance); err != nil {
				return fmt.Errorf("[%d,%d] times [%d,%d]: %w", c.m, s.k, s.k, s.n, err)
			}
		}
	}
	return nil
}

// compare returns an error unless a product with x, written with gaps between the
// rows, is the one that is wanted.
func compare(vendor kernels.Multiplier, x, want kernels.Matrix, gap int, tolerance float64) error {
	const outside = -12345 // marks memory that a product must not write
	stride := want.Cols + gap
	y := kernels.Matrix{Rows: want.Rows, Cols: want.Cols, Stride: stride, Data: make([]float32, want.Rows*stride)}
	for i := range y.Data {
		y.Data[i] = outside
	}
	if err := Catch(func() { vendor.MulTo(y, x) }); err != nil {
		return err
	}
	if e := kernels.RelErr(y, want); !(e <= tolerance) { // written so that a NaN fails
		return fmt.Errorf("wrong products, with a relative error of %.3g", e)
	}
	for i, v := range y.Data {
		if i%stride >= want.Cols && v != outside {
			return errors.New("it writes beside the result")
		}
	}
	return nil
}

// integers returns a matrix of integers from -127 to 127, which every scheme represents
// exactly. They are 127 where large: two neighbours whose products do not fit 16 bits.
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
