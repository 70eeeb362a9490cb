package charts

import "fmt"

// table lists the values as they stand in the picture, or with rows and columns
// swapped where lines would be long.
func (c *cells) table() Table {
	const wide = 16
	if len(c.columns) > max(wide, len(c.rows)) {
		t := Table{Columns: append([]string{c.x.title()}, c.rows...)}
		for j, name := range c.columns {
			row := []any{name}
			for i := range c.rows {
				row = append(row, c.values[i][j])
			}
			t.Rows = append(t.Rows, row)
		}
		return t
	}
	t := Table{Columns: append([]string{c.y.title()}, c.columns...)}
	for i, name := range c.rows {
		row := []any{name}
		for _, v := range c.values[i] {
			row = append(row, v)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// notes says in words where the values are smallest and largest, for the
// alternative text.
func (c *cells) notes() []string {
	type place struct{ row, column int }
	var least, most place
	for i, row := range c.values {
		for j, v := range row {
			if v < c.values[least.row][least.column] {
				least = place{i, j}
			}
			if v > c.values[most.row][most.column] {
				most = place{i, j}
			}
		}
	}
	say := func(p place) string {
		return fmt.Sprintf("%s (%s, %s)", formatNumber(c.values[p.row][p.column]), c.rows[p.row], c.columns[p.column])
	}
	return []string{fmt.Sprintf("%d rows and %d columns", len(c.rows), len(c.columns)), "from " + say(least) + " to " + say(most)}
}
