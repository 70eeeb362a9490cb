package main

import (
	"io"
	"strings"
	"unicode/utf8"
)

// textTable prints rows under named columns.
type textTable struct {
	columns []textColumn
	rows    [][]string
}

type textColumn struct {
	name  string
	right bool // numbers
}

func (t *textTable) add(cells ...string) { t.rows = append(t.rows, cells) }

// print leaves two blanks between columns, and none at the end of a line.
func (t *textTable) print(w io.Writer) error {
	widths := make([]int, len(t.columns))
	head := make([]string, len(t.columns))
	for i, c := range t.columns {
		head[i] = c.name
		widths[i] = utf8.RuneCountInString(c.name)
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	var b strings.Builder
	line := func(cells []string) {
		text := ""
		for i, cell := range cells {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.columns[i].right {
				cell = blanks + cell
			} else {
				cell += blanks
			}
			text += cell + "  "
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line(head)
	for _, row := range t.rows {
		line(row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
