package weights

import (
	"github.com/rlx-go/gopherscope/kernels"
)

// Named is a tensor to be written.
type Named struct {
	Name  string
	DType DType // F32 if empty; F16 and BF16 are rounded to nearest, ties to even
	Shape []int // any rank; none for a scalar
	Data  []float32
}

// WriteSafetensors writes a safetensors file.
func WriteSafetensors(path string, tensors []Named) error { panic("not yet") }

// WriteNPY writes a matrix as an NPY file of version 1.
func WriteNPY(path string, m kernels.Matrix) error { panic("not yet") }
