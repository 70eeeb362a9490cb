package transformer

import (
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
)

// Matrix is a row-major float32 matrix, as in package kernels.
type Matrix = kernels.Matrix

func row(a Matrix, i int) []float32 { return a.Data[i*a.Stride:][:a.Cols] }

// check panics unless a has this shape and the data for it.
func check(function, operand string, a Matrix, rows, cols int) {
	if a.Rows != rows || a.Cols != cols {
		panic(fmt.Errorf("transformer: %s: %s is [%d,%d], want [%d,%d]", function, operand, a.Rows, a.Cols, rows, cols))
	}
	if rows < 0 || cols < 0 || a.Stride < cols || rows > 0 && cols > 0 && len(a.Data) < (rows-1)*a.Stride+cols {
		panic(fmt.Errorf("transformer: %s: %s is [%d,%d] with stride %d and %d values of data", function, operand, rows, cols, a.Stride, len(a.Data)))
	}
}

// checkHeads returns how many heads a row of a has, and panics if that is no whole
// number.
func checkHeads(function, operand string, a Matrix, headDim int) int {
	check(function, operand, a, a.Rows, a.Cols)
	if headDim < 1 || a.Cols%headDim != 0 {
		panic(fmt.Errorf("transformer: %s: %s has %d columns, want a multiple of the head's %d", function, operand, a.Cols, headDim))
	}
	return a.Cols / headDim
}

// Add returns x + y, as a residual connection adds what a block computed to its input.
func Add(x, y Matrix) Matrix {
	check("Add", "x", x, x.Rows, x.Cols)
	check("Add", "y", y, x.Rows, x.Cols)
	sum := kernels.New(x.Rows, x.Cols)
	for t := range x.Rows {
		yt := row(y, t)
		for i, v := range row(x, t) {
			sum.Data[t*sum.Stride+i] = v + yt[i]
		}
	}
	return sum
}
