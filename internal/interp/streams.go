package interp

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// stream is a pipe that os.Stdout, os.Stderr or a file descriptor leads to, and the
// goroutine that reads it. An os.File is all that those variables can hold.
type stream struct {
	name   string
	r, w   *os.File
	gather time.Duration

	// mark in the pipe asks the reader to acknowledge that it came that far.
	mark  []byte
	turn  sync.Mutex
	acked chan struct{}
	wake  chan struct{} // a flush is waiting: do not gather more
	done  chan struct{} // the reader ended
}

func newStream(name string, gather time.Duration) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{
		name:   name,
		r:      r,
		w:      w,
		gather: gather,
		mark:   append([]byte{0xff}, rand.Text()...), // 0xff: in no UTF-8 text
		acked:  make(chan struct{}, 1),
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
	}, nil
}

// gather is how long the reader of os.Stdout or os.Stderr lets text pile up after
// it delivered some, so that many short writes become few deliveries.
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
		if s.gather > 0 {
			select {
			case <-s.wake:
			case <-time.After(s.gather):
			}
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
