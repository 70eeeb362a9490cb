package accel

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// tryFirst is the function of TryFirst.
var tryFirst atomic.Pointer[func(library, file string, threads int) error]

// TryFirst makes Open and Available call try before they load a file, and refuse the
// file with the error that it returns. A library can end the process that loads it,
// so a program does well to have another process call [Try] and tell how that went.
func TryFirst(try func(library, file string, threads int) error) { tryFirst.Store(&try) }

// tryAndOpen does what TryFirst asks for, and opens the file.
func (v vendor) tryAndOpen(file string, threads int) (*Library, error) {
	if try := tryFirst.Load(); try != nil {
		if err := (*try)(v.name, file, threads); err != nil {
			return nil, err
		}
	}
	return v.openFile(file, threads)
}

// Try opens a file as a library of that name and multiplies with it, as Open does with
// so many threads, and returns why it cannot be used; nil if it can. It does not do
// what TryFirst asks for. The library stays loaded, but Open does not know of it.
func Try(library, file string, threads int) error {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	v, err := lookUp(library)
	if err == nil {
		err = setEnvironment(threads)
	}
	if err == nil {
		_, err = v.openFile(file, threads)
	}
	return err
}

// lookUp returns the vendor of a library.
func lookUp(library string) (vendor, error) {
	var names []string
	for _, v := range vendors {
		if v.name == library {
			return v, nil
		}
		names = append(names, v.name)
	}
	return vendor{}, fmt.Errorf("accel: no library is called %q, but %s", library, strings.Join(names, ", "))
}
