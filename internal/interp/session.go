// Package interp runs notebook cells: one gomacro interpreter, one goroutine
// that owns it, and the outputs of each cell.
//
// A cell is parsed by go/parser (parse.go), its types and signatures are
// declared (types.go), go/types checks the rest (check.go), what gomacro lacks
// or gets wrong is rewritten (rewrite.go), gomacro compiles all of it
// (compile.go), and then the cell runs statement by statement (run.go), so that
// a failure has a place and what was not reached stays as it was.
package interp

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

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
	// Input reads one line, without its end, for a cell that reads os.Stdin. It
	// may be called from any goroutine, must return when the context of Run ends,
	// and returns io.EOF when there is nothing to read. It is nil when nobody can
	// answer: the cell then gets an error at once.
	Input func() (line string, err error)
}

// Sink receives what a cell produces, in order. Its methods may be called from
// any goroutine, one at a time, also after Run: what a goroutine of a cell
// prints later goes to the sink of the last cell. A sink that is slow slows the
// cell down. It must not write to os.Stdout or os.Stderr, which lead to it.
type Sink interface {
	// Stream receives text written to "stdout" or "stderr".
	Stream(name, text string)
	// Display receives a value shown by display.Display or by a prelude.
	Display(data display.Data)
}

// Updater is a Sink that can change what it has shown. Without it an update is
// shown like any other value, and nothing is cleared.
type Updater interface {
	// Update receives what takes the place of each display that has the same
	// "display_id" among its transient values.
	Update(data display.Data)
	// Clear removes the cell's outputs so far, at once or when the next comes.
	Clear(wait bool)
}

// Pager is a Sink that has a place beside the notebook for what a person looks
// up. Without it a page is shown like any other value.
type Pager interface {
	Page(data display.Data)
}

// Session is one interpreter with the variables of the cells it ran. Its
// methods may be called from any goroutine; cells run one at a time.
type Session struct {
	jobs chan func()     // what the evaluator is to do next
	dead chan struct{}   // closed when the evaluator ended
	turn chan struct{}   // held by the cell that runs
	life context.Context // ends with the session
	end  context.CancelFunc

	blocked <-chan struct{} // of the turn: closed when the cell that was given up ended; nil when none was

	in       *interpreter // used by the evaluator only, but for interrupt
	out      *outputs
	preludes preludes
}

// A process has one os.Stdout, so it has one session at a time.
var process struct {
	sync.Mutex
	session *Session
}

// New starts a session. While it is open, os.Stdout and os.Stderr of the
// process lead to the sink of the running cell; a program that runs sessions
// keeps its own copies of both. A process has at most one open session.
func New() (*Session, error) {
	process.Lock()
	defer process.Unlock()
	if process.session != nil {
		return nil, errors.New("interp: this process has a session that is still open")
	}
	out, err := openOutputs()
	if err != nil {
		return nil, err
	}
	s := &Session{
		jobs: make(chan func()),
		dead: make(chan struct{}),
		turn: make(chan struct{}, 1),
		out:  out,
	}
	s.preludes.carrier = map[string]string{}
	s.life, s.end = context.WithCancel(context.Background())
	ready := make(chan struct{})
	go s.evaluate(ready)
	<-ready
	process.session = s
	return s, nil
}

// evaluate owns the interpreter. gomacro can interrupt only what runs on the
// goroutine that made it.
func (s *Session) evaluate(ready chan<- struct{}) {
	defer close(s.dead)
	s.in = newInterpreter(s)
	close(ready)
	for {
		select {
		case job := <-s.jobs:
			job()
		case <-s.life.Done():
			return
		}
	}
}

// do has the evaluator run a job and reports whether it ran to its end. With
// the turn held, no other job is running.
func (s *Session) do(job func()) <-chan bool {
	done := make(chan bool, 1)
	select {
	case s.jobs <- func() {
		ended := false
		defer func() { done <- ended }() // also when the cell ended the goroutine
		job()
		ended = true
	}:
	case <-s.dead:
		done <- false
	}
	return done
}

const (
	// interruptEvery is how often an interrupt is repeated: gomacro forgets one
	// that comes between two statements, and a cell can recover from one.
	interruptEvery = 10 * time.Millisecond
	// interruptGrace is how long an interrupted cell is waited for.
	interruptGrace = 3 * time.Second
)

// Run runs one cell and returns the value of its last expression, nil when
// there is nothing to show. A cell that fails returns an *Error; its names that
// were not reached mean what they meant before. With a nil sink, outputs go to
// that of the cell before. When ctx ends, interpreted code
// and what waits on the cell's ctx is interrupted. Compiled code is not, nor is a
// wait for a channel or a lock: Run gives such a cell up after three seconds, and
// no other cell runs before it has ended.
func (s *Session) Run(ctx context.Context, cell Cell, sink Sink) (*display.Data, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, interrupted(cell.Name)
	}
	if s.life.Err() != nil {
		return nil, errClosed
	}
	if ctx.Err() != nil {
		return nil, interrupted(cell.Name)
	}
	if s.stillBlocked() {
		return nil, newError(nameInterrupt, "a cell that was interrupted is still blocked: "+untilItEnds, place{cell: cell.Name})
	}
	if sink != nil {
		if err := s.out.begin(sink); err != nil {
			return nil, err
		}
		s.preludes.begin(cell.ID)
	}
	// The cell's context ends with the session, not with the cell: its goroutines
	// may go on.
	cellCtx, cancel := context.WithCancel(s.life)

	var data *display.Data
	var err *Error
	done := s.do(func() { data, err = s.in.run(cellCtx, cell) })
	ended, given := s.wait(ctx, cancel, done)
	s.out.flush()
	switch {
	case !ended && s.life.Err() != nil:
		return nil, errClosed
	case given != nil:
		s.blocked = given
		return nil, newError(nameInterrupt, "interrupted, but the cell is still blocked: "+untilItEnds, place{cell: cell.Name})
	case !ended:
		return nil, newError(namePanic, "the cell ended the interpreter's goroutine: the session is over", place{cell: cell.Name})
	case err != nil:
		return nil, err
	}
	return data, nil
}

const untilItEnds = "no other cell can run before it ends; a restart ends it"

var errClosed = errors.New("interp: the session is closed")

// wait waits for the running cell, and interrupts it when ctx ends. A cell that
// it gives up is interrupted further; given is closed when it has ended.
func (s *Session) wait(ctx context.Context, cancel context.CancelFunc, done <-chan bool) (ended bool, given <-chan struct{}) {
	select {
	case ended = <-done:
		return ended, nil
	case <-ctx.Done():
	case <-s.life.Done():
	}
	over := make(chan struct{})
	grace := time.Now().Add(interruptGrace)
	toItsEnd := false
	go func() {
		defer close(over)
		tick := time.NewTicker(interruptEvery)
		defer tick.Stop()
		for s.life.Err() == nil || time.Now().Before(grace) {
			s.in.interrupt()
			cancel() // after it, so that nothing runs on between the two
			select {
			case toItsEnd = <-done:
				return
			case <-tick.C:
			}
		}
	}()
	select {
	case <-over:
		return toItsEnd, nil
	case <-time.After(time.Until(grace)):
		return false, over
	}
}

// stillBlocked reports whether a cell that was given up is running.
func (s *Session) stillBlocked() bool {
	select {
	case <-s.blocked:
		s.blocked = nil
	default:
	}
	return s.blocked != nil
}

// Close ends the session and gives os.Stdout and os.Stderr back. A cell that
// still runs is interrupted, and left behind when it does not stop within a
// second.
func (s *Session) Close() error {
	process.Lock()
	defer process.Unlock()
	if process.session != s {
		return errClosed
	}
	process.session = nil
	s.end()
	select {
	case <-s.dead:
	case <-time.After(time.Second):
	}
	return s.out.close()
}

// preludes are what was sent once for all outputs.
type preludes struct {
	sync.Mutex
	running string            // the id of the cell that runs
	carrier map[string]string // the cell in which a prelude was sent
}

// begin forgets what a cell carried that now runs again, and so is cleared.
func (p *preludes) begin(cell string) {
	p.Lock()
	defer p.Unlock()
	p.running = cell
	if cell != "" {
		maps.DeleteFunc(p.carrier, func(_, carrier string) bool { return carrier == cell })
	}
}

// prelude sends what other outputs need once before them.
func (s *Session) prelude(id, html string) {
	p := &s.preludes
	p.Lock()
	_, sent := p.carrier[id]
	if !sent {
		p.carrier[id] = p.running
	}
	p.Unlock()
	if !sent {
		s.out.display(display.Data{Data: display.MIMEMap{display.MIMETypeHTML: html}})
	}
}
