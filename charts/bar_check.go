package charts

import (
	"errors"
	"fmt"
)

func checkBars(title string, x, y Axis, categories []string, raw []Series) ([]Series, error) {
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	switch {
	case len(categories) == 0:
		return nil, errors.New("there are no categories")
	case x.Log || y.Log:
		return nil, errors.New("bars are measured from zero, which a log axis does not have: use a Line")
	case len(categories)*len(raw) > maxBars:
		return nil, fmt.Errorf("there are %d bars, more than %d: use a Table", len(categories)*len(raw), maxBars)
	}
	if err := y.check("y"); err != nil {
		return nil, err
	}
	if y.bounded() && (y.Min > 0 || y.Max < 0) {
		return nil, fmt.Errorf("bars are measured from zero, which the axis from %g to %g does not have", y.Min, y.Max)
	}
	if err := x.checkUnbounded("x"); err != nil {
		return nil, err
	}
	if x != (Axis{}) {
		if err := x.check("x"); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for i, c := range categories {
		if c == "" {
			return nil, fmt.Errorf("Categories[%d] is empty", i)
		}
		if seen[c] {
			return nil, fmt.Errorf("two categories have the name %q", c)
		}
		seen[c] = true
		if err := checkFits("the category", c, 5*nameWidth); err != nil {
			return nil, err
		}
	}
	series, err := cleanSeries(raw)
	if err != nil {
		return nil, err
	}
	for _, s := range series {
		err := checkValues(y, "Y", s.Y)
		switch {
		case len(s.X) > 0:
			err = errors.New("X is set: the bars stand on Categories")
		case len(s.Labels) > 0:
			err = errors.New("Labels is set: the bars are named by Categories")
		case s.Dashed:
			err = errors.New("bars cannot be dashed")
		case len(s.Y) != len(categories):
			err = fmt.Errorf("Y has %d values for %d categories", len(s.Y), len(categories))
		}
		if err == nil {
			err = checkErrors(y, s)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.label(), err)
		}
	}
	return series, nil
}
