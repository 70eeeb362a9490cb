package interp

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rlx-go/gopherscope/internal/display"
)

// outputs leads os.Stdout, os.Stderr and the displays of cells to the sink of
// the last cell.
type outputs struct {
	before struct {
		stdout, stderr *os.File
		log            io.Writer
	}

	mu             sync.Mutex // held for each call of a sink
	sink           Sink       // of the last cell
	held           []held     // for a sink that is no Updater
	stdout, stderr *stream
}

func openOutputs() (*outputs, error) {
	o := &outputs{}
	o.before.stdout, o.before.stderr, o.before.log = os.Stdout, os.Stderr, log.Writer()
	if err := o.take(); err != nil {
		return nil, errors.Join(err, o.close())
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
	}{{&o.stdout, "stdout"}, {&o.stderr, "stderr"}} {
		if *s.stream != nil && !(*s.stream).ended() {
			continue
		}
		opened, err := o.open(s.name)
		if err != nil {
			return err
		}
		*s.stream = opened
		if s.name == "stderr" {
			log.SetOutput(opened.w)
		}
	}
	// Written only when need be: goroutines of earlier cells may read them.
	if os.Stdout != o.stdout.w {
		os.Stdout = o.stdout.w
	}
	if os.Stderr != o.stderr.w {
		os.Stderr = o.stderr.w
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

// flush returns when all that was written before is with the sink.
func (o *outputs) flush() {
	for _, s := range o.streams() {
		s.flush()
	}
}

func (o *outputs) streams() []*stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc([]*stream{o.stdout, o.stderr}, func(s *stream) bool { return s == nil })
}

func (o *outputs) close() (err error) {
	o.flush()
	os.Stdout, os.Stderr = o.before.stdout, o.before.stderr
	log.SetOutput(o.before.log)
	for _, s := range o.streams() {
		err = errors.Join(err, s.close())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sink = nil
	return err
}

// stream is one of os.Stdout and os.Stderr: a pipe, and a goroutine that reads
// it. An os.File is all that those variables can hold.
type stream struct {
	name string
	r, w *os.File

	// mark in the pipe asks the reader to acknowledge that it came that far.
	mark  []byte
	turn  sync.Mutex
	acked chan struct{}
	wake  chan struct{} // a flush is waiting: do not gather more
	done  chan struct{} // the reader ended
}

func (o *outputs) open(name string) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &stream{
		name:  name,
		r:     r,
		w:     w,
		mark:  append([]byte{0xff}, rand.Text()...), // 0xff: in no UTF-8 text
		acked: make(chan struct{}, 1),
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
	}
	go s.read(o.text)
	return s, nil
}

// gather is how long the reader lets text pile up after it delivered some, so
// that many short writes become few deliveries.
const gather = 2 * time.Millisecond

func (s *stream) read(deliver func(name, text string)) {
	defer close(s.done)
	defer s.r.Close()
	buf := make([]byte, 0, 64<<10)
	send := func(n int) {
		if n > 0 {
			deliver(s.name, strings.ToValidUTF8(string(buf[:n]), "\uFFFD"))
			buf = append(buf[:0], buf[n:]...)
		}
	}
	for {
		n, err := s.r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		for {
			at := bytes.Index(buf, s.mark)
			if at < 0 {
				break
			}
			send(at)
			buf = append(buf[:0], buf[len(s.mark):]...)
			s.acked <- struct{}{}
		}
		if err != nil {
			send(len(buf))
			return
		}
		send(len(buf) - s.unfinished(buf))
		select {
		case <-s.wake:
		case <-time.After(gather):
		}
	}
}

// unfinished is the length of a mark or a character that has only begun at the
// end of buf.
func (s *stream) unfinished(buf []byte) int {
	for n := min(len(buf), len(s.mark)-1); n > 0; n-- {
		if bytes.HasSuffix(buf, s.mark[:n]) {
			return n
		}
	}
	for n := 1; n <= min(len(buf), utf8.UTFMax-1); n++ {
		tail := buf[len(buf)-n:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			break
		}
	}
	return 0
}

func (s *stream) flush() {
	s.turn.Lock()
	defer s.turn.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	if _, err := s.w.Write(s.mark); err != nil { // a cell closed its os.Stdout
		s.awaitEnd()
		return
	}
	select {
	case <-s.acked:
	case <-s.done:
	}
}

// ended reports whether nothing more can be written, since a cell closed the
// stream.
func (s *stream) ended() bool {
	conn, err := s.w.SyscallConn()
	return err != nil || conn.Control(func(uintptr) {}) != nil
}

// awaitEnd waits until the reader has read to the end, but not for ever: a
// process that a cell started may have the pipe open.
func (s *stream) awaitEnd() (ended bool) {
	select {
	case <-s.done:
		return true
	case <-time.After(time.Second):
		return false
	}
}

func (s *stream) close() error {
	err := s.w.Close()
	if errors.Is(err, os.ErrClosed) { // by a cell
		err = nil
	}
	if !s.awaitEnd() {
		err = errors.Join(err, s.r.Close())
	}
	return err
}
