package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A task is a product, or another loop, over a number of units that do not depend
// on each other, such as the panels of a weight. run does units lo <= u < hi, and
// is called by several goroutines at once for ranges that do not overlap.
type task interface {
	run(lo, hi int)
}

const (
	// Starting a worker that spins and waiting for it costs half a microsecond, and
	// one that is parked 5 to 50: a part that takes less than this is not worth a
	// thread.
	minPartNanoseconds = 4000

	// How often a goroutine lets others run, while it looks for what it waits for,
	// before it parks: about 100 microseconds, more than the pauses between the
	// products of a network's layers.
	spins = 500
)

// SetThreads sets how many goroutines, the caller's included, may share one call
// of MulTo. The default, which n < 1 restores, is runtime.GOMAXPROCS(0) at the
// time of the call. Results do not depend on it: a column of y is computed in the
// same way whichever thread does it.
//
// The other goroutines belong to the package; they start when they are first
// needed and park when there is nothing to do. One call at a time has them: a call
// that finds them busy runs on its caller's goroutine alone, so that concurrent
// callers use the processors no worse than one that shares its work.
func SetThreads(n int) { team.setThreads(max(0, n)) }

// Threads returns how many goroutines may share one call of MulTo.
func Threads() int {
	if n := team.threads.Load(); n > 0 {
		return int(n)
	}
	return runtime.GOMAXPROCS(0)
}

// A taskFunc is a task of one function. Unlike the tasks that are kept for the next
// call, it is allocated.
type taskFunc func(lo, hi int)

func (f taskFunc) run(lo, hi int) { f(lo, hi) }

// split runs all units of t and returns when they are done. It cuts them into
// contiguous ranges, one for each thread, unless the whole is estimated, in
// nanoseconds on one thread, to be too little for that. It does not allocate,
// once the workers run.
func split(t task, units, nanoseconds int) {
	parts := 1
	if nanoseconds >= 2*minPartNanoseconds {
		parts = min(Threads(), units, nanoseconds/minPartNanoseconds)
	}
	if parts < 2 || !team.mu.TryLock() {
		t.run(0, units)
		return
	}
	// Deferred for the sake of a run that panics.
	defer team.release()
	team.start(t, units, parts)
	t.run(0, units/parts)
}

var team workers

// workers are the goroutines that take parts of a task.
type workers struct {
	threads atomic.Int32 // as SetThreads asked, 0 for the default

	mu   sync.Mutex // held by whoever has the workers
	list []*worker

	// pending counts the workers that have not finished, plus callerParked when
	// the caller waits on done.
	pending atomic.Int32
	done    chan struct{}
}

const callerParked = 1 << 20

// start gives parts 1 to parts-1 of the units of t to workers.
func (w *workers) start(t task, units, parts int) {
	if w.done == nil {
		w.done = make(chan struct{}, 1)
	}
	for len(w.list) < parts-1 {
		one := &worker{wake: make(chan struct{}, 1)}
		w.list = append(w.list, one)
		go one.loop()
	}
	w.pending.Store(int32(parts - 1))
	for i := 1; i < parts; i++ {
		w.list[i-1].start(t, units*i/parts, units*(i+1)/parts)
	}
}

// release waits for the workers and lets the next caller have them.
func (w *workers) release() {
	if !spin(func() bool { return w.pending.Load() == 0 }) && w.pending.Add(callerParked) != callerParked {
		<-w.done
	}
	w.mu.Unlock()
}

// finish is what a worker calls after its part.
func (w *workers) finish() {
	if w.pending.Add(-1) == callerParked {
		w.done <- struct{}{}
	}
}

func (w *workers) setThreads(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.threads.Store(int32(n))
	keep := max(0, Threads()-1)
	for len(w.list) > keep {
		last := len(w.list) - 1
		w.list[last].start(nil, 0, 0)
		w.list[last] = nil
		w.list = w.list[:last]
	}
}

// A worker runs one part at a time.
type worker struct {
	state atomic.Uint32
	wake  chan struct{}

	// Written before state becomes stateReady, and read after.
	task   task // nil to end the goroutine
	lo, hi int
}

const (
	stateIdle   = iota // looking at state for the next part
	stateParked        // waiting on wake
	stateReady         // has a part
)

func (w *worker) start(t task, lo, hi int) {
	w.task, w.lo, w.hi = t, lo, hi
	if w.state.Swap(stateReady) == stateParked {
		w.wake <- struct{}{}
	}
}

func (w *worker) loop() {
	for {
		if !spin(func() bool { return w.state.Load() == stateReady }) && w.state.CompareAndSwap(stateIdle, stateParked) {
			<-w.wake
		}
		if w.task == nil {
			return
		}
		w.task.run(w.lo, w.hi)
		w.task = nil
		w.state.Store(stateIdle)
		team.finish()
	}
}

// spin waits for ready and reports whether it came. It lets other goroutines run
// in between, for the case that the processors are wanted elsewhere.
func spin(ready func() bool) bool {
	for range spins {
		for range 32 {
			if ready() {
				return true
			}
		}
		runtime.Gosched()
	}
	return false
}
