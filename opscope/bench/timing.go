package bench

import (
	"fmt"
	"slices"
	"time"
)

// Timing is the time of one function, measured over several rounds.
type Timing struct {
	// Rounds is the time per call of each round, in the order they ran. Each
	// is the mean over the calls of that round, rounded to a nanosecond.
	Rounds []time.Duration `json:"rounds_ns"`
	// Calls is the number of calls in all rounds.
	Calls int `json:"calls"`
}

// Min is the time per call of the fastest round: what the function takes when
// nothing else disturbs it. 0 if there are no rounds.
func (t Timing) Min() time.Duration {
	if len(t.Rounds) == 0 {
		return 0
	}
	return slices.Min(t.Rounds)
}

// Max is the time per call of the slowest round. 0 if there are no rounds.
func (t Timing) Max() time.Duration {
	if len(t.Rounds) == 0 {
		return 0
	}
	return slices.Max(t.Rounds)
}

// Median is the median over the rounds of the time per call: what the function
// took here. 0 if there are no rounds.
func (t Timing) Median() time.Duration {
	return median(t.Rounds)
}

// Spread is (Max-Min)/Median, a fraction: differences between two timings
// smaller than this mean nothing. 0 if there are no rounds.
func (t Timing) Spread() float64 {
	if t.Median() == 0 {
		return 0
	}
	return float64(t.Max()-t.Min()) / float64(t.Median())
}

// String gives the median, the minimum, the spread, and what they rest on.
func (t Timing) String() string {
	return fmt.Sprintf("%s a call (min %s, spread %.1f%%, %d calls in %d rounds)",
		short(t.Median()), short(t.Min()), 100*t.Spread(), t.Calls, len(t.Rounds))
}

// median returns the middle value, or the mean of the two middle ones.
func median[T time.Duration | float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	mid := len(v) / 2
	if len(v)%2 == 1 {
		return v[mid]
	}
	return v[mid-1] + (v[mid]-v[mid-1])/2
}

// short writes a duration to four figures at most.
func short(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if r := d.Round(unit); r < 10000*unit {
			return r.String()
		}
	}
}
