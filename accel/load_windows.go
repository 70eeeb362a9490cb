//go:build !noaccel

package accel

import (
	"path/filepath"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/windows"
)

// errLeftOut is why no library can be opened, if that is so.
var errLeftOut error

// load opens a library for the life of the process, never from the current
// directory.
func load(file string) (handle uintptr, err error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	if filepath.IsAbs(file) {
		flags |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	}
	h, err := windows.LoadLibraryEx(file, 0, flags)
	return uintptr(h), err
}

func find(handle uintptr, symbol string) (address uintptr, err error) {
	return windows.GetProcAddress(windows.Handle(handle), symbol)
}

func bind(fn any, address uintptr) { purego.RegisterFunc(fn, address) }

// fileOf returns the file of a library; "" if it is not known.
func fileOf(handle uintptr, _ string) string {
	name := make([]uint16, 1<<12)
	n, err := windows.GetModuleFileName(windows.Handle(handle), &name[0], uint32(len(name)))
	if err != nil {
		return ""
	}
	return windows.UTF16ToString(name[:n])
}
