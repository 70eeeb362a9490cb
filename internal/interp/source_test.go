package interp

import (
	"strings"
	"testing"
)

// Of a long session the sources with functions stay, which an error can lie in,
// and those that can no longer run go.
func TestSourcesOfALongSession(t *testing.T) {
	s := open(t)
	cells(t, s,
		"a := []int{1, 2}\nsum := 0",
		"\n\nfunc at(i int) int {\n\treturn a[i]\n}",
		"sum += at(0) + a[1]")
	for range 3 * maxDropped {
		cells(t, s, "sum += a[0]")
	}
	cells(t, s, "func twice(i int) int { return 2 * at(i) }")
	for range maxDropped {
		cells(t, s, "sum += a[0]")
	}
	text := strings.Join(runCell(s, "the last", "sum++\ntwice(7)").failure(t).Traceback, "\n")
	for _, want := range []string{
		"index out of range [7] with length 2",
		"line 4" + reset + " in at", "return a[i]",
		"in twice", "return 2 * at(i)",
		"the last, line 2", "twice(7)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if sources := &s.in.sources; len(sources.cells) != 3 || len(sources.bounds) != 1 || sources.dropped > maxDropped {
		t.Errorf("%d sources with %d index expressions are kept, and %d dropped ones; want 3 with 1", len(sources.cells), len(sources.bounds), sources.dropped)
	}
}
