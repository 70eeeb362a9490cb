package charts

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func exampleScatter() Scatter {
	return Scatter{
		Title: "Smaller weights cost precision",
		X:     Axis{Label: "size", Unit: "bits/weight"},
		Y:     Axis{Label: "relative error", Log: true},
		Series: []Series{
			{Name: "w8a16", X: []float64{8.5}, Y: []float64{0.005}, Labels: []string{"channel"}},
			{Name: "w4a16", X: []float64{5, 4.5}, Y: []float64{0.08, 0.125}, Labels: []string{"group 32", "group 64"}, Low: []float64{0.07, 0.1}, High: []float64{0.09, 0.15}},
			{Name: "bound", X: []float64{4, 9}, Y: []float64{0.1, 0.002}, Dashed: true},
		},
	}
}

func TestScatterOption(t *testing.T) {
	var option struct {
		Tooltip struct{ Trigger string }
		Series  []struct {
			Name, Type, ID string
			Data           []struct {
				Name  string
				Value []float64
			}
		}
	}
	f := mustFigure(t, exampleScatter())
	if err := json.Unmarshal(f.script.Option, &option); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s %+v", option.Tooltip.Trigger, option.Series)
	want := "item [{Name:w8a16 Type:scatter ID: Data:[{Name:channel Value:[8.5 0.005]}]}" +
		" {Name:w4a16 Type:scatter ID: Data:[{Name:group 32 Value:[5 0.08]} {Name:group 64 Value:[4.5 0.125]}]}" +
		" {Name:bound Type:line ID: Data:[{Name: Value:[4 0.1]} {Name: Value:[9 0.002]}]}" +
		" {Name:w4a16 Type:custom ID:error-1 Data:[{Name: Value:[5 0.07 0.09]} {Name: Value:[4.5 0.1 0.15]}]}]"
	if got != want {
		t.Errorf("the option holds %s\nwant %s", got, want)
	}
	if sides := f.script.Labels[0].Sides; len(sides) != 3 || sides[0][0] == "" || len(sides[1]) != 2 {
		t.Errorf("labels stand at %v", f.script.Labels)
	}
}

// Labels stay inside the data and cover neither points nor one another.
func TestLabelsDoNotOverlap(t *testing.T) {
	xs, ys := linearScale(0, 100, 8, false), linearScale(0, 10, 6, false)
	width, height := figureWidth-2*pad-nameHeight-ys.labelWidth()-8, float64(dataHeight-pad-2*nameHeight)
	r := rand.New(rand.NewPCG(7, 7))
	s := Series{}
	for i := range 120 {
		s.X, s.Y = append(s.X, 100*r.Float64()), append(s.Y, 10*r.Float64())
		s.Labels = append(s.Labels, fmt.Sprint("group ", i))
	}
	sides := placeLabels([]Series{s}, xs, ys, figureWidth)
	var boxes []box
	placed := 0
	for i := range s.X {
		x, y := width*s.X[i]/100, height*(1-s.Y[i]/10)
		boxes = append(boxes, box{x - 4, y - 4, x + 4, y + 4})
	}
	for i, side := range sides[0] {
		w := textWidth(s.Labels[i], textSize)
		x, y := width*s.X[i]/100, height*(1-s.Y[i]/10)
		var b box
		switch side {
		case "right":
			b = box{x + 8, y - 7, x + 8 + w, y + 7}
		case "left":
			b = box{x - 8 - w, y - 7, x - 8, y + 7}
		case "top":
			b = box{x - w/2, y - 20, x + w/2, y - 6}
		case "bottom":
			b = box{x - w/2, y + 6, x + w/2, y + 20}
		case "right up":
			b = box{x + 6, y - 20, x + 6 + w, y - 6}
		case "right down":
			b = box{x + 6, y + 6, x + 6 + w, y + 20}
		case "left up":
			b = box{x - 6 - w, y - 20, x - 6, y - 6}
		case "left down":
			b = box{x - 6 - w, y + 6, x - 6, y + 20}
		case "":
			continue
		}
		placed++
		const slack = 1e-9
		inner := box{b.left + slack, b.top + slack, b.right - slack, b.bottom - slack}
		if b.left < -slack || b.right > width+slack || b.top < -slack || b.bottom > height+slack || slices.ContainsFunc(boxes, inner.overlaps) {
			t.Errorf("label %d at the %s is in the way", i, side)
		}
		boxes = append(boxes, b)
	}
	if placed < 30 || placed == len(s.X) {
		t.Errorf("%d of %d labels have a place", placed, len(s.X))
	}
	if placings([]Series{{X: []float64{1}, Y: []float64{1}}}, xs, ys) != nil {
		t.Error("a chart without labels has sides for them")
	}
}

// A label keeps off the line that runs through its point, on whichever side the
// line leaves free.
func TestLabelsAvoidLines(t *testing.T) {
	xs, ys := linearScale(0, 10, 8, false), linearScale(0, 10, 6, false)
	point := Series{X: []float64{5}, Y: []float64{5}, Labels: []string{"w8a16"}}
	line := func(x1, y1, x2, y2 float64) Series {
		return Series{Dashed: true, X: []float64{x1, x2}, Y: []float64{y1, y2}}
	}
	level, rising, falling := line(0, 5, 10, 5), line(0, 0, 10, 10), line(0, 10, 10, 0)
	upright := Series{X: []float64{5}, Y: []float64{5}, Low: []float64{0}, High: []float64{10}}
	for _, c := range []struct {
		lines []Series
		side  string
	}{
		{nil, "right"},
		{[]Series{level}, "top"},
		{[]Series{rising}, "right down"},
		{[]Series{line(0, 4, 10, 6)}, "top"},
		{[]Series{level, upright}, "right up"},
		{[]Series{level, line(4.99, 0, 5.01, 10)}, "right up"},
		{[]Series{falling}, "right up"},
	} {
		sides := placeLabels(append([]Series{point}, c.lines...), xs, ys, figureWidth)
		if got := sides[0][0]; got != c.side {
			t.Errorf("%v: the label stands at the %q, want %q", c.lines, got, c.side)
		}
	}
}

func TestSegmentCrossesBox(t *testing.T) {
	b := box{10, 10, 20, 20}
	for _, c := range []struct {
		s    segment
		want bool
	}{
		{segment{0, 15, 30, 15}, true},
		{segment{15, 0, 15, 30}, true},
		{segment{0, 0, 30, 30}, true},
		{segment{12, 12, 13, 18}, true}, // within
		{segment{0, 15, 9, 15}, false},
		{segment{0, 9, 30, 9}, false},
		{segment{0, 25, 15, 40}, false},
		{segment{30, 0, 21, 30}, false},
		{segment{5, 14, 14, 5}, false}, // cuts the corner off
		{segment{5, 16, 16, 5}, true},
	} {
		back := segment{c.s.x2, c.s.y2, c.s.x1, c.s.y1}
		if c.s.crosses(b) != c.want || back.crosses(b) != c.want {
			t.Errorf("%v crosses %v: %v and back %v, want %v", c.s, b, c.s.crosses(b), back.crosses(b), c.want)
		}
	}
}

func TestManyPointsAreSummedUp(t *testing.T) {
	var s Series
	for i := range 100 {
		s.X, s.Y = append(s.X, float64(i%10)), append(s.Y, float64(i))
	}
	f := mustFigure(t, Scatter{Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: "y"}, Series: []Series{s}})
	want := `t
Scatter chart of y against x

series  points  smallest x  largest x  smallest y  largest y
------  ------  ----------  ---------  ----------  ---------
y          100           0          9           0         99
`
	if f.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", f, want)
	}
}

func TestWrongScattersAreRefused(t *testing.T) {
	with := func(change func(*Scatter)) Scatter {
		s := exampleScatter()
		change(&s)
		return s
	}
	checkRefused(t, []refusal{
		{with(func(s *Scatter) { s.Title = "" }), `scatter chart "": there is no title`},
		{with(func(s *Scatter) { s.X.Label = "" }), "the x axis has no label"},
		{with(func(s *Scatter) { s.Y.Label = "" }), "the y axis has no label"},
		{with(func(s *Scatter) { s.Series = nil }), "there is no series"},
		{with(func(s *Scatter) { s.Series[0].X = nil }), `series "w8a16": X has 0 values and Y has 1`},
		{with(func(s *Scatter) { s.Series[1].X[1] = math.NaN() }), `series "w4a16": X[1] is NaN`},
		{with(func(s *Scatter) { s.Series[1].Y[1] = math.Inf(1) }), `series "w4a16": Y[1] is +Inf`},
		{with(func(s *Scatter) { s.Series[0].Y[0] = 0 }), `series "w8a16": Y[0] is 0, which a log axis does not have`},
		{with(func(s *Scatter) { s.Series[1].Labels = s.Series[1].Labels[:1] }), `series "w4a16": there are 1 labels for 2 points`},
		{with(func(s *Scatter) { s.Series[1].High = s.Series[1].High[:1] }), `series "w4a16": Low has 2 values and High has 1 for 2 in Y`},
		{with(func(s *Scatter) { s.Series[1].Low[1] = math.NaN() }), `series "w4a16": Low[1] is NaN`},
		{with(func(s *Scatter) { s.Series[2].Labels = []string{"a", "b"} }), `series "bound": Labels is set`},
		{with(func(s *Scatter) { s.Series[2].Low, s.Series[2].High = []float64{0, 0}, []float64{1, 1} }), `series "bound": a dashed line has no error bars`},
		{with(func(s *Scatter) { s.Series[2].X[1] = 4 }), `series "bound": X[1] is 4 after 4`},
		{with(func(s *Scatter) {
			s.Series[0] = Series{Name: "w8a16", X: make([]float64, 201), Y: slices.Repeat([]float64{1}, 201), Labels: make([]string, 201)}
		}), "203 labels, more than 200"},
	})
}
