//go:build unix

package jupyter

import (
	"os"
	"os/signal"
	"syscall"
)

// EndGroup asks the processes that cells have started, and those have started, to
// end, where the kernel leads a process group of its own: launchers see to that.
// It is for the end of the program, which takes no more SIGTERM.
func EndGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		signal.Ignore(syscall.SIGTERM)
		syscall.Kill(0, syscall.SIGTERM)
	}
}
