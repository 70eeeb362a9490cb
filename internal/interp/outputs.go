package interp

import (
	"errors"
	"io"
	"log"
	"os"
	"slices"
	"sync"

	"github.com/rlx-go/gopherscope/internal/display"
)

// outputs leads os.Stdout, os.Stderr and the displays of cells to the sink of
// the last cell, and the process's descriptors too where they were asked for.
type outputs struct {
	before struct {
		stdout, stderr *os.File
		log            io.Writer
	}
	whole       bool       // the process's outputs, not only what the variables of package os lead to
	files       [2]os.File // what before.stdout and before.stderr were
	descriptors []*descriptor

	mu             sync.Mutex // held for each call of a sink
	sink           Sink       // of the last cell
	held           []held     // for a sink that is no Updater
	stdout, stderr *stream
}

func openOutputs(whole bool) (*outputs, error) {
	o := &outputs{whole: whole}
	o.before.stdout, o.before.stderr, o.before.log = os.Stdout, os.Stderr, log.Writer()
	o.files = [2]os.File{*os.Stdout, *os.Stderr}
	if err := o.take(); err != nil {
		return nil, errors.Join(err, o.close())
	}
	if whole {
		opened, err := openDescriptors()
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		o.descriptors = opened
		for _, d := range opened {
			d.forwardTo(o.write)
		}
	}
	return o, nil
}

// take makes os.Stdout, os.Stderr and the default logger, which keeps the
// os.Stderr of the process's start, lead here. They may lead elsewhere because
// a cell redirected or closed them; it does so for itself only.
func (o *outputs) take() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range []struct {
		stream **stream
		name   string
		before *os.File
	}{{&o.stdout, "stdout", o.before.stdout}, {&o.stderr, "stderr", o.before.stderr}} {
		if *s.stream != nil && !(*s.stream).ended() {
			continue
		}
		opened, err := newStream(s.name, gather)
		if err != nil {
			return err
		}
		go opened.read(o.text)
		*s.stream = opened
		if s.name == "stderr" {
			log.SetOutput(opened.w)
		}
		if o.whole {
			// Packages keep the os.Stderr that they found. The descriptor would take
			// it too, but could not make a writer wait that is too fast.
			*s.before = *opened.w
		}
	}
	// Written only when need be: goroutines of earlier cells may read them.
	if os.Stdout != o.stdout.w {
		os.Stdout = o.stdout.w
	}
	if os.Stderr != o.stderr.w {
		os.Stderr = o.stderr.w
	}
	for _, d := range o.descriptors {
		if err := d.retake(); err != nil {
			return err
		}
	}
	return nil
}

// begin makes sink the receiver.
func (o *outputs) begin(sink Sink) error {
	err := o.take()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sink = sink
	return err
}

// display sends a value, after all text that was written before, to a sink: that
// of the last cell when it is nil.
func (o *outputs) display(to Sink, data display.Data) {
	o.flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	if to == nil {
		to = o.sink
	}
	if to != nil {
		to.Display(data)
	}
}

// late returns the sink of an earlier cell when it takes outputs now, else nil.
func (o *outputs) late(sink Sink) Sink {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := sink.(Updater); ok && sink != o.sink && o.sink != nil {
		return sink
	}
	return nil
}

// last is the sink of the last cell.
func (o *outputs) last() Sink {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sink
}

// lateText sends text to the sink of an earlier cell.
func (o *outputs) lateText(to Sink, name, text string) {
	o.flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	to.Stream(name, text)
}

// update sends what takes the place of an earlier display, or is the first one
// with an id. A sink that cannot change what it has gets the last one, when the
// cell ends.
func (o *outputs) update(id string, data display.Data, first bool) {
	o.flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	u, ok := o.sink.(Updater)
	switch {
	case !ok:
		i := slices.IndexFunc(o.held, func(h held) bool { return h.id == id })
		if i < 0 {
			o.held = append(o.held, held{id, data})
		} else {
			o.held[i].data = data
		}
	case first:
		o.sink.Display(data)
	default:
		u.Update(data)
	}
}

// held is the last state of a display that changes.
type held struct {
	id   string
	data display.Data
}

// release sends what was held until the cell's end.
func (o *outputs) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.held {
		if o.sink != nil {
			o.sink.Display(h.data)
		}
	}
	o.held = nil
}

// panicked tells the sink of a cell that a goroutine of it panicked.
func (o *outputs) panicked(to Sink, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r, ok := to.(PanicReceiver); ok {
		r.GoroutinePanicked(text)
	}
}

// clear removes what the cell has shown.
func (o *outputs) clear(wait bool) {
	o.flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	if u, ok := o.sink.(Updater); ok {
		u.Clear(wait)
	}
}

// page sends what a person looks up.
func (o *outputs) page(data display.Data) {
	o.flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	if p, ok := o.sink.(Pager); ok {
		p.Page(data)
	} else if o.sink != nil {
		o.sink.Display(data)
	}
}

func (o *outputs) text(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sink != nil {
		o.sink.Stream(name, text)
	}
}

// write writes to os.Stdout or os.Stderr, or when a cell has closed that to the
// sink.
func (o *outputs) write(name string, text []byte) {
	o.mu.Lock()
	s := o.stdout
	if name == "stderr" {
		s = o.stderr
	}
	o.mu.Unlock()
	if n, err := s.w.Write(text); err != nil {
		o.text(name, string(text[n:]))
	}
}

// flush returns when all that was written before is with the sink.
func (o *outputs) flush() {
	for _, d := range o.descriptors {
		d.flush()
	}
	for _, s := range o.streams() {
		s.flush()
	}
}

func (o *outputs) streams() []*stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc([]*stream{o.stdout, o.stderr}, func(s *stream) bool { return s == nil })
}

func (o *outputs) close() error {
	err := closeDescriptors(o.descriptors)
	o.flush()
	os.Stdout, os.Stderr = o.before.stdout, o.before.stderr
	if o.whole {
		*os.Stdout, *os.Stderr = o.files[0], o.files[1]
	}
	log.SetOutput(o.before.log)
	for _, s := range o.streams() {
		err = errors.Join(err, s.close())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sink = nil
	return err
}
