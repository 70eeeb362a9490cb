package nb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
	"github.com/rlx-go/gopherscope/internal/kernelinfo"
)

// Runner runs cells one after the other; an *interp.Session is one.
type Runner interface {
	Run(ctx context.Context, cell interp.Cell, sink interp.Sink) (*display.Data, error)
}

// CellError is the failure of a cell, which ended the run of its notebook.
type CellError struct {
	// Cell is the execution count of the cell.
	Cell int
	// ID is the cell's id.
	ID string
	// Err is what Run returned, an *interp.Error as a rule.
	Err error
	// Interrupted tells that the context ended, so that the cell is not at fault.
	Interrupted bool
}

func (e *CellError) Unwrap() error { return e.Err }

// Error returns one line, such as "cell 3, line 2: undefined: x".
func (e *CellError) Error() string {
	place := cellName(e.Cell)
	var ie *interp.Error
	if !errors.As(e.Err, &ie) {
		return place + ": " + oneLine(e.Err.Error())
	}
	if ie.Line > 0 {
		if ie.Cell == place || ie.Cell == "" {
			place = fmt.Sprintf("%s, line %d", place, ie.Line)
		} else {
			place = fmt.Sprintf("%s (in %s, line %d)", place, ie.Cell, ie.Line)
		}
	}
	return place + ": " + oneLine(ie.Value)
}

// Traceback returns what the session said of the failure beside Error, in lines
// without colours: more of the message, and the places in the source.
func (e *CellError) Traceback() string {
	var ie *interp.Error
	if !errors.As(e.Err, &ie) {
		return ""
	}
	return stripANSI(strings.Join(afterTitle(ie.Traceback, errorTitle(ie.Name, ie.Value)), "\n"))
}

func cellName(count int) string { return fmt.Sprintf("cell %d", count) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// raisesException is the tag by which Jupyter's clients know a cell that is
// meant to fail, so that the cells after it still run.
const raisesException = "raises-exception"

// Execute runs the notebook's code cells in order and replaces all their
// outputs and execution counts. The first cell that fails keeps its error as an
// output and ends the run with that failure; so does the end of ctx. A panic of a
// goroutine is a failure of the cell that started it, even when a later cell runs
// by then. The cells that did not run have no outputs. Before each cell and at the
// end, progress is told how many cells ran. Execute returns nil when every cell ran.
func (n *Notebook) Execute(ctx context.Context, s Runner, progress func(ran int)) *CellError {
	n.describeKernel()
	n.fillIDs()
	for _, c := range n.Cells {
		if c.Type == Code {
			c.Outputs, c.ExecutionCount = nil, 0
			delete(c.Metadata, "execution") // the times of an earlier run
			delete(c.Metadata, metadataKey)
		}
	}
	count := 0
	var ran []*execution
	for _, c := range n.Cells {
		if !c.runs() {
			continue
		}
		progress(count)
		count++
		e := &execution{cell: c, count: count}
		if err := e.run(ctx, s); err != nil {
			interrupted := ctx.Err() != nil
			if interrupted || !c.tagged(raisesException) {
				return &CellError{Cell: count, ID: c.ID, Err: err, Interrupted: interrupted}
			}
		}
		ran = append(ran, e)
		for _, earlier := range ran {
			if err := earlier.sink.panic(); err != nil && !earlier.cell.tagged(raisesException) {
				earlier.cell.Outputs = append(earlier.cell.Outputs, errorOutput(err))
				return &CellError{Cell: earlier.count, ID: earlier.cell.ID, Err: err}
			}
		}
	}
	progress(count)
	return nil
}

// execution is one run of a cell.
type execution struct {
	cell  *Cell
	count int
	sink  collector
}

func (e *execution) run(ctx context.Context, s Runner) error {
	c := e.cell
	if ctx.Err() != nil {
		err := &interp.Error{Name: "Interrupted", Value: "interrupted before this cell ran"}
		c.Outputs = []*Output{errorOutput(err)}
		return err
	}
	c.ExecutionCount = e.count
	result, err := s.Run(ctx, interp.Cell{Name: cellName(e.count), ID: c.ID, Source: c.Source}, &e.sink)
	if err == nil && result != nil {
		e.sink.rich(ExecuteResult, e.count, *result)
	}
	c.Outputs = e.sink.close()
	if err != nil {
		c.Outputs = append(c.Outputs, errorOutput(err))
	}
	return err
}

func errorOutput(err error) *Output {
	var ie *interp.Error
	if !errors.As(err, &ie) {
		return &Output{Type: ErrorOutput, ErrorName: "Error", ErrorValue: err.Error()}
	}
	return &Output{Type: ErrorOutput, ErrorName: ie.Name, ErrorValue: ie.Value, Traceback: ie.Traceback}
}

// describeKernel records what runs the notebook, as a Jupyter client does from
// the kernel's own description.
func (n *Notebook) describeKernel() {
	if n.Metadata == nil {
		n.Metadata = map[string]any{}
	}
	spec, _ := n.Metadata["kernelspec"].(map[string]any)
	if name, _ := spec["name"].(string); name == "" {
		n.Metadata["kernelspec"] = map[string]any{
			"display_name": kernelinfo.DisplayName(kernelinfo.Name), "language": kernelinfo.Language, "name": kernelinfo.Name,
		}
	} else if display, _ := spec["display_name"].(string); display == "" {
		spec["display_name"] = name
	}
	n.Metadata["language_info"] = kernelinfo.LanguageInfo()
}

const (
	// maxStreams bounds the text that the streams of one cell leave, in bytes. A
	// page with more of it is no use to anybody.
	maxStreams = 10 << 20
	// streamCost is what each change from one stream to the other counts for, since
	// it takes an output of its own.
	streamCost = 200
)

// collector gathers the outputs of one cell.
type collector struct {
	mu      sync.Mutex
	outputs []*Output
	text    strings.Builder // of the last output, when that is a stream
	spent   int             // of maxStreams
	dropped int             // bytes beyond it
	closed  bool            // a goroutine that the cell left behind may still write
	failed  *interp.Error   // the first panic of a goroutine of the cell
}

var _ interp.PanicReceiver = (*collector)(nil)

func (c *collector) GoroutinePanicked(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = &interp.Error{Name: "Panic", Value: text, Traceback: []string{"Panic: " + text}}
	}
}

// panic returns the panic of a goroutine, or nil.
func (c *collector) panic() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		return nil
	}
	return c.failed
}

func (c *collector) Stream(name, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || text == "" {
		return
	}
	if last := len(c.outputs) - 1; last < 0 || c.outputs[last].Type != Stream || c.outputs[last].Name != name {
		if c.spent+streamCost >= maxStreams {
			c.dropped += len(text)
			return
		}
		c.endStream()
		c.outputs = append(c.outputs, &Output{Type: Stream, Name: name})
		c.spent += streamCost
	}
	kept := text[:min(len(text), maxStreams-c.spent)]
	c.text.WriteString(kept)
	c.spent += len(kept)
	c.dropped += len(text) - len(kept)
}

// endStream gives the last output, when it is a stream, its text.
func (c *collector) endStream() {
	if c.text.Len() > 0 {
		// The limit may have cut a character.
		c.outputs[len(c.outputs)-1].Text = strings.ToValidUTF8(c.text.String(), "\ufffd")
		c.text.Reset()
	}
}

func (c *collector) Display(data display.Data) { c.rich(DisplayData, 0, data) }

func (c *collector) rich(kind string, count int, data display.Data) {
	encoded, problems := display.Encode(data)
	for _, p := range problems {
		c.Stream("stderr", p+"\n")
	}
	if len(encoded.Data) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.endStream()
	c.outputs = append(c.outputs, &Output{Type: kind, Data: encoded.Data, Metadata: encoded.Metadata, ExecutionCount: count})
}

func (c *collector) close() []*Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endStream()
	c.closed = true
	if c.dropped > 0 {
		c.outputs = append(c.outputs, &Output{Type: Stream, Name: "stderr", Text: fmt.Sprintf(
			"%d bytes of output were left out: a cell may print %d MiB\n", c.dropped, maxStreams>>20)})
	}
	return c.outputs
}
