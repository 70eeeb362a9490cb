package charts

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	whiskerWidth = 8 // of the caps at the ends of an error bar
	whiskerInk   = 1.5
)

// An error bar is a dark line with a light edge, which stands out on bars and on
// light and dark grounds.
var (
	whiskerEdge = rgb(0xff, 0xff, 0xff)
	whiskerLine = rgb(0x33, 0x33, 0x33)
)

// A whisker is an error bar on a canvas: at a place along the axis of the
// categories, from one place along the axis of the values to another.
type whisker struct {
	at, from, to vg.Length
	lying        bool
	open         bool // without a cap at from
}

func (w whisker) draw(c draw.Canvas) {
	const half = whiskerWidth / 2
	for _, style := range []draw.LineStyle{{Color: whiskerEdge, Width: 3 * whiskerInk}, {Color: whiskerLine, Width: whiskerInk}} {
		line := func(a1, v1, a2, v2 vg.Length) {
			if w.lying {
				a1, v1, a2, v2 = v1, a1, v2, a2
			}
			c.StrokeLine2(style, a1, v1, a2, v2)
		}
		line(w.at, w.from, w.at, w.to)
		if !w.open {
			line(w.at-half, w.from, w.at+half, w.from)
		}
		line(w.at-half, w.to, w.at+half, w.to)
	}
}

// whiskers draws the error bars of points, for gonum's plot.
type whiskers struct {
	Series
	log bool // the axis of the values
}

// Plot draws them.
func (s whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	low, high := s.ends()
	for i := range s.Y {
		w := whisker{at: x(s.X[i]), to: y(high[i]), open: isOpen(s.log, low[i])}
		if w.open {
			w.from = y(p.Y.Min)
		} else {
			w.from = y(low[i])
		}
		w.draw(c)
	}
}

// addWhiskers adds the error bars of series number of a chart, if it has any, as
// a series that the script draws: place along the one axis, and both ends along
// the other. It has the name of its series, so that the legend hides both.
func addWhiskers(c *charts.RectChart, name string, s Series, at []float64, lying bool, number int) {
	if !s.hasErrors() {
		return
	}
	low, high := s.ends()
	data := make([]opts.CustomData, len(at))
	for i := range data {
		data[i].Value = [3]float64{at[i], low[i], high[i]}
	}
	encode := &opts.Encode{X: 0, Y: []int{1, 2}}
	if lying {
		encode = &opts.Encode{X: []int{1, 2}, Y: 0}
	}
	custom := charts.NewCustom()
	custom.AddSeries(name, data,
		charts.WithItemStyleOpts(opts.ItemStyle{Color: css(whiskerLine), BorderColor: css(whiskerEdge)}),
		func(w *charts.SingleSeries) { w.Encode, w.Id = encode, whiskerID(number) },
	)
	c.Overlap(custom)
}

// whiskerID tells the script which series the error bars belong to.
func whiskerID(number int) string { return fmt.Sprintf("error-%d", number) }
