//go:build !race

// The race detector's code cannot run where the runtime calls writeTelling from.

package interp

import (
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The first line of a fatal error of the runtime goes to descriptor 2 and not to
// the file of SetCrashOutput, which gets the trace alone. While a session has
// descriptor 2, nobody reads that line any more. So the runtime writes by
// writeTelling, which copies it.

//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite func(fd uintptr, p unsafe.Pointer, n int32) int32

// The descriptors that get copies: -1 for none.
var (
	fatalLog  = noDescriptor() // what the trace follows: gets the lines that it lacks
	fatalNote = noDescriptor() // gets the first line of every end
)

func noDescriptor() *atomic.Int64 {
	n := new(atomic.Int64)
	n.Store(-1)
	return n
}

// The runtime holds a lock of its own while it prints these lines.
var tellingFatal, tellingPanic bool

// writeTelling writes as the runtime does, on the stack of any thread and in any
// state of the runtime: it may neither allocate nor grow the stack.
//
//go:nosplit
//go:norace
func writeTelling(fd uintptr, p unsafe.Pointer, n int32) int32 {
	if fd == 2 && n > 0 {
		switch unsafe.String((*byte)(p), int(n)) {
		case "fatal error: ":
			tellingFatal = true
		case "panic: ":
			tellingPanic = true
		}
		if tellingFatal {
			copyTo(fatalLog, p, n)
		}
		if tellingFatal || tellingPanic {
			copyTo(fatalNote, p, n)
			if *(*byte)(unsafe.Add(p, n-1)) == '\n' {
				tellingFatal, tellingPanic = false, false
			}
		}
	}
	written, _, err := unix.RawSyscall(unix.SYS_WRITE, fd, uintptr(p), uintptr(n))
	if err != 0 {
		return -int32(err)
	}
	return int32(written)
}

//go:nosplit
//go:norace
func copyTo(descriptor *atomic.Int64, p unsafe.Pointer, n int32) {
	if fd := descriptor.Load(); fd >= 0 {
		unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(p), uintptr(n))
	}
}

// tellFatal has the first line of a fatal error written to f, before its trace,
// and nowhere when f is nil.
func tellFatal(f *os.File) error {
	overrideWrite = writeTelling
	return aim(fatalLog, f)
}

// NoteFatal has the first line of a panic or a fatal error that ends the process
// written to f too, which must stay open until another call; nil stands for no
// file. On systems other than Linux it does nothing.
func NoteFatal(f *os.File) error {
	overrideWrite = writeTelling
	return aim(fatalNote, f)
}

func aim(descriptor *atomic.Int64, f *os.File) error {
	if f == nil {
		descriptor.Store(-1)
		return nil
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) { descriptor.Store(int64(fd)) })
}
