package charts

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// hasErrors reports whether the points have error bars.
func (s Series) hasErrors() bool { return len(s.Low) > 0 }

// checkErrors fails at the first error bar that cannot be drawn.
func checkErrors(y Axis, s Series) error {
	switch {
	case len(s.Low) == 0 && len(s.High) == 0:
		return nil
	case s.Dashed:
		return errors.New("a dashed line has no error bars")
	case len(s.Low) != len(s.Y) || len(s.High) != len(s.Y):
		return fmt.Errorf("Low has %d values and High has %d for %d in Y", len(s.Low), len(s.High), len(s.Y))
	}
	low := slices.Clone(s.Low)
	for i, v := range low {
		if isOpen(y.Log, v) {
			low[i] = s.Y[i]
		}
	}
	if err := checkValues(y, "Low", low); err != nil {
		return err
	}
	if err := checkValues(y, "High", s.High); err != nil {
		return err
	}
	for i, v := range s.Y {
		if s.Low[i] > v || s.High[i] < v {
			return fmt.Errorf("the error bar from Low[%d] = %g to High[%d] = %g does not hold Y[%d] = %g", i, s.Low[i], i, s.High[i], i, v)
		}
	}
	return nil
}

// isOpen reports whether an error bar that ends at low has no such end on the axis:
// a log axis does not have zero and what is below.
func isOpen(log bool, low float64) bool { return log && low <= 0 && !math.IsInf(low, -1) }

// ends returns where the error bars of a series end, or its values when it has
// none.
func (s Series) ends() (low, high []float64) {
	if !s.hasErrors() {
		return s.Y, s.Y
	}
	return s.Low, s.High
}

// yExtent returns the range of the values of all series with their error bars. An
// open one gets room down to half of its value, so that it is seen.
func yExtent(log bool, series []Series) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range series {
		low, high := s.ends()
		for i, v := range low {
			if isOpen(log, v) {
				v = s.Y[i] / 2
			}
			lo, hi = min(lo, v), max(hi, high[i])
		}
	}
	return lo, hi
}

// openNote says what open error bars mean, for the alternative text; none when there
// is none.
func openNote(log bool, series []Series) []string {
	for _, s := range series {
		if slices.ContainsFunc(s.Low, func(low float64) bool { return isOpen(log, low) }) {
			return []string{"an error bar that ends at zero or below runs out of the log axis, without a cap there"}
		}
	}
	return nil
}

// written returns value i with its error bar for the alternative text.
func (s Series) written(i int) string {
	if !s.hasErrors() {
		return formatNumber(s.Y[i])
	}
	return formatNumber(s.Y[i]) + " (error bar " + formatNumber(s.Low[i]) + " to " + formatNumber(s.High[i]) + ")"
}

// columns names what a table lists of a series.
func (s Series) columns(y Axis) []string {
	name := seriesName(s, y)
	if !s.hasErrors() {
		return []string{name}
	}
	return []string{name, name + ", low", name + ", high"}
}

// cells are what a table lists of value i.
func (s Series) cells(i int) []any {
	if !s.hasErrors() {
		return []any{s.Y[i]}
	}
	return []any{s.Y[i], s.Low[i], s.High[i]}
}
