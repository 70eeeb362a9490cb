package weights

import (
	"fmt"
	"path"
	"strconv"
	"strings"
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
	// Layout is OutIn, because few files say otherwise. Set it before Load if you know
	// better, or to what GuessLayout returns.
	Layout Layout

	stack  int  // matrices in the tensor, 0 if it is not a stack
	expert int  // place in the stack
	column bool // see Tensor.Column
}

// Skipped is a tensor that is not offered as a matrix.
type Skipped struct {
	Tensor *Tensor
	Reason string
}

// SetStacks has every 3-D tensor whose name matches one of the patterns, in the syntax
// of path.Match, taken as a stack [e, r, c] of e matrices, besides those that are known
// by their names. It fails if a pattern is malformed.
func (f *File) SetStacks(patterns ...string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("pattern %s: %w", quote(p), err)
		}
	}
	f.stacks = append([]string(nil), patterns...)
	return nil
}

// maxStack is the most matrices of a stack: a hundred times what models have. Each is
// listed, so that a file with more would take far more memory than its header.
const maxStack = 1 << 16

// Matrices returns the matrices of the file in the order of its tensors. A tensor is
// seen as a matrix, without moving a value, so:
//
//	[r, c]          as it is
//	[o, i, k]       the weight of a 1-D convolution, as [o, i*k]
//	[e, r, c]       the weights of e experts, as e matrices [r, c], if a part of the
//	                name, between dots, is "experts" and no number follows it, or ends in
//	                "_exps", or if SetStacks says so
//	[o, i, kh, kw]  the weight of a 2-D convolution, as [o, i*kh*kw]
//
// A tensor of three or four axes that is named "kernel", as Keras and Flax name them, has
// the outputs last: [k, i, o] is seen as [k*i, o] and [kh, kw, i, o] as [kh*kw*i, o], with
// the Layout InOut. A 2-D array in Fortran order is seen as its transpose, which is what
// the file holds, with the Layout InOut.
//
// Every tensor of the file is either here or in Skipped.
func (f *File) Matrices() []Matrix {
	var list []Matrix
	for _, t := range f.tensors {
		if f.skipReason(t) != "" {
			continue
		}
		if !f.isStack(t) {
			list = append(list, Matrix{Tensor: t, Layout: t.layout()})
			continue
		}
		for e := range t.Shape[0] {
			list = append(list, Matrix{Tensor: t, stack: t.Shape[0], expert: e})
		}
	}
	return list
}

// Skipped returns the tensors that Matrices does not offer, each with the reason: no
// value, fewer than two axes, more than four, a dtype that is not decoded, a stack of
// vectors or of more than 65,536 matrices, or a place in a file of several that the index
// does not name.
func (f *File) Skipped() []Skipped {
	var list []Skipped
	for _, t := range f.tensors {
		if reason := f.skipReason(t); reason != "" {
			list = append(list, Skipped{Tensor: t, Reason: reason})
		}
	}
	return list
}

// Matrix returns the matrix of that name. It fails if the file has no such matrix, with
// the reason if the tensor of that name is skipped or is a stack.
func (f *File) Matrix(name string) (Matrix, error) {
	if t := f.byName[name]; t != nil {
		if reason := f.skipReason(t); reason != "" {
			return Matrix{}, fmt.Errorf("%s: tensor %s is not a matrix: %s", f.name, quote(name), reason)
		}
		if !f.isStack(t) {
			return Matrix{Tensor: t, Layout: t.layout()}, nil
		}
		return Matrix{}, fmt.Errorf("%s: tensor %s is a stack of %d matrices: add [0] to [%d] to its name",
			f.name, quote(name), t.Shape[0], t.Shape[0]-1)
	}
	if stack, rest, found := cutLast(strings.TrimSuffix(name, "]"), "["); found {
		t, e := f.byName[stack], parseIndex(rest)
		if t != nil && f.skipReason(t) == "" && f.isStack(t) && e >= 0 && e < t.Shape[0] {
			if m := (Matrix{Tensor: t, stack: t.Shape[0], expert: e}); m.Name() == name {
				return m, nil
			}
		}
	}
	return Matrix{}, fmt.Errorf("%s: no matrix is named %s", f.name, quote(name))
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// parseIndex returns the number that s is, -1 if it is none.
func parseIndex(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// skipReason says why a tensor is not offered as a matrix, "" if it is.
func (f *File) skipReason(t *Tensor) string {
	if reason := f.unlisted[t]; reason != "" {
		return reason
	}
	if reason := t.skipReason(); reason != "" {
		return reason
	}
	if f.isStack(t) {
		switch {
		case min(t.Shape[1], t.Shape[2]) == 1:
			return "a stack of vectors, not of matrices"
		case t.Shape[0] > maxStack:
			return fmt.Sprintf("a stack of more than %d matrices", maxStack)
		}
	}
	return ""
}

// skipReason says why the tensor cannot be seen as a matrix, "" if it can.
func (t *Tensor) skipReason() string {
	switch {
	case t.src == nil || t.Elements() == 0:
		return t.valuesReason()
	case len(t.Shape) == 0:
		return "a scalar"
	case len(t.Shape) == 1:
		return "1-D: a vector, not a matrix"
	case len(t.Shape) > 4:
		return fmt.Sprintf("%d-D: not known how to see it as a matrix", len(t.Shape))
	case t.fortran && len(t.Shape) > 2:
		return fmt.Sprintf("%d-D in Fortran order: not known how to see it as a matrix", len(t.Shape))
	}
	return t.valuesReason()
}

// valuesReason says why the tensor has no values that can be read, "" if it has.
func (t *Tensor) valuesReason() string {
	info, known := t.DType.info()
	switch {
	case t.src == nil:
		return "not a tensor of a file"
	case t.Elements() == 0:
		return "empty: shape " + shapeString(t.Shape) + " has no value"
	case !known:
		return "dtype " + quote(string(t.DType)) + " is not known"
	case info.decode == nil:
		return fmt.Sprintf("dtype %s is not decoded: %s", t.DType, info.skip)
	}
	return ""
}

// Column returns all values of the tensor in the order of its axes as a matrix of one
// column, whatever its shape: that of a vector, for reading tensors that Matrices does not
// offer. It fails, naming file and tensor, if there is no value, the dtype is not decoded,
// or an array of several axes is in Fortran order.
func (t *Tensor) Column() (Matrix, error) {
	m := Matrix{Tensor: t, column: true}
	return m, m.check()
}

// columnReason says why the tensor cannot be read as one column, "" if it can.
func (t *Tensor) columnReason() string {
	switch reason := t.valuesReason(); {
	case reason != "":
		return reason
	case t.fortran:
		return fmt.Sprintf("%d-D in Fortran order: not read in the order of its axes", len(t.Shape))
	}
	return ""
}

// isStack reports whether a tensor holds the matrices of several experts.
func (f *File) isStack(t *Tensor) bool {
	if len(t.Shape) != 3 {
		return false
	}
	for _, p := range f.stacks {
		if match, _ := path.Match(p, t.Name); match {
			return true
		}
	}
	name := "." + t.Name + "."
	if strings.Contains(name, "_exps.") {
		return true
	}
	// A number after "experts" picks one expert, whose weight has no axis of experts.
	_, after, found := strings.Cut(name, ".experts.")
	next, _, _ := strings.Cut(after, ".")
	_, notNumber := strconv.Atoi(next)
	return found && notNumber != nil
}

// outputsLast reports whether the tensor is a convolution with the outputs on its last
// axis.
func (t *Tensor) outputsLast() bool { return len(t.Shape) > 2 && isKernel(t.Name) }

// layout is the layout that the way of seeing the tensor as a matrix brings with it.
func (t *Tensor) layout() Layout {
	if t.fortran || t.outputsLast() {
		return InOut
	}
	return OutIn
}

// Name returns the name of the tensor, followed by [e] for expert e of a stack.
func (m Matrix) Name() string {
	if m.stack == 0 {
		return m.Tensor.Name
	}
	return fmt.Sprintf("%s[%d]", m.Tensor.Name, m.expert)
}

// String returns the name, the dtype and what View returns.
func (m Matrix) String() string {
	if m.Tensor == nil {
		return "no matrix"
	}
	return fmt.Sprintf("%s: %s, %s", m.Name(), m.Tensor.DType, m.View())
}

// Dims returns the shape of the matrix as stored.
func (m Matrix) Dims() (rows, cols int) {
	shape := m.Tensor.Shape
	switch {
	case m.stack > 0:
		return shape[1], shape[2]
	case m.column:
		return m.Tensor.Elements(), 1
	}
	split := 1
	if m.Tensor.outputsLast() {
		split = len(shape) - 1
	}
	return product(shape[:split]), product(shape[split:])
}

// View says in words how the tensor is seen as this matrix.
func (m Matrix) View() string {
	rows, cols := m.Dims()
	shape := shapeString(m.Tensor.Shape)
	axes := len(m.Tensor.Shape)
	view := ""
	switch {
	case m.column:
		return fmt.Sprintf("%s as [%d, 1]", shape, rows)
	case m.stack > 0:
		return fmt.Sprintf("expert %d of %s, %s = [%d, %d]", m.expert, shape, m.Layout, rows, cols)
	case axes == 2:
		return fmt.Sprintf("%s = %s", m.Layout, shape)
	case m.Tensor.outputsLast():
		view = map[int]string{3: "[k*i, o]", 4: "[kh*kw*i, o]"}[axes]
	case m.Layout == InOut: // a transposed convolution
		view = map[int]string{3: "[i, o*k]", 4: "[i, o*kh*kw]"}[axes]
	default:
		view = map[int]string{3: "[o, i*k]", 4: "[o, i*kh*kw]"}[axes]
	}
	return fmt.Sprintf("%s as %s = [%d, %d]", shape, view, rows, cols)
}
