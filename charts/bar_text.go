package charts

import (
	"fmt"
	"strings"
)

// maxTold is the number of categories up to which the alternative text gives the
// value of each.
const maxTold = 8

func (c *bars) table() Table {
	t := Table{Columns: []string{c.x.title()}}
	for _, s := range c.series {
		t.Columns = append(t.Columns, s.columns(c.y)...)
	}
	for i, name := range c.categories {
		row := []any{name}
		for _, s := range c.series {
			row = append(row, s.cells(i)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// notes says in words what each series is, for the alternative text.
func (c *bars) notes() []string {
	var notes []string
	for _, s := range c.series {
		name := s.Name
		if name != "" {
			name += ": "
		}
		if len(c.categories) <= maxTold {
			var values []string
			for i, category := range c.categories {
				values = append(values, s.written(i)+" for "+category)
			}
			notes = append(notes, name+strings.Join(values, ", "))
			continue
		}
		least, most := extremes(s.Y)
		notes = append(notes, fmt.Sprintf("%sfrom %s (%s) to %s (%s)", name,
			s.written(least), c.categories[least], s.written(most), c.categories[most]))
	}
	return notes
}
