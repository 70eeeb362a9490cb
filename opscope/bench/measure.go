package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	roundTime = 20 * time.Millisecond // the least a round takes
	maxRounds = 11                    // odd, so that the median is a round
	minRounds = 3
	// Functions slower than roundTime get fewer rounds once each of them has had
	// this much time on average.
	enoughTime = 2 * time.Second
)

// Measure times f: a warm-up of at least one call and 20 ms, then 11 rounds of
// back-to-back calls of at least 20 ms each, or as few as 3 rounds once they
// have taken 2 s. It returns the context's error, and no timing, as soon as a
// call ends after the context was cancelled; it cannot stop a call that runs.
func Measure(ctx context.Context, f func()) (Timing, error) {
	c, err := Compare(ctx, Func{Name: "f", Call: f})
	if err != nil {
		return Timing{}, err
	}
	return c[0].Timing, nil
}

// Func is a function to time, and its name in the result.
type Func struct {
	Name string
	Call func()
}

// Compare times functions against each other as Measure does, one round of each
// in turn. Round by round a different function goes first, so that
// none always follows the same one. The result is in the order of the arguments.
func Compare(ctx context.Context, funcs ...Func) (Comparison, error) {
	return Plan{}.Compare(ctx, funcs...)
}

// A Plan changes how Compare measures. The zero Plan is that of Compare.
type Plan struct {
	// Rounds is the number of rounds of each function, however slow it is. 0 means
	// 11, or as few as 3 once the functions have had 2 s each on average.
	Rounds int
	// RoundTime is the least time of a round, 20 ms if it is 0.
	RoundTime time.Duration
	// Before, if not nil, runs before each call and is not timed. The clock is
	// then read around every single call, and a round is one call.
	Before func()
	// Progress, if not nil, is called after the warm-up of each function and after
	// each of its rounds.
	Progress func()
}

// Compare times functions against each other as the function Compare does, with
// the differences that p states.
func (p Plan) Compare(ctx context.Context, funcs ...Func) (Comparison, error) {
	return p.compare(ctx, time.Now, funcs)
}

func (p Plan) compare(ctx context.Context, now func() time.Time, funcs []Func) (Comparison, error) {
	if len(funcs) == 0 {
		return nil, errors.New("bench: no function to time")
	}
	if p.RoundTime == 0 {
		p.RoundTime = roundTime
	}
	progress := func() {
		if p.Progress != nil {
			p.Progress()
		}
	}
	c := make(Comparison, len(funcs))
	batches := make([]int, len(funcs))
	for i, f := range funcs {
		if f.Call == nil {
			return nil, fmt.Errorf("bench: function %d, %q, is nil", i, f.Name)
		}
		c[i].Name = f.Name
	}
	for i, f := range funcs {
		var err error
		if batches[i], err = p.warmUp(ctx, now, f.Call); err != nil {
			return nil, err
		}
		progress()
	}
	// Garbage of the warm-up, and of what ran before, is not collected on the time of
	// the first rounds.
	runtime.GC()
	start := now()
	for round := 0; ; round++ {
		switch {
		case p.Rounds > 0 && round == p.Rounds,
			p.Rounds == 0 && round == maxRounds,
			p.Rounds == 0 && round >= minRounds && now().Sub(start) >= enoughTime*time.Duration(len(funcs)):
			return c, nil
		}
		for turn := range funcs {
			i := (round + turn) % len(funcs)
			perCall, calls, err := p.runRound(ctx, now, funcs[i].Call, batches[i])
			if err != nil {
				return nil, err
			}
			c[i].Rounds = append(c[i].Rounds, perCall)
			c[i].Calls += calls
			progress()
		}
	}
}

// warmUp calls f for a round's time and returns how many calls make a batch: the
// clock is read once a batch, of about a twentieth of a round, so that reading it
// does not add to what is measured.
func (p Plan) warmUp(ctx context.Context, now func() time.Time, f func()) (batch int, err error) {
	if p.Before != nil {
		return 1, runBatch(ctx, f, 1)
	}
	enough := p.RoundTime / 40
	start := now()
	for batch = 1; ; {
		before := now()
		if err := runBatch(ctx, f, batch); err != nil {
			return 0, err
		}
		after := now()
		switch {
		case after.Sub(start) >= p.RoundTime && after.Sub(before) >= enough:
			return batch, nil
		case after.Sub(before) < enough:
			batch *= 2
		}
	}
}

// runRound calls f in batches until a round's time is over.
func (p Plan) runRound(ctx context.Context, now func() time.Time, f func(), batch int) (perCall time.Duration, calls int, err error) {
	if p.Before != nil {
		p.Before()
	}
	start := now()
	for {
		if err := runBatch(ctx, f, batch); err != nil {
			return 0, 0, err
		}
		calls += batch
		if took := now().Sub(start); took >= p.RoundTime || p.Before != nil {
			n := time.Duration(calls)
			return (took + n/2) / n, calls, nil
		}
	}
}

func runBatch(ctx context.Context, f func(), batch int) error {
	for range batch {
		f()
	}
	return ctx.Err()
}

// Comparison is the result of Compare: one entry a function.
type Comparison []Entry

// Entry is the timing of one function.
type Entry struct {
	Name string `json:"name"`
	Timing
}

// String gives the name before the timing.
func (e Entry) String() string { return e.Name + ": " + e.Timing.String() }

// Speedup is how many times faster entry i is than entry base: the median over the
// rounds of base's time over i's, taken within each round, where both met the same
// conditions. It panics if an index is out of range.
func (c Comparison) Speedup(base, i int) float64 { return median(c.ratios(base, i)) }

// SpeedupQuartiles returns the first and the third quartile of the ratios whose
// median is Speedup: half of the rounds lie between. With fewer than four rounds
// they are the least and the most, with none 0.
func (c Comparison) SpeedupQuartiles(base, i int) (low, high float64) {
	ratios := c.ratios(base, i)
	if len(ratios) == 0 {
		return 0, 0
	}
	slices.Sort(ratios)
	beyond := len(ratios) / 4
	return ratios[beyond], ratios[len(ratios)-1-beyond]
}

// ratios returns base's time over i's of each round.
func (c Comparison) ratios(base, i int) []float64 {
	ratios := make([]float64, 0, len(c[i].Rounds))
	for r, t := range c[i].Rounds {
		// A duration of 0 stands for less than half a nanosecond.
		ratios = append(ratios, float64(max(c[base].Rounds[r], 1))/float64(max(t, 1)))
	}
	return ratios
}

// String is a table with one line a function: median, minimum, spread, and
// speed-up over the first.
func (c Comparison) String() string {
	width := len("function")
	for _, e := range c {
		width = max(width, len(e.Name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s %12s %12s %8s %9s", width, "function", "median", "min", "spread", "speed-up")
	for i, e := range c {
		fmt.Fprintf(&b, "\n%-*s %12s %12s %7.1f%% %8.2fx", width, e.Name,
			short(e.Median()), short(e.Min()), 100*e.Spread(), c.Speedup(0, i))
	}
	return b.String()
}
