package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rlx-go/gopherscope/kernels"
)

// fenceValue fills memory that nobody may write.
const fenceValue = float32(-12345.678)

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

// layout says where a matrix lies in its buffer.
type layout struct {
	offset int // values before the first row
	gap    int // values between rows
}

// newMatrix returns a zero matrix whose surroundings hold fence values. Data
// ends with the last element of the last row, but buf goes on after it.
func newMatrix(rows, cols int, l layout) (a kernels.Matrix, buf []float32) {
	const after = 5
	stride := max(1, cols+l.gap)
	length := 0
	if rows > 0 && cols > 0 {
		length = (rows-1)*stride + cols
	}
	buf = make([]float32, l.offset+length+after)
	for i := range buf {
		buf[i] = fenceValue
	}
	a = kernels.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: buf[l.offset : l.offset+length : l.offset+length]}
	fillMatrix(a, func(i, j int) float32 { return 0 })
	return a, buf
}

// fencesIntact reports whether everything of buf outside a, which newMatrix gave
// with it, still holds the fence value.
func fencesIntact(a kernels.Matrix, buf []float32, l layout) bool {
	outside := slices.Clone(buf)
	inside := a
	inside.Data = outside[l.offset : l.offset+len(a.Data)]
	fillMatrix(inside, func(i, j int) float32 { return fenceValue })
	return !slices.ContainsFunc(outside, func(v float32) bool { return v != fenceValue })
}

func fillMatrix(a kernels.Matrix, value func(i, j int) float32) {
	for i := range a.Rows {
		for j := range a.Cols {
			a.Data[i*a.Stride+j] = value(i, j)
		}
	}
}

func fillNormal(a kernels.Matrix, rng *rand.Rand) {
	fillMatrix(a, func(i, j int) float32 { return float32(rng.NormFloat64()) })
}

// normal returns a matrix of normal variates without gaps.
func normal(rows, cols int, rng *rand.Rand) kernels.Matrix {
	a := kernels.New(rows, cols)
	fillNormal(a, rng)
	return a
}

func clone(a kernels.Matrix) kernels.Matrix {
	a.Data = slices.Clone(a.Data)
	return a
}

// sameBits reports whether two slices hold the same values, NaN for NaN.
func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// compare returns an error unless each element of y is within the bound of the
// product of w and x. It does not look at the rows of y that skip lists.
func compare(y, w, x kernels.Matrix, bound Bound, skip ...int) error {
	want, allowed := Product(w, x), bound(w, x)
	for i := range y.Rows {
		if slices.Contains(skip, i) {
			continue
		}
		for j := range y.Cols {
			got := float64(y.Data[i*y.Stride+j])
			e := i*y.Cols + j
			// Written so that a NaN fails.
			if distance := math.Abs(got - want[e]); !(distance <= allowed[e]) {
				return fmt.Errorf("y[%d,%d] = %v, want %v: off by %.3g, bound %.3g", i, j, got, want[e], distance, allowed[e])
			}
		}
	}
	return nil
}

// caught runs f and returns what it panicked with, or nil.
func caught(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
