//go:build !unix

package experiment

import "time"

// cpuTime returns the time that all threads of this process have computed; 0 where it
// is not known.
func cpuTime() time.Duration { return 0 }
