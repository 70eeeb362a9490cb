// Package pages asks the operating system for large pages under large memory. A
// processor keeps the addresses of some thousand pages at hand, which are some
// MiB in pages of 4 KiB; a weight that is larger is read faster in pages of 2 MiB, and
// filled faster, since the system provides each page when it is first written.
package pages

import "unsafe"

// smallest is the size from which Huge asks: below it the pages of 4 KiB are few
// enough, and a large page would be memory of others for the greater part.
const smallest = 4 << 20

// Huge asks for large pages under buf, which should not have been written yet:
// pages that are in use stay as they are. It is a hint, without an error: where
// the system has no such pages, or none free, memory is only slower.
func Huge[T any](buf []T) {
	if bytes := len(buf) * int(unsafe.Sizeof(*new(T))); bytes >= smallest {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buf))), bytes))
	}
}
