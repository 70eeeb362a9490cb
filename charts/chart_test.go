package charts

import (
	"bytes"
	"encoding/json"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

func exampleLine() Line {
	return Line{
		Title: "Skipping zeros pays below a density of 40%",
		X:     Axis{Label: "density", Unit: "%"},
		Y:     Axis{Label: "time", Unit: "ms"},
		Series: []Series{
			{Name: "skipzeros", X: []float64{10, 50, 100}, Y: []float64{0.25, 1.5, 3.125}},
			{Name: "dense", X: []float64{10, 100}, Y: []float64{1.25, 1.25}},
			{Name: "skipzeros, predicted", Scheme: "skipzeros", X: []float64{10, 100}, Y: []float64{0.3, 3}, Dashed: true},
		},
	}
}

func exampleBar() Bar {
	return Bar{
		Title:      "Quantization error by tensor",
		X:          Axis{Label: "tensor"},
		Y:          Axis{Label: "relative error"},
		Categories: []string{"encoder", "decoder"},
		Series: []Series{
			{Name: "int8", Y: []float64{0.005, 0.0075}},
			{Name: "int4", Y: []float64{0.08, 0.12}},
		},
	}
}

func mustLine(t *testing.T, l Line) *Figure {
	t.Helper()
	f, err := l.Figure()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustBar(t *testing.T, b Bar) *Figure {
	t.Helper()
	f, err := b.Figure()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type figurer interface{ Figure() (*Figure, error) }

func mustFigure(t *testing.T, chart figurer) *Figure {
	t.Helper()
	f, err := chart.Figure()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// figures are the kinds of chart, for tests of what every figure does.
func figures(t *testing.T) map[string]*Figure {
	t.Helper()
	all := map[string]*Figure{}
	for name, chart := range map[string]figurer{
		"line": exampleLine(), "bar": exampleBar(), "errorbar": exampleErrorBar(), "scatter": exampleScatter(),
		"histogram": exampleHistogram(), "heatmap": exampleHeatmap(), "roofline": exampleRoofline(),
	} {
		all[name] = mustFigure(t, chart)
	}
	return all
}

func TestOptionGolden(t *testing.T) {
	for name, f := range figures(t) {
		var got bytes.Buffer
		if err := json.Indent(&got, f.script.Option, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		path := filepath.Join("testdata", name+".option.json")
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s: the option differs from %s (go test -update rewrites it):\n%s", name, path, got.String())
		}
	}
}

func TestText(t *testing.T) {
	for name, want := range map[string]string{
		"line": `Skipping zeros pays below a density of 40%
Line chart of time (ms) against density (%)

density (%)  skipzeros  dense  skipzeros, predicted
-----------  ---------  -----  --------------------
         10      0.250   1.25                   0.3
         50      1.500
        100      3.125   1.25                   3.0
`,
		"bar": `Quantization error by tensor
Bar chart of relative error by tensor

tensor     int8  int4
-------  ------  ----
encoder  0.0050  0.08
decoder  0.0075  0.12
`,
		"errorbar": `Quantization error by tensor
Bar chart of relative error by tensor

tensor   int8  int8, low  int8, high  int4
-------  ----  ---------  ----------  ----
encoder  0.50      0.375        0.75  0.08
decoder  0.75      0.500        1.00  0.12
`,
		"scatter": `Smaller weights cost precision
Scatter chart of relative error against size (bits/weight)

series  point     size (bits/weight)  relative error   low  high
------  --------  ------------------  --------------  ----  ----
w8a16   channel                  8.5           0.005
w4a16   group 32                 5.0           0.080  0.07  0.09
w4a16   group 64                 4.5           0.125  0.10  0.15
bound                            4.0           0.100
bound                            9.0           0.002
`,
		"histogram": `Most weights are small
Histogram: count by weight (1e-3)

weight (1e-3) from  to  count
------------------  --  -----
                -4  -2      1
                -2   0      0
                 0   2      4
                 2   4      0
                 4   6      1
`,
		"heatmap": `Later layers are harder to quantize
Heat map of relative error (%) by tensor and layer

tensor        0    1   2
---------  ----  ---  --
q_proj     0.01  0.1   1
down_proj  0.10  1.0  10
`,
		"roofline": `One row is limited by memory
Roofline chart of rate (Gflop/s) against arithmetic intensity (flop/byte)

kernel  point  arithmetic intensity (flop/byte)  rate (Gflop/s)  of f32 peak  of DRAM  of L2
------  -----  --------------------------------  --------------  -----------  -------  -----
f32     m=1                                 0.5               8           5%      80%    20%
f32     m=64                               32.0             120          75%    18.8%  4.69%
w8a16                                       2.0              30        18.8%      75%  18.8%
`,
	} {
		if got := figures(t)[name].String(); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

func TestLongLinesAreSummedUp(t *testing.T) {
	var x, y []float64
	for i := range 1000 {
		x = append(x, float64(i))
		y = append(y, math.Abs(float64(i)-250)) // 250 at 0, 0 at 250, 749 at 999
	}
	f := mustLine(t, Line{Title: "v", X: Axis{Label: "step"}, Y: Axis{Label: "loss"}, Series: []Series{{X: x, Y: y}}})
	want := `v
Line chart of loss against step

series  points  first step  last step  first  smallest  largest  last
------  ------  ----------  ---------  -----  --------  -------  ----
loss      1000           0        999    250         0      749   749
`
	if got := f.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// What ECharts draws is what the caller gave.
func TestOptionHoldsTheSeries(t *testing.T) {
	type axis struct {
		Type     string
		Name     string
		Min, Max float64
		Data     []string
	}
	var option struct {
		Animation    bool
		XAxis, YAxis []axis
		Series       []struct {
			Name      string
			Type      string
			ItemStyle struct{ Color string }
			LineStyle struct{ Type string }
			Data      []struct{ Value json.RawMessage }
		}
	}
	l := exampleLine()
	f := mustLine(t, l)
	if err := json.Unmarshal(f.script.Option, &option); err != nil {
		t.Fatal(err)
	}
	if option.Animation {
		t.Error("animation is on")
	}
	x, y := option.XAxis[0], option.YAxis[0]
	if x.Name != "density (%)" || x.Min != 0 || x.Max != 100 || y.Name != "time (ms)" || y.Min != 0 || y.Max != 4 {
		t.Errorf("axes %+v and %+v", x, y)
	}
	for i, s := range l.Series {
		got := option.Series[i]
		style, _ := StyleOf(strings.TrimSuffix(s.Name, ", predicted"))
		if got.Name != s.Name || got.Type != "line" || got.ItemStyle.Color != css(style.Color) || (got.LineStyle.Type == "dashed") != s.Dashed {
			t.Errorf("series %d is %+v, want %q in %s", i, got, s.Name, css(style.Color))
		}
		for j, d := range got.Data {
			var point [2]float64
			if err := json.Unmarshal(d.Value, &point); err != nil || point != [2]float64{s.X[j], s.Y[j]} {
				t.Errorf("%s: point %d is %s, want [%g, %g]", s.Name, j, d.Value, s.X[j], s.Y[j])
			}
		}
		if len(got.Data) != len(s.X) {
			t.Errorf("%s: %d points, want %d", s.Name, len(got.Data), len(s.X))
		}
	}

	for _, lying := range []bool{false, true} {
		b := exampleBar()
		b.Horizontal = lying
		if err := json.Unmarshal(mustBar(t, b).script.Option, &option); err != nil {
			t.Fatal(err)
		}
		categories, values := option.XAxis[0], option.YAxis[0]
		if lying {
			categories, values = values, categories
		}
		if !slices.Equal(categories.Data, b.Categories) || values.Name != "relative error" || values.Min != 0 || values.Max != 0.12 {
			t.Errorf("lying %v: axes %+v and %+v", lying, categories, values)
		}
		for i, s := range b.Series {
			for j, d := range option.Series[i].Data {
				var v float64
				if err := json.Unmarshal(d.Value, &v); err != nil || v != s.Y[j] {
					t.Errorf("lying %v: %s: bar %d is %s, want %g", lying, s.Name, j, d.Value, s.Y[j])
				}
			}
		}
	}
}

func decode(t *testing.T, f *Figure) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(f.png))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 2*f.frame.width || size.Y != 2*f.frame.height {
		t.Errorf("the picture has %v pixels, want twice %d x %d", size, f.frame.width, f.frame.height)
	}
	return img
}

// pixels returns where the picture has exactly the colour, below the legend.
func pixels(img image.Image, f *Figure, c color.RGBA) []image.Point {
	var at []image.Point
	b := img.Bounds()
	for y := 2 * f.frame.top(); y < b.Max.Y; y++ {
		for x := range b.Max.X {
			if color.RGBAModel.Convert(img.At(x, y)) == color.Color(c) {
				at = append(at, image.Pt(x, y))
			}
		}
	}
	return at
}

// bounds returns the smallest rectangle around the points.
func bounds(points []image.Point) image.Rectangle {
	var r image.Rectangle
	for _, p := range points {
		r = r.Union(image.Rect(p.X, p.Y, p.X+1, p.Y+1))
	}
	return r
}

func TestPictureHasTheColours(t *testing.T) {
	for name, f := range figures(t) {
		img := decode(t, f)
		for _, e := range f.frame.entries {
			if n := len(pixels(img, f, e.style.Color)); n < 100 {
				t.Errorf("%s: series %q has %d pixels of its colour %s", name, e.name, n, css(e.style.Color))
			}
		}
		if got := color.RGBAModel.Convert(img.At(0, 0)); got != color.Color(rgb(0xff, 0xff, 0xff)) {
			t.Errorf("%s: the corner is %v, want white", name, got)
		}
	}
}

// The bars of one category each are as long as their values.
func TestBarsAreToScale(t *testing.T) {
	names, values := []string{"f32", "w8a16", "w8a8"}, []float64{1, 2, 4}
	for _, lying := range []bool{false, true} {
		b := Bar{Title: "t", Y: Axis{Label: "v"}, Categories: []string{"a"}, Horizontal: lying}
		for i, name := range names {
			b.Series = append(b.Series, Series{Name: name, Y: values[i : i+1]})
		}
		f := mustBar(t, b)
		img := decode(t, f)
		var last image.Rectangle
		unit := 0.0
		for i, name := range names {
			style, _ := StyleOf(name)
			r := bounds(pixels(img, f, style.Color))
			long, ordered := r.Dy(), r.Min.X > last.Max.X
			if lying {
				long, ordered = r.Dx(), r.Min.Y > last.Max.Y
			}
			if i == 0 {
				unit = float64(long)
			} else if !ordered {
				t.Errorf("lying %v: %s does not come after %s", lying, name, names[i-1])
			}
			if math.Abs(float64(long)-values[i]*unit) > 4 {
				t.Errorf("lying %v: %s is %d pixels long, want %g times %g", lying, name, long, values[i], unit)
			}
			last = r
		}
	}
}

// Level lines lie where their axis puts them: equally far apart for equal
// differences, and for equal ratios on a log axis.
func TestLinesAreToScale(t *testing.T) {
	for _, c := range []struct {
		log    bool
		levels []float64
	}{
		{false, []float64{1, 2, 3}},
		{true, []float64{1, 10, 100}},
	} {
		l := Line{Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: "y", Log: c.log}}
		names := []string{"f32", "w8a16", "lowrank"}
		for i, name := range names {
			l.Series = append(l.Series, Series{Name: name, X: []float64{0, 1}, Y: []float64{c.levels[i], c.levels[i]}})
		}
		f := mustLine(t, l)
		img := decode(t, f)
		var rows []float64
		for _, name := range names {
			style, _ := StyleOf(name)
			r := bounds(pixels(img, f, style.Color))
			middle := r
			middle.Min.X, middle.Max.X = r.Min.X+r.Dx()/3, r.Max.X-r.Dx()/3 // without the markers
			var inside []image.Point
			for _, p := range pixels(img, f, style.Color) {
				if p.In(middle) {
					inside = append(inside, p)
				}
			}
			line := bounds(inside)
			rows = append(rows, float64(line.Min.Y+line.Max.Y)/2)
		}
		first, second := rows[0]-rows[1], rows[1]-rows[2]
		if first < 50 || math.Abs(first-second) > 2 {
			t.Errorf("log %v: the lines are %g and %g pixels apart", c.log, first, second)
		}
	}
}

func TestBarsLieWhenNamesDoNotFit(t *testing.T) {
	b := exampleBar()
	if f := mustBar(t, b); f.frame.y != "relative error" {
		t.Error("bars with short names lie")
	}
	b.Categories = []string{strings.Repeat("encoder.", 8), strings.Repeat("decoder.", 8)}
	if f := mustBar(t, b); f.frame.x != "relative error" {
		t.Error("bars with long names stand")
	}
}

func TestNegativeBars(t *testing.T) {
	b := Bar{Title: "t", Y: Axis{Label: "change", Unit: "%"}, Categories: []string{"a", "b"}, Series: []Series{{Y: []float64{10, -10}}}}
	f := mustBar(t, b)
	at := pixels(decode(t, f), f, palette[0].Color)
	var up, down []image.Point
	middle := bounds(at).Min.X + bounds(at).Dx()/2
	for _, p := range at {
		if p.X < middle {
			up = append(up, p)
		} else {
			down = append(down, p)
		}
	}
	if len(up) == 0 || len(down) == 0 || bounds(up).Max.Y > bounds(down).Min.Y+4 || math.Abs(float64(bounds(up).Dy()-bounds(down).Dy())) > 4 {
		t.Errorf("bars of 10 and -10 cover %v and %v", bounds(up), bounds(down))
	}
}

func TestLinearAxisStartsAtZeroUnlessThatHidesTheLine(t *testing.T) {
	for _, c := range []struct {
		y        []float64
		min, max float64
	}{
		{[]float64{1, 4}, 0, 4},
		{[]float64{3.9, 4}, 3.9, 4},
		{[]float64{-4, -1}, -4, 0},
		{[]float64{-1, 1}, -1, 1},
	} {
		f := mustLine(t, Line{Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: "y"}, Series: []Series{{X: []float64{1, 2}, Y: c.y}}})
		ticks := f.script.Y
		if lo, hi := ticks[0][0], ticks[len(ticks)-1][0]; lo != c.min || hi != c.max {
			t.Errorf("%g: the axis goes from %v to %v, want %g to %g", c.y, lo, hi, c.min, c.max)
		}
	}
}

func TestWrongChartsAreRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	line := func(change func(*Line)) Line {
		l := exampleLine()
		change(&l)
		return l
	}
	bar := func(change func(*Bar)) Bar {
		b := exampleBar()
		change(&b)
		return b
	}
	many := make([]float64, maxPoints+1)
	names := make([]string, maxBars+1)
	for i := range many {
		many[i] = float64(i)
	}
	for i := range names {
		names[i] = strings.Repeat("x", i+1)
	}
	checkRefused(t, []refusal{
		{line(func(l *Line) { l.Title = " \n" }), `line chart "": there is no title`},
		{line(func(l *Line) { l.X.Label = "" }), "the x axis has no label"},
		{line(func(l *Line) { l.Y.Label = "" }), "the y axis has no label"},
		{line(func(l *Line) { l.Series = nil }), "there is no series"},
		{line(func(l *Line) { l.Series[1].Name = "" }), "series 2 of 3 has no name"},
		{line(func(l *Line) { l.Series[1].Name = "skipzeros" }), `two series have the name "skipzeros"`},
		{line(func(l *Line) { l.Series[2].Dashed = false }), `look the same: both have the scheme "skipzeros"`},
		{line(func(l *Line) { l.Series[0].X = l.Series[0].X[:2] }), `series "skipzeros": X has 2 values and Y has 3`},
		{line(func(l *Line) { l.Series[0].X, l.Series[0].Y = nil, nil }), `series "skipzeros": there are no points`},
		{line(func(l *Line) { l.Series[2].X, l.Series[2].Y = []float64{1}, []float64{1} }), "a dashed line needs two points"},
		{line(func(l *Line) { l.Series[0].Y[1] = nan }), `series "skipzeros": Y[1] is NaN`},
		{line(func(l *Line) { l.Series[0].X[2] = inf }), `series "skipzeros": X[2] is +Inf`},
		{line(func(l *Line) { l.Series[0].X[1] = 10 }), `series "skipzeros": X[1] is 10 after 10: X must increase`},
		{line(func(l *Line) { l.Y.Log = true; l.Series[0].Y[0] = 0 }), `series "skipzeros": Y[0] is 0, which a log axis does not have`},
		{line(func(l *Line) { l.X.Log = true; l.Series[1].X[0] = -1 }), `series "dense": X[0] is -1, which a log axis does not have`},
		{line(func(l *Line) { l.Series[0].Y[0] = 1e18 }), "larger unit"},
		{line(func(l *Line) { l.Series[0].X, l.Series[0].Y = many, many }), "20005 points"},
		{line(func(l *Line) { l.Title = strings.Repeat("long ", 1000) }), "the title \"long long"},
		{line(func(l *Line) { l.Y.Label = strings.Repeat("long ", 20) }), "the label of the y axis \"long long"},
		{line(func(l *Line) { l.Series[0].Name = strings.Repeat("long ", 30) }), "the series name \"long long"},
		{bar(func(b *Bar) { b.Categories[0] = strings.Repeat("long ", 1e6) }), "the category \"long long"},
		{bar(func(b *Bar) { b.X = Axis{Unit: "k"} }), "the x axis has no label"},
		{bar(func(b *Bar) { b.Title = "" }), `bar chart "": there is no title`},
		{bar(func(b *Bar) { b.Y.Label = "" }), "the y axis has no label"},
		{bar(func(b *Bar) { b.Categories = nil }), "there are no categories"},
		{bar(func(b *Bar) { b.Categories[1] = "" }), "Categories[1] is empty"},
		{bar(func(b *Bar) { b.Categories[1] = "encoder" }), `two categories have the name "encoder"`},
		{bar(func(b *Bar) { b.Series = nil }), "there is no series"},
		{bar(func(b *Bar) { b.Series[1].Name = "int8" }), `two series have the name "int8"`},
		{bar(func(b *Bar) { b.Series[1].Scheme = "int8" }), "look the same"},
		{bar(func(b *Bar) { b.Series[1].Y = b.Series[1].Y[:1] }), `series "int4": Y has 1 values for 2 categories`},
		{bar(func(b *Bar) { b.Series[1].X = []float64{0, 1} }), `series "int4": X is set`},
		{bar(func(b *Bar) { b.Series[1].Dashed = true }), `series "int4": bars cannot be dashed`},
		{bar(func(b *Bar) { b.Series[0].Y[1] = inf }), `series "int8": Y[1] is +Inf`},
		{bar(func(b *Bar) { b.Y.Log = true }), "a log axis does not have: use a Line"},
		{bar(func(b *Bar) { b.Categories = names }), "402 bars, more than 200"},
		{bar(func(b *Bar) {
			long := strings.Repeat("w", 50)
			b.Categories = []string{long + "a" + long, long + "b" + long}
		}), "too long to be told apart"},
	})
}

// A refusal is a chart that must not be drawn, and what the error says.
type refusal struct {
	chart  figurer
	reason string
}

func checkRefused(t *testing.T, cases []refusal) {
	t.Helper()
	for _, c := range cases {
		f, err := c.chart.Figure()
		if err == nil {
			t.Errorf("%q: a figure instead of an error: %s", c.reason, f)
			continue
		}
		if !strings.HasPrefix(err.Error(), "charts: ") || !strings.Contains(err.Error(), c.reason) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line that says %q", err, c.reason)
		}
	}
}

func TestFigureKeepsItsOwnSeries(t *testing.T) {
	l := exampleLine()
	f := mustLine(t, l)
	before, svg := f.String(), mustEncode(t, f, ".svg")
	for _, s := range l.Series {
		for i := range s.Y {
			s.X[i], s.Y[i] = -1, math.NaN()
		}
	}
	if f.String() != before || !bytes.Equal(mustEncode(t, f, ".svg"), svg) {
		t.Error("the figure changes with the slices it was made from")
	}
}

func mustEncode(t *testing.T, f *Figure, ext string) []byte {
	t.Helper()
	content, err := f.encode(ext)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
