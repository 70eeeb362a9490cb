package charts

import "fmt"

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

// notes says in words what each series does, for the alternative text.
func (c *bars) notes() []string {
	var notes []string
	for _, s := range c.series {
		least, most := extremes(s.Y)
		name := s.Name
		if name != "" {
			name += ": "
		}
		notes = append(notes, fmt.Sprintf("%sfrom %s (%s) to %s (%s)", name,
			s.written(least), c.categories[least], s.written(most), c.categories[most]))
	}
	return notes
}
