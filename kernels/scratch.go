package kernels

import (
	"runtime"
	"sync"
)

// A scratch is a free list of buffers. It keeps at most one buffer for each
// thread that Go code may run on, so the memory it holds is bounded by
// GOMAXPROCS times the largest buffer asked for. The garbage collector does not
// empty it, unlike a sync.Pool, so a caller in a steady state never allocates.
type scratch[T any] struct {
	mu   sync.Mutex
	free [][]T
}

// get returns a buffer of n elements with arbitrary contents.
func (s *scratch[T]) get(n int) []T {
	s.mu.Lock()
	var buf []T
	if last := len(s.free) - 1; last >= 0 {
		buf, s.free[last] = s.free[last], nil
		s.free = s.free[:last]
	}
	s.mu.Unlock()
	if cap(buf) < n {
		// The smaller buffer is dropped, so the list ends up with large ones.
		buf = make([]T, n)
	}
	return buf[:n]
}

// put returns a buffer that get gave and that nobody uses any more.
func (s *scratch[T]) put(buf []T) {
	limit := runtime.GOMAXPROCS(0)
	s.mu.Lock()
	if len(s.free) < limit {
		s.free = append(s.free, buf)
	}
	s.mu.Unlock()
}

var (
	scratchF32 scratch[float32]
	scratchI8  scratch[int8]
)
