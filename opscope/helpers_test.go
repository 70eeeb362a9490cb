package opscope_test

import (
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

// build makes a matrix from a formula for its elements.
func build(rows, cols int, f func(i, j int) float64) opscope.Matrix {
	w := opscope.Matrix{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: make([]float32, rows*cols)}
	for i := range rows {
		for j := range cols {
			w.Data[i*cols+j] = float32(f(i, j))
		}
	}
	return w
}

// strided copies w into a wider buffer whose gaps hold NaN, so that a probe
// that reads beyond a row shows it.
func strided(w opscope.Matrix, gap int) opscope.Matrix {
	s := w
	s.Stride = w.Cols + gap
	if w.Rows == 0 || w.Cols == 0 {
		return s
	}
	s.Data = make([]float32, (w.Rows-1)*s.Stride+w.Cols)
	for i := range s.Data {
		s.Data[i] = float32(math.NaN())
	}
	for i := range w.Rows {
		copy(s.Data[i*s.Stride:][:w.Cols], w.Data[i*w.Stride:][:w.Cols])
	}
	return s
}

func transpose(w opscope.Matrix) opscope.Matrix {
	return build(w.Cols, w.Rows, func(i, j int) float64 { return float64(w.Data[j*w.Stride+i]) })
}

// hadamard is Sylvester's matrix of order n, a power of two: entries ±1, rows
// orthogonal, all n singular values sqrt(n).
func hadamard(n int) opscope.Matrix {
	return build(n, n, func(i, j int) float64 {
		sign := 1.0
		for b := i & j; b != 0; b &= b - 1 {
			sign = -sign
		}
		return sign
	})
}

func diagonal(n int, value func(i int) float64) opscope.Matrix {
	return build(n, n, func(i, j int) float64 {
		if i == j {
			return value(i)
		}
		return 0
	})
}

// near fails the test unless got is within tolerance of want, relative to want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %.8g, want %.8g within %.2g of it", what, got, want, tolerance)
	}
}

// within fails the test unless |got-want| <= tolerance.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %.8g, want %.8g ± %.2g", what, got, want, tolerance)
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
