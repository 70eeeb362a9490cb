package charts

import (
	"encoding/json"
	"fmt"
	"image/color"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// color returns the colour of a cell.
func (c *cells) color(row, column int) color.RGBA {
	return rampAt(c.scale.at(c.values[row][column]))
}

func (c *cells) plot() *plot.Plot {
	p := newPlot()
	var columns, rows plot.ConstantTicks
	for i, name := range c.shown {
		if name != "" {
			columns = append(columns, plot.Tick{Value: float64(i) + 0.5, Label: name})
		}
	}
	for i, name := range c.names {
		rows = append(rows, plot.Tick{Value: float64(len(c.rows)-i) - 0.5, Label: name})
	}
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, float64(len(c.columns)), columns
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, float64(len(c.rows)), rows
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Width = 0
		a.Tick.Color = color.Transparent
	}
	p.Add(c)
	return p
}

// Plot draws the cells, for gonum's plot.
func (c *cells) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	text := textStyle(textSize, ink)
	text.XAlign, text.YAlign = draw.XCenter, draw.YCenter
	for i, row := range c.values {
		bottom, top := y(float64(len(c.rows)-1-i)), y(float64(len(c.rows)-i))
		for j := range row {
			left, right := x(float64(j)), x(float64(j)+1)
			ground := c.color(i, j)
			canvas.SetColor(ground)
			canvas.Fill(vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}.Path())
			if c.fits {
				text.Color = inkOn(ground)
				canvas.FillText(text, vg.Point{X: (left + right) / 2, Y: (bottom+top)/2 + lift}, c.texts[i][j])
			}
		}
	}
}

// option colours a cell by its place on the scale, from 0 to 1, since ECharts
// has no logarithmic colours.
func (c *cells) option(f frame) (json.RawMessage, error) {
	chart := charts.NewHeatMap()
	chart.SetGlobalOptions(f.options()...)
	colors := make([]string, len(ramp))
	for i, step := range ramp {
		colors[i] = css(step)
	}
	chart.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{
			Type: "category", Data: c.columns, Name: c.x.title(), NameLocation: "middle", NameGap: 26,
			AxisLabel: &opts.AxisLabel{Interval: "0", HideOverlap: opts.Bool(true)},
		}),
		charts.WithYAxisOpts(opts.YAxis{
			Type: "category", Data: c.rows, Inverse: opts.Bool(true), Name: c.y.title(), NameLocation: "middle", // the script sets its gap
		}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "item"}),
		charts.WithVisualMapOpts(opts.VisualMap{
			Type: "continuous", Min: 0, Max: 1, Dimension: "2", Orient: "horizontal",
			Calculable: opts.Bool(false),
			Text:       []string{f.key.high, f.key.before()},
			InRange:    &opts.VisualMapInRange{Color: colors},
			Left:       fmt.Sprint(pad - 5), Top: fmt.Sprint(f.legendTop()),
		}),
	)
	var data []opts.HeatMapData
	for i, row := range c.values {
		for j, v := range row {
			data = append(data, opts.HeatMapData{Value: [3]any{j, i, c.scale.at(v)}})
		}
	}
	chart.AddSeries(c.value.Label, data)
	return optionOf(chart)
}

func (c *cells) script(option json.RawMessage) script {
	s := script{Option: option, Names: &cellNames{}}
	for j, name := range c.columns {
		s.X = append(s.X, [2]any{name, c.shown[j]})
		s.Names.Columns = append(s.Names.Columns, c.x.Label+": "+name)
	}
	for i, name := range c.rows {
		s.Y = append(s.Y, [2]any{name, c.names[i]})
		s.Names.Rows = append(s.Names.Rows, c.y.Label+": "+name)
	}
	for i, row := range c.values {
		for j, v := range row {
			value := c.value.Label + ": " + formatNumber(v)
			if c.value.Unit != "" {
				value += " " + c.value.Unit
			}
			s.Cells = append(s.Cells, [2]string{c.texts[i][j], css(inkOn(c.color(i, j)))})
			s.Names.Values = append(s.Names.Values, value)
		}
	}
	return s
}
