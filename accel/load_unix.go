//go:build !noaccel && (linux || darwin)

package accel

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// errLeftOut is why no library can be opened, if that is so.
var errLeftOut error

// load opens a library for the life of the process. Its symbols stay its own, so
// that two libraries that define the same do not mix.
func load(file string) (handle uintptr, err error) {
	// dlerror, by which purego says what went wrong, knows only its own thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func find(handle uintptr, symbol string) (address uintptr, err error) {
	runtime.LockOSThread() // as in load
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, symbol)
}

func bind(fn any, address uintptr) { purego.RegisterFunc(fn, address) }

// dlInfo is the C struct Dl_info.
type dlInfo struct {
	file   *byte
	base   uintptr
	symbol *byte
	value  uintptr
}

// fileOf returns the file of a library that has a symbol, or of the one among its
// dependencies that has it; "" if it is not known.
func fileOf(handle uintptr, symbol string) string {
	function, err := purego.Dlsym(purego.RTLD_DEFAULT, "dladdr")
	if err != nil {
		return ""
	}
	address, err := find(handle, symbol)
	if err != nil {
		return ""
	}
	var dladdr func(address uintptr, info *dlInfo) int32
	purego.RegisterFunc(&dladdr, function)
	var info dlInfo
	if dladdr(address, &info) == 0 || info.file == nil {
		return ""
	}
	const longest = 1 << 12
	var name []byte
	for i := range longest {
		c := *(*byte)(unsafe.Add(unsafe.Pointer(info.file), i))
		if c == 0 {
			return string(name)
		}
		name = append(name, c)
	}
	return ""
}
