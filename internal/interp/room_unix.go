//go:build unix

package interp

import "golang.org/x/sys/unix"

// hasRoom reports whether the system gives so many bytes now.
func hasRoom(bytes int) bool {
	memory, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	unix.Munmap(memory)
	return true
}
