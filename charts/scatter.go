package charts

import (
	"errors"
	"fmt"
)

// Scatter is a chart of points that two quantities place, such as the size and
// the error of each plan. Labels name the points; a label for which there is no
// room is left out of the picture and stands in the text. A dashed series is a
// line through its points in order of X, such as a limit or a prediction.
//
// A linear y axis starts at zero, as that of a [Line] does.
type Scatter struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// maxLabelledPoints is the number of labels beyond which none could be read.
const maxLabelledPoints = 200

// Figure checks the chart and draws it. It fails when there is no title, axis
// label, series or point; when the X, Y and labels of a series differ in number;
// when a value or the high end of an error bar is not finite, not positive on a log
// axis or beyond a range that was set; when a low end is not finite or beyond such a
// range; when an error bar does not hold its value; when two series have one name or
// look the same; and beyond 20,000 points or 200 labels.
func (s Scatter) Figure() (*Figure, error) {
	f, err := s.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: scatter chart %.80q: %w", oneLine(s.Title), err)
	}
	return f, nil
}

func (s Scatter) figure() (*Figure, error) {
	title, x, y := oneLine(s.Title), s.X.clean(), s.Y.clean()
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	series, err := checkPoints(x, y, s.Series)
	if err != nil {
		return nil, err
	}
	c := points{title: title, x: x, y: y, series: series}
	if err := c.scale(); err != nil {
		return nil, err
	}
	return c.figure("Scatter chart of "+y.title()+" against "+x.title(), append(c.notes(), openNote(y.Log, c.series)...), c.table())
}

func checkPoints(x, y Axis, raw []Series) ([]Series, error) {
	if err := x.check("x"); err != nil {
		return nil, err
	}
	if err := y.check("y"); err != nil {
		return nil, err
	}
	series, err := cleanSeries(raw)
	if err != nil {
		return nil, err
	}
	points, labels := 0, 0
	for _, s := range series {
		if err := checkPointSeries(x, y, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.label(), err)
		}
		points += len(s.X)
		labels += len(s.Labels)
	}
	switch {
	case points > maxPoints:
		return nil, fmt.Errorf("there are %d points, more than %d: thin them out", points, maxPoints)
	case labels > maxLabelledPoints:
		return nil, fmt.Errorf("there are %d labels, more than %d: label fewer series", labels, maxLabelledPoints)
	}
	return series, nil
}

func checkPointSeries(x, y Axis, s Series) error {
	switch {
	case s.Dashed && len(s.Labels) > 0:
		return errors.New("Labels is set, and a dashed line has no points to label")
	case s.Dashed:
		return checkLine(x, y, s)
	case len(s.X) != len(s.Y):
		return fmt.Errorf("X has %d values and Y has %d", len(s.X), len(s.Y))
	case len(s.X) == 0:
		return errors.New("there are no points")
	case len(s.Labels) > 0 && len(s.Labels) != len(s.X):
		return fmt.Errorf("there are %d labels for %d points", len(s.Labels), len(s.X))
	}
	for i, label := range s.Labels {
		if err := checkFits(fmt.Sprintf("Labels[%d]", i), label, nameWidth); err != nil {
			return err
		}
	}
	if err := checkValues(x, "X", s.X); err != nil {
		return err
	}
	if err := checkValues(y, "Y", s.Y); err != nil {
		return err
	}
	return checkErrors(y, s)
}
