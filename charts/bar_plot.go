package charts

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barWidth is the width of a bar in a category that has the space slot.
func (c *bars) barWidth(slot float64) float64 {
	n := float64(len(c.series))
	return min(maxBarWidth, groupShare*slot/(n+(n-1)*barGap))
}

// pitch is the distance from one bar of a category to the next.
func (c *bars) pitch(slot float64) float64 { return c.barWidth(slot) * (1 + barGap) }

func (c *bars) plot() *plot.Plot {
	p := newPlot()
	var ticks plot.ConstantTicks
	for i, name := range c.names {
		ticks = append(ticks, plot.Tick{Value: c.center(i), Label: name})
	}
	values, categories := &p.Y, &p.X
	grid := &plotter.Grid{}
	if c.lying {
		values, categories = &p.X, &p.Y
		grid.Vertical = draw.LineStyle{Color: gridLine, Width: 1}
	} else {
		grid.Horizontal = draw.LineStyle{Color: gridLine, Width: 1}
	}
	useScale(values, c.values)
	for _, a := range []*plot.Axis{values, categories} {
		a.LineStyle.Width = 0 // the bars draw their own base line
		a.Tick.Color = color.Transparent
	}
	categories.Min, categories.Max = 0, float64(len(c.categories))
	categories.Tick.Marker = ticks
	p.Add(grid, c)
	return p
}

// center is where category i stands on an axis from 0 to len(categories); lying
// bars start on top.
func (c *bars) center(i int) float64 {
	if c.lying {
		i = len(c.categories) - 1 - i
	}
	return float64(i) + 0.5
}

// Plot draws the bars, for gonum's plot.
func (c *bars) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	along, value := x, y
	if c.lying {
		along, value = y, x
	}
	slot := float64(along(1) - along(0))
	width, pitch := vg.Length(c.barWidth(slot)), vg.Length(c.pitch(slot))
	group := pitch*vg.Length(len(c.series)-1) + width
	label := textStyle(textSize, softInk)
	label.XAlign, label.YAlign = draw.XCenter, draw.YBottom
	if c.lying {
		label.XAlign, label.YAlign = draw.XLeft, draw.YCenter
	}
	for si, s := range c.series {
		for i, v := range s.Y {
			from := along(c.center(i)) - group/2 + vg.Length(si)*pitch
			if c.lying {
				from = along(c.center(i)) + group/2 - vg.Length(si)*pitch - width
			}
			bar := vg.Rectangle{Min: vg.Point{X: from, Y: value(0)}, Max: vg.Point{X: from + width, Y: value(v)}}
			at := vg.Point{X: from + width/2, Y: value(v) + 2}
			if c.lying {
				bar = vg.Rectangle{Min: vg.Point{X: value(0), Y: from}, Max: vg.Point{X: value(v), Y: from + width}}
				at = vg.Point{X: value(v) + 4, Y: from + width/2 + lift}
			}
			canvas.SetColor(c.entries[si].style.Color)
			canvas.Fill(bar.Path())
			if c.texts != nil {
				canvas.FillText(label, at, c.texts[si][i])
			}
			if s.hasErrors() {
				whisker{at: from + width/2, from: value(s.Low[i]), to: value(s.High[i]), lying: c.lying}.draw(canvas)
			}
		}
	}
	base := draw.LineStyle{Color: axisLine, Width: 1}
	if c.lying {
		canvas.StrokeLine2(base, value(0), canvas.Min.Y, value(0), canvas.Max.Y)
	} else {
		canvas.StrokeLine2(base, canvas.Min.X, value(0), canvas.Max.X, value(0))
	}
}
