package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A scale is the range of a numeric axis and its ticks. Both pictures take it
// from here, so that they show the same range with the same labels.
type scale struct {
	log      bool
	min, max float64
	step     float64   // distance of the ticks, 0 on a log axis
	ticks    []tick    // labelled, ascending
	minor    []float64 // not labelled, ascending; log axes only
}

type tick struct {
	value float64
	label string
}

// What ECharts can put on an axis and label without rounding it away.
const (
	smallestLinear = 1e-9
	smallestLog    = 1e-10
	largest        = 1e15
	smallestSpread = 1e-9 // of the largest value
)

// newScale returns the scale that holds the values lo to hi, with at most about
// count ticks when it is linear, and then only at whole numbers if whole is set;
// or the range that the axis sets.
func newScale(a Axis, lo, hi float64, count int, whole bool) (scale, error) {
	if a.bounded() {
		lo, hi = a.Min, a.Max
	}
	size := max(math.Abs(lo), math.Abs(hi))
	switch {
	case size > largest:
		return scale{}, fmt.Errorf("%s reaches %g, beyond the %g that an axis can label: use a larger unit", a.Label, size, largest)
	case a.Log && lo < smallestLog:
		return scale{}, fmt.Errorf("%s reaches down to %g, below the %g that a log axis can label: use a smaller unit", a.Label, lo, smallestLog)
	case size > 0 && size < smallestLinear:
		return scale{}, fmt.Errorf("%s stays below %g, less than the %g that an axis can label: use a smaller unit", a.Label, size, smallestLinear)
	case lo < hi && hi-lo < smallestSpread*size:
		return scale{}, fmt.Errorf("%s varies by less than %g of its size, which an axis cannot label: subtract what is common", a.Label, smallestSpread)
	}
	s := linearScale(lo, hi, count, whole)
	if a.Log {
		s = logScale(lo, hi)
	}
	if a.bounded() {
		s = s.cut(lo, hi)
	}
	if len(s.ticks) < 2 {
		return scale{}, fmt.Errorf("%s goes from %g to %g, which holds no two round numbers to label", a.Label, lo, hi)
	}
	return s, nil
}

// cut ends a scale at exactly lo and hi, and labels these where there is room and
// the label is short.
func (s scale) cut(lo, hi float64) scale {
	const (
		room    = 0.07 // of the axis, to the next label
		longest = 8
	)
	beyond := func(v float64) bool { return v < lo || v > hi }
	s.min, s.max = lo, hi
	s.ticks = slices.DeleteFunc(s.ticks, func(t tick) bool { return beyond(t.value) })
	s.minor = slices.DeleteFunc(s.minor, beyond)
	for _, end := range []float64{lo, hi} {
		label := exactLabel(end)
		near := func(t tick) bool { return math.Abs(s.at(t.value)-s.at(end)) < room }
		if len(label) <= longest && !slices.ContainsFunc(s.ticks, near) {
			s.ticks = append(s.ticks, tick{end, label})
		}
	}
	slices.SortFunc(s.ticks, func(a, b tick) int { return cmp.Compare(a.value, b.value) })
	return s
}

// decimal returns n * 10^e, correctly rounded for |n| < 2^53 and |e| <= 22.
func decimal(n float64, e int) float64 {
	if e < 0 {
		return n / math.Pow10(-e)
	}
	return n * math.Pow10(e)
}

// linearScale takes the smallest step of 1, 2 or 5 times a power of ten, a whole
// number if whole is set, that needs at most count steps, and widens the range to
// whole steps. A range without extent is widened to zero.
func linearScale(lo, hi float64, count int, whole bool) scale {
	switch {
	case lo == 0 && hi == 0:
		hi = 1
	case lo == hi:
		lo, hi = min(lo, 0), max(hi, 0)
	}
	exp := int(math.Floor(math.Log10((hi-lo)/float64(count)))) - 1
	if whole {
		exp = max(exp, 0)
	}
	mantissas := []float64{1, 2, 5}
	i := 0
	for (hi-lo)/decimal(mantissas[i%3], exp+i/3) > float64(count)*(1+1e-9) {
		i++
	}
	mantissa, exp := mantissas[i%3], exp+i/3
	at := func(k float64) float64 { return decimal(k*mantissa, exp) }
	step := at(1)
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	if at(first) > lo {
		first--
	}
	if at(last) < hi {
		last++
	}

	s := scale{min: at(first), max: at(last), step: step}
	scientific := exp < -5 || max(math.Abs(s.min), math.Abs(s.max)) >= 1e7
	for k := first; k <= last; k++ {
		s.ticks = append(s.ticks, tick{at(k), linearLabel(at(k), exp, scientific)})
	}
	return s
}

func linearLabel(v float64, exp int, scientific bool) string {
	if scientific {
		if v == 0 {
			return "0"
		}
		return exponent(strconv.FormatFloat(v, 'e', -1, 64))
	}
	return groupDigits(strconv.FormatFloat(v+0, 'f', max(0, -exp), 64))
}

// logScale widens the range to whole decades, or, when it has less than three,
// to 1, 2 or 5 times a power of ten. Decades and both ends are labelled; 2 and 5
// too when there are at most two decades.
func logScale(lo, hi float64) scale {
	mantissas := []float64{1}
	if hi/lo < 1000 {
		mantissas = []float64{1, 2, 5}
	}
	s := scale{log: true, min: roundDown(lo, mantissas), max: roundUp(hi, mantissas)}
	if s.min == s.max {
		s.min, s.max = roundDown(0.9*lo, mantissas), roundUp(1.1*hi, mantissas)
	}
	short := s.max/s.min <= 100
	for e := int(math.Floor(math.Log10(s.min))) - 1; decimal(1, e) <= s.max; e++ {
		for m := 1.0; m < 10; m++ {
			v := decimal(m, e)
			switch {
			case v < s.min || v > s.max:
			case m == 1 || v == s.min || v == s.max || short && (m == 2 || m == 5):
				s.ticks = append(s.ticks, tick{v, exactLabel(v)})
			default:
				s.minor = append(s.minor, v)
			}
		}
	}
	return s
}

// exactLabel writes v in full.
func exactLabel(v float64) string {
	if a := math.Abs(v); a > 0 && a < 1e-3 || a >= 1e6 {
		return exponent(strconv.FormatFloat(v, 'e', -1, 64))
	}
	return groupDigits(strconv.FormatFloat(v+0, 'f', -1, 64))
}

// roundDown returns the largest m * 10^e, with m one of the ascending
// mantissas, that is at most v > 0.
func roundDown(v float64, mantissas []float64) float64 {
	for e := int(math.Floor(math.Log10(v))) + 1; ; e-- {
		for i := len(mantissas) - 1; i >= 0; i-- {
			if d := decimal(mantissas[i], e); d <= v {
				return d
			}
		}
	}
}

// roundUp returns the smallest m * 10^e that is at least v > 0.
func roundUp(v float64, mantissas []float64) float64 {
	for e := int(math.Floor(math.Log10(v))) - 1; ; e++ {
		for _, m := range mantissas {
			if d := decimal(m, e); d >= v {
				return d
			}
		}
	}
}

// at returns where v lies on the axis, from 0 at its start to 1 at its end.
func (s scale) at(v float64) float64 {
	if s.log {
		return math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	return (v - s.min) / (s.max - s.min)
}
