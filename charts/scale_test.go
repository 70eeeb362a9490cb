package charts

import (
	"math"
	"strings"
	"testing"
)

func ticksOf(s scale) string {
	var labels []string
	for _, t := range s.ticks {
		labels = append(labels, t.label)
	}
	return strings.Join(labels, " ")
}

func TestLinearScale(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		count  int
		whole  bool
		ticks  string
	}{
		{0, 4, 6, false, "0 1 2 3 4"},
		{0, 3.2, 6, false, "0 1 2 3 4"},
		{0, 1, 5, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0.3, 0.7, 5, false, "0.3 0.4 0.5 0.6 0.7"}, // 0.3 / 0.1 < 3 in binary
		{5, 100, 8, false, "0 20 40 60 80 100"},
		{-9, 12, 6, false, "-10 -5 0 5 10 15"},
		{0.9991, 0.9999, 6, false, "0.9990 0.9992 0.9994 0.9996 0.9998 1.0000"},
		{0, 4500, 6, false, "0 1,000 2,000 3,000 4,000 5,000"},
		{0, 2e7, 4, false, "0 5e6 1e7 1.5e7 2e7"},
		{0, 2e-6, 4, false, "0 5e-7 1e-6 1.5e-6 2e-6"},
		{1, 3, 8, false, "1.0 1.5 2.0 2.5 3.0"},
		{1, 3, 8, true, "1 2 3"},
		{0, 0, 5, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{5, 5, 5, false, "0 1 2 3 4 5"},
		{-2, -2, 4, false, "-2.0 -1.5 -1.0 -0.5 0.0"},
	} {
		s := linearScale(c.lo, c.hi, c.count, c.whole)
		if got := ticksOf(s); got != c.ticks {
			t.Errorf("from %g to %g: ticks %s, want %s", c.lo, c.hi, got, c.ticks)
		}
	}
}

func TestLogScale(t *testing.T) {
	for _, c := range []struct {
		lo, hi   float64
		min, max float64
		ticks    string
	}{
		{1, 512, 1, 1000, "1 10 100 1,000"},
		{3, 1772, 2, 2000, "2 10 100 1,000 2,000"},
		{0.011, 0.9, 0.01, 1, "0.01 0.02 0.05 0.1 0.2 0.5 1"},
		{200, 900, 200, 1000, "200 500 1,000"},
		{1e-7, 0.3, 1e-7, 1, "1e-7 1e-6 1e-5 1e-4 0.001 0.01 0.1 1"},
		{100, 100, 50, 200, "50 100 200"},
		{7, 7, 5, 10, "5 10"},
		{2e6, 3e6, 2e6, 5e6, "2e6 5e6"},
	} {
		s := logScale(c.lo, c.hi)
		if s.min != c.min || s.max != c.max {
			t.Errorf("from %g to %g: range %g to %g, want %g to %g", c.lo, c.hi, s.min, s.max, c.min, c.max)
		}
		if got := ticksOf(s); got != c.ticks {
			t.Errorf("from %g to %g: ticks %s, want %s", c.lo, c.hi, got, c.ticks)
		}
	}
}

func TestScaleRefusesWhatCannotBeLabelled(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		lo, hi float64
		reason string
	}{
		{Axis{Label: "v"}, 0, 1e16, "larger unit"},
		{Axis{Label: "v"}, -math.MaxFloat64, math.MaxFloat64, "larger unit"},
		{Axis{Label: "v"}, 0, 1e-12, "smaller unit"},
		{Axis{Label: "v"}, 1, 1 + 1e-12, "subtract what is common"},
		{Axis{Label: "v", Log: true}, 1e-12, 1, "smaller unit"},
	} {
		_, err := newScale(c.axis, c.lo, c.hi, 5, false)
		if err == nil || !strings.Contains(err.Error(), c.reason) || !strings.Contains(err.Error(), "v ") {
			t.Errorf("from %g to %g: error %v, want one that says %q", c.lo, c.hi, err, c.reason)
		}
	}
}

// A scale holds its values, begins and ends at ticks, and has few of them.
func FuzzScale(f *testing.F) {
	for _, v := range [][2]float64{{0, 1}, {-3, 5}, {0.1, 0.3}, {1e-9, 1e15}, {999.9999999, 1000}, {-1e15, 1e15}, {0, 0}, {2.5e-10, 7e8}} {
		f.Add(v[0], v[1], false)
		f.Add(v[0], v[1], true)
	}
	f.Fuzz(func(t *testing.T, lo, hi float64, log bool) {
		if math.IsNaN(lo) || math.IsNaN(hi) || lo > hi || log && lo <= 0 {
			return // not a range
		}
		const count = 6
		s, err := newScale(Axis{Label: "v", Log: log}, lo, hi, count, false)
		if err != nil {
			return
		}
		if s.min > lo || s.max < hi || s.min >= s.max {
			t.Fatalf("from %g to %g: range %g to %g", lo, hi, s.min, s.max)
		}
		n := len(s.ticks)
		if n < 2 || s.ticks[0].value != s.min || s.ticks[n-1].value != s.max {
			t.Fatalf("from %g to %g: range %g to %g with ticks %v", lo, hi, s.min, s.max, s.ticks)
		}
		if !log && n > count+3 || n > 32 {
			t.Fatalf("from %g to %g: %d ticks", lo, hi, n)
		}
		labels := map[string]bool{}
		for i, tick := range s.ticks {
			if i > 0 && tick.value <= s.ticks[i-1].value || labels[tick.label] {
				t.Fatalf("from %g to %g: ticks %v", lo, hi, s.ticks)
			}
			labels[tick.label] = true
		}
	})
}
