package charts

import (
	"fmt"
	"strings"
)

// table lists every point, or where each series lies when there are too many.
func (c *points) table() Table {
	total, labelled, errors := 0, false, false
	for _, s := range c.series {
		total += len(s.X)
		labelled = labelled || len(s.Labels) > 0
		errors = errors || s.hasErrors()
	}
	most := maxRows
	if labelled {
		most = maxLabelledPoints
	}
	if total > most {
		return c.summary()
	}
	t := Table{Columns: []string{"series"}}
	if labelled {
		t.Columns = append(t.Columns, "point")
	}
	t.Columns = append(t.Columns, c.x.title(), c.y.title())
	if errors {
		t.Columns = append(t.Columns, "low", "high")
	}
	for _, s := range c.series {
		for i := range s.X {
			row := []any{seriesName(s, c.y)}
			if labelled {
				row = append(row, s.pointName(i))
			}
			row = append(row, s.X[i], s.Y[i])
			if s.hasErrors() {
				row = append(row, s.Low[i], s.High[i])
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func (c *points) summary() Table {
	x, y := c.x.Label, c.y.Label
	t := Table{Columns: []string{"series", "points", "smallest " + x, "largest " + x, "smallest " + y, "largest " + y}}
	for _, s := range c.series {
		left, right := extent(s.X)
		lo, hi := extent(s.Y)
		t.Rows = append(t.Rows, []any{seriesName(s, c.y), len(s.X), left, right, lo, hi})
	}
	return t
}

// notes says in words where each series lies, for the alternative text.
func (c *points) notes() []string {
	var notes []string
	for _, s := range c.series {
		name := s.Name
		if name != "" {
			name += ": "
		}
		if level := s.level(); level != "" {
			notes = append(notes, name+level)
			continue
		}
		least, most := extremes(s.Y)
		if least == most {
			notes = append(notes, name+s.point(least))
			continue
		}
		count := fmt.Sprintf("%d points ", len(s.X))
		if s.Dashed {
			count = "a line "
		}
		notes = append(notes, name+count+"from "+s.point(least)+" to "+s.point(most))
	}
	return notes
}

// level says where a series of one value runs; "" when it has several values, one
// point, error bars or labels.
func (s Series) level() string {
	lo, hi := extent(s.Y)
	if lo != hi || len(s.X) < 2 || s.hasErrors() || len(s.Labels) > 0 {
		return ""
	}
	left, right := extent(s.X)
	return fmt.Sprintf("always %s, from %s to %s", formatNumber(lo), formatNumber(left), formatNumber(right))
}

// pointName is the label of point i, or nil.
func (s Series) pointName(i int) any {
	if len(s.Labels) == 0 {
		return nil
	}
	return s.Labels[i]
}

// point writes point i in words.
func (s Series) point(i int) string { return s.pointIn(i, "", "") }

// pointIn is point with the units of the axes.
func (s Series) pointIn(i int, xUnit, yUnit string) string {
	text := strings.TrimSpace(s.written(i)+" "+yUnit) + " at " + strings.TrimSpace(formatNumber(s.X[i])+" "+xUnit)
	if len(s.Labels) > 0 && s.Labels[i] != "" {
		text += " (" + s.Labels[i] + ")"
	}
	return text
}

// extremes returns the places of the first smallest and the first largest value.
func extremes(values []float64) (least, most int) {
	for i, v := range values {
		if v < values[least] {
			least = i
		}
		if v > values[most] {
			most = i
		}
	}
	return least, most
}
