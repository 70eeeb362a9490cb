//go:build unix

package kerneltest

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded is memory between two pages that fault on any access.
type guarded struct {
	data    []float32
	mapping []byte
}

// newGuarded returns n zeros that start right after the first guard page, or end
// right before the last one.
func newGuarded(n int, atEnd bool) (guarded, error) {
	page := unix.Getpagesize()
	size := 4 * n
	inner := (size + page - 1) / page * page
	// One inner page at least, so that an empty slice has an address too.
	inner = max(inner, page)
	mapping, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return guarded{}, fmt.Errorf("mmap: %w", err)
	}
	for _, guard := range [][]byte{mapping[:page], mapping[page+inner:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			return guarded{}, fmt.Errorf("mprotect: %w", err)
		}
	}
	start := page
	if atEnd {
		start += inner - size
	}
	data := unsafe.Slice((*float32)(unsafe.Pointer(&mapping[start])), n)
	return guarded{data: data, mapping: mapping}, nil
}

// close unmaps the memory. A write outside it has faulted before.
func (g guarded) close() error { return unix.Munmap(g.mapping) }
