package interp

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosmos72/gomacro/imports"
)

// interrupted runs a cell and ends its context once the cell has printed.
func runInterrupted(t *testing.T, s *Session, source string) *Error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := &outcome{}
	started := &startSink{recorder: &o.recorder, started: cancel}
	o.data, o.err = s.Run(ctx, Cell{Name: "cell", Source: source}, started)
	return o.failure(t)
}

// runWaiting runs a cell and ends its context once the cell waits for something.
func runWaiting(t *testing.T, s *Session, source string) *outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := &outcome{}
	go func() {
		ev := s.in.owner.Load()
		for ev.state.Load() != busy {
			runtime.Gosched()
		}
		for n := 0; n < 3 && ctx.Err() == nil; { // not in passing
			if n++; !ev.waits() {
				n = 0
			}
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	o.data, o.err = s.Run(ctx, Cell{Name: "cell", Source: source}, &o.recorder)
	return o
}

// startSink tells once that the cell prints, so that it certainly runs then.
type startSink struct {
	*recorder
	once    sync.Once
	started func()
}

func (s *startSink) Stream(name, text string) {
	s.recorder.Stream(name, text)
	s.once.Do(s.started)
}

func TestInterrupt(t *testing.T) {
	tests := []struct{ name, setup, cell string }{
		{"a loop", "", "println(1)\nfor {\n}"},
		{"a loop that counts", "", "println(1)\nn := 0\nfor {\n\tn++\n}"},
		{"a loop in a function", "func loop() {\n\tfor {\n\t}\n}", "println(1)\nloop()"},
		{"a loop in a method", "type T struct{}\nfunc (T) loop() {\n\tfor i := 0; ; i++ {\n\t}\n}", "println(1)\nT{}.loop()"},
		{"a loop in a function literal", "", "println(1)\nfunc() {\n\tfor {\n\t}\n}()"},
		{"recursion", "func fib(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}", "println(1)\nfib(100)"},
		{"compiled calls in a loop", "import \"strings\"", "println(1)\nfor {\n\tstrings.Repeat(\"a\", 100)\n}"},
		{"a callback in a compiled call", "import \"sort\"", "println(1)\nsort.Slice(make([]int, 1000), func(i, j int) bool {\n\tfor {\n\t}\n})"},
		{"sleep", "import \"time\"", "println(1)\ntime.Sleep(time.Hour)"},
		{"sleep in a loop", "import \"time\"", "println(1)\nfor {\n\ttime.Sleep(time.Minute)\n}"},
		{"a wait for ctx", "", "println(1)\n<-ctx.Done()"},
		{"a wait for ctx, then more", "", "println(1)\n<-ctx.Done()\nkept = -1"},
		{"a loop after waits", "", "println(1)\nfor {\n}"},
		{"a loop of an earlier cell", "func spin() {\n\tfor {\n\t}\n}", "println(1)\nspin()"},
		{"a select with ctx", "c := make(chan int)", "println(1)\nselect {\ncase <-c:\ncase <-ctx.Done():\n}\nfor {\n}"},
	}
	s := open(t)
	run(t, s, "kept := 42")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.setup != "" {
				run(t, s, test.setup)
			}
			e := runInterrupted(t, s, test.cell)
			if e.Name != "Interrupted" {
				t.Errorf("the cell ended with %s: %v", e.Name, e)
			}
			if e.Line == 0 || e.Cell != "cell" {
				t.Errorf("the place of the interrupt is %s:%d", e.Cell, e.Line)
			}
			if got := run(t, s, "kept").result(); got != "42" {
				t.Errorf("the variable is %s after the interrupt", got)
			}
			if got := run(t, s, "n := 0\nfor i := range 10000 {\n\tn += i\n}\nn").result(); got != "49995000" {
				t.Errorf("a loop after the interrupt gave %s", got)
			}
		})
	}
}

func TestInterruptOfWaits(t *testing.T) {
	tests := []struct{ name, setup, cell string }{
		{"a receive", "c := make(chan int)", "<-c"},
		{"a receive into a variable", "c := make(chan int)", "v, ok := <-c"},
		{"a receive from nil", "var none chan int", "<-none"},
		{"a send", "c := make(chan int)", "c <- 1"},
		{"a range over a channel", "c := make(chan int)", "for v := range c {\n\tkept = v\n}"},
		{"an empty select", "", "select {}"},
		{"a select", "c, d := make(chan int), make(chan int)", "select {\ncase kept = <-c:\ncase d <- 1:\n}"},
		{"a receive in a method", "type R struct{ c chan int }\nfunc (r *R) next() int {\n\treturn <-r.c\n}", "r := &R{make(chan int)}\nfor {\n\tkept = r.next()\n}"},
		{"a wait for a group", "import \"sync\"\nvar wg sync.WaitGroup\nwg.Add(1)", "wg.Wait()"},
		{"a wait for a lock", "var mu sync.Mutex\nmu.Lock()", "mu.Lock()"},
		{"a wait for a read lock", "var rw sync.RWMutex\nrw.Lock()", "func() {\n\trw.RLock()\n\tdefer rw.RUnlock()\n\tkept = -1\n}()"},
		{"a wait for a condition", "cond := sync.NewCond(&sync.Mutex{})", "cond.L.Lock()\ncond.Wait()"},
		{"a wait for a connection", "import \"net\"\nl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")", "l.Accept()"},
		{"a wait for a pipe", "import \"io\"\npr, pw := io.Pipe()", "io.ReadAll(pr)"},
		{"a wait in a callback", "import \"sort\"\nc := make(chan bool)", "sort.Slice(make([]int, 10), func(i, j int) bool {\n\treturn <-c\n})"},
		{"a wait in a deferred call", "c := make(chan bool)", "defer func() {\n\t\t<-c\n}()"},
	}
	s := open(t)
	run(t, s, "kept := 42")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.setup != "" {
				run(t, s, test.setup)
			}
			if e := runWaiting(t, s, test.cell).failure(t); e.Name != "Interrupted" || e.Cell != "cell" || e.Line == 0 {
				t.Errorf("the cell ended with %v", e)
			}
			if got := run(t, s, "kept").result(); got != "42" {
				t.Errorf("the variable is %s after the interrupt", got)
			}
			if e := runInterrupted(t, s, "func() {\n\tprintln(1)\n\tfor {\n\t}\n}()"); e.Name != "Interrupted" || e.Line < 3 {
				t.Errorf("a loop after it ended with %v", e)
			}
		})
	}
}

func TestInterruptNamesTheLine(t *testing.T) {
	s := open(t)
	run(t, s, "func loop() {\n\tprintln(1)\n\tfor {\n\t}\n}")
	e := runInterrupted(t, s, "n := 1\nloop()")
	text := plainTraceback(e)
	if !strings.Contains(text, "in loop") || !strings.Contains(text, "cell, line 2\n    loop()") {
		t.Errorf("traceback\n%s", text)
	}
}

func TestRunWithAnEndedContext(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := &outcome{}
	o.data, o.err = s.Run(ctx, Cell{Name: "cell", Source: "x := 1"}, &o.recorder)
	if e := o.failure(t); e.Name != "Interrupted" {
		t.Errorf("the cell ended with %v", e)
	}
	if e := runCell(s, "cell", "x").failure(t); e.Name != "CompileError" {
		t.Errorf("the cell ran: %v", e)
	}
}

func TestContextOfCells(t *testing.T) {
	s := open(t)
	run(t, s, "first := ctx")
	if got := run(t, s, "ctx.Err() == nil && ctx != first && first.Err() == nil").result(); got != "true" {
		t.Errorf("a later cell's ctx is not its own: %s", got)
	}
	runInterrupted(t, s, "second := ctx\nprintln(1)\n<-ctx.Done()")
	if got := run(t, s, "[]any{ctx.Err() == nil, first.Err() == nil, second.Err() != nil}").result(); got != "[true true true]" {
		t.Errorf("after an interrupt: %s", got)
	}
	run(t, s, "import \"context\"\nctx, cancel := context.WithCancel(ctx)")
	if got := run(t, s, "cancel()\nctx.Err()").result(); got != "context canceled" {
		t.Errorf("a cell's own ctx gave %q", got)
	}
}

// What an interrupted cell waits for may come later: the cell must not go on.
func TestInterruptedCellsDoNotGoOn(t *testing.T) {
	for _, test := range []struct{ name, setup, cell, wake string }{
		{"receive", "c := make(chan int)", "<-c\nkept = -1", "close(c)"},
		{"receive in a function", "c := make(chan int)\nfunc recv() int {\n\treturn <-c\n}", "n := recv()\nkept = n", "close(c)"},
		{"if", "c := make(chan int)", "if <-c == 0 {\n\tkept = -1\n} else {\n\tkept = -2\n}", "close(c)"},
		{"for", "c := make(chan int)", "for <-c == 0 {\n\tkept = -1\n}", "close(c)"},
		{"switch", "c := make(chan int)", "switch <-c {\ncase 0:\n\tkept = -1\n}", "close(c)"},
		{"range", "c := make(chan int)", "for range c {\n\tkept = -1\n}\nkept = -2", "close(c)"},
		{"send", "c := make(chan int)", "c <- 1\nkept = -1", "select {\ncase <-c:\n\tkept = -2\ndefault:\n}"},
		{"select", "c := make(chan int)", "select {\ncase <-c:\n\tkept = -1\n}", "close(c)"},
		{"printed", "c := make(chan int)\nimport \"fmt\"", "fmt.Println(<-c)\nkept = -1", "close(c)"},
		{"recovered", "c := make(chan int)", "func() {\n\tdefer func() {\n\t\trecover()\n\t\tkept = -1\n\t}()\n\t\t<-c\n\tkept = -2\n}()\nkept = -3", "close(c)"},
		{"in a loop", "c := make(chan int)", "for {\n\tn := <-c\n\tkept = n - 1\n}", "close(c)"},
		{"a lock", "import \"sync\"\nvar mu sync.Mutex\nmu.Lock()", "mu.Lock()\nkept = -1", "mu.Unlock()"},
		{"a group", "import \"sync\"\nvar wg sync.WaitGroup\nwg.Add(1)", "wg.Wait()\nkept = -1", "wg.Done()"},
		{"a pipe", "import \"io\"\npr, pw := io.Pipe()", "io.ReadAll(pr)\nkept = -1", "pw.Close()"},
		{"a connection", "import \"net\"\nl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")", "l.Accept()\nkept = -1", "l.Close()"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			run(t, s, "kept := 42")
			run(t, s, test.setup)
			o := runWaiting(t, s, test.cell)
			if e := o.failure(t); e.Name != "Interrupted" {
				t.Fatalf("the cell ended with %v", e)
			}
			run(t, s, test.wake)
			run(t, s, "import \"time\"\ntime.Sleep(5 * time.Millisecond)\nn := 0\nfor i := range 1000 {\n\tn += i\n}")
			if got := run(t, s, "kept").result(); got != "42" {
				t.Errorf("the cell went on: kept is %s", got)
			}
			if got := o.text("stdout"); got != "" {
				t.Errorf("the cell printed %q", got)
			}
		})
	}
}

// What comes after the interrupt of a wait is for others.
func TestInterruptedWaitsTakeNothing(t *testing.T) {
	for _, test := range []struct{ name, setup, cell, after string }{
		{"a value", "c := make(chan int)", "<-c", "go func() { c <- 5 }()\nselect {\ncase v := <-c:\n\tgot = v\ncase <-time.After(20 * time.Second):\n}"},
		{"a value of a range", "c := make(chan int)", "for range c {\n}", "go func() { c <- 5 }()\nselect {\ncase v := <-c:\n\tgot = v\ncase <-time.After(20 * time.Second):\n}"},
		{"a place", "c := make(chan int, 1)\nc <- 1", "c <- 2", "<-c\ntime.Sleep(5 * time.Millisecond)\ngot = 5 + len(c)"},
		{"a lock", "import \"sync\"\nvar mu sync.Mutex\nmu.Lock()", "mu.Lock()", "mu.Unlock()\ntime.Sleep(20 * time.Millisecond)\nfor i := 0; i < 5_000 && got == 0; i++ {\n\tif mu.TryLock() {\n\t\tgot = 5\n\t}\n\ttime.Sleep(time.Millisecond)\n}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			run(t, s, "import \"time\"\ngot := 0")
			run(t, s, test.setup)
			if e := runWaiting(t, s, test.cell).failure(t); e.Name != "Interrupted" {
				t.Fatalf("the cell ended with %v", e)
			}
			run(t, s, test.after)
			if got := run(t, s, "got").result(); got != "5" {
				t.Errorf("got %s, want 5", got)
			}
		})
	}
}

// gatePackage makes a package "gate" whose function Pass calls wait, and returns its
// import path.
func gatePackage(t *testing.T, wait func()) string {
	path := "test/" + t.Name()
	imports.Packages[path] = imports.Package{Name: "gate", Binds: map[string]reflect.Value{"Pass": reflect.ValueOf(wait)}}
	return path
}

func TestInterruptOfACompiledCallThatWaits(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan int)
	path := gatePackage(t, func() {
		cancel()
		<-release
	})
	run(t, s, "n := 1\nkept := 42")
	o := &outcome{}
	o.data, o.err = s.Run(ctx, Cell{Name: "cell", Source: "import \"" + path + "\"\ngate.Pass()\nn := \"later\"\nkept = -1"}, &o.recorder)
	if e := o.failure(t); e.Name != "Interrupted" || e.Cell != "cell" || e.Line != 2 {
		t.Errorf("the cell gave %v", e)
	}
	close(release)
	if got := run(t, s, "[]any{n, kept}").result(); got != "[1 42]" {
		t.Errorf("afterwards n and kept are %s", got)
	}
}

// Within a function no step of the cell comes between the call and what is after.
func TestAFunctionLeftInACompiledCallDoesNotGoOn(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan int)
	path := gatePackage(t, func() {
		cancel()
		<-release
	})
	run(t, s, "import \""+path+"\"\nwent := make(chan int, 1)\nfunc f() {\n\tgate.Pass()\n\twent <- 1\n}")
	o := &outcome{}
	o.data, o.err = s.Run(ctx, Cell{Name: "cell", Source: "f()"}, &o.recorder)
	if e := o.failure(t); e.Name != "Interrupted" {
		t.Errorf("the cell gave %v", e)
	}
	close(release)
	if got := run(t, s, "import \"time\"\ntime.Sleep(100 * time.Millisecond)\nlen(went)").result(); got != "0" {
		t.Errorf("it went on %s times", got)
	}
}

func TestInterruptOfACompiledCallThatRuns(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	var release atomic.Bool
	path := gatePackage(t, func() {
		cancel()
		for !release.Load() {
		}
	})
	run(t, s, "kept := 42")
	o := &outcome{}
	o.data, o.err = s.Run(ctx, Cell{Name: "cell", Source: "import \"" + path + "\"\ngate.Pass()\nkept = -1"}, &o.recorder)
	e := o.failure(t)
	if e.Name != "Interrupted" || !strings.Contains(e.Value, "a compiled call does not stop") || e.Cell != "cell" {
		t.Errorf("the cell gave %v", e)
	}
	if got := run(t, s, "kept").result(); got != "42" {
		t.Errorf("kept is %s", got)
	}
	release.Store(true)
	run(t, s, "import \"time\"\ntime.Sleep(5 * time.Millisecond)")
	if got := run(t, s, "kept").result(); got != "42" {
		t.Errorf("the cell went on: kept is %s", got)
	}
}

// A cell's goroutine may end; the session goes on.
func TestACellThatEndsItsGoroutine(t *testing.T) {
	s := open(t)
	path := gatePackage(t, runtime.Goexit)
	run(t, s, "kept := 42")
	if e := runCell(s, "cell", "import \""+path+"\"\ngate.Pass()").failure(t); e.Name != "Panic" {
		t.Errorf("the cell gave %v", e)
	}
	if got := run(t, s, "kept").result(); got != "42" {
		t.Errorf("kept is %s", got)
	}
}

// Variables of all kinds, functions and methods work for the evaluator that
// takes over, and so do those that are declared after it.
func TestAnotherEvaluator(t *testing.T) {
	s := open(t)
	run(t, s, "type T struct{ n int }\nfunc (t *T) inc() int {\n\tt.n++\n\treturn t.n\n}\nf, x, y, words := 2.5, 1, &T{}, map[string][]int{}\npx := &x\nadd := func(k int) int {\n\tx += k\n\treturn x\n}\nfunc total() int { return x + y.n }")
	for i := range 3 {
		if e := runWaiting(t, s, "<-make(chan int)").failure(t); e.Name != "Interrupted" {
			t.Fatal(e)
		}
		run(t, s, fmt.Sprintf("var v%d = %d\nfunc g%d() int { return v%[1]d + total() }", i, i, i))
	}
	if got := run(t, s, "add(1)\n*px += 10\ny.inc()\nwords[\"a\"] = append(words[\"a\"], 1)\nv2++\n[]any{f, x, total(), g0(), g2(), words, len(words)}").result(); got != "[2.5 12 13 13 16 map[a:[1]] 1]" {
		t.Errorf("afterwards: %s", got)
	}
}

func TestCloseWhileACellRuns(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{}
	running := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		sink := &startSink{recorder: &o.recorder, started: func() { close(running) }}
		o.data, o.err = s.Run(context.Background(), Cell{Name: "cell", Source: "println(1)\nfor {\n}"}, sink)
	}()
	<-running
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-ended
	if o.err == nil {
		t.Error("a cell that was cut off by Close succeeded")
	}
}
