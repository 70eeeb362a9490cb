package charts

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

func exampleHeatmap() Heatmap {
	return Heatmap{
		Title:   "Later layers are harder to quantize",
		X:       Axis{Label: "layer"},
		Y:       Axis{Label: "tensor"},
		Value:   Axis{Label: "relative error", Unit: "%", Log: true},
		Columns: []string{"0", "1", "2"},
		Rows:    []string{"q_proj", "down_proj"},
		Values:  [][]float64{{0.01, 0.1, 1}, {0.1, 1, 10}},
	}
}

// On a log scale from 0.01 to 10 the decades are a third of the scale apart.
func TestHeatmapOption(t *testing.T) {
	var option struct {
		XAxis, YAxis []struct {
			Data    []string
			Inverse bool
		}
		VisualMap []struct {
			Min, Max  float64
			Dimension string
			Text      []string
			InRange   struct{ Color []string }
		}
		Series []struct {
			Type string
			Data []struct{ Value [3]float64 }
		}
	}
	f := mustFigure(t, exampleHeatmap())
	if err := json.Unmarshal(f.script.Option, &option); err != nil {
		t.Fatal(err)
	}
	v := option.VisualMap[0]
	if v.Max != 1 || v.Dimension != "2" || fmt.Sprint(v.Text) != "[10 relative error (%):  0.01]" || len(v.InRange.Color) != len(ramp) {
		t.Errorf("the colours are mapped by %+v", v)
	}
	if !slices.Equal(option.XAxis[0].Data, []string{"0", "1", "2"}) || !slices.Equal(option.YAxis[0].Data, []string{"q_proj", "down_proj"}) || !option.YAxis[0].Inverse {
		t.Errorf("the axes are %+v and %+v", option.XAxis, option.YAxis)
	}
	thirds := []float64{0, 1, 2, 1, 2, 3}
	for i, d := range option.Series[0].Data {
		if d.Value[0] != float64(i%3) || d.Value[1] != float64(i/3) || math.Abs(3*d.Value[2]-thirds[i]) > 1e-12 {
			t.Errorf("cell %d is %g, want column %d, row %d, %g thirds", i, d.Value, i%3, i/3, thirds[i])
		}
	}
	if got := f.script.Names.Values[5]; got != "relative error: 10 %" || f.script.Cells[0] != [2]string{"0.01", "#000000"} || f.script.Cells[5] != [2]string{"10.0", "#ffffff"} {
		t.Errorf("cells %q, the last described as %q", f.script.Cells, got)
	}
}

// Each cell of the picture has its colour, and the first row is on top.
func TestHeatmapPicture(t *testing.T) {
	f := mustFigure(t, exampleHeatmap())
	img := decode(t, f)
	first, last := bounds(pixels(img, f, ramp[0])), bounds(pixels(img, f, ramp[len(ramp)-1]))
	if first.Dx() < 300 || first.Dy() < 200 || first.Size().Sub(last.Size()).X > 2 || first.Max.X > last.Min.X || first.Max.Y > last.Min.Y+1 {
		t.Errorf("the least and the largest cell cover %v and %v", first, last)
	}
	inner := first.Inset(8)
	for _, c := range []struct {
		column, row int
		t           float64
	}{{1, 0, 1. / 3}, {2, 0, 2. / 3}, {0, 1, 1. / 3}, {1, 1, 2. / 3}} {
		x, y := inner.Min.X+c.column*first.Dx(), inner.Min.Y+c.row*first.Dy()
		if got := color.RGBAModel.Convert(img.At(x, y)); got != color.Color(rampAt(c.t)) {
			t.Errorf("row %d, column %d is %v, want %v", c.row, c.column, got, rampAt(c.t))
		}
	}
}

// The many colours and letters of a large heat map leave its cells their colour.
func TestManyCellsKeepTheirColours(t *testing.T) {
	h := exampleHeatmap()
	h.Value.Log = false
	h.Columns, h.Rows, h.Values = nil, nil, nil
	const columns, rows = 12, 9
	for i := range rows {
		h.Rows = append(h.Rows, fmt.Sprint("r", i))
		var row []float64
		for j := range columns {
			row = append(row, float64(i*columns+j)/(rows*columns-1)) // from 0 to 1
		}
		h.Values = append(h.Values, row)
	}
	for j := range columns {
		h.Columns = append(h.Columns, fmt.Sprint(j))
	}
	f := mustFigure(t, h)
	counts := map[color.RGBA]int{}
	img := decode(t, f)
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			counts[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	for step := range rampSteps + 1 {
		if c := rampAt(float64(step) / rampSteps); counts[c] < 2000 {
			t.Errorf("%d pixels have the colour of step %d, %s", counts[c], step, css(c))
		}
	}
	if len(f.png) > 100_000 {
		t.Errorf("the picture takes %d bytes", len(f.png))
	}
}

// The ramp darkens all the way for every vision, and numbers can be read on it.
func TestRampIsReadable(t *testing.T) {
	white := rgb(0xff, 0xff, 0xff)
	for name, m := range visions {
		last := math.Inf(1)
		for i := range rampSteps + 1 {
			c := rampAt(float64(i) / rampSteps)
			v := linear(c)
			var seen vec
			for j, row := range m {
				seen[j] = min(1, max(0, row[0]*v[0]+row[1]*v[1]+row[2]*v[2]))
			}
			lightness := oklab(seen)[0]
			if lightness >= last {
				t.Errorf("%s: the ramp does not darken at step %d", name, i)
			}
			last = lightness
			if got := contrast(c, inkOn(c)); got < 4.5 {
				t.Errorf("numbers on %s have a contrast of %.2f", css(c), got)
			}
		}
	}
	if rampAt(0) != ramp[0] || rampAt(1) != ramp[len(ramp)-1] || rampAt(0.5) != ramp[2] || contrast(rampAt(0), rampAt(1)) < 10 || contrast(white, rampAt(0)) > 1.2 {
		t.Error("the ramp does not go from light to dark")
	}
}

func TestManyColumnsAreThinnedOut(t *testing.T) {
	h := exampleHeatmap()
	h.Columns, h.Values = nil, make([][]float64, 2)
	for i := range 100 {
		h.Columns = append(h.Columns, fmt.Sprint("layer ", i))
		h.Values[0], h.Values[1] = append(h.Values[0], 1), append(h.Values[1], 2)
	}
	f := mustFigure(t, h)
	named := 0
	for i, label := range f.script.X {
		if label[1] != "" {
			named++
			if label[1] != h.Columns[i] {
				t.Errorf("column %d is named %v", i, label[1])
			}
		}
	}
	if text := f.String(); !strings.Contains(text, "\nlayer     q_proj  down_proj\n") || !strings.Contains(text, "\nlayer 99       1          2\n") {
		t.Errorf("the text is not a line for each column: %.300s", text)
	}
	if named < 5 || named > 20 || f.script.X[0][1] != "layer 0" {
		t.Errorf("%d of 100 columns are named", named)
	}
}

func TestWrongHeatmapsAreRefused(t *testing.T) {
	with := func(change func(*Heatmap)) Heatmap {
		h := exampleHeatmap()
		change(&h)
		return h
	}
	long := func(c string) string { return fmt.Sprintf("%060d%s%060d", 0, c, 0) }
	checkRefused(t, []refusal{
		{with(func(h *Heatmap) { h.Title = "" }), `heat map "": there is no title`},
		{with(func(h *Heatmap) { h.X.Label = "" }), "the x axis has no label"},
		{with(func(h *Heatmap) { h.Y.Label = "" }), "the y axis has no label"},
		{with(func(h *Heatmap) { h.Value.Label = "" }), "the value axis has no label"},
		{with(func(h *Heatmap) { h.X.Log = true }), "which a log axis does not have"},
		{with(func(h *Heatmap) { h.Columns = nil }), "Columns is empty"},
		{with(func(h *Heatmap) { h.Rows[1] = " " }), "Rows[1] is empty"},
		{with(func(h *Heatmap) { h.Columns[2] = "0" }), `Columns[0] and Columns[2] are both "0"`},
		{with(func(h *Heatmap) { h.Rows = make([]string, 201) }), "Rows has 201 names, more than 200"},
		{with(func(h *Heatmap) { h.Values = h.Values[:1] }), "Values has 1 rows for 2 names"},
		{with(func(h *Heatmap) { h.Values[1] = h.Values[1][:2] }), "Values[1] has 2 values for 3 columns"},
		{with(func(h *Heatmap) { h.Values[1][0] = math.NaN() }), "Values[1][0] is NaN"},
		{with(func(h *Heatmap) { h.Values[0][2] = 0 }), "Values[0][2] is 0, which a log axis does not have"},
		{with(func(h *Heatmap) { h.Rows = []string{long("a"), long("b")} }), "too long to be told apart"},
		{with(func(h *Heatmap) { h.Columns = []string{long("a"), long("b"), long("c")} }), "too long to stand side by side"},
	})
}
