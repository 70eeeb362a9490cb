//go:build !unix

package guard

import (
	"errors"
	"unsafe"
)

// fence is the number of elements kept on either side, of bytes of this value.
const (
	fence      = 64
	fenceValue = 0xa5
)

// Memory is memory between two runs of known bytes. It shows writes outside it, not reads.
type Memory[T any] struct {
	Data []T
	all  []byte
}

// New returns n zeros. Both ends are fenced whatever atEnd says.
func New[T any](n int, atEnd bool) (Memory[T], error) {
	elements := make([]T, n+2*fence)
	size := int(unsafe.Sizeof(elements[0]))
	all := unsafe.Slice((*byte)(unsafe.Pointer(&elements[0])), len(elements)*size)
	for i := range all {
		all[i] = fenceValue
	}
	clear(elements[fence : fence+n])
	return Memory[T]{elements[fence : fence+n : fence+n], all}, nil
}

// Close returns an error when memory beside the data changed.
func (m Memory[T]) Close() error {
	fenceBytes := fence * int(unsafe.Sizeof(*new(T)))
	for i := range fenceBytes {
		if m.all[i] != fenceValue || m.all[len(m.all)-1-i] != fenceValue {
			return errors.New("memory beside an operand was written")
		}
	}
	return nil
}
