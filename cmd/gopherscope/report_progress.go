package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// reportProgress shows which experiment runs and how long all will take: a bar on a
// terminal, elsewhere a line for each experiment.
type reportProgress struct {
	stderr *os.File
	bar    *progressbar.ProgressBar
	steps  []reportStep
	step   int
	total  float64 // seconds that all steps are thought to take
	before float64 // those that took place
	start  time.Time
}

func newReportProgress(stderr *os.File, steps []reportStep) *reportProgress {
	p := &reportProgress{stderr: stderr, steps: steps, start: time.Now()}
	for _, s := range steps {
		p.total += s.seconds
	}
	p.bar = newBar(stderr, barSteps, progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond))
	return p
}

func (p *reportProgress) begin(step int) {
	p.step = step
	if p.bar != nil {
		p.bar.Describe(p.steps[step].name)
		return
	}
	fmt.Fprintf(p.stderr, "measuring %s (%d of %d)%s\n", p.steps[step].name, step+1, len(p.steps), p.left())
}

// left says how long the rest takes, at the pace of what was done.
func (p *reportProgress) left() string {
	if p.before == 0 {
		return ""
	}
	pace := time.Since(p.start).Seconds() / p.before
	return fmt.Sprintf(", about %v left", time.Duration(pace*(p.total-p.before)*float64(time.Second)).Round(time.Second))
}

// set says how much of the step is done.
func (p *reportProgress) set(done, of int) {
	if p.bar != nil && of > 0 {
		p.bar.Set(int(barSteps * (p.before + p.steps[p.step].seconds*float64(done)/float64(of)) / p.total))
	}
}

func (p *reportProgress) end() {
	p.before += p.steps[p.step].seconds
	p.set(0, 1)
}

// clear takes the bar off the terminal, for other output or at the end.
func (p *reportProgress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
