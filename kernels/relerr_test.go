package kernels_test

import (
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

func TestRelErr(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	big := float32(math.MaxFloat32)
	for _, c := range []struct {
		name      string
		got, want []float32
		err       float64
	}{
		{"equal", []float32{1, -2}, []float32{1, -2}, 0},
		{"3-4-5", []float32{3, 8}, []float32{0, 4}, 5. / 4},
		{"signs of zero", []float32{float32(math.Copysign(0, -1))}, []float32{0}, 0},
		{"zero against zero", []float32{0, 0}, []float32{0, 0}, 0},
		{"something against zero", []float32{0, 1e-45}, []float32{0, 0}, math.Inf(1)},
		{"zero against something", []float32{0, 0}, []float32{3, 4}, 1},
		{"no overflow", []float32{-big, big}, []float32{big, big}, math.Sqrt2},
		{"no underflow", []float32{0x1p-148, 0}, []float32{0x1p-149, 0}, 1},
		{"empty", nil, nil, 0},
		{"NaN in got", []float32{nan, 1}, []float32{1, 1}, math.NaN()},
		{"NaN in want", []float32{1, 1}, []float32{1, nan}, math.NaN()},
		{"NaN in both", []float32{nan}, []float32{nan}, math.NaN()},
		{"infinity in got", []float32{inf}, []float32{1}, math.NaN()},
		{"infinity in got against zero", []float32{inf}, []float32{0}, math.NaN()},
		{"infinity in want", []float32{1}, []float32{inf}, math.NaN()},
		{"infinity in both", []float32{inf}, []float32{inf}, math.NaN()},
	} {
		matrix := func(v []float32) kernels.Matrix {
			return kernels.Matrix{Rows: 1, Cols: len(v), Stride: len(v), Data: v}
		}
		got := kernels.RelErr(matrix(c.got), matrix(c.want))
		if !(math.Abs(got-c.err) < 1e-15 || got == c.err || math.IsNaN(got) && math.IsNaN(c.err)) {
			t.Errorf("%s: RelErr = %v, want %v", c.name, got, c.err)
		}
	}
}

func TestRelErrSumsInFloat64(t *testing.T) {
	// In float32 the sum of these squares stops at 2^24.
	const n = 1<<24 + 1<<20
	want := build(1, n, func(int, int) float32 { return 1 })
	got := build(1, n, func(int, int) float32 { return 1.5 })
	if err := kernels.RelErr(got, want); err != 0.5 {
		t.Errorf("RelErr = %v, want 0.5", err)
	}
}

func TestRelErrUsesStrides(t *testing.T) {
	got := kernels.Matrix{Rows: 2, Cols: 1, Stride: 3, Data: []float32{1, 9, 9, 2}}
	want := kernels.Matrix{Rows: 2, Cols: 1, Stride: 2, Data: []float32{1, 7, 2}}
	if err := kernels.RelErr(got, want); err != 0 {
		t.Errorf("RelErr = %v, want 0", err)
	}
}

func TestRelErrRefusesOtherShapes(t *testing.T) {
	for _, c := range []struct{ got, want kernels.Matrix }{
		{kernels.New(2, 3), kernels.New(3, 2)},
		{kernels.New(1, 3), kernels.New(2, 3)},
		{kernels.Matrix{Rows: 1, Cols: 1, Stride: 1}, kernels.New(1, 1)},
	} {
		if _, ok := panicked(func() { kernels.RelErr(c.got, c.want) }).(*kernels.ShapeError); !ok {
			t.Errorf("RelErr of %+v and %+v does not panic with a *ShapeError", c.got, c.want)
		}
	}
}
