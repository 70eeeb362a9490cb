package charts

import (
	"encoding/json"
	"image/color"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// points is a checked chart of points, with dashed lines among them.
type points struct {
	title  string
	x, y   Axis
	series []Series
	xs, ys scale
}

// scale gives the axes the ranges of the series.
func (c *points) scale() error {
	var xs, ys [][]float64
	for _, s := range c.series {
		xs, ys = append(xs, s.X), append(ys, s.Y)
	}
	lo, hi := extent(xs...)
	var err error
	if c.xs, err = newScale(c.x, lo, hi, 8, areWhole(xs...)); err != nil {
		return err
	}
	lo, hi = yExtent(c.y.Log, c.series)
	if !c.y.Log {
		lo, hi = withZero(lo, hi)
	}
	c.ys, err = newScale(c.y, lo, hi, 6, areWhole(ys...))
	return err
}

func (c *points) figure(kind string, notes []string, table Table) (*Figure, error) {
	styles, err := assignStyles(c.series)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(c.series))
	for i, s := range c.series {
		entries[i] = entry{name: s.Name, style: styles[i], points: !s.Dashed, dashed: s.Dashed, marked: !s.Dashed}
	}
	f := newFrame(c.title, entries, c.x, c.y)
	places := placings(c.series, c.xs, c.ys)
	option, err := c.option(f)
	if err != nil {
		return nil, err
	}
	return newFigure(figureParts{
		frame: f,
		title: c.title,
		kind:  kind,
		notes: notes,
		table: table,
		plot:  func() *plot.Plot { return c.plot(entries, places) },
		script: script{
			Option: option,
			X:      c.xs.labels(),
			Y:      c.ys.labels(),
			Labels: places,
		},
	})
}

func (c *points) plot(entries []entry, places []placing) *plot.Plot {
	p := newPlot()
	useScale(&p.X, c.xs)
	useScale(&p.Y, c.ys)
	grid := draw.LineStyle{Color: gridLine, Width: 1}
	p.Add(&plotter.Grid{Vertical: grid, Horizontal: grid})
	for i, s := range c.series {
		if s.Dashed {
			p.Add(&plotter.Line{XYs: s.xys(), LineStyle: entries[i].line()})
			continue
		}
		if s.hasErrors() {
			p.Add(whiskers{s, c.ys.log})
		}
		p.Add(&plotter.Scatter{XYs: s.xys(), GlyphStyle: entries[i].glyph()})
	}
	for i, s := range c.series {
		if len(s.Labels) > 0 {
			p.Add(pointLabels{s, places[0].Sides[i]})
		}
	}
	return p
}

// pointLabels draws the labels of points, for gonum's plot.
type pointLabels struct {
	Series
	sides []string
}

// Plot draws them.
func (l pointLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, label := range l.Labels {
		if l.sides[i] == "" {
			continue
		}
		at := vg.Point{X: x(l.X[i]), Y: y(l.Y[i])}
		style := textStyle(textSize, ink)
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		around := box{}.moved(l.sides[i], float64(style.Width(label)))
		outlined(c, style, vg.Point{X: at.X + vg.Length(around.left), Y: at.Y - vg.Length(around.top) + lift}, label)
	}
}

// outlined draws a text that stands out from the lines behind it.
func outlined(c draw.Canvas, style text.Style, at vg.Point, label string) {
	ground := style
	ground.Color = color.White
	for _, dx := range []vg.Length{-1.2, 0, 1.2} {
		for _, dy := range []vg.Length{-1.2, 0, 1.2} {
			c.FillText(ground, vg.Point{X: at.X + dx, Y: at.Y + dy}, label)
		}
	}
	c.FillText(style, at, label)
}

func (c *points) option(f frame) (json.RawMessage, error) {
	chart := charts.NewScatter()
	chart.SetGlobalOptions(f.options()...)
	chart.SetGlobalOptions(
		charts.WithXAxisOpts(xOption(c.x, c.xs)),
		charts.WithYAxisOpts(yOption(c.y, c.ys)),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
	)
	for i, s := range c.series {
		e, name := f.entries[i], seriesName(s, c.y)
		if s.Dashed {
			line := charts.NewLine()
			addLine(line, name, s, e)
			chart.Overlap(line)
			continue
		}
		shape := shapes[e.style.Marker]
		data := make([]opts.ScatterData, len(s.X))
		for j := range data {
			data[j].Value = [2]float64{s.X[j], s.Y[j]}
			if len(s.Labels) > 0 {
				data[j].Name = s.Labels[j]
			}
		}
		chart.AddSeries(name, data,
			charts.WithScatterChartOpts(opts.ScatterChart{Symbol: shape.symbol(), SymbolSize: markerSize * shape.size}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: css(e.style.Color)}),
			charts.WithEmphasisOpts(opts.Emphasis{Focus: "series"}),
		)
	}
	for i, s := range c.series {
		addWhiskers(&chart.RectChart, seriesName(s, c.y), s, s.X, false, i)
	}
	return optionOf(chart)
}
