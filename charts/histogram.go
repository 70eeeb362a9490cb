package charts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Histogram is a chart of how often values occur. The bins are equally wide
// along the X axis, which on a log axis means of equal ratio, and divide the
// distances of its ticks. A bin holds its lower edge; the last one holds its
// upper edge too.
//
// On a logarithmic count axis a bin without values has no bar, and one with a
// single value has a short one.
type Histogram struct {
	Title string
	// X is the axis of the values.
	X Axis
	// Y is the axis of the counts; its label is "count" unless it is set.
	Y Axis
	// Values are counted and not kept.
	Values []float64
	// Bins is about the number of bins, at most 200. The default, 0, is chosen
	// from the number of values and their quartiles (Freedman and Diaconis, 1981).
	Bins int
	// Scheme gives the bars the colour of a scheme; it may be empty.
	Scheme string
}

const (
	maxBins     = 200
	defaultBins = 60 // most that the default chooses
)

// Figure checks the chart and draws it. It fails when there is no title, axis
// label or value, when a value is not finite, or not positive on a log axis, when
// the range of an axis is set, and when Bins is negative or above 200.
func (h Histogram) Figure() (*Figure, error) {
	f, err := h.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: histogram %.80q: %w", oneLine(h.Title), err)
	}
	return f, nil
}

func (h Histogram) figure() (*Figure, error) {
	title, x, y := oneLine(h.Title), h.X.clean(), h.Y.clean()
	if y.Label == "" {
		y.Label = "count"
	}
	if err := h.check(title, x, y); err != nil {
		return nil, err
	}
	sorted := slices.Clone(h.Values)
	slices.Sort(sorted)
	b := bins{x: x, y: y, total: len(sorted)}
	b.quartiles = [5]float64{sorted[0], quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75), sorted[len(sorted)-1]}
	if err := b.divide(sorted, h.Bins); err != nil {
		return nil, err
	}
	least := 0.0
	if y.Log {
		least = 1
	}
	var err error
	if b.ys, err = newScale(y, least, float64(slices.Max(b.counts)), 6, true); err != nil {
		return nil, err
	}
	if y.Log { // so that a count of one has a bar
		b.ys.min = 0.5
		b.ys.ticks = slices.DeleteFunc(b.ys.ticks, func(t tick) bool { return t.value < 1 })
	}
	styles, err := assignStyles([]Series{{Scheme: h.Scheme}})
	if err != nil {
		return nil, err
	}
	b.style = styles[0]
	frame := newFrame(title, []entry{{style: b.style, bar: true}}, x, y)
	option, err := b.option(frame)
	if err != nil {
		return nil, err
	}
	return newFigure(figureParts{
		frame:  frame,
		title:  title,
		kind:   "Histogram: " + y.title() + " by " + x.title(),
		notes:  b.notes(),
		table:  b.table(),
		plot:   b.plot,
		script: script{Option: option, X: b.xs.labels(), Y: b.ys.labels()},
	})
}

func (h Histogram) check(title string, x, y Axis) error {
	if err := checkTitle(title); err != nil {
		return err
	}
	if err := x.check("x"); err != nil {
		return err
	}
	if err := y.check("y"); err != nil {
		return err
	}
	if err := x.checkUnbounded("x"); err != nil {
		return err
	}
	if err := y.checkUnbounded("y"); err != nil {
		return err
	}
	switch {
	case len(h.Values) == 0:
		return errors.New("there are no values")
	case h.Bins < 0 || h.Bins > maxBins:
		return fmt.Errorf("Bins is %d, not from 0 to %d", h.Bins, maxBins)
	}
	return checkValues(x, "Values", h.Values)
}

// base is where bars begin.
func (b *bins) base() float64 {
	if b.ys.log {
		return b.ys.min
	}
	return 0
}

func (b *bins) plot() *plot.Plot {
	p := newPlot()
	useScale(&p.X, b.xs)
	useScale(&p.Y, b.ys)
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: gridLine, Width: 1}}, b)
	return p
}

// Plot draws the bars, for gonum's plot.
func (b *bins) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.SetColor(b.style.Color)
	for i, n := range b.counts {
		if n == 0 {
			continue
		}
		left, right := x(b.edges[i]), x(b.edges[i+1])
		bar := vg.Rectangle{Min: vg.Point{X: left, Y: y(b.base())}, Max: vg.Point{X: max(right-1, left+1), Y: y(float64(n))}}
		c.Fill(bar.Path())
	}
}

func (b *bins) option(f frame) (json.RawMessage, error) {
	chart := charts.NewCustom()
	chart.SetGlobalOptions(f.options()...)
	chart.SetGlobalOptions(
		charts.WithXAxisOpts(xOption(b.x, b.xs)),
		charts.WithYAxisOpts(yOption(b.y, b.ys)),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
	)
	data := make([]opts.CustomData, len(b.counts))
	for i, n := range b.counts {
		data[i].Value = [3]float64{b.edges[i], b.edges[i+1], float64(n)}
	}
	chart.AddSeries(b.y.Label, data,
		charts.WithItemStyleOpts(opts.ItemStyle{Color: css(b.style.Color)}),
		func(s *charts.SingleSeries) {
			s.Encode, s.Id = &opts.Encode{X: []int{0, 1}, Y: 2}, "bins" // which the script draws
		},
	)
	return optionOf(chart)
}
