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
			{Name: "w4a16", X: []float64{5, 4.5}, Y: []float64{0.08, 0.125}, Labels: []string{"group 32", "group 64"}, Error: []float64{0.01, 0.025}},
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
	if len(f.script.Labels) != 3 || f.script.Labels[0][0] != "right" || len(f.script.Labels[1]) != 2 {
		t.Errorf("labels stand at %q", f.script.Labels)
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
	sides := placeLabels([]Series{s}, xs, ys)
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
	if placeLabels([]Series{{X: []float64{1}, Y: []float64{1}}}, xs, ys) != nil {
		t.Error("a chart without labels has sides for them")
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
		{with(func(s *Scatter) { s.Series[1].Error = s.Series[1].Error[:1] }), `series "w4a16": Error has 1 values for 2 in Y`},
		{with(func(s *Scatter) { s.Series[1].Error[0] = -1 }), `series "w4a16": Error[0] is -1`},
		{with(func(s *Scatter) { s.Series[1].Error[1] = math.NaN() }), `series "w4a16": Error[1] is NaN`},
		{with(func(s *Scatter) { s.Series[1].Error[1] = 0.125 }), `series "w4a16": Error[1] reaches from 0.125 down to 0`},
		{with(func(s *Scatter) { s.Series[2].Labels = []string{"a", "b"} }), `series "bound": Labels is set`},
		{with(func(s *Scatter) { s.Series[2].Error = []float64{1, 1} }), `series "bound": a dashed line has no error bars`},
		{with(func(s *Scatter) { s.Series[2].X[1] = 4 }), `series "bound": X[1] is 4 after 4`},
		{with(func(s *Scatter) {
			s.Series[0] = Series{Name: "w8a16", X: make([]float64, 201), Y: slices.Repeat([]float64{1}, 201), Labels: make([]string, 201)}
		}), "203 labels, more than 200"},
	})
}
