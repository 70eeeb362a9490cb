package charts

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lengths are CSS pixels, which are points of the static picture.
const (
	figureWidth = 720
	dataHeight  = 320 // of the data with its axes, except where bars lie
	pad         = 16  // around everything
	axisLength  = 260 // less than that of any axis but those of lying bars
	textSize    = 12
	titleSize   = 16
	titleLead   = 21 // from one line of the title to the next
	legendLead  = 22 // from one row of the legend to the next
	legendIcon  = 26
	nameHeight  = 20  // of the name of an axis
	lift        = 1.5 // from the middle of a text to the middle of its letters
	markerSize  = 8
	lineWidth   = 2
)

var (
	ink      = rgb(0x33, 0x33, 0x33) // title, legend, axis labels
	softInk  = rgb(0x5c, 0x60, 0x6b) // tick labels
	axisLine = rgb(0x6e, 0x70, 0x79)
	gridLine = rgb(0xe0, 0xe6, 0xf1)
)

// A frame is what stands around the data: title above, then the legend. Both
// pictures leave the same space for it.
type frame struct {
	width, height int
	title         []string
	entries       []entry   // one a series
	legend        [][]entry // those that are shown, in rows
	key           *key      // of colours, in place of a legend
	right         float64   // free space to the right of the data
	x, y          string    // what stands below and left of the data
}

// An entry is a series in the legend.
type entry struct {
	name   string
	style  Style
	bar    bool // else a line or points
	points bool // markers without a line
	dashed bool
	marked bool
}

func newFrame(title string, entries []entry, x, y Axis) frame {
	const width = figureWidth - 2*pad
	f := frame{width: figureWidth, title: wrap(title, width), entries: entries, right: pad, x: x.title(), y: y.title()}
	if len(entries) > 1 || len(entries) == 1 && entries[0].name != "" {
		row, used := 0, 0.0
		for _, e := range entries {
			if used > 0 && used+e.width() > width {
				row, used = row+1, 0
			}
			if row == len(f.legend) {
				f.legend = append(f.legend, nil)
			}
			f.legend[row] = append(f.legend[row], e)
			used += e.width()
		}
	}
	f.height = f.top() + dataHeight
	return f
}

// width is what the entry takes in a row, with the gap to the next one.
func (e entry) width() float64 { return legendIcon + 6 + textWidth(e.name, textSize) + 16 }

// legendTop is the distance of the legend from the top edge.
func (f frame) legendTop() int { return pad + titleLead*len(f.title) + 4 }

// top is the distance of the data from the top edge.
func (f frame) top() int {
	rows := len(f.legend)
	if f.key != nil {
		rows = 1
	}
	return f.legendTop() + legendLead*rows + 10
}

// draw draws the card: white ground, title, legend and the plot.
func (f frame) draw(c draw.Canvas, p *plot.Plot) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	bold := textStyle(titleSize, ink)
	bold.Font.Weight = 3 // golang.org/x/image/font.WeightBold
	y := c.Max.Y - pad
	for _, line := range f.title {
		c.FillText(bold, vg.Point{X: c.Min.X + pad, Y: y}, line)
		y -= titleLead
	}
	label := textStyle(textSize, ink)
	label.YAlign = draw.YCenter
	y = c.Max.Y - vg.Length(f.legendTop()) - legendLead/2
	if f.key != nil {
		f.key.draw(c, c.Min.X+pad, y)
	}
	for _, row := range f.legend {
		x := c.Min.X + pad
		for _, e := range row {
			e.drawIcon(c, x, y)
			c.FillText(label, vg.Point{X: x + legendIcon + 6, Y: y + lift}, e.name)
			x += vg.Length(e.width())
		}
		y -= legendLead
	}
	f.drawData(draw.Crop(c, pad, -vg.Length(f.right), pad, -vg.Length(f.top())), p)
}

// drawData draws the plot and beside it the names of the axes, which gonum would
// place wrongly along a log axis.
func (f frame) drawData(c draw.Canvas, p *plot.Plot) {
	inner := c
	if f.x != "" {
		inner.Min.Y += nameHeight
	}
	if f.y != "" {
		inner.Min.X += nameHeight
	}
	p.Draw(inner)
	data := p.DataCanvas(inner)
	name := textStyle(textSize, ink)
	name.XAlign, name.YAlign = draw.XCenter, draw.YBottom
	c.FillText(name, vg.Point{X: data.Center().X, Y: c.Min.Y}, f.x)
	name.YAlign = draw.YTop
	name.Rotation = math.Pi / 2
	c.FillText(name, vg.Point{X: c.Min.X, Y: data.Center().Y}, f.y)
}

func (e entry) drawIcon(c draw.Canvas, x, y vg.Length) {
	if e.bar {
		c.SetColor(e.style.Color)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y - 6}, Max: vg.Point{X: x + legendIcon, Y: y + 6}}.Path())
		return
	}
	if !e.points {
		c.StrokeLine2(e.line(), x, y, x+legendIcon, y)
	}
	if e.marked {
		c.DrawGlyph(e.glyph(), vg.Point{X: x + legendIcon/2, Y: y})
	}
}

func (e entry) line() draw.LineStyle {
	s := draw.LineStyle{Color: e.style.Color, Width: lineWidth}
	if e.dashed {
		s.Dashes = []vg.Length{6, 4}
	}
	return s
}

func (e entry) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: e.style.Color, Radius: markerSize / 2, Shape: shapes[e.style.Marker]}
}

func textStyle(size float64, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(size)},
		XAlign:  draw.XLeft,
		YAlign:  draw.YTop,
		Handler: visibleText{text.Plain{Fonts: font.DefaultCache}},
	}
}

func textWidth(s string, size float64) float64 {
	return float64(textStyle(size, ink).Width(s))
}

// wrap breaks a title between words into lines of at most width, measured in the
// font of the title: as few as possible, of about the same length.
func wrap(title string, width float64) []string {
	const step = 8
	lines := fill(title, width)
	for width -= step; width > 0 && len(lines) > 1; width -= step {
		narrower := fill(title, width)
		if len(narrower) > len(lines) {
			break
		}
		lines = narrower
	}
	return lines
}

// fill breaks a title where the next word does not fit.
func fill(title string, width float64) []string {
	const boldness = 1.08 // of bold to regular letters
	var lines []string
	line := ""
	for _, word := range strings.Fields(title) {
		next := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && boldness*textWidth(next, titleSize) > width {
			lines = append(lines, line)
			next = word
		}
		line = next
	}
	return append(lines, line)
}

// shorten cuts the middle out of a name that is wider than width.
func shorten(name string, width float64) string {
	runes := []rune(name)
	for cut := 1; textWidth(name, textSize) > width && cut < len(runes); cut++ {
		keep := len(runes) - cut
		name = string(runes[:(keep+1)/2]) + "…" + string(runes[len(runes)-keep/2:])
	}
	return name
}

// newPlot returns an empty plot with the axes of a chart.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: axisLine, Width: 1}
		a.Tick.LineStyle = draw.LineStyle{Color: axisLine, Width: 1}
		a.Tick.Length = 5
		a.Tick.Label.Font = textStyle(textSize, ink).Font
		a.Tick.Label.Color = softInk
	}
	return p
}

// useScale gives a plot's axis the range and the ticks of s.
func useScale(axis *plot.Axis, s scale) {
	axis.Min, axis.Max = s.min, s.max
	if s.log {
		axis.Scale = plot.LogScale{}
	}
	var ticks plot.ConstantTicks
	for _, t := range s.ticks {
		ticks = append(ticks, plot.Tick{Value: t.value, Label: t.label})
	}
	for _, v := range s.minor {
		ticks = append(ticks, plot.Tick{Value: v})
	}
	axis.Tick.Marker = ticks
}
