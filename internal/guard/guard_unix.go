//go:build unix

package guard

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is memory between two pages that fault on any access.
type Memory[T any] struct {
	Data    []T
	mapping []byte
}

// New returns n zeros that start right after the first guard page, or end right before
// the last one.
func New[T any](n int, atEnd bool) (Memory[T], error) {
	page := unix.Getpagesize()
	size := n * int(unsafe.Sizeof(*new(T)))
	// One inner page at least, so that an empty slice has an address too.
	inner := max(1, (size+page-1)/page) * page
	mapping, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return Memory[T]{}, fmt.Errorf("mmap: %w", err)
	}
	for _, guard := range [][]byte{mapping[:page], mapping[page+inner:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			return Memory[T]{}, fmt.Errorf("mprotect: %w", err)
		}
	}
	start := page
	if atEnd {
		start += inner - size
	}
	return Memory[T]{unsafe.Slice((*T)(unsafe.Pointer(&mapping[start])), n), mapping}, nil
}

// Close unmaps the memory. An access outside it has faulted before.
func (m Memory[T]) Close() error { return unix.Munmap(m.mapping) }
