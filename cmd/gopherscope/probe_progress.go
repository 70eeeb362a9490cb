package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// byteProgress shows how many bytes of the files are done: a bar on a terminal, with
// the time that is left, elsewhere a line now and then for a log. A nil one shows
// nothing. It is safe for concurrent use.
type byteProgress struct {
	stderr *os.File
	bar    *progressbar.ProgressBar
	doing  string

	mu          sync.Mutex
	total, done int64
	begin, last time.Time
}

// logInterval is the time between two lines of progress where there is no terminal.
const logInterval = 30 * time.Second

func newByteProgress(stderr *os.File, doing string, total int64) *byteProgress {
	p := &byteProgress{stderr: stderr, doing: doing, total: max(total, 1), begin: time.Now(), last: time.Now()}
	if term.IsTerminal(int(stderr.Fd())) {
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(stderr),
			progressbar.OptionSetDescription(doing),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowTotalBytes(true),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// add counts bytes of the files as done.
func (p *byteProgress) add(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if p.bar != nil {
		p.bar.Add64(n)
		return
	}
	now := time.Now()
	if now.Sub(p.last) < logInterval || p.done >= p.total {
		return
	}
	p.last = now
	left := time.Duration(float64(now.Sub(p.begin)) / float64(p.done) * float64(p.total-p.done)).Round(time.Second)
	fmt.Fprintf(p.stderr, "%s: %s of %s, %v left\n", p.doing, fileSize(p.done), fileSize(p.total), left)
}

// clear takes the bar off the terminal, for other output.
func (p *byteProgress) clear() {
	if p != nil && p.bar != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.bar.Clear()
	}
}

// end takes the bar off the terminal for good.
func (p *byteProgress) end() { p.clear() }

// stepProgress shows the steps of work that is not reading. A nil one shows nothing.
type stepProgress struct {
	stderr *os.File
	bar    *progressbar.ProgressBar
}

func newStepProgress(stderr *os.File, doing string, total int) *stepProgress {
	if !term.IsTerminal(int(stderr.Fd())) {
		fmt.Fprintf(stderr, "%s\n", doing)
		return &stepProgress{stderr: stderr}
	}
	return &stepProgress{stderr, progressbar.NewOptions(total,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(doing),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

func (p *stepProgress) set(done int) {
	if p != nil && p.bar != nil {
		p.bar.Set(done)
	}
}

func (p *stepProgress) end() {
	if p != nil && p.bar != nil {
		p.bar.Clear()
	}
}

// graceAfterInterrupt is how long a call may take to see that its context ended.
// A read from a network file system may block for longer.
const graceAfterInterrupt = 500 * time.Millisecond

// abandonable calls f, and leaves it behind when the context has ended and it does
// not return: its error is then the context's.
func abandonable[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(graceAfterInterrupt):
		var none T
		return none, ctx.Err()
	}
}
