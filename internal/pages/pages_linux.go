package pages

import (
	"syscall"
	"unsafe"
)

// advise is for the whole pages of 4 KiB, or what the system has, within buf.
func advise(buf []byte) {
	page := syscall.Getpagesize()
	start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % uintptr(page))
	_ = syscall.Madvise(buf[start:len(buf)-(len(buf)-start)%page], syscall.MADV_HUGEPAGE)
}
