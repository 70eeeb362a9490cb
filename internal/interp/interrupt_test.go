package interp

import (
	"context"
	"reflect"
	"strings"
	"sync"
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
			if got := run(t, s, "kept").result(); got != "42" {
				t.Errorf("the variable is %s after the interrupt", got)
			}
			if got := run(t, s, "n := 0\nfor i := range 10000 {\n\tn += i\n}\nn").result(); got != "49995000" {
				t.Errorf("a loop after the interrupt gave %s", got)
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

// A cell that cannot be interrupted holds Run up: it must not say that the
// cell ended.
func TestRunWaitsForTheCell(t *testing.T) {
	gate := make(chan int)
	imports.Packages["test/gate"] = imports.Package{Name: "gate", Binds: map[string]reflect.Value{"C": reflect.ValueOf(gate)}}
	s := open(t)
	run(t, s, "import \"test/gate\"")
	ctx, cancel := context.WithCancel(context.Background())
	o := &outcome{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o.data, o.err = s.Run(ctx, Cell{Name: "cell", Source: "v := <-gate.C"}, &o.recorder)
	}()
	cancel()
	select {
	case <-ended:
		if e := o.failure(t); e.Name != "Interrupted" { // it had not begun
			t.Fatal(e)
		}
		return
	case <-time.After(50 * time.Millisecond):
	}
	gate <- 1
	<-ended
	if e := o.failure(t); e.Name != "Interrupted" {
		t.Errorf("the cell ended with %v", e)
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
