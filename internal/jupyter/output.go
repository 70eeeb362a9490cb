package jupyter

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

const (
	// streamDelay is how long printed text waits for more, and streamSize, in
	// bytes, how much of it goes in one message: a message for each line would
	// cost front ends more than the lines.
	streamDelay = 20 * time.Millisecond
	streamSize  = 64 << 10
	// aheadOfClients is how many bytes a cell may be ahead of the client that
	// reads fastest: who interrupts a cell has to read them before its end. And
	// aheadAfterwards is how many when it was interrupted or has ended: an
	// interrupt is not to wait for a slow client.
	aheadOfClients  = 512 << 10
	aheadAfterwards = maxBehind
)

// output is the interp.Sink of one cell, and an Updater and a Pager. It outlives
// the cell: a goroutine that the cell left behind still prints to it.
type output struct {
	kernel *Kernel
	ctx    context.Context // of the request
	parent json.RawMessage
	silent bool
	// paging says that the client has a place beside the notebook: one that runs
	// notebooks for a file, and says that nobody can answer it, drops pages.
	paging bool

	mu      sync.Mutex
	name    string // stream that text belongs to
	text    strings.Builder
	waiting bool // a timer will flush
	pages   []page
}

var _ interface {
	interp.Sink
	interp.Updater
	interp.Pager
} = (*output)(nil)

type streamContent struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type clearOutput struct {
	Wait bool `json:"wait"`
}

type displayData struct {
	Data      map[string]any `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	Transient map[string]any `json:"transient"`
}

// Stream gathers printed text.
func (o *output) Stream(name, text string) {
	o.throttle()
	o.mu.Lock()
	defer o.mu.Unlock()
	if name != o.name {
		o.flushLocked()
		o.name = name
	}
	o.text.WriteString(text)
	if o.text.Len() >= streamSize {
		o.flushLocked()
	} else if !o.waiting {
		o.waiting = true
		time.AfterFunc(streamDelay, o.flush)
	}
}

// Display sends a value, after the text that was printed before it.
func (o *output) Display(value display.Data) { o.show("display_data", value) }

// Update sends what takes the place of an earlier display.
func (o *output) Update(value display.Data) { o.show("update_display_data", value) }

func (o *output) show(msgType string, value display.Data) {
	o.throttle()
	shown := o.encode(value)
	if len(shown.Data) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
	o.publish(msgType, displayData(shown))
}

// Clear removes what the cell has shown.
func (o *output) Clear(wait bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
	o.publish("clear_output", clearOutput{Wait: wait})
}

// Page keeps what is shown beside the notebook, for the reply, or shows it.
func (o *output) Page(value display.Data) {
	if !o.paging {
		o.Display(value)
		return
	}
	shown := o.encode(value)
	if len(shown.Data) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pages = append(o.pages, page{Source: "page", Data: shown.Data, Metadata: shown.Metadata})
}

func (o *output) payload() []page {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]page{}, o.pages...)
}

func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = false
	o.flushLocked()
}

func (o *output) flushLocked() {
	if o.text.Len() > 0 {
		o.publish("stream", streamContent{Name: o.name, Text: o.text.String()})
		o.text.Reset()
	}
}

// publish sends a message about the cell, unless the client asked for silence.
func (o *output) publish(msgType string, content any) {
	if !o.silent {
		o.kernel.publish(o.parent, msgType, content)
	}
}

// throttle waits for the clients.
func (o *output) throttle() {
	if o.silent {
		return
	}
	k := o.kernel
	k.iopub.throttle(o.ctx, k.topic("stream"), aheadOfClients)
	if o.ctx.Err() != nil {
		k.iopub.throttle(k.life, k.topic("stream"), aheadAfterwards)
	}
}

// encode makes of a value what messages hold. The cell's stderr says what had to
// be left out.
func (o *output) encode(value display.Data) display.Data {
	encoded, problems := display.Encode(value)
	for _, problem := range problems {
		o.Stream("stderr", problem+"\n")
	}
	return encoded
}
