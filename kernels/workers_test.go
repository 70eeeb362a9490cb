package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// counting counts how often each unit runs.
type counting struct {
	hits []atomic.Int32
	runs atomic.Int32
}

func (c *counting) run(lo, hi int) {
	c.runs.Add(1)
	for u := lo; u < hi; u++ {
		c.hits[u].Add(1)
	}
}

// enough is an estimate for which split uses every thread.
const enough = 1 << 40

func withThreads(t testing.TB, n int) {
	SetThreads(n)
	t.Cleanup(func() { SetThreads(0) })
}

func TestSplitRunsEveryUnitOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		withThreads(t, threads)
		for _, units := range []int{0, 1, 2, 3, 7, 8, 9, 100} {
			c := &counting{hits: make([]atomic.Int32, units)}
			for call := range int32(20) {
				c.runs.Store(0)
				split(c, units, enough)
				for u := range c.hits {
					if got := c.hits[u].Load(); got != call+1 {
						t.Fatalf("%d threads, %d units: unit %d ran %d times in %d calls", threads, units, u, got, call+1)
					}
				}
				if want := int32(max(1, min(threads, units))); c.runs.Load() != want {
					t.Fatalf("%d threads, %d units: %d parts, want %d", threads, units, c.runs.Load(), want)
				}
			}
		}
	}
}

func TestSplitLeavesLittleWorkAlone(t *testing.T) {
	withThreads(t, 4)
	c := &counting{hits: make([]atomic.Int32, 100)}
	split(c, 100, 2*minPartNanoseconds-1)
	if c.runs.Load() != 1 {
		t.Errorf("%d parts, want 1", c.runs.Load())
	}
}

func TestSplitAfterWorkersParked(t *testing.T) {
	withThreads(t, 3)
	c := &counting{hits: make([]atomic.Int32, 3)}
	split(c, 3, enough)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		parked := 0
		for _, w := range team.list {
			if w.state.Load() == stateParked {
				parked++
			}
		}
		if parked == 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the workers do not park")
		}
	}
	split(c, 3, enough)
	if c.hits[2].Load() != 2 {
		t.Errorf("the last unit ran %d times, want 2", c.hits[2].Load())
	}
}

// slow outlasts the caller's spinning.
type slow struct{ runs atomic.Int32 }

func (s *slow) run(lo, hi int) {
	if lo > 0 {
		time.Sleep(20 * time.Millisecond)
	}
	s.runs.Add(1)
}

func TestSplitWaitsForSlowWorkers(t *testing.T) {
	withThreads(t, 4)
	var s slow
	split(&s, 4, enough)
	if s.runs.Load() != 4 {
		t.Errorf("split returned after %d of 4 parts", s.runs.Load())
	}
}

func TestConcurrentSplits(t *testing.T) {
	withThreads(t, 3)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c := &counting{hits: make([]atomic.Int32, 50)}
			for range 100 {
				split(c, 50, enough)
			}
			for u := range c.hits {
				if got := c.hits[u].Load(); got != 100 {
					t.Errorf("unit %d ran %d times, want 100", u, got)
				}
			}
		})
	}
	wg.Wait()
}

// failing panics in the caller's part.
type failing struct{}

func (failing) run(lo, hi int) {
	if lo == 0 {
		panic("no")
	}
}

func TestSplitSurvivesAPanic(t *testing.T) {
	withThreads(t, 2)
	func() {
		defer func() { _ = recover() }()
		split(failing{}, 2, enough)
	}()
	c := &counting{hits: make([]atomic.Int32, 2)}
	split(c, 2, enough)
	if c.runs.Load() != 2 {
		t.Errorf("%d parts after a panic, want 2", c.runs.Load())
	}
}

func TestSetThreadsEndsWorkers(t *testing.T) {
	SetThreads(1)
	before := runtime.NumGoroutine()
	SetThreads(6)
	c := &counting{hits: make([]atomic.Int32, 6)}
	split(c, 6, enough)
	if Threads() != 6 || len(team.list) != 5 {
		t.Errorf("Threads() = %d with %d workers, want 6 and 5", Threads(), len(team.list))
	}
	SetThreads(0)
	if Threads() != runtime.GOMAXPROCS(0) {
		t.Errorf("Threads() = %d, want GOMAXPROCS", Threads())
	}
	SetThreads(1)
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	SetThreads(0)
}

func TestSplitDoesNotAllocate(t *testing.T) {
	withThreads(t, 3)
	c := &counting{hits: make([]atomic.Int32, 9)}
	if allocs := testing.AllocsPerRun(100, func() { split(c, 9, enough) }); allocs > 0 {
		t.Errorf("%v allocations a call", allocs)
	}
}
