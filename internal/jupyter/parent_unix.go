//go:build unix

package jupyter

import (
	"errors"
	"os"
	"syscall"
)

// launcherWatch returns what tells whether the launcher is there. A wrapper script
// may stand between the two, so that both the process with the launcher's number
// and the parent are looked at. The launcher's number may mean nothing here, in a
// container for one: then only the parent counts. Process 1 adopts orphans: as a
// parent it says nothing.
func launcherWatch(launcher int) (there func() bool) {
	alive := func() bool { return !errors.Is(syscall.Kill(launcher, 0), syscall.ESRCH) }
	known, parent := alive(), os.Getppid()
	return func() bool {
		return os.Getppid() == parent && (alive() || !known)
	}
}
