package bench

import "github.com/rlx-go/gopherscope/internal/cpu"

// LastLevelCache returns the size of the largest cache of the first processor, in bytes.
// A working set of more than 4 times that is read from memory, whatever the caches kept
// of it. Where the system does not say, known is false and the size is assumed to be that
// of a common server processor, 32 MiB.
func LastLevelCache() (bytes int64, known bool) {
	return int64(cpu.LastLevelCache()), len(cpu.Caches()) > 0
}
