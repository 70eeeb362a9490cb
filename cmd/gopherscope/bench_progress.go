package main

import (
	"fmt"
	"os"

	"github.com/schollz/progressbar/v3"
)

// benchProgress shows what is measured: a bar on a terminal, elsewhere a line for
// each shape.
type benchProgress struct {
	stderr       *os.File
	bar          *progressbar.ProgressBar
	shapes, done int
	// Of the shape that is measured: steps in all, and taken.
	steps, taken int
}

// barSteps is how far the bar moves for a shape.
const barSteps = 1000

func newBenchProgress(stderr *os.File, shapes int) *benchProgress {
	return &benchProgress{stderr: stderr, shapes: shapes, bar: newBar(stderr, int64(shapes*barSteps))}
}

func (p *benchProgress) start(s benchShape) {
	p.steps, p.taken = 1, 0
	if p.bar == nil {
		fmt.Fprintf(p.stderr, "measuring %v (%d of %d)\n", s, p.done+1, p.shapes)
		return
	}
	p.bar.Describe(s.String())
}

// expect says how many steps the shape takes.
func (p *benchProgress) expect(steps int) { p.steps = steps }

func (p *benchProgress) step() {
	p.taken++
	if p.bar != nil {
		p.bar.Set(p.done*barSteps + barSteps*p.taken/max(p.steps, p.taken))
	}
}

func (p *benchProgress) stop() {
	p.done++
	if p.bar != nil {
		p.bar.Clear()
	}
}
