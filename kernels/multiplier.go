package kernels

import "gonum.org/v1/gonum/blas/blas32"

// Matrix is a row-major float32 matrix, gonum's own type, so that gonum's BLAS
// takes it as it is. Element (i, j) is Data[i*Stride+j]; Stride >= Cols, and
// Data may end with the last element of the last row.
type Matrix = blas32.General

// Multiplier is a weight W of shape [k, n] = [in, out], prepared once, that
// multiplies activations: y[m,n] = x[m,k] W[k,n]. k is the reduction axis.
//
// A Multiplier does not change after it is made and is safe for concurrent
// callers, each with a y of its own.
type Multiplier interface {
	// Dims returns the shape [k, n] of W.
	Dims() (k, n int)
	// MulTo overwrites y[m,n] with x[m,k] W, whatever y held before. It leaves x
	// and the memory between the rows of y alone. It panics with a *ShapeError
	// when a shape does not fit or when y overlaps x.
	MulTo(y, x Matrix)
	// Info says what the weight was turned into.
	Info() Info
}

// Names of the schemes, as Info.Scheme gives them.
const (
	SchemeDense          = "dense"
	SchemeF32            = "f32"
	SchemeBF16           = "bf16"
	SchemeSkipZeros      = "skipzeros"
	SchemeLowRank        = "lowrank"
	SchemeInt8PerChannel = "int8"
	SchemeW8A16          = "w8a16"
	SchemeW8A8           = "w8a8"
	SchemeW4A16          = "w4a16"
)

// Info describes a prepared weight.
type Info struct {
	// Scheme is the name of the storage and arithmetic, such as SchemeF32.
	Scheme string
	// Impl is the implementation that runs it, one of Implementations(Scheme).
	Impl string
	// WeightBytes is the number of bytes of weights, scales and indices that
	// one call reads, counting each once.
	WeightBytes int64
	// Exact is true when the result differs from the float32 product only by
	// the rounding of the sums; false when the scheme itself trades an error.
	Exact bool
}

// Mul returns x[m,k] W as a new matrix [m,n]. It panics with a *ShapeError when
// x does not fit.
func Mul(w Multiplier, x Matrix) Matrix {
	k, n := w.Dims()
	checkInput("Mul", x, k)
	y := New(x.Rows, n)
	w.MulTo(y, x)
	return y
}
