package kernels

import "math"

// RelErr returns the relative L2 error of got against want, summed in float64:
//
//	sqrt(sum (got - want)^2) / sqrt(sum want^2)
//
// It is 0 when every element agrees, empty matrices and zero matrices included,
// +Inf when want is zero and got is not, and NaN when either holds a NaN or an
// infinity. It panics with a *ShapeError when a matrix is malformed or the
// shapes differ.
func RelErr(got, want Matrix) float64 {
	const op = "RelErr"
	for _, operand := range []struct {
		name string
		m    Matrix
	}{{"got", got}, {"want", want}} {
		if err := checkMatrix(op, operand.name, operand.m); err != nil {
			panic(err)
		}
	}
	if got.Rows != want.Rows || got.Cols != want.Cols {
		panic(&ShapeError{Op: op, Operand: "got", Got: shape(got.Rows, got.Cols), Want: shape(want.Rows, want.Cols)})
	}
	var diff2, want2 float64
	for i := range want.Rows {
		g, w := row(got, i), row(want, i)
		for j := range w {
			d := float64(g[j]) - float64(w[j])
			diff2 += d * d
			want2 += float64(w[j]) * float64(w[j])
		}
	}
	switch {
	case diff2 == 0:
		return 0
	case math.IsInf(diff2, 0):
		// A NaN needs no case: it passes through the division.
		return math.NaN()
	}
	return math.Sqrt(diff2) / math.Sqrt(want2)
}
