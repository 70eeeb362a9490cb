package experiment

import (
	"os"
	"strconv"
	"strings"
)

// availableMemory returns how many bytes a program can still use without swapping, 0 if
// the system does not say.
func availableMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return availableIn(string(text))
}

// availableIn reads the line "MemAvailable:  123 kB".
func availableIn(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemAvailable:" && fields[2] == "kB" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil || kib < 0 || kib > 1<<50 {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
