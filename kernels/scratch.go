package kernels

import (
	"runtime"
	"sync"
)

// A freeList keeps values between calls. It holds at most one for each thread that
// Go code may run on, or that shares a call, so its memory is bounded. The garbage collector does
// not empty it, unlike a sync.Pool, so a caller in a steady state never
// allocates.
type freeList[T any] struct {
	mu   sync.Mutex
	free []T
}

// take removes a value from the list; the zero value if the list is empty.
func (l *freeList[T]) take() (v T) {
	l.mu.Lock()
	if last := len(l.free) - 1; last >= 0 {
		var zero T
		v, l.free[last] = l.free[last], zero
		l.free = l.free[:last]
	}
	l.mu.Unlock()
	return v
}

// put adds a value that nobody uses any more.
func (l *freeList[T]) put(v T) {
	limit := max(runtime.GOMAXPROCS(0), Threads())
	l.mu.Lock()
	if len(l.free) < limit {
		l.free = append(l.free, v)
	}
	l.mu.Unlock()
}

// A scratch is a free list of buffers that start at a multiple of 64 bytes.
type scratch[T number] struct{ freeList[[]T] }

// get returns a buffer of n elements with arbitrary contents. Give it back with
// put.
func (s *scratch[T]) get(n int) []T {
	// A smaller buffer is dropped, so the list ends up with large ones.
	return resize(s.take(), n)
}

// resize returns n elements of arbitrary contents: those of buf, if it has so many.
func resize[T number](buf []T, n int) []T {
	if cap(buf) < n {
		return aligned[T](n)
	}
	return buf[:n]
}

var (
	scratchF32 scratch[float32]
	scratchI32 scratch[int32]
	scratchI64 scratch[int64]
	scratchU8  scratch[uint8]
	scratchU16 scratch[uint16]
)

// A taskList is a free list of tasks for split, which need memory that outlives
// the caller's stack frame.
type taskList[T any] struct{ freeList[*T] }

// get returns a task with arbitrary contents.
func (l *taskList[T]) get() *T {
	if t := l.take(); t != nil {
		return t
	}
	return new(T)
}

// put gives a task back, and forgets what it pointed to.
func (l *taskList[T]) put(t *T) {
	var zero T
	*t = zero
	l.freeList.put(t)
}
