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
	"sync/atomic"
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
// prints later goes to the sink of the last cell, but see Updater. A sink that is slow slows the
// cell down. It must not write to os.Stdout or os.Stderr, which lead to it.
type Sink interface {
	// Stream receives text written to "stdout" or "stderr".
	Stream(name, text string)
	// Display receives a value shown by display.Display or by a prelude.
	Display(data display.Data)
}

// Updater is a Sink that can change what it has shown, also after its cell ended:
// it also receives what goroutines of the cell print by fmt, log and Display when
// a later cell runs. Without it a display that changes is shown once, as it is
// when the cell ends, and nothing is cleared.
type Updater interface {
	// Update receives what takes the place of each display that has the same
	// "display_id" among its transient values.
	Update(data display.Data)
	// Clear removes the cell's outputs so far, at once or when the next comes.
	Clear(wait bool)
}

// PanicReceiver is a Sink that is also told of the panics that end goroutines of its
// cell, when they are printed, also after the cell ended.
type PanicReceiver interface {
	GoroutinePanicked(text string)
}

// Pager is a Sink that has a place beside the notebook for what a person looks
// up. Without it a page is shown like any other value.
type Pager interface {
	Page(data display.Data)
}

// Session is one interpreter with the variables of the cells it ran. Its
// methods may be called from any goroutine; cells run one at a time.
type Session struct {
	jobs chan func(*evaluator) // what the evaluator is to do next
	turn chan struct{}         // held by the cell that runs
	life context.Context       // ends with the session
	end  context.CancelFunc

	in       *interpreter // used by the evaluator, and by who has the turn while it has no job
	out      *outputs
	input    atomic.Pointer[input] // of the last cell
	preludes preludes
	updates  updates
	commands commandGroups
}

// A process has one os.Stdout, so it has one session at a time.
var process struct {
	sync.Mutex
	session *Session
}

// New starts a session. While it is open, os.Stdout and os.Stderr of the
// process lead to the sink of the running cell; a program that runs sessions
// keeps its own copies of both. A process has at most one open session.
func New() (*Session, error) { return start(false) }

// NewWithDescriptors is New, but the session also has the file descriptors 1 and 2
// and the files that os.Stdout and os.Stderr were, which packages may keep: what
// compiled code prints by itself goes to the sink of the running cell too. What
// the program itself has to say it writes to files from Keep. The trace of a
// crash goes where descriptor 2 led before. On Windows it has the files only.
func NewWithDescriptors() (*Session, error) { return start(true) }

func start(descriptors bool) (*Session, error) {
	process.Lock()
	defer process.Unlock()
	if process.session != nil {
		return nil, errors.New("interp: this process has a session that is still open")
	}
	out, err := openOutputs(descriptors)
	if err != nil {
		return nil, err
	}
	s := &Session{
		jobs: make(chan func(*evaluator)),
		turn: make(chan struct{}, 1),
		out:  out,
	}
	s.preludes.carrier = map[string]string{}
	s.updates.seen = map[string]origin{}
	s.life, s.end = context.WithCancel(context.Background())
	s.startEvaluator()
	process.session = s
	cellStdin.session = s
	return s, nil
}

// Run runs one cell and returns the value of its last expression, nil when
// there is nothing to show. A cell that fails returns an *Error; its names that
// were not reached mean what they meant before. With a nil sink, outputs go to
// that of the cell before. When ctx ends, the
// cell is interrupted: interpreted code and waits stop in a moment. A compiled
// call that does not stop is left to run on by itself after three seconds.
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
	if sink != nil {
		if err := s.out.begin(sink); err != nil {
			return nil, err
		}
		s.preludes.begin(cell.ID)
		s.updates.begin(cell.ID)
		s.input.Store(&input{ctx, cell.Input})
	}
	cellCtx := &cellContext{life: s.life}
	interrupt := func() {
		s.in.owner.Load().interrupt()
		cellCtx.end() // after it, so that nothing runs on between the two
	}

	var data *display.Data
	var err *Error
	done := s.do(func() { data, err = s.in.run(cellCtx, cell) })
	ended, stopped := false, true
	select {
	case ended = <-done:
	case <-ctx.Done():
		ended, stopped = s.stop(interrupt, done)
	case <-s.life.Done():
		ended, stopped = s.stop(interrupt, done)
	}
	switch {
	case s.life.Err() != nil:
		if !ended {
			return nil, errClosed
		}
	case !stopped:
		err = s.leftBehind(cell.Name)
	case !ended:
		s.startEvaluator()
		s.in.giveUp()
		err = newError(namePanic, "the cell ended the goroutine that it ran on", place{cell: cell.Name})
	}
	s.out.flush()
	s.out.release()
	if err != nil {
		return nil, err
	}
	return data, nil
}

// leftBehind has another evaluator take over from one that was left behind, and
// returns the error of its cell.
func (s *Session) leftBehind(cell string) *Error {
	ev := s.in.owner.Load()
	if !ev.waits() {
		s.startEvaluator()
		s.in.giveUp()
		return newError(nameInterrupt, "interrupted, but a compiled call does not stop: it runs on in the background, and what it returns is dropped. Give ctx to calls that take a context; a restart ends it", place{cell: cell})
	}
	places := s.in.places()
	s.startEvaluator()
	s.in.giveUp()
	return interrupted(cell, places...)
}

var errClosed = errors.New("interp: the session is closed")

// Flush returns when all that was printed before is with the sink.
func (s *Session) Flush() { s.out.flush() }

// EndCommands asks what shell commands of cells have left running to end.
func (s *Session) EndCommands() { s.commands.end() }

// Close ends the session, what its shell commands have left running, and gives os.Stdout and os.Stderr back. A cell that
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
	s.EndCommands()
	select {
	case <-s.in.owner.Load().gone:
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
		s.out.display(nil, display.Data{Data: display.MIMEMap{display.MIMETypeHTML: html}})
	}
}
