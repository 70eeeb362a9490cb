package interp

import (
	"bytes"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cosmos72/gomacro/base"
	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/gls"
)

// evaluator is the goroutine that runs the cells: gomacro can interrupt only
// what runs on the goroutine that its Run belongs to. When an interrupted cell
// waits for what does not come, its evaluator is left behind with it, another
// one takes the interpreter over, and gate stops the one that was left before
// it runs the next statement.
type evaluator struct {
	goroutine uintptr // as gomacro knows it
	number    string  // as the runtime prints it
	run       *fast.Run
	state     atomic.Int32
	gone      chan struct{} // closed when the goroutine ended
}

// The states of an evaluator.
const (
	idle int32 = iota
	busy
	left
)

func newEvaluator() *evaluator {
	return &evaluator{goroutine: gls.GoID(), number: goroutineNumber(), gone: make(chan struct{})}
}

// goroutineNumber is the number of the current goroutine in stack dumps.
func goroutineNumber() string {
	var buf [64]byte
	fields := strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))
	return fields[1] // goroutine 12 [running]:
}

// interrupt asks the running statement to panic. gomacro reads the flag without
// synchronization every few statements, so that a race is what it is made for.
//
//go:norace
func (ev *evaluator) interrupt() { ev.run.Signals.Async = base.SigInterrupt }

// waits reports whether the goroutine waits for another one, or for time or
// input or output to come.
func (ev *evaluator) waits() bool {
	header := []byte("\ngoroutine " + ev.number + " [")
	for size := 1 << 18; ; size *= 4 {
		buf := make([]byte, size)
		n := runtime.Stack(buf, true)
		if _, after, ok := bytes.Cut(buf[:n], header); ok {
			for _, state := range waiting {
				if bytes.HasPrefix(after, []byte(state)) {
					return true
				}
			}
			return false
		}
		if n < size || size >= 1<<26 {
			return false
		}
	}
}

// waiting is how the runtime's names for such states begin.
var waiting = []string{"chan ", "select", "sync.", "semacquire", "sleep", "IO wait", "syscall"}

// evaluate runs jobs until the session ends or the evaluator is left behind. The
// first evaluator makes the interpreter.
func (s *Session) evaluate(ready chan<- struct{}) {
	ev := newEvaluator()
	defer func() {
		s.in.departed(ev)
		close(ev.gone)
	}()
	if s.in == nil {
		s.in = newInterpreter(s, ev)
	} else {
		s.in.adopt(ev)
	}
	close(ready)
	for {
		select {
		case job := <-s.jobs:
			job(ev)
		case <-s.life.Done():
			return
		}
	}
}

// startEvaluator starts an evaluator in the place of the one before.
func (s *Session) startEvaluator() {
	ready := make(chan struct{})
	go s.evaluate(ready)
	<-ready
}

// do has the evaluator run a job and reports whether it ran to its end. With
// the turn held, no other job is running.
func (s *Session) do(job func()) <-chan bool {
	done := make(chan bool, 1)
	select {
	case s.jobs <- func(ev *evaluator) {
		ended := false
		defer func() { done <- ended }() // also when the cell ended the goroutine
		ev.state.Store(busy)
		job()
		if !ev.state.CompareAndSwap(busy, idle) {
			runtime.Goexit()
		}
		ended = true
	}:
	case <-s.life.Done():
		done <- false
	}
	return done
}

const (
	// interruptEvery is how often an interrupt is repeated: gomacro forgets one
	// that comes between two statements, and a cell can recover from one.
	interruptEvery = 10 * time.Millisecond
	// waitGrace is how long a cell that waits may take to stop, which is for what
	// it waits for to see that the cell's ctx has ended.
	waitGrace = 100 * time.Millisecond
	// interruptGrace is how long a compiled call may take to stop.
	interruptGrace = 3 * time.Second
)

// stop interrupts the running cell until it ends, and reports whether it ended
// by itself. One that does not is left behind.
func (s *Session) stop(interrupt func(), done <-chan bool) (ended, stopped bool) {
	ev := s.in.owner.Load()
	began := time.Now()
	tick := time.NewTicker(interruptEvery)
	defer tick.Stop()
	for waited := false; ; {
		interrupt()
		select {
		case ended = <-done:
			return ended, true
		case <-tick.C:
		}
		if time.Since(began) < waitGrace {
			continue
		}
		waits := ev.waits()
		if waits && waited || time.Since(began) >= interruptGrace {
			if s.in.leave(ev) {
				return false, false
			}
		}
		waited = waits
	}
}

// leave marks an evaluator as left behind, unless its cell has just ended.
func (in *interpreter) leave(ev *evaluator) bool {
	in.left.Store(ev.goroutine, ev)
	in.leftCount.Add(1)
	if ev.state.CompareAndSwap(busy, left) {
		return true
	}
	in.left.Delete(ev.goroutine)
	in.leftCount.Add(-1)
	return false
}

// isLeft reports whether the current goroutine is an evaluator that was left
// behind: it must not go on.
func (in *interpreter) isLeft() bool {
	if in.leftCount.Load() == 0 {
		return false
	}
	ev, ok := in.left.Load(gls.GoID())
	return ok && ev.(*evaluator).state.Load() == left
}

// gate lets everybody pass but evaluators that were left behind.
func (in *interpreter) gate() {
	if in.isLeft() {
		panic(base.SigInterrupt)
	}
}

// departed cleans up after an evaluator, on its goroutine: another goroutine may
// be known by the same number next.
func (in *interpreter) departed(ev *evaluator) {
	if ev.run != nil {
		resetRun(ev.run, nil)
	}
	in.tables.exited()
	if _, ok := in.left.LoadAndDelete(ev.goroutine); ok {
		in.leftCount.Add(-1)
	}
}

// adopt makes the current goroutine, that of ev, the interpreter's. What was
// left behind keeps its place in the old environment; the new one has the same
// variables.
func (in *interpreter) adopt(ev *evaluator) {
	in.tables.exited() // orders this and the end of who had the same number before
	for in.captured = nil; in.captured == nil; {
		func() {
			// A goroutine that ended may have left an interrupt under this number.
			defer func() { _ = recover() }()
			in.capture()
		}()
	}
	ev.run = in.captured
	in.newEnv()
	in.succeed(ev.run)
	in.reset()
	in.owner.Store(ev)
}

// succeed makes the last environment the interpreter's. The evaluator that was
// left behind read what is written here before it began to wait, and nothing
// that a race detector could see orders the two.
//
//go:norace
func (in *interpreter) succeed(run *fast.Run) {
	in.env = in.envs[len(in.envs)-1]
	in.env.Outer.Run = run
	for _, env := range in.envs {
		env.Run = run
	}
}

// prepare makes room for the variables that were compiled, which gomacro does in
// the first environment. The others have the same variables. They are written
// only when need be: goroutines of cells may read them.
func (in *interpreter) prepare() {
	first := in.envs[0]
	for _, env := range in.envs {
		first.IntAddressTaken = first.IntAddressTaken || env.IntAddressTaken
	}
	vals, ints := len(first.Vals), len(first.Ints)
	in.ir.PrepareEnv()
	if len(first.Vals) == vals && len(first.Ints) == ints {
		return
	}
	for _, env := range in.envs[1:] {
		env.EnvBinds = first.EnvBinds
	}
}

// newEnv adds an environment with the variables of the others.
func (in *interpreter) newEnv() {
	first := in.envs[0]
	env := &fast.Env{EnvBinds: first.EnvBinds, Outer: first.Outer, UsedByClosure: true}
	env.FileEnv = env
	in.envs = append(in.envs, env)
}

// captureName is the builtin by which a new evaluator learns its Run.
const captureName = hidden + "capture"

func (in *interpreter) declareCapture() {
	in.declareAction(captureName, func(env *fast.Env) { in.captured = env.Run })
	f := noParams(name("", minBase), callAction(captureName, minBase))
	v, _ := in.exec(in.ir.CompileNode(f))
	in.capture = v.Interface().(func())
}
