package charts

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is a chart of one quantity for each of some categories, with a bar a
// series in every category. Bars are measured from zero, so the value axis is
// linear and starts there.
type Bar struct {
	Title string
	// X names what the categories are, such as "tensor"; it may be left empty.
	X Axis
	// Y is the axis of the values, also when the bars lie.
	Y Axis
	// Categories name the groups of bars, in order.
	Categories []string
	Series     []Series
	// Horizontal lays the bars down, with the first category on top. Bars lie
	// anyway when the categories' names do not fit side by side.
	Horizontal bool
}

const (
	groupShare  = 0.7 // of the space of a category that its bars take
	barGap      = 0.1 // between the bars of a category, in bars
	maxBarWidth = 48
	minBarWidth = 6
	lyingBar    = 15  // space of a lying bar
	lyingSlot   = 24  // least space of a lying category
	nameWidth   = 300 // most that the name of a lying category takes
	maxLabelled = 40  // bars that carry their value
)

// Figure checks the chart and draws it. It fails when there is no title, value
// axis label, category or series; when a series has not one finite value for
// each category, or has X; when two categories or two series have one name or
// look the same; when an axis is logarithmic; and beyond 200 bars.
func (b Bar) Figure() (*Figure, error) {
	f, err := b.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: bar chart %.80q: %w", oneLine(b.Title), err)
	}
	return f, nil
}

// bars is a checked bar chart.
type bars struct {
	x, y       Axis
	categories []string
	series     []Series
	entries    []entry
	values     scale
	lying      bool
	names      []string   // of the categories, as they are drawn
	texts      [][]string // of the values, a series each; nil when bars carry none
}

func (b Bar) figure() (*Figure, error) {
	title, x, y := oneLine(b.Title), b.X.clean(), b.Y.clean()
	categories := make([]string, len(b.Categories))
	for i, c := range b.Categories {
		categories[i] = oneLine(c)
	}
	series, err := checkBars(title, x, y, categories, b.Series)
	if err != nil {
		return nil, err
	}
	styles, err := assignStyles(series)
	if err != nil {
		return nil, err
	}
	var all [][]float64
	for _, s := range series {
		all = append(all, s.Y)
	}
	lo, hi := extent(all...)
	values, err := newScale(y, min(lo, 0), max(hi, 0), 6, areWhole(all...))
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(series))
	for i, s := range series {
		entries[i] = entry{name: s.Name, style: styles[i], bar: true}
	}
	c := bars{x: x, y: y, categories: categories, series: series, entries: entries, values: values, lying: b.Horizontal}
	frame := newFrame(title, entries, x, y)
	if err := c.arrange(&frame, lo); err != nil {
		return nil, err
	}
	option, err := c.option(frame)
	if err != nil {
		return nil, err
	}
	s := script{Option: option, Unit: y.Unit, X: c.categoryLabels(), Y: values.labels()}
	if c.lying {
		s.X, s.Y = s.Y, s.X
	}
	kind := "Bar chart of " + y.title()
	if x.Label != "" {
		kind += " by " + x.title()
	}
	return newFigure(figureParts{
		frame:  frame,
		title:  title,
		kind:   kind,
		notes:  c.notes(),
		table:  c.table(),
		plot:   c.plot,
		script: s,
	})
}

func checkBars(title string, x, y Axis, categories []string, raw []Series) ([]Series, error) {
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	switch {
	case len(categories) == 0:
		return nil, errors.New("there are no categories")
	case x.Log || y.Log:
		return nil, errors.New("bars are measured from zero, which a log axis does not have: use a Line")
	case len(categories)*len(raw) > maxBars:
		return nil, fmt.Errorf("there are %d bars, more than %d: use a Table", len(categories)*len(raw), maxBars)
	}
	if err := y.check("y"); err != nil {
		return nil, err
	}
	if x != (Axis{}) {
		if err := x.check("x"); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for i, c := range categories {
		if c == "" {
			return nil, fmt.Errorf("Categories[%d] is empty", i)
		}
		if seen[c] {
			return nil, fmt.Errorf("two categories have the name %q", c)
		}
		seen[c] = true
		if err := checkFits("the category", c, 5*nameWidth); err != nil {
			return nil, err
		}
	}
	series, err := cleanSeries(raw)
	if err != nil {
		return nil, err
	}
	for _, s := range series {
		err := checkValues(y, "Y", s.Y)
		switch {
		case len(s.X) > 0:
			err = errors.New("X is set: the bars stand on Categories")
		case s.Dashed:
			err = errors.New("bars cannot be dashed")
		case len(s.Y) != len(categories):
			err = fmt.Errorf("Y has %d values for %d categories", len(s.Y), len(categories))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.label(), err)
		}
	}
	return series, nil
}

// namesWidth is the width of the widest name of a category.
func (c *bars) namesWidth() int {
	widest := 0.0
	for _, name := range c.names {
		widest = max(widest, textWidth(name, textSize))
	}
	return int(math.Ceil(widest)) + 1
}

// arrange decides whether the bars lie and carry their values, and sizes the
// frame for it. lo is the smallest value.
func (c *bars) arrange(f *frame, lo float64) error {
	c.names = c.categories
	slot := (figureWidth - 2*pad - nameHeight - c.values.labelWidth() - 16) / float64(len(c.categories))
	c.lying = c.lying || float64(c.namesWidth()+8) > slot || c.pitch(slot) < minBarWidth
	if c.lying {
		c.names = make([]string, len(c.categories))
		full := map[string]string{}
		for i, name := range c.categories {
			c.names[i] = shorten(name, nameWidth)
			if other, taken := full[c.names[i]]; taken {
				return fmt.Errorf("the categories %q and %q are too long to be told apart", other, name)
			}
			full[c.names[i]] = name
		}
	}

	var texts [][]string
	valueWidth := 0.0
	for _, s := range c.series {
		texts = append(texts, formatTogether(s.Y, 3))
		for _, text := range texts[len(texts)-1] {
			valueWidth = max(valueWidth, textWidth(text, textSize))
		}
	}
	if lo >= 0 && len(c.series)*len(c.categories) <= maxLabelled && (c.lying || valueWidth+4 <= c.pitch(slot)) {
		c.texts = texts
	}
	if c.lying {
		f.x, f.y = f.y, f.x
		slot := max(lyingSlot, lyingBar*float64(len(c.series))/groupShare)
		length := max(slot*float64(len(c.categories)), textWidth(f.y, textSize))
		f.height = f.top() + int(math.Ceil(length)) + 2*pad + 2*nameHeight
		if c.texts != nil {
			f.right += valueWidth
		}
	}
	return nil
}

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
		}
	}
	base := draw.LineStyle{Color: axisLine, Width: 1}
	if c.lying {
		canvas.StrokeLine2(base, value(0), canvas.Min.Y, value(0), canvas.Max.Y)
	} else {
		canvas.StrokeLine2(base, canvas.Min.X, value(0), canvas.Max.X, value(0))
	}
}

func (c *bars) option(f frame) (json.RawMessage, error) {
	chart := charts.NewBar()
	chart.SetXAxis(c.categories)
	position := "top"
	if c.lying {
		position = "right"
		chart.XYReversal()
		chart.SetGlobalOptions(f.options()...)
		chart.SetGlobalOptions(
			charts.WithXAxisOpts(xOption(c.y, c.values)),
			charts.WithYAxisOpts(opts.YAxis{
				Type: "category", Inverse: opts.Bool(true),
				Name: c.x.title(), NameLocation: "middle", // the script sets its gap
			}),
		)
	} else {
		chart.SetGlobalOptions(f.options()...)
		chart.SetGlobalOptions(
			charts.WithXAxisOpts(opts.XAxis{Type: "category", Name: c.x.title(), NameLocation: "middle", NameGap: 26}),
			charts.WithYAxisOpts(yOption(c.y, c.values)),
		)
	}
	chart.SetGlobalOptions(charts.WithTooltipOpts(opts.Tooltip{
		Show: opts.Bool(true), Trigger: "axis", AxisPointer: &opts.AxisPointer{Type: "shadow"},
	}))
	for i, s := range c.series {
		data := make([]opts.BarData, len(s.Y))
		for j, v := range s.Y {
			data[j].Value = v
			if c.texts != nil {
				data[j].Label = &opts.Label{Show: opts.Bool(true), Position: position, Formatter: c.texts[i][j]}
			}
		}
		chart.AddSeries(seriesName(s, c.y), data,
			charts.WithBarChartOpts(opts.BarChart{
				BarGap:         fmt.Sprintf("%.0f%%", 100*barGap),
				BarCategoryGap: fmt.Sprintf("%.0f%%", 100*(1-groupShare)),
			}),
			func(s *charts.SingleSeries) { s.BarMaxWidth = fmt.Sprint(maxBarWidth) },
			charts.WithItemStyleOpts(opts.ItemStyle{Color: css(c.entries[i].style.Color)}),
			charts.WithEmphasisOpts(opts.Emphasis{Focus: "series"}),
		)
	}
	return optionOf(chart)
}

// categoryLabels lists what the script writes for each category.
func (c *bars) categoryLabels() [][2]any {
	list := make([][2]any, len(c.names))
	for i, name := range c.names {
		list[i] = [2]any{c.categories[i], name}
	}
	return list
}

func (c *bars) table() Table {
	t := Table{Columns: []string{c.x.title()}}
	for _, s := range c.series {
		t.Columns = append(t.Columns, seriesName(s, c.y))
	}
	for i, name := range c.categories {
		row := []any{name}
		for _, s := range c.series {
			row = append(row, s.Y[i])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// notes says in words what each series does, for the alternative text.
func (c *bars) notes() []string {
	var notes []string
	for _, s := range c.series {
		least, most := 0, 0
		for i, v := range s.Y {
			if v < s.Y[least] {
				least = i
			}
			if v > s.Y[most] {
				most = i
			}
		}
		name := s.Name
		if name != "" {
			name += ": "
		}
		notes = append(notes, fmt.Sprintf("%sfrom %s (%s) to %s (%s)", name,
			formatNumber(s.Y[least]), c.categories[least], formatNumber(s.Y[most]), c.categories[most]))
	}
	return notes
}
