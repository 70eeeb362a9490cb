package weights

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rlx-go/gopherscope/kernels"
)

// Layout says which axis of a matrix is which.
type Layout int

const (
	// OutIn is [out, in]: a row for each output channel, the reduction axis along it.
	// PyTorch stores a weight so, and it is what this package takes a file to hold.
	OutIn Layout = iota
	// InOut is [in, out]: W[k,n] of y[m,n] = x[m,k] W[k,n], as the kernels take it.
	InOut
)

// String returns "[out, in]" or "[in, out]".
func (l Layout) String() string {
	if l == InOut {
		return "[in, out]"
	}
	return "[out, in]"
}

// Matrix is one matrix of a file, not yet read.
type Matrix struct {
	// Tensor is where the values are.
	Tensor *Tensor
	// Layout is OutIn, because a file does not say. Set it to InOut before Load if you
	// know that the file holds the transpose, as GPT-2's Conv1D layers are stored.
	Layout Layout

	stack  int // matrices in the tensor, 0 if it is not a stack
	expert int // place in the stack
}

// Skipped is a tensor that is not offered as a matrix.
type Skipped struct {
	Tensor *Tensor
	Reason string
}

// Matrices returns the matrices of the file in the order of their bytes. A tensor is
// seen as a matrix, without moving a value, so:
//
//	[r, c]          as it is
//	[o, i, k]       the weight of a 1-D convolution, as [o, i*k]
//	[e, r, c]       the weights of e experts, as e matrices [r, c], if a part of the
//	                name, between dots, is "experts" and no number follows it
//	[o, i, kh, kw]  the weight of a 2-D convolution, as [o, i*kh*kw]
//
// Every tensor of the file is either here or in Skipped.
func (f *File) Matrices() []Matrix {
	var list []Matrix
	for _, t := range f.tensors {
		if t.skipReason() != "" {
			continue
		}
		if !t.isStack() {
			list = append(list, Matrix{Tensor: t})
			continue
		}
		for e := range t.Shape[0] {
			list = append(list, Matrix{Tensor: t, stack: t.Shape[0], expert: e})
		}
	}
	return list
}

// Skipped returns the tensors that Matrices does not offer, each with the reason: no
// value, fewer than two axes, more than four, or a dtype that is not decoded.
func (f *File) Skipped() []Skipped {
	var list []Skipped
	for _, t := range f.tensors {
		if reason := t.skipReason(); reason != "" {
			list = append(list, Skipped{Tensor: t, Reason: reason})
		}
	}
	return list
}

// Matrix returns the matrix of that name. It fails if the file has no such matrix, with
// the reason if the tensor of that name is skipped.
func (f *File) Matrix(name string) (Matrix, error) {
	for _, m := range f.Matrices() {
		if m.Name() == name {
			return m, nil
		}
	}
	for _, s := range f.Skipped() {
		if s.Tensor.Name == name {
			return Matrix{}, fmt.Errorf("%s: tensor %s is not a matrix: %s", f.name, quote(name), s.Reason)
		}
	}
	return Matrix{}, fmt.Errorf("%s: no matrix is named %s", f.name, quote(name))
}

// skipReason says why the tensor cannot be seen as a matrix, "" if it can.
func (t *Tensor) skipReason() string {
	info, known := t.DType.info()
	switch {
	case t.Elements() == 0:
		return "empty: shape " + shapeString(t.Shape) + " has no value"
	case len(t.Shape) == 0:
		return "a scalar"
	case len(t.Shape) == 1:
		return "1-D: a vector, not a matrix"
	case len(t.Shape) > 4:
		return fmt.Sprintf("%d-D: not known how to see it as a matrix", len(t.Shape))
	case !known:
		return "dtype " + quote(string(t.DType)) + " is not known"
	case info.decode == nil:
		return fmt.Sprintf("dtype %s is not decoded: %s", t.DType, info.skip)
	}
	return ""
}

// isStack reports whether a tensor holds the matrices of several experts.
func (t *Tensor) isStack() bool {
	if len(t.Shape) != 3 {
		return false
	}
	// A number after "experts" picks one expert, whose weight has no axis of experts.
	_, after, found := strings.Cut("."+t.Name+".", ".experts.")
	next, _, _ := strings.Cut(after, ".")
	_, notNumber := strconv.Atoi(next)
	return found && notNumber != nil
}

// Name returns the name of the tensor, followed by [e] for expert e of a stack.
func (m Matrix) Name() string {
	if m.stack == 0 {
		return m.Tensor.Name
	}
	return fmt.Sprintf("%s[%d]", m.Tensor.Name, m.expert)
}

// Dims returns the shape of the matrix as stored.
func (m Matrix) Dims() (rows, cols int) {
	shape := m.Tensor.Shape
	if m.stack > 0 {
		return shape[1], shape[2]
	}
	cols = 1
	for _, d := range shape[1:] {
		cols *= d
	}
	return shape[0], cols
}

// View says in words how the tensor is seen as this matrix.
func (m Matrix) View() string {
	rows, cols := m.Dims()
	shape := shapeString(m.Tensor.Shape)
	switch {
	case m.stack > 0:
		return fmt.Sprintf("expert %d of %s, %s = [%d, %d]", m.expert, shape, m.Layout, rows, cols)
	case len(m.Tensor.Shape) == 3:
		return fmt.Sprintf("%s as [o, i*k] = [%d, %d]", shape, rows, cols)
	case len(m.Tensor.Shape) == 4:
		return fmt.Sprintf("%s as [o, i*kh*kw] = [%d, %d]", shape, rows, cols)
	}
	return fmt.Sprintf("%s = %s", m.Layout, shape)
}

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

// SetStacks has every 3-D tensor whose name matches one of the patterns, as path.Match
// has them, taken as a stack of matrices.
func (f *File) SetStacks(patterns ...string) error { f.stacks = patterns; return nil }
