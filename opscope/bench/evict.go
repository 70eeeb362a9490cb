package bench

import (
	"encoding/binary"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// Evictor returns a function that empties the caches of what was in them: it reads
// and writes, twice, 8 times the last-level cache and at least 256 MiB, each of
// threads a part of it. It is the Before of a Plan that measures calls whose
// operands come from memory. (Stores, since a cache may keep old lines when only
// reads go past it.)
func Evictor(threads int) func() {
	threads = max(1, threads)
	memory := newMemory(max(256<<20, 8*cpu.LastLevelCache()))
	part := len(memory) / threads
	return inParallel(threads, func(thread int) {
		mine := memory[thread*part:][:part]
		for range 2 {
			for i := 0; i+8 <= len(mine); i += 8 {
				word := mine[i : i+8]
				binary.NativeEndian.PutUint64(word, binary.NativeEndian.Uint64(word)+1)
			}
		}
	})
}
