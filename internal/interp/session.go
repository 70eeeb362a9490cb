// Package interp runs notebook cells: one gomacro interpreter, one goroutine
// that owns it, and the outputs of each cell.
package interp

import (
	"context"
	"errors"

	"github.com/rlx-go/gopherscope/internal/display"
)

// Cell is one piece of source to run.
type Cell struct {
	// Name appears in error positions, such as "cell 3" or "In[7]".
	Name string
	// ID is the notebook's stable id of the cell, or empty. A page-wide prelude
	// is sent again when the cell that carried it runs again.
	ID string
	// Source is Go as a cell holds it: declarations, imports, statements.
	Source string
}

// Sink receives what a cell produces, in order. Its methods may be called from
// any goroutine, one at a time.
type Sink interface {
	// Stream receives text written to "stdout" or "stderr".
	Stream(name, text string)
	// Display receives a value shown by display.Display or by a prelude.
	Display(data display.Data)
}

// Error is a cell that failed: it did not compile, or it panicked.
type Error struct {
	// Name is the kind of failure, such as "CompileError", "Panic" or "Interrupted".
	Name string
	// Value is one line that says what went wrong.
	Value string
	// Cell, Line and Column are the position in the cell's own source, from 1;
	// Line 0 when it is not known.
	Cell         string
	Line, Column int
	// Traceback is what a person reads, a line each, ANSI colours allowed.
	Traceback []string
}

// Error returns "cell:line:column: value".
func (e *Error) Error() string { panic("not written") }

// Completion is an answer to Complete. Start and End are offsets in code
// points of the part of the source that a match replaces.
type Completion struct {
	Matches    []string
	Start, End int
}

// Session is one interpreter with the variables of the cells it ran.
type Session struct{}

// New starts a session. While it is open, os.Stdout and os.Stderr of the
// process lead to the sink of the running cell; a program that runs sessions
// keeps its own copies of both.
func New() (*Session, error) { return nil, errors.New("not written") }

// Run runs one cell and returns the value of its last expression, nil when
// there is nothing to show. A cell that fails returns an *Error. When ctx ends
// the cell is interrupted, and its variables stay.
func (s *Session) Run(ctx context.Context, cell Cell, sink Sink) (*display.Data, error) {
	panic("not written")
}

// Complete lists what the identifier before cursor (in code points) can become.
func (s *Session) Complete(ctx context.Context, source string, cursor int) (Completion, error) {
	panic("not written")
}

// IsComplete reports "complete", "incomplete" or "invalid" for a cell being
// typed, and the indent of the next line when it is incomplete.
func (s *Session) IsComplete(source string) (status, indent string) { panic("not written") }

// Close ends the session and gives os.Stdout and os.Stderr back.
func (s *Session) Close() error { panic("not written") }
