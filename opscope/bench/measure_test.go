package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeClock advances only when a function under test says that it took time, so
// that tests know every duration exactly.
type fakeClock struct{ t time.Time }

func (c *fakeClock) now() time.Time { return c.t }

// takes returns a function whose calls take the given times, the last one forever.
func (c *fakeClock) takes(times ...time.Duration) func() {
	call := 0
	return func() {
		c.t = c.t.Add(times[min(call, len(times)-1)])
		call++
	}
}

func TestRounds(t *testing.T) {
	tests := []struct {
		name              string
		perCall           time.Duration
		rounds, callsEach int
	}{
		{"rounds up to whole calls", 3 * time.Millisecond, 11, 7},
		{"one call a round", 20 * time.Millisecond, 11, 1},
		{"2.2 s in all", 200 * time.Millisecond, 10, 1},
		{"fewer rounds when slow", 900 * time.Millisecond, 3, 1},
		{"never under three", time.Hour, 3, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock := &fakeClock{}
			c, err := Plan{}.compare(t.Context(), clock.now, []Func{{"f", clock.takes(tt.perCall)}})
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Repeat([]time.Duration{tt.perCall}, tt.rounds)
			if !slices.Equal(c[0].Rounds, want) {
				t.Errorf("rounds %v, want %v", c[0].Rounds, want)
			}
			if want := tt.rounds * tt.callsEach; c[0].Calls != want {
				t.Errorf("%d calls, want %d", c[0].Calls, want)
			}
			if c[0].Spread() != 0 {
				t.Errorf("spread %v of equal rounds", c[0].Spread())
			}
		})
	}
}

// A call of nanoseconds must not be measured by a clock read around each.
func TestFastCallsAreBatched(t *testing.T) {
	clock := &fakeClock{}
	reads := 0
	now := func() time.Time { reads++; return clock.now() }
	c, err := Plan{}.compare(t.Context(), now, []Func{{"f", clock.takes(10)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c[0].Median(); got != 10 {
		t.Errorf("median %v, want 10ns", got)
	}
	if least := int(maxRounds * roundTime / 10); c[0].Calls < least {
		t.Errorf("%d calls, want at least %d", c[0].Calls, least)
	}
	if reads > c[0].Calls/1000 {
		t.Errorf("%d clock reads for %d calls", reads, c[0].Calls)
	}
}

func TestWarmUpIsNotTimed(t *testing.T) {
	clock := &fakeClock{}
	c, err := Plan{}.compare(t.Context(), clock.now, []Func{{"f", clock.takes(time.Minute, 20*time.Millisecond)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c[0].Max(); got != 20*time.Millisecond {
		t.Errorf("slowest round %v: the first call was counted", got)
	}
}

func TestCompareInterleaves(t *testing.T) {
	clock := &fakeClock{}
	var order strings.Builder
	call := func(name string) Func {
		take := clock.takes(25 * time.Millisecond)
		return Func{name, func() { order.WriteString(name); take() }}
	}
	c, err := Plan{}.compare(t.Context(), clock.now, []Func{call("a"), call("b"), call("c")})
	if err != nil {
		t.Fatal(err)
	}
	// One call of each is the warm-up.
	if want := "abc" + "abc" + "bca" + "cab" + "abc"; !strings.HasPrefix(order.String(), want) {
		t.Errorf("order %s, want %s first", order.String(), want)
	}
	for i, name := range []string{"a", "b", "c"} {
		if c[i].Name != name || len(c[i].Rounds) != maxRounds {
			t.Errorf("entry %d is %q with %d rounds", i, c[i].Name, len(c[i].Rounds))
		}
	}
}

func TestPlanRounds(t *testing.T) {
	clock := &fakeClock{}
	ticks := 0
	p := Plan{Rounds: 7, RoundTime: 5 * time.Millisecond, Progress: func() { ticks++ }}
	c, err := p.compare(t.Context(), clock.now, []Func{
		{"slow", clock.takes(time.Minute)},
		{"fast", clock.takes(2 * time.Millisecond)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c {
		if len(e.Rounds) != 7 {
			t.Errorf("%s has %d rounds, want 7", e.Name, len(e.Rounds))
		}
	}
	if c[0].Calls != 7 || c[1].Calls != 7*3 {
		t.Errorf("%d and %d calls, want 7 rounds of one and of three", c[0].Calls, c[1].Calls)
	}
	if want := 2 * (1 + 7); ticks != want {
		t.Errorf("%d steps of progress, want %d: a warm-up and 7 rounds of each", ticks, want)
	}
}

func TestPlanBefore(t *testing.T) {
	clock := &fakeClock{}
	var order strings.Builder
	prepare := clock.takes(time.Second)
	call := func(name string) Func {
		take := clock.takes(3 * time.Millisecond)
		return Func{name, func() { order.WriteString(name); take() }}
	}
	p := Plan{Rounds: 3, Before: func() { order.WriteString("-"); prepare() }}
	c, err := p.compare(t.Context(), clock.now, []Func{call("a"), call("b")})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c {
		if want := slices.Repeat([]time.Duration{3 * time.Millisecond}, 3); !slices.Equal(e.Rounds, want) || e.Calls != 3 {
			t.Errorf("%s: %d calls in rounds %v, want one call in each of %v", e.Name, e.Calls, e.Rounds, want)
		}
	}
	if got, want := order.String(), "ab"+"-a-b"+"-b-a"+"-a-b"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

func TestCancel(t *testing.T) {
	clock := &fakeClock{}
	ctx, cancel := context.WithCancelCause(t.Context())
	calls, take := 0, clock.takes(5*time.Millisecond)
	f := func() {
		take()
		if calls++; calls == 30 {
			cancel(nil)
		}
	}
	c, err := Plan{}.compare(ctx, clock.now, []Func{{"f", f}})
	if !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("got %v, %v; want nothing and context.Canceled", c, err)
	}
	if calls != 30 {
		t.Errorf("%d calls, want none after the 30th cancelled", calls)
	}
	if timing, err := Measure(ctx, func() {}); !errors.Is(err, context.Canceled) || timing.Rounds != nil {
		t.Errorf("Measure got %v, %v", timing, err)
	}
}

func TestBadArguments(t *testing.T) {
	if _, err := Compare(t.Context()); err == nil {
		t.Error("no function: no error")
	}
	if _, err := Compare(t.Context(), Func{"a", func() {}}, Func{Name: "b"}); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("nil function: got %v, want an error that names it", err)
	}
	if _, err := Measure(t.Context(), nil); err == nil {
		t.Error("Measure(nil): no error")
	}
}

func TestTiming(t *testing.T) {
	odd := Timing{Rounds: []time.Duration{40, 10, 30}, Calls: 9}
	even := Timing{Rounds: []time.Duration{40, 10, 30, 20}}
	for _, tt := range []struct {
		name          string
		t             Timing
		min, med, max time.Duration
		spread        float64
	}{
		{"odd", odd, 10, 30, 40, 1},
		{"even", even, 10, 25, 40, 1.2},
		{"empty", Timing{}, 0, 0, 0, 0},
	} {
		if tt.t.Min() != tt.min || tt.t.Median() != tt.med || tt.t.Max() != tt.max || tt.t.Spread() != tt.spread {
			t.Errorf("%s: min %v, median %v, max %v, spread %v", tt.name, tt.t.Min(), tt.t.Median(), tt.t.Max(), tt.t.Spread())
		}
	}
	if got, want := odd.String(), "30ns a call (min 10ns, spread 100.0%, 9 calls in 3 rounds)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(odd.Rounds, []time.Duration{40, 10, 30}) {
		t.Errorf("Median changed the order of the rounds: %v", odd.Rounds)
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[time.Duration]string{
		0: "0s", 999: "999ns", 1234: "1.234µs", 12345: "12.35µs", 1234567: "1.235ms", 83*time.Second + 456789: "1m23s",
	} {
		if got := short(in); got != want {
			t.Errorf("short(%d) = %q, want %q", int64(in), got, want)
		}
	}
}

// While the machine slows down threefold, b stays twice as fast as a; the ratio
// of any two separate medians need not be.
func TestSpeedupQuartiles(t *testing.T) {
	for _, c := range []struct {
		rounds    []time.Duration // of the other, while base takes 60 each
		low, high float64
	}{
		{nil, 0, 0},
		{[]time.Duration{30}, 2, 2},
		{[]time.Duration{60, 20, 30}, 1, 3},
		{[]time.Duration{10, 60, 20, 30}, 2, 3}, // ratios 6, 1, 3, 2
		{[]time.Duration{1, 60, 30, 20, 15, 12, 10, 6}, 3, 6},
	} {
		base := Timing{}
		for range c.rounds {
			base.Rounds = append(base.Rounds, 60)
		}
		low, high := Comparison{{Timing: base}, {Timing: Timing{Rounds: c.rounds}}}.SpeedupQuartiles(0, 1)
		if low != c.low || high != c.high {
			t.Errorf("rounds %v: quartiles %v and %v, want %v and %v", c.rounds, low, high, c.low, c.high)
		}
	}
}

func TestSpeedupIsPaired(t *testing.T) {
	c := Comparison{
		{"a", Timing{Rounds: []time.Duration{10, 20, 30}}},
		{"b", Timing{Rounds: []time.Duration{5, 10, 16}}},
	}
	if got := c.Speedup(0, 1); got != 2 {
		t.Errorf("speed-up %v, want 2", got)
	}
	if got := c.Speedup(1, 0); got != 0.5 {
		t.Errorf("inverse %v, want 0.5", got)
	}
	want := "" +
		"function       median          min   spread  speed-up\n" +
		"a                20ns         10ns   100.0%     1.00x\n" +
		"b                10ns          5ns   110.0%     2.00x"
	if got := c.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMeasureWithTheRealClock(t *testing.T) {
	calls := 0
	timing, err := Measure(t.Context(), func() { calls++ })
	if err != nil {
		t.Fatal(err)
	}
	if n := len(timing.Rounds); n < minRounds || n > maxRounds || timing.Calls <= 0 || timing.Calls >= calls {
		t.Errorf("%d rounds, %d timed calls of %d", n, timing.Calls, calls)
	}
}
