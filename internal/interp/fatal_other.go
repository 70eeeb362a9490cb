//go:build !linux || race

package interp

import "os"

func tellFatal(*os.File) error { return nil }

// NoteFatal has the first line of a panic or a fatal error that ends the process
// written to f too, which must stay open until another call; nil stands for no
// file. On systems other than Linux, and under the race detector, it does nothing.
func NoteFatal(*os.File) error { return nil }
