package interp

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a cell that failed: it did not compile, or it panicked.
type Error struct {
	// Name is the kind of failure: "CompileError", "Panic", "Interrupted" or
	// "CommandError".
	Name string
	// Value is one line that says what went wrong.
	Value string
	// Cell, Line and Column are the place of the failure, which may be in a
	// function of an earlier cell. Line and Column count from 1, in bytes as Go
	// does; Line is 0 when it is not known.
	Cell         string
	Line, Column int
	// Traceback is what a person reads, a line each, ANSI colours allowed.
	Traceback []string
}

// The kinds of failure.
const (
	nameCompile   = "CompileError"
	namePanic     = "Panic"
	nameInterrupt = "Interrupted"
	nameCommand   = "CommandError"
)

// Error returns "cell:line:column: value".
func (e *Error) Error() string {
	switch {
	case e.Cell == "":
		return e.Value
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.Cell, e.Value)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Cell, e.Line, e.Column, e.Value)
}

// place is a position in a cell's source.
type place struct {
	cell         string
	line, column int
	source       string // the line itself
	function     string // the function it is in, or empty
}

// ANSI sequences of a traceback.
const (
	bold  = "\x1b[1m"
	red   = "\x1b[1;31m"
	reset = "\x1b[0m"
)

// newError makes an error at the first of places, which are those of the call
// stack, innermost first. message may have several lines.
func newError(name, message string, places ...place) *Error {
	first, _, _ := strings.Cut(message, "\n")
	e := &Error{Name: name, Value: first}
	e.Traceback = append(e.Traceback, strings.Split(red+name+reset+": "+message, "\n")...)
	if len(places) > 0 {
		e.Cell, e.Line, e.Column = places[0].cell, places[0].line, places[0].column
	}
	for i, p := range places {
		if p.line == 0 {
			continue
		}
		e.Traceback = append(e.Traceback, p.lines(i == 0)...)
	}
	return e
}

// lines shows a place, with a caret under the column where that helps.
func (p place) lines(caret bool) []string {
	at := fmt.Sprintf("%s%s, line %d%s", bold, p.cell, p.line, reset)
	if p.function != "" {
		at += " in " + p.function
	}
	lines := []string{at}
	source, column := p.excerpt()
	text := strings.TrimSpace(source)
	if text == "" {
		return lines
	}
	lines = append(lines, "    "+text)
	if indent := len(source) - len(strings.TrimLeft(source, " \t")); caret && column > indent && column-1 <= len(source) {
		before := utf8.RuneCountInString(source[indent : column-1])
		lines = append(lines, "    "+strings.Repeat(" ", before)+red+"^"+reset)
	}
	return lines
}

// maxSource is how many bytes of a line are shown before and after a place.
const maxSource = 100

// excerpt is the source around the place, and the column in it.
func (p place) excerpt() (source string, column int) {
	source, column = p.source, p.column
	boundary := func(i int) int {
		for i < len(source) && !utf8.RuneStart(source[i]) {
			i++
		}
		return i
	}
	at := min(max(column-1, 0), len(source))
	if end := boundary(min(at+maxSource, len(source))); end < len(source) {
		source = source[:end] + "..."
	}
	if start := boundary(max(at-maxSource, 0)); start > 0 {
		source, column = "..."+source[start:], column-start+len("...")
	}
	return source, column
}

// interrupted is the error of a cell that was interrupted at places, or before
// it began.
func interrupted(cell string, places ...place) *Error {
	e := newError(nameInterrupt, "interrupted", places...)
	if e.Cell == "" {
		e.Cell = cell
	}
	return e
}
