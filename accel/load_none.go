//go:build noaccel || !(linux || darwin || windows)

package accel

import "errors"

// errLeftOut is why no library can be opened.
var errLeftOut = errors.New("this program was built without the code that opens libraries")

func load(string) (handle uintptr, err error)           { return 0, errLeftOut }
func find(uintptr, string) (address uintptr, err error) { return 0, errLeftOut }
func bind(any, uintptr)                                 {}
func fileOf(uintptr, string) string                     { return "" }
