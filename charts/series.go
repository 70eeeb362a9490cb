package charts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Axis says what a chart measures along one direction.
type Axis struct {
	// Label names the quantity, such as "time".
	Label string
	// Unit is its unit, such as "ms"; empty for a quantity without one.
	Unit string
	// Log makes the axis logarithmic; its values must then be positive.
	Log bool
	// Min and Max are where the axis starts and ends; a value beyond them is an
	// error. When both are zero, the axis ends at round numbers around the values.
	// Only the axes of a Line and a Scatter and the values of a Bar and a Heatmap
	// take them.
	Min, Max float64
}

// bounded reports whether the caller set the range of the axis.
func (a Axis) bounded() bool { return a.Min != 0 || a.Max != 0 }

// title returns what stands beside the axis.
func (a Axis) title() string {
	if a.Unit == "" {
		return a.Label
	}
	return a.Label + " (" + a.Unit + ")"
}

// A Series is one line of a chart, one set of points or one colour of bars.
type Series struct {
	// Name stands in the legend. It may be empty when there is one series.
	Name string
	// Scheme gives the series the look of that scheme (see StyleOf), so that the
	// prediction and the measurement of a scheme share a colour. The default is
	// the name.
	Scheme string
	// X and Y are the points, those of a line in order of X. The bars of a bar chart
	// are Y, one for each category, and X is empty.
	X, Y []float64
	// Low and High are the ends of an error bar at each Y, in the unit of Y: Low is
	// at most Y and High at least Y. Both are empty for none. On a log axis a bar whose
	// Low is zero or below runs to the axis, without a cap there.
	Low, High []float64
	// Labels name the points of a Scatter or the kernels of a Roofline, one for
	// each point; empty for none.
	Labels []string
	// Dashed draws a line without markers: a prediction or a limit, beside the
	// measured points of the other series.
	Dashed bool
}

const (
	maxPoints = 20000 // of all the lines of a chart
	maxBars   = 200
)

// oneLine replaces every run of white space and control characters by one space.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// checkFits fails when a text is wider than the place that it is drawn in.
func checkFits(what, text string, width float64) error {
	const runes = 400 // what is longer need not be measured
	if utf8.RuneCountInString(text) > runes || textWidth(text, textSize) > width {
		return fmt.Errorf("%s %.80q is too long to be drawn", what, text)
	}
	return nil
}

func checkTitle(title string) error {
	if title == "" {
		return errors.New("there is no title")
	}
	return checkFits("the title", title, 3*figureWidth)
}

func (a Axis) clean() Axis {
	a.Label, a.Unit = oneLine(a.Label), oneLine(a.Unit)
	return a
}

func (a Axis) check(name string) error {
	if a.Label == "" {
		return fmt.Errorf("the %s axis has no label", name)
	}
	switch {
	case !a.bounded():
	case math.IsNaN(a.Min-a.Max) || math.IsInf(a.Min-a.Max, 0) || a.Min >= a.Max:
		return fmt.Errorf("the %s axis goes from %g to %g, which is no range", name, a.Min, a.Max)
	case a.Log && a.Min <= 0:
		return fmt.Errorf("the %s axis starts at %g, which a log axis does not have", name, a.Min)
	}
	return checkFits("the label of the "+name+" axis", a.title(), axisLength)
}

// checkUnbounded fails when the caller set the range of an axis whose range
// follows from what it shows.
func (a Axis) checkUnbounded(name string) error {
	if a.bounded() {
		return fmt.Errorf("the %s axis goes from %g to %g: its range cannot be set", name, a.Min, a.Max)
	}
	return nil
}

// cleanSeries returns a copy of the series, values included, with names on one
// line; it fails when the names do not tell the series apart.
func cleanSeries(series []Series) ([]Series, error) {
	if len(series) == 0 {
		return nil, errors.New("there is no series")
	}
	named := map[string]bool{}
	clean := make([]Series, len(series))
	for i, s := range series {
		s.Name, s.Scheme = oneLine(s.Name), oneLine(s.Scheme)
		s.X, s.Y = slices.Clone(s.X), slices.Clone(s.Y)
		s.Low, s.High = slices.Clone(s.Low), slices.Clone(s.High)
		s.Labels = slices.Clone(s.Labels)
		for j, label := range s.Labels {
			s.Labels[j] = oneLine(label)
		}
		if s.Name == "" && len(series) > 1 {
			return nil, fmt.Errorf("series %d of %d has no name", i+1, len(series))
		}
		if named[s.Name] {
			return nil, fmt.Errorf("two series have the name %q", s.Name)
		}
		named[s.Name] = true
		if err := checkFits("the series name", s.Name, figureWidth-2*pad-legendIcon-32); err != nil {
			return nil, err
		}
		clean[i] = s
	}
	return clean, nil
}

// checkValues fails at the first value that cannot stand on the axis.
func checkValues(a Axis, name string, values []float64) error {
	for i, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("%s[%d] is %v: leave out what was not measured", name, i, v)
		case a.Log && v <= 0:
			return fmt.Errorf("%s[%d] is %g, which a log axis does not have: leave it out or make the axis linear", name, i, v)
		case a.bounded() && (v < a.Min || v > a.Max):
			return fmt.Errorf("%s[%d] is %g, beyond the axis from %g to %g", name, i, v, a.Min, a.Max)
		}
	}
	return nil
}

// label names a series in an error.
func (s Series) label() string {
	if s.Name == "" {
		return "the series"
	}
	return fmt.Sprintf("series %q", s.Name)
}

// extent returns the smallest and the largest of the values; lo > hi when there
// are none.
func extent(lists ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, values := range lists {
		for _, v := range values {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

func areWhole(lists ...[]float64) bool {
	for _, values := range lists {
		for _, v := range values {
			if v != math.Trunc(v) {
				return false
			}
		}
	}
	return true
}
