package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/rlx-go/gopherscope/internal/bytesize"
)

// newBar returns a bar of so many steps on a terminal, and nil where there is none.
func newBar(stderr *os.File, steps int64, options ...progressbar.Option) *progressbar.ProgressBar {
	if !term.IsTerminal(int(stderr.Fd())) {
		return nil
	}
	return progressbar.NewOptions64(steps, append(options,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)...)
}

// byteProgress shows how many bytes of the files are done: a bar on a terminal, with
// the time that is left, elsewhere a line now and then for a log. It is safe for
// concurrent use.
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
	p.bar = newBar(stderr, p.total,
		progressbar.OptionSetDescription(doing),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowTotalBytes(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
	)
	return p
}

// add counts bytes of the files as done.
func (p *byteProgress) add(n int64) {
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
	fmt.Fprintf(p.stderr, "%s: %s of %s, %v left\n", p.doing, bytesize.Decimal(p.done), bytesize.Decimal(p.total), left)
}

// clear takes the bar off the terminal, for other output or at the end.
func (p *byteProgress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
}

// stepProgress shows the steps of work that is not reading, from the first call of set
// on. It is safe for concurrent use.
type stepProgress struct {
	stderr *os.File
	doing  string

	mu    sync.Mutex
	begun bool
	bar   *progressbar.ProgressBar // nil where there is no terminal
}

func (p *stepProgress) set(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.begun = true
		p.bar = newBar(p.stderr, int64(total), progressbar.OptionSetDescription(p.doing), progressbar.OptionSetPredictTime(true))
		if p.bar == nil {
			fmt.Fprintln(p.stderr, p.doing)
		}
	}
	if p.bar != nil {
		p.bar.Set(done)
	}
}

// clear takes the bar off the terminal.
func (p *stepProgress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
}
