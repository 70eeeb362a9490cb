package kernels

import (
	"fmt"
	"math"
	"unsafe"
)

// New returns a zero matrix of the given shape with no gap between its rows. It
// panics with a *ShapeError when a dimension is negative or the size overflows.
func New(rows, cols int) Matrix {
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/cols {
		panic(&ShapeError{Op: "New", Operand: "matrix", Got: shape(rows, cols), Want: "dimensions of at least 0 whose product is an int"})
	}
	// gonum wants a stride of at least 1 even for matrices without columns.
	return Matrix{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float32, rows*cols)}
}

// row returns row i of a, cut so that nothing beyond it can be reached.
func row(a Matrix, i int) []float32 {
	if a.Cols == 0 {
		return nil
	}
	start := i * a.Stride
	return a.Data[start : start+a.Cols : start+a.Cols]
}

// rows returns rows i <= r < i+m of a.
func rows(a Matrix, i, m int) Matrix {
	if a.Cols > 0 {
		a.Data = a.Data[i*a.Stride:]
	}
	a.Rows = m
	return a
}

// compact returns a copy of a with no gap between its rows.
func compact(a Matrix) Matrix {
	c := New(a.Rows, a.Cols)
	for i := range a.Rows {
		copy(row(c, i), row(a, i))
	}
	return c
}

// transposed returns a copy of the transpose of a.
func transposed(a Matrix) Matrix {
	t := New(a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range row(a, i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

// firstNonFinite returns the index of the first NaN or infinity of v, or -1.
func firstNonFinite(v []float32) int {
	for i, f := range v {
		if f-f != 0 {
			return i
		}
	}
	return -1
}

// emptyProduct reports whether the product of x[m,k] and W that y[m,n] is for
// needs no arithmetic, and sets y to the zeros that it is when k = 0.
func emptyProduct(y Matrix, k int) bool {
	if k == 0 {
		for i := range y.Rows {
			clear(row(y, i))
		}
	}
	return k == 0 || y.Rows == 0 || y.Cols == 0
}

// fill sets every element of v.
func fill(v []float32, value float32) {
	for i := range v {
		v[i] = value
	}
}

var nan = float32(math.NaN())

func shape(rows, cols int) string { return fmt.Sprintf("[%d,%d]", rows, cols) }

// checkMatrix returns a *ShapeError unless a is a well-formed matrix.
func checkMatrix(op, operand string, a Matrix) error {
	bad := func(got, want string) error {
		return &ShapeError{Op: op, Operand: operand, Got: got, Want: want}
	}
	switch {
	case a.Rows < 0 || a.Cols < 0:
		return bad(shape(a.Rows, a.Cols), "dimensions of at least 0")
	case a.Stride < a.Cols:
		return bad(fmt.Sprintf("stride %d", a.Stride), fmt.Sprintf("at least its %d columns", a.Cols))
	case a.Rows == 0 || a.Cols == 0:
		return nil
	// The product (Rows-1)*Stride can overflow, the quotient cannot.
	case len(a.Data) < a.Cols || (len(a.Data)-a.Cols)/a.Stride < a.Rows-1:
		return bad(fmt.Sprintf("%d values of data", len(a.Data)),
			fmt.Sprintf("enough for %s with stride %d", shape(a.Rows, a.Cols), a.Stride))
	}
	return nil
}

// checkFiniteMatrix returns a *ShapeError or a *NonFiniteError unless a is a
// well-formed matrix of finite values.
func checkFiniteMatrix(op, operand string, a Matrix) error {
	if err := checkMatrix(op, operand, a); err != nil {
		return err
	}
	for i := range a.Rows {
		r := row(a, i)
		if j := firstNonFinite(r); j >= 0 {
			return &NonFiniteError{Op: op, Operand: operand, Row: i, Col: j, Value: r[j]}
		}
	}
	return nil
}

// checkInput panics with a *ShapeError unless x is a well-formed matrix [any,k].
func checkInput(op string, x Matrix, k int) {
	if err := checkMatrix(op, "x", x); err != nil {
		panic(err)
	}
	if x.Cols != k {
		panic(&ShapeError{Op: op, Operand: "x", Got: shape(x.Rows, x.Cols), Want: fmt.Sprintf("[m,%d]", k)})
	}
}

// checkOutput panics with a *ShapeError unless y is a well-formed matrix [m,n].
func checkOutput(op string, y Matrix, m, n int) {
	if err := checkMatrix(op, "y", y); err != nil {
		panic(err)
	}
	if y.Rows != m || y.Cols != n {
		panic(&ShapeError{Op: op, Operand: "y", Got: shape(y.Rows, y.Cols), Want: shape(m, n)})
	}
}

// CheckMulTo panics with a *ShapeError unless x is a well-formed matrix [m,k], y
// is a well-formed matrix [m,n], and no element of y is an element of x. It is
// the check that every Multiplier makes first; op names the caller.
func CheckMulTo(op string, y, x Matrix, k, n int) {
	checkInput(op, x, k)
	checkOutput(op, y, x.Rows, n)
	if overlap(y, x) {
		panic(&ShapeError{Op: op, Operand: "y", Got: "memory that overlaps x", Want: "memory of its own"})
	}
}

// overlap reports whether two well-formed matrices share an element. Two views
// of one buffer whose rows interleave without touching do not overlap.
func overlap(a, b Matrix) bool {
	if a.Cols == 0 || b.Cols == 0 {
		return false
	}
	const size = unsafe.Sizeof(float32(0))
	aStart, aCols, aStride := uintptr(unsafe.Pointer(unsafe.SliceData(a.Data))), size*uintptr(a.Cols), size*uintptr(a.Stride)
	bStart, bCols, bStride := uintptr(unsafe.Pointer(unsafe.SliceData(b.Data))), size*uintptr(b.Cols), size*uintptr(b.Stride)
	// Rows ascend in memory, so the two lists of intervals merge in one pass.
	for i, j := 0, 0; i < a.Rows && j < b.Rows; {
		switch {
		case aStart+aCols <= bStart:
			aStart += aStride
			i++
		case bStart+bCols <= aStart:
			bStart += bStride
			j++
		default:
			return true
		}
	}
	return false
}
