package weights

import (
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
)

// Weight is a matrix in memory that knows which axis is which.
type Weight struct {
	Matrix kernels.Matrix
	Layout Layout
	// View says in words what was done to the tensor to get Matrix.
	View string
}

// AsInOut returns the weight as W[k,n] = [in, out]. A weight that is [out, in] is
// transposed into new memory, and View says so; another is returned as it is.
func (w Weight) AsInOut() Weight {
	if w.Layout == InOut {
		return w
	}
	t := transpose(w.Matrix)
	return Weight{
		Matrix: t,
		Layout: InOut,
		View:   fmt.Sprintf("%s, transposed to %s = [%d, %d]", w.View, InOut, t.Rows, t.Cols),
	}
}

// transpose goes tile by tile, so that the cache lines of both sides are used up while
// they are there.
func transpose(a kernels.Matrix) kernels.Matrix {
	const tile = 32
	t := kernels.Matrix{Rows: a.Cols, Cols: a.Rows, Stride: a.Rows, Data: make([]float32, a.Rows*a.Cols)}
	for i0 := 0; i0 < a.Rows; i0 += tile {
		for j0 := 0; j0 < a.Cols; j0 += tile {
			for i := i0; i < min(i0+tile, a.Rows); i++ {
				for j := j0; j < min(j0+tile, a.Cols); j++ {
					t.Data[j*t.Stride+i] = a.Data[i*a.Stride+j]
				}
			}
		}
	}
	return t
}
