package charts

import (
	"errors"
	"fmt"
	"math"
)

// checkError fails at the first error bar that cannot be drawn.
func checkError(y Axis, s Series) error {
	switch {
	case len(s.Error) == 0:
		return nil
	case s.Dashed:
		return errors.New("a dashed line has no error bars")
	case len(s.Error) != len(s.Y):
		return fmt.Errorf("Error has %d values for %d in Y", len(s.Error), len(s.Y))
	}
	for i, e := range s.Error {
		switch {
		case math.IsNaN(e) || math.IsInf(e, 0) || e < 0:
			return fmt.Errorf("Error[%d] is %v, which is no length", i, e)
		case y.Log && s.Y[i]-e <= 0:
			return fmt.Errorf("Error[%d] reaches from %g down to %g, which a log axis does not have", i, s.Y[i], s.Y[i]-e)
		}
	}
	return nil
}

// ends returns where the error bars of a series end, or its values when it has
// none.
func (s Series) ends() (low, high []float64) {
	if len(s.Error) == 0 {
		return s.Y, s.Y
	}
	for i, e := range s.Error {
		low, high = append(low, s.Y[i]-e), append(high, s.Y[i]+e)
	}
	return low, high
}

// yExtent returns the range of the values of all series with their error bars.
func yExtent(series []Series) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range series {
		low, high := s.ends()
		l, h := extent(low, high)
		lo, hi = min(lo, l), max(hi, h)
	}
	return lo, hi
}

// written returns value i with its error for the alternative text.
func (s Series) written(i int) string {
	if len(s.Error) == 0 {
		return formatNumber(s.Y[i])
	}
	return formatNumber(s.Y[i]) + " ± " + formatNumber(s.Error[i])
}

// columns names what a table lists of a series.
func (s Series) columns(y Axis) []string {
	name := seriesName(s, y)
	if len(s.Error) == 0 {
		return []string{name}
	}
	return []string{name, "± " + name}
}

// cells are what a table lists of value i.
func (s Series) cells(i int) []any {
	if len(s.Error) == 0 {
		return []any{s.Y[i]}
	}
	return []any{s.Y[i], s.Error[i]}
}
