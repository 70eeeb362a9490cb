//go:build unix

package experiment

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the time that all threads of this process have computed.
func cpuTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
