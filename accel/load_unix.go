//go:build !noaccel && (linux || darwin)

package accel

import "github.com/ebitengine/purego"

// load opens a library for the life of the process. Its symbols stay its own, so
// that two libraries that define the same do not mix.
func load(file string) (handle uintptr, err error) {
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func find(handle uintptr, symbol string) (address uintptr, err error) {
	return purego.Dlsym(handle, symbol)
}

func bind(fn any, address uintptr) { purego.RegisterFunc(fn, address) }
