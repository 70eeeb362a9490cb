package interp

import (
	"fmt"
	"testing"
)

// A cell that fails leaves what it did not reach as it was.
func TestStateAfterFailure(t *testing.T) {
	tests := []struct {
		name   string
		before string // a cell that succeeds
		fails  string // a cell that fails
		after  string
		result string // of the cell after it; "undefined" when it must not compile
	}{
		{"compile: a new name", "", "a := 1\nb := undef", "a", "undefined"},
		{"compile: an old name", "a := 7", "a := \"x\"\nb := undef", "a + 1", "8"},
		{"compile: a function", "func f() int { return 1 }", "func f() string { return undef }", "f() + 1", "2"},
		{"compile: a function that others call", "func f() int { return 1 }\nfunc g() int { return f() }", "func f() int { return 2 }\nundef", "g()", "1"},
		{"compile: a type", "type T struct{ A int }\nt := T{3}", "type T struct{ B string }\nundef", "t.A + T{4}.A", "7"},
		{"compile: a recursive type", "type T struct{ next *T }\nt := &T{&T{}}", "type T struct{ next []*T }\nundef", "t.next.next == nil", "true"},
		{"compile: a method", "type T int\nfunc (T) M() int { return 1 }", "func (T) M() string { return \"s\" }\nundef", "T(0).M() + 1", "2"},
		{"compile: a constant", "const c = 1", "const c = 2\nundef", "c", "1"},
		{"compile: an import", "", "import \"strings\"\nundef", "strings.ToUpper(\"a\")", "undefined"},
		{"compile: nothing runs", "n := 1", "n = 2\nundef", "n", "1"},
		{"syntax: nothing runs", "n := 1", "n = 2\n)", "n", "1"},
		{"run: an old name", "x := 7\nfunc f() int { panic(1) }", "x := f()", "x", "7"},
		{"run: an old name of another type", "x := 7\nfunc f() string { panic(1) }", "x := f()", "x + 1", "8"},
		{"run: a name that was reached", "x := 7", "x := 8\npanic(1)\nx := 9", "x", "8"},
		{"run: a name that was reached with another type", "x := 7", "x := \"s\"\npanic(1)\nx := 9", "x + \"!\"", "s!"},
		{"run: a new name", "", "panic(1)\ny := 2", "y", "undefined"},
		{"run: several names at once", "a, b := 1, 2\nfunc f() int { panic(1) }", "a, b := 3, f()", "[]int{a, b}", "[1 2]"},
		{"run: a var declaration", "a, b := 1, 2\nfunc f() int { panic(1) }", "var a = 3\nvar b = f()", "[]int{a, b}", "[3 2]"},
		{"run: functions are declared", "", "func f() int { return 5 }\npanic(1)", "f()", "5"},
		{"run: a variable that a function uses", "", "func f() int { return len(v) }\npanic(1)\nv := []int{1}", "f()", "0"},
		{"run: a name becomes a type", "v := 1", "panic(1)\nvar v struct{ A int }", "v", "1"},
		{"run: changes stay", "v := []int{1}", "v[0] = 5\npanic(1)", "v", "[5]"},
		{"run: the ctx of cells", "", "panic(1)\nctx := 5", "ctx != nil", "true"},
	}
	check := func(t *testing.T, s *Session, before, fails, after, result string) {
		if before != "" {
			run(t, s, before)
		}
		runCell(s, "bad", fails).failure(t)
		o := runCell(s, "after", after)
		switch {
		case result == "undefined":
			o.failure(t)
		case o.err != nil:
			t.Errorf("after the failure: %v", o.err)
		case o.result() != result:
			t.Errorf("after the failure %q, want %q", o.result(), result)
		}
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check(t, open(t), test.before, test.fails, test.after, test.result)
		})
	}
	t.Run("one after the other", func(t *testing.T) {
		s := open(t)
		for _, test := range tests {
			if test.result != "undefined" {
				check(t, s, test.before, test.fails, test.after, test.result)
			}
		}
	})
}

func TestUndeclaredVariablesAreZero(t *testing.T) {
	s := open(t)
	o := run(t, s, "func f() string { return s }\nbefore := f()\ns := \"set\"\n[]string{before, f()}")
	if got := o.result(); got != "[ set]" {
		t.Errorf("got %q", got)
	}
}

func TestManyCells(t *testing.T) {
	s := open(t)
	run(t, s, "total := 0\nfunc add(n int) { total += n }")
	for i := range 300 {
		run(t, s, fmt.Sprintf("x%d := %d\nvar s%d = \"text\"\nadd(x%d)", i, i, i, i))
	}
	if got := run(t, s, "total").result(); got != "44850" {
		t.Errorf("total %s, want 44850", got)
	}
}
