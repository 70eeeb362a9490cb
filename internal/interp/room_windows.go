package interp

import "golang.org/x/sys/windows"

// hasRoom reports whether the system gives so many bytes now.
func hasRoom(bytes int) bool {
	memory, err := windows.VirtualAlloc(0, uintptr(bytes), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return false
	}
	windows.VirtualFree(memory, 0, windows.MEM_RELEASE)
	return true
}
