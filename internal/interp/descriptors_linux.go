package interp

import (
	"os"

	"golang.org/x/sys/unix"
)

// dup2 is dup3: linux/arm64 has no other.
func dup2(from, to int) error { return unix.Dup3(from, to, 0) }

// pipeSize is how much a pipe may hold, in bytes, the most that a user may ask for
// as systems are set up.
const pipeSize = 1 << 20

// enlarge makes room in a pipe for what is printed while its reader has no
// processor. Without the room it works too.
func enlarge(pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}
