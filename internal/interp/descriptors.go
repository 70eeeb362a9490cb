package interp

import (
	"os"
	"sync"
)

// A descriptor is the process's file descriptor 1 or 2 while a session has it:
// what is written to it by its number, as println of compiled code is, and not
// through an *os.File, joins what is written to os.Stdout or os.Stderr.
//
// It leads to a pipe that takes what it has room for and refuses the rest: a
// println that had to wait would hold the processor that the reader needs, and
// would hold up a garbage collection and the trace of a crash for ever. So the
// reader must be quick; what it read waits in ahead for a sink that is slow.
type descriptor struct {
	*stream
	number int
	kept   *os.File // where it led before
	ahead  *backlog
}

// forwardTo starts to pass text on.
func (d *descriptor) forwardTo(write func(name string, text []byte)) {
	go d.read(func(_, text string) { d.ahead.add(text) })
	go d.ahead.forward(func(text []byte) { write(d.name, text) })
}

// flush returns when all that was written before was passed on.
func (d *descriptor) flush() {
	d.stream.flush()
	d.ahead.flush()
}

// maxBacklog is how many bytes may be ahead of a slow sink. With that, what can
// wait waits; compiled println cannot, and loses what it prints.
const maxBacklog = 16 << 20

// backlog is text between a reader that is not to wait and a writer that may.
type backlog struct {
	limit            int // of text, in bytes
	mu               sync.Mutex
	moved            *sync.Cond
	text             []byte
	added, forwarded int64 // bytes
	closed           bool
}

func newBacklog(limit int) *backlog {
	b := &backlog{limit: limit}
	b.moved = sync.NewCond(&b.mu)
	return b
}

func (b *backlog) add(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.text) > b.limit {
		b.moved.Wait()
	}
	b.text = append(b.text, text...)
	b.added += int64(len(text))
	b.moved.Broadcast()
}

// forward writes until the backlog is closed and empty.
func (b *backlog) forward(write func([]byte)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for len(b.text) == 0 {
			if b.closed {
				return
			}
			b.moved.Wait()
		}
		text := b.text
		b.text = nil
		b.mu.Unlock()
		write(text)
		b.mu.Lock()
		b.forwarded += int64(len(text))
		b.moved.Broadcast()
	}
}

// flush returns when all that was added before was written.
func (b *backlog) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for upTo := b.added; b.forwarded < upTo; {
		b.moved.Wait()
	}
}

// close has forward return when it has written all.
func (b *backlog) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.moved.Broadcast()
	for upTo := b.added; b.forwarded < upTo; {
		b.moved.Wait()
	}
}
