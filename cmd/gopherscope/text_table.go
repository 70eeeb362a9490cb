package main

import (
	"bufio"
	"bytes"
	"io"
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
	out := bufio.NewWriter(w)
	var text []byte
	line := func(cells []string) {
		text = text[:0]
		for i, cell := range cells {
			blanks := widths[i] - utf8.RuneCountInString(cell)
			if t.columns[i].right {
				text = appendBlanks(text, blanks)
			}
			text = append(text, cell...)
			if !t.columns[i].right {
				text = appendBlanks(text, blanks)
			}
			text = appendBlanks(text, 2)
		}
		out.Write(append(bytes.TrimRight(text, " "), '\n'))
	}
	line(head)
	for _, row := range t.rows {
		line(row)
	}
	return out.Flush()
}

func appendBlanks(text []byte, n int) []byte {
	for range n {
		text = append(text, ' ')
	}
	return text
}
