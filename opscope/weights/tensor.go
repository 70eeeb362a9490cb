package weights

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Tensor describes one tensor of a file. It must not be changed.
type Tensor struct {
	Name   string
	DType  DType
	Shape  []int  // row-major, the last axis contiguous; empty for a scalar
	File   string // the path of the file or part that holds it
	Offset int64  // of the first byte, from the start of that file
	Bytes  int64  // length in the file

	src      *source
	format   string
	siblings any  // map[string]*Tensor, of the same file or model by name; see sibling
	fortran  bool // an array in Fortran order, whose shape is Shape turned round
}

// sibling returns a tensor of the same file or model, or nil. The type Tensor does not
// say that it leads back to itself: interpreters that know types by reflection, as that
// of notebooks, cannot write such a type down.
func (t *Tensor) sibling(name string) *Tensor {
	byName, _ := t.siblings.(map[string]*Tensor)
	return byName[name]
}

// String returns the name, the dtype and the shape.
func (t *Tensor) String() string {
	return fmt.Sprintf("%s: %s, %s", t.Name, t.DType, shapeString(t.Shape))
}

// Elements returns the number of values of the tensor: the product of its shape, 1
// for a scalar.
func (t *Tensor) Elements() int { return product(t.Shape) }

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// elementCount returns the number of values of a shape, and as a fault that it overflows.
func elementCount(shape []int) (n int, fault string) {
	n = 1
	for _, d := range shape {
		if d > 0 && n > math.MaxInt/d {
			return 0, fmt.Sprintf("the number of values of shape %s overflows", shapeString(shape))
		}
		n *= d
	}
	return n, ""
}

// sizeFault says how the bytes of a tensor differ from what its shape and dtype need, ""
// if they do not or if the dtype is not known.
func sizeFault(t *Tensor) string {
	elements, fault := elementCount(t.Shape)
	info, known := t.DType.info()
	switch {
	case fault != "" || !known:
		return fault
	case elements%info.block != 0:
		return fmt.Sprintf("%d values of %s do not fill whole blocks of %d", elements, t.DType, info.block)
	}
	needed, ok := info.bytes(elements)
	switch {
	case !ok:
		return fmt.Sprintf("the size of shape %s overflows", shapeString(t.Shape))
	case needed != uint64(t.Bytes):
		return fmt.Sprintf("shape %s of %s needs %d bytes, it has %d", shapeString(t.Shape), t.DType, needed, t.Bytes)
	}
	return ""
}

// fail makes an error about a byte of the tensor.
func (t *Tensor) fail(offset int64, format string, args ...any) error {
	return &FormatError{File: t.File, Tensor: t.Name, Offset: t.Offset + offset, Reason: fmt.Sprintf(format, args...)}
}

// baseName is the name of a file without folder and ending: that of its one tensor.
func baseName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
