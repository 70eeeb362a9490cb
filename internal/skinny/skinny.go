// Package skinny multiplies a matrix by a few vectors, and its transpose by a few
// vectors, reading the matrix row by row in both cases: no transposed or packed copy of
// it is needed, and rows that are still in the cache from the first product serve the
// second.
//
// Sums run in float32. Their order depends on the tier of instructions, and on nothing
// else.
package skinny

import (
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
)

const (
	// Vectors is what the number of vectors is a multiple of.
	Vectors = 8
	// Columns is what the length of vectors is padded to a multiple of.
	Columns = 32
)

// Pad is n rounded up to a multiple of Columns.
func Pad(n int) int { return (n + Columns - 1) / Columns * Columns }

const (
	// blockColumns is how many columns of the vectors meet all rows before the next
	// ones: those of 8 vectors take 16 KiB, a part of the L1 cache.
	blockColumns = 512
	// tailRows is how many rows' last columns are copied at a time.
	tailRows = 24
)

// AddDots adds w qᵀ to y: to y[i,c] the dot product of row i of w[m,n] and vector c of
// q[k,n], k a multiple of Vectors. The vectors have zeros from n to Pad(n), for which
// their stride leaves room. It panics if shapes do not fit.
func AddDots(y, w, q kernels.Matrix) {
	checkVectors("AddDots", y, w, q)
	whole := w.Cols &^ (Columns - 1)
	for j := 0; j < whole; j += blockColumns {
		n := min(blockColumns, whole-j)
		best.addDots(y, from(w, 0, j, w.Rows, n), from(q, 0, j, q.Rows, n))
	}
	eachTail(w, whole, func(i int, tail kernels.Matrix) {
		best.addDots(from(y, i, 0, tail.Rows, y.Cols), tail, from(q, 0, whole, q.Rows, Columns))
	})
}

// AddCombinations adds yᵀ w to z: to vector c of z[k,n] the sum of the rows i of w[m,n]
// times y[i,c], k a multiple of Vectors. The stride of z leaves room for Pad(n) columns;
// what is in them beyond n has no meaning afterwards unless y is finite, when it is what
// was there before. It panics if shapes do not fit.
func AddCombinations(z, y, w kernels.Matrix) {
	checkVectors("AddCombinations", y, w, z)
	whole := w.Cols &^ (Columns - 1)
	// From the last columns to the first, since the last ones were read last by AddDots.
	eachTail(w, whole, func(i int, tail kernels.Matrix) {
		best.addCombinations(from(z, 0, whole, z.Rows, Columns), from(y, i, 0, tail.Rows, y.Cols), tail)
	})
	best.addCombinations(from(z, 0, 0, z.Rows, whole), y, from(w, 0, 0, w.Rows, whole))
}

// eachTail calls f for copies of the columns of w from a whole number of Columns on,
// with zeros after them.
func eachTail(w kernels.Matrix, whole int, f func(i int, tail kernels.Matrix)) {
	if whole == w.Cols {
		return
	}
	data := make([]float32, tailRows*Columns)
	for i := 0; i < w.Rows; i += tailRows {
		rows := min(tailRows, w.Rows-i)
		for r := range rows {
			copy(data[r*Columns:], w.Data[(i+r)*w.Stride+whole:][:w.Cols-whole])
		}
		f(i, kernels.Matrix{Rows: rows, Cols: Columns, Stride: Columns, Data: data})
	}
}

// from is the part of a from row i and column j on, of so many rows and columns.
func from(a kernels.Matrix, i, j, rows, cols int) kernels.Matrix {
	a.Rows, a.Cols = rows, cols
	if rows > 0 && cols > 0 {
		a.Data = a.Data[i*a.Stride+j:]
	}
	return a
}

func checkVectors(op string, y, w, v kernels.Matrix) {
	ok := y.Rows == w.Rows && y.Cols == v.Rows && w.Cols == v.Cols && v.Rows%Vectors == 0 &&
		holds(y, y.Cols) && holds(w, w.Cols) && holds(v, Pad(v.Cols))
	if !ok {
		panic(fmt.Sprintf("skinny: %s of y[%d,%d], w[%d,%d] and %d vectors of %d columns, strides %d, %d and %d, lengths %d, %d and %d",
			op, y.Rows, y.Cols, w.Rows, w.Cols, v.Rows, v.Cols, y.Stride, w.Stride, v.Stride, len(y.Data), len(w.Data), len(v.Data)))
	}
}

// holds tells whether a has the memory of its rows, of so many columns each.
func holds(a kernels.Matrix, cols int) bool {
	if a.Rows == 0 || cols == 0 {
		return true
	}
	return a.Rows > 0 && cols > 0 && a.Stride >= cols && len(a.Data) >= cols && (len(a.Data)-cols)/a.Stride >= a.Rows-1
}
