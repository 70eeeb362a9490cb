package jupyter

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strings"
	"sync"
	"time"

	"github.com/rlx-go/gopherscope/internal/display"
)

const (
	// streamDelay is how long printed text waits for more, and streamSize, in
	// bytes, how much of it goes in one message: a message for each line would
	// cost front ends more than the lines.
	streamDelay = 20 * time.Millisecond
	streamSize  = 64 << 10
	// aheadOfClients is how many bytes a cell may be ahead of the client that
	// reads fastest.
	aheadOfClients = 4 << 20
)

// output is the interp.Sink of one cell. It outlives the cell: a goroutine that
// the cell left behind still prints to it.
type output struct {
	kernel *Kernel
	ctx    context.Context // ends the wait for slow clients
	parent json.RawMessage
	silent bool

	mu      sync.Mutex
	name    string // stream that text belongs to
	text    strings.Builder
	waiting bool // a timer will flush
}

type streamContent struct {
	Name string `json:"name"`
	Text string `json:"text"`
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
func (o *output) Display(value display.Data) {
	o.throttle()
	data, metadata := o.bundle(value)
	transient, _ := encodable(value.Transient)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
	o.publish("display_data", displayData{Data: data, Metadata: metadata, Transient: transient})
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

func (o *output) throttle() {
	if !o.silent {
		o.kernel.iopub.throttle(o.ctx, aheadOfClients)
	}
}

// bundle makes the data and the metadata of a value what JSON and the protocol
// want. A part that cannot be sent is left out, and the cell's stderr says so.
func (o *output) bundle(value display.Data) (data, metadata map[string]any) {
	data = make(map[string]any, len(value.Data))
	var bad []string
	for kind, v := range value.Data {
		encoded, err := mimeValue(kind, v)
		if err != nil {
			bad = append(bad, fmt.Sprintf("%s: %v", kind, err))
			continue
		}
		data[kind] = encoded
	}
	metadata, more := encodable(value.Metadata)
	for _, problem := range append(bad, more...) {
		o.Stream("stderr", "display: not shown: "+problem+"\n")
	}
	return data, metadata
}

// mimeValue returns what stands for a value of a MIME type in a message: JSON
// types as they are, text as a string, everything else in base64.
func mimeValue(kind string, v any) (any, error) {
	text := isText(kind)
	switch v := v.(type) {
	case string:
		if isJSON(kind) && json.Valid([]byte(v)) {
			return json.RawMessage(v), nil
		}
		return v, nil
	case []byte:
		switch {
		case isJSON(kind) && json.Valid(v):
			return json.RawMessage(v), nil
		case text:
			return string(v), nil
		}
		return base64.StdEncoding.EncodeToString(v), nil
	}
	if text && !isJSON(kind) {
		return fmt.Sprint(v), nil
	}
	encoded, err := json.Marshal(v)
	return json.RawMessage(encoded), err
}

func isJSON(kind string) bool {
	base, _, _ := mime.ParseMediaType(kind)
	return base == "application/json" || strings.HasSuffix(base, "+json")
}

// isText reports whether front ends take a type as text, JSON included.
func isText(kind string) bool {
	base, _, _ := mime.ParseMediaType(kind)
	return strings.HasPrefix(base, "text/") || strings.HasSuffix(base, "+xml") || isJSON(kind) ||
		base == "application/javascript" || base == "application/xml"
}

// encodable returns the values that JSON can hold, never nil, and says what is
// wrong with the others.
func encodable(values map[string]any) (map[string]any, []string) {
	good := make(map[string]any, len(values))
	var bad []string
	for key, v := range values {
		encoded, err := json.Marshal(v)
		if err != nil {
			bad = append(bad, fmt.Sprintf("%s: %v", key, err))
			continue
		}
		good[key] = json.RawMessage(encoded)
	}
	return good, bad
}
