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
	"gonum.org/v1/plot/vg/draw"
)

// Line is a chart of quantities that depend on a number. Each series is a line
// through its points in order of X; the points have markers when there are few
// of them.
//
// A linear y axis starts at zero, unless all values lie within a fifth of the
// largest one: then zero would hide how they differ. The range of an axis ends at
// whole ticks, unless [Axis] sets it.
type Line struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// maxMarked is the number of points up to which a line has markers.
const maxMarked = 40

// Figure checks the chart and draws it. It fails when there is no title, axis
// label, series or point; when the X and Y of a series differ in length, or X
// does not increase; when a value or the high end of an error bar is not finite, not
// positive on a log axis or beyond a range that was set; when a low end is not finite
// or beyond such a range; when an error bar does not hold its value; when two series
// have one name or look the same; and beyond 20,000 points.
func (l Line) Figure() (*Figure, error) {
	f, err := l.figure()
	if err != nil {
		return nil, fmt.Errorf("charts: line chart %.80q: %w", oneLine(l.Title), err)
	}
	return f, nil
}

func (l Line) figure() (*Figure, error) {
	title, x, y := oneLine(l.Title), l.X.clean(), l.Y.clean()
	series, err := checkLines(title, x, y, l.Series)
	if err != nil {
		return nil, err
	}
	styles, err := assignStyles(series)
	if err != nil {
		return nil, err
	}
	var xs, ys [][]float64
	for _, s := range series {
		xs, ys = append(xs, s.X), append(ys, s.Y)
	}
	lo, hi := extent(xs...)
	xScale, err := newScale(x, lo, hi, 8, areWhole(xs...))
	if err != nil {
		return nil, err
	}
	lo, hi = yExtent(y.Log, series)
	if !y.Log {
		lo, hi = withZero(lo, hi)
	}
	yScale, err := newScale(y, lo, hi, 6, areWhole(ys...))
	if err != nil {
		return nil, err
	}

	entries := make([]entry, len(series))
	for i, s := range series {
		entries[i] = entry{name: s.Name, style: styles[i], dashed: s.Dashed, marked: !s.Dashed && len(s.X) <= maxMarked}
	}
	frame := newFrame(title, entries, x, y)
	option, err := lineOption(frame, x, y, xScale, yScale, series)
	if err != nil {
		return nil, err
	}
	return newFigure(figureParts{
		frame: frame,
		title: title,
		kind:  "Line chart of " + y.title() + " against " + x.title(),
		notes: append(lineNotes(series), openNote(y.Log, series)...),
		table: lineTable(x, y, series),
		plot:  func() *plot.Plot { return linePlot(xScale, yScale, series, entries) },
		script: script{
			Option: option,
			Unit:   y.Unit,
			X:      xScale.labels(),
			Y:      yScale.labels(),
		},
	})
}

func checkLines(title string, x, y Axis, raw []Series) ([]Series, error) {
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	if err := x.check("x"); err != nil {
		return nil, err
	}
	if err := y.check("y"); err != nil {
		return nil, err
	}
	series, err := cleanSeries(raw)
	if err != nil {
		return nil, err
	}
	points := 0
	for _, s := range series {
		if err := checkLine(x, y, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.label(), err)
		}
		points += len(s.X)
	}
	if points > maxPoints {
		return nil, fmt.Errorf("there are %d points, more than %d: thin them out or average them", points, maxPoints)
	}
	return series, nil
}

func checkLine(x, y Axis, s Series) error {
	switch {
	case len(s.X) != len(s.Y):
		return fmt.Errorf("X has %d values and Y has %d", len(s.X), len(s.Y))
	case len(s.X) == 0:
		return errors.New("there are no points")
	case len(s.X) == 1 && s.Dashed:
		return errors.New("a dashed line needs two points")
	case len(s.Labels) > 0:
		return errors.New("Labels is set: only a Scatter names its points")
	}
	if err := checkValues(x, "X", s.X); err != nil {
		return err
	}
	if err := checkValues(y, "Y", s.Y); err != nil {
		return err
	}
	if err := checkErrors(y, s); err != nil {
		return err
	}
	return checkIncreases(s.X)
}

func checkIncreases(xs []float64) error {
	for i := 1; i < len(xs); i++ {
		if xs[i] <= xs[i-1] {
			return fmt.Errorf("X[%d] is %g after %g: X must increase", i, xs[i], xs[i-1])
		}
	}
	return nil
}

// withZero widens a range to zero unless it is narrower than a fifth of its
// largest value.
func withZero(lo, hi float64) (float64, float64) {
	switch {
	case lo > 0 && lo <= 0.8*hi:
		return 0, hi
	case hi < 0 && hi >= 0.8*lo:
		return lo, 0
	}
	return lo, hi
}

func linePlot(xs, ys scale, series []Series, entries []entry) *plot.Plot {
	p := newPlot()
	useScale(&p.X, xs)
	useScale(&p.Y, ys)
	grid := draw.LineStyle{Color: gridLine, Width: 1}
	p.Add(&plotter.Grid{Vertical: grid, Horizontal: grid})
	for i, s := range series {
		points := s.xys()
		if s.hasErrors() {
			p.Add(whiskers{s, ys.log})
		}
		p.Add(&plotter.Line{XYs: points, LineStyle: entries[i].line()})
		if entries[i].marked {
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: entries[i].glyph()})
		}
	}
	return p
}

func (s Series) xys() plotter.XYs {
	points := make(plotter.XYs, len(s.X))
	for i := range points {
		points[i] = plotter.XY{X: s.X[i], Y: s.Y[i]}
	}
	return points
}

func lineOption(f frame, x, y Axis, xs, ys scale, series []Series) (json.RawMessage, error) {
	c := charts.NewLine()
	c.SetGlobalOptions(f.options()...)
	c.SetGlobalOptions(charts.WithXAxisOpts(xOption(x, xs)), charts.WithYAxisOpts(yOption(y, ys)))
	for i, s := range series {
		addLine(c, seriesName(s, y), s, f.entries[i])
	}
	for i, s := range series {
		addWhiskers(&c.RectChart, seriesName(s, y), s, s.X, false, i)
	}
	return optionOf(c)
}

func addLine(c *charts.Line, name string, s Series, e entry) {
	data := make([]opts.LineData, len(s.X))
	for j := range data {
		data[j].Value = [2]float64{s.X[j], s.Y[j]}
	}
	kind := "solid"
	if e.dashed {
		kind = "dashed"
	}
	shape := shapes[e.style.Marker]
	c.AddSeries(name, data,
		charts.WithLineChartOpts(opts.LineChart{
			Symbol: shape.symbol(), SymbolSize: markerSize * shape.size, ShowSymbol: opts.Bool(e.marked),
		}),
		charts.WithItemStyleOpts(opts.ItemStyle{Color: css(e.style.Color)}),
		charts.WithLineStyleOpts(opts.LineStyle{Color: css(e.style.Color), Width: lineWidth, Type: kind}),
		charts.WithEmphasisOpts(opts.Emphasis{Focus: "series"}),
	)
}

// seriesName is what a tooltip calls a series.
func seriesName(s Series, y Axis) string {
	if s.Name == "" {
		return y.Label
	}
	return s.Name
}

// maxRows is the number of rows up to which the text of a line chart lists all
// points; beyond, it lists where each series goes.
const maxRows = 40

func lineTable(x, y Axis, series []Series) Table {
	var at []float64
	for _, s := range series {
		at = append(at, s.X...)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) > maxRows {
		return lineSummary(x, y, series)
	}
	t := Table{Columns: []string{x.title()}}
	for _, s := range series {
		t.Columns = append(t.Columns, s.columns(y)...)
	}
	for _, v := range at {
		row := []any{v}
		for _, s := range series {
			if i, found := slices.BinarySearch(s.X, v); found {
				row = append(row, s.cells(i)...)
			} else {
				row = append(row, make([]any, len(s.columns(y)))...)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func lineSummary(x, y Axis, series []Series) Table {
	t := Table{Columns: []string{"series", "points", "first " + x.Label, "last " + x.Label, "first", "smallest", "largest", "last"}}
	for _, s := range series {
		lo, hi := extent(s.Y)
		last := len(s.X) - 1
		t.Rows = append(t.Rows, []any{seriesName(s, y), len(s.X), s.X[0], s.X[last], s.Y[0], lo, hi, s.Y[last]})
	}
	return t
}

// lineNotes says in words what each series does, for the alternative text.
func lineNotes(series []Series) []string {
	var notes []string
	for _, s := range series {
		last := len(s.X) - 1
		name := s.Name
		if name != "" {
			name += ": "
		}
		if level := s.level(); level != "" {
			notes = append(notes, name+level)
			continue
		}
		note := fmt.Sprintf("%sfrom %s at %s to %s at %s", name,
			s.written(0), formatNumber(s.X[0]), s.written(last), formatNumber(s.X[last]))
		lo, hi := min(s.Y[0], s.Y[last]), max(s.Y[0], s.Y[last])
		if i := slices.Index(s.Y, slices.Min(s.Y)); s.Y[i] < lo {
			note += fmt.Sprintf(", lowest %s at %s", s.written(i), formatNumber(s.X[i]))
		}
		if i := slices.Index(s.Y, slices.Max(s.Y)); s.Y[i] > hi {
			note += fmt.Sprintf(", highest %s at %s", s.written(i), formatNumber(s.X[i]))
		}
		notes = append(notes, note)
	}
	return notes
}
