package charts

import (
	"fmt"
	"html"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Table shows itself as rows under named columns. A cell may be any value:
// floating-point numbers get four significant digits and the decimals of their
// column, anything else is shown as fmt.Print shows it, and nil is an empty cell.
// A row may be shorter than Columns; what is beyond stands in columns without a
// name. Columns of numbers, with or without % or × behind, are aligned to the
// right.
type Table struct {
	Caption string
	Columns []string
	Rows    [][]any
}

// Add appends a row.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, cells) }

// String returns the caption and the table in aligned columns.
func (t Table) String() string {
	grid, right := t.cells()
	widths := make([]int, len(right))
	for _, row := range grid {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	if t.Caption != "" {
		b.WriteString(oneLine(t.Caption) + "\n\n")
	}
	for n, row := range grid {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line.WriteString(space + cell)
			} else {
				line.WriteString(cell + space)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if n == 0 {
			for i, w := range widths {
				if i > 0 {
					b.WriteString("  ")
				}
				b.WriteString(strings.Repeat("-", w))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// MIMEBundle returns the table as "text/html" and as "text/plain", both strings.
func (t Table) MIMEBundle() map[string]any {
	return map[string]any{"text/html": t.html(), "text/plain": t.String()}
}

func (t Table) html() string {
	const (
		rule     = "1px solid rgba(128,128,128,0.4)" // on white and on dark
		unbroken = 20                                // code points: a cell of no more is one line
	)
	grid, right := t.cells()
	var b strings.Builder
	b.WriteString(`<table class="gopherscope-table" style="border-collapse:collapse;font-variant-numeric:tabular-nums">` + "\n")
	if t.Caption != "" {
		b.WriteString(`<caption style="caption-side:top;text-align:left;font-weight:600;padding:4px 10px">` +
			html.EscapeString(oneLine(t.Caption)) + "</caption>\n")
	}
	for n, row := range grid {
		tag, style := "td", "padding:3px 10px;text-align:"
		switch n {
		case 0:
			tag, style = "th", "border-bottom:"+rule+";"+style
			b.WriteString("<thead>\n")
		case 1:
			b.WriteString("<tbody>\n")
		}
		b.WriteString("<tr>")
		for i, cell := range row {
			align := "left"
			if right[i] {
				align = "right"
			}
			wrap := ""
			if utf8.RuneCountInString(cell) <= unbroken {
				wrap = "white-space:nowrap;"
			}
			fmt.Fprintf(&b, `<%s style="%s%s%s">%s</%s>`, tag, wrap, style, align, html.EscapeString(cell), tag)
		}
		b.WriteString("</tr>\n")
		if n == 0 {
			b.WriteString("</thead>\n")
		}
	}
	if len(grid) > 1 {
		b.WriteString("</tbody>\n")
	}
	b.WriteString("</table>\n")
	return b.String()
}

// cells returns the names of the columns and then the rows, all of one length,
// and which columns hold numbers.
func (t Table) cells() (grid [][]string, right []bool) {
	columns := len(t.Columns)
	for _, row := range t.Rows {
		columns = max(columns, len(row))
	}
	grid = make([][]string, 1+len(t.Rows))
	for i := range grid {
		grid[i] = make([]string, columns)
	}
	right = make([]bool, columns)
	for j := range columns {
		if j < len(t.Columns) {
			grid[0][j] = oneLine(t.Columns[j])
		}
		right[j] = t.column(j, grid[1:])
	}
	return grid, right
}

// column writes column j into the grid and reports whether it holds numbers and
// nothing else.
func (t Table) column(j int, grid [][]string) bool {
	var floats []float64
	var at []int
	numbers, words := 0, 0
	for i, row := range t.Rows {
		if j >= len(row) || row[j] == nil {
			continue
		}
		v := reflect.ValueOf(row[j])
		text := oneLine(fmt.Sprint(row[j]))
		_, named := row[j].(fmt.Stringer)
		switch {
		case v.CanFloat() && !named:
			floats, at = append(floats, v.Float()), append(at, i)
			numbers++
		case looksNumeric(text):
			numbers++
		case text != "":
			words++
		}
		grid[i][j] = text
	}
	for i, text := range formatTogether(floats, 4) {
		grid[at[i]][j] = text
	}
	return numbers > 0 && words == 0
}

// looksNumeric reports whether a text is a number, with or without % or × behind.
func looksNumeric(s string) bool {
	s = strings.TrimRight(oneLine(s), "%×x ")
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
