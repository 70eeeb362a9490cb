package charts

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"testing"
)

func TestSetRange(t *testing.T) {
	for _, c := range []struct {
		axis     Axis
		min, max float64
		ticks    string
	}{
		{Axis{Min: 1, Max: 28}, 1, 28, "1 5 10 15 20 25 28"},
		{Axis{Min: 0, Max: 100}, 0, 100, "0 20 40 60 80 100"},
		{Axis{Min: -5}, -5, 0, "-5 -4 -3 -2 -1 0"},
		{Axis{Min: 0.5, Max: 20.25}, 0.5, 20.25, "0.5 5 10 15 20"}, // 20.25 is too near to 20
		{Axis{Min: 1.0 / 3, Max: 4}, 1.0 / 3, 4, "1 2 3 4"},        // 1/3 cannot be written
		{Axis{Log: true, Min: 0.25, Max: 400}, 0.25, 400, "0.25 1 10 100 400"},
		{Axis{Log: true, Min: 3, Max: 8}, 3, 8, "3 5 8"},
		{Axis{Log: true, Min: 0.97, Max: 100}, 0.97, 100, "1 10 100"},
	} {
		c.axis.Label = "v"
		s, err := newScale(c.axis, 2, 3, 6, true)
		if err != nil {
			t.Errorf("from %g to %g: %v", c.axis.Min, c.axis.Max, err)
			continue
		}
		if got := ticksOf(s); got != c.ticks || s.min != c.min || s.max != c.max {
			t.Errorf("from %g to %g: ticks %s from %g to %g, want %s", c.axis.Min, c.axis.Max, got, s.min, s.max, c.ticks)
		}
	}
}

// All forms show the range that is set: the picture has the first point on the
// left edge of the data and the last on the right one.
func TestSetRangeInAllForms(t *testing.T) {
	f := mustFigure(t, Scatter{
		Title: "t", X: Axis{Label: "layer", Min: 1, Max: 28}, Y: Axis{Label: "v", Min: 0, Max: 4},
		Series: []Series{{Scheme: "f32", X: []float64{1, 28}, Y: []float64{2, 2}}},
	})
	var option struct {
		XAxis, YAxis []struct{ Min, Max float64 }
	}
	if err := json.Unmarshal(f.script.Option, &option); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(option.XAxis, option.YAxis); got != "[{1 28}] [{0 4}]" {
		t.Errorf("the interactive chart has the axes %s", got)
	}
	img := decode(t, f)
	f32, _ := StyleOf("f32")
	points, frame := bounds(pixels(img, f, f32.Color)), bounds(pixels(img, f, axisLine))
	for name, gap := range map[string]int{"left": points.Min.X + 8 - frame.Min.X, "right": frame.Max.X - points.Max.X + 8} {
		if gap < -4 || gap > 24 { // half of what a layer takes
			t.Errorf("the points %v are %d pixels from the %s edge of %v", points, gap, name, frame)
		}
	}
	if (image.Rectangle{}) == points {
		t.Error("there are no points")
	}
}

func TestWrongRangesAreRefused(t *testing.T) {
	line := func(change func(x, y *Axis)) Line {
		l := exampleLine()
		change(&l.X, &l.Y)
		return l
	}
	bar := exampleBar()
	bar.Y.Min, bar.Y.Max = 0.001, 1
	named := exampleBar()
	named.X.Max = 2
	low := exampleErrorBar()
	low.Y.Max = 0.9
	counted := exampleHistogram()
	counted.X.Min, counted.X.Max = -10, 10
	tall := exampleHistogram()
	tall.Y.Max = 10
	cells := exampleHeatmap()
	cells.X.Max = 3
	hot := exampleHeatmap()
	hot.Value.Min, hot.Value.Max = 0.1, 100
	dashed := exampleScatter()
	dashed.X.Min, dashed.X.Max = 4.5, 9
	checkRefused(t, []refusal{
		{line(func(x, _ *Axis) { x.Min, x.Max = 0, 99 }), `series "skipzeros": X[2] is 100, beyond the axis from 0 to 99`},
		{line(func(_, y *Axis) { y.Min, y.Max = 0.5, 4 }), `series "skipzeros": Y[0] is 0.25, beyond the axis from 0.5 to 4`},
		{line(func(x, _ *Axis) { x.Min = 5 }), "the x axis goes from 5 to 0, which is no range"},
		{line(func(x, _ *Axis) { x.Min, x.Max = 7, 7 }), "the x axis goes from 7 to 7, which is no range"},
		{line(func(x, _ *Axis) { x.Min, x.Max = math.NaN(), 7 }), "the x axis goes from NaN to 7, which is no range"},
		{line(func(_, y *Axis) { y.Min, y.Max = 0, math.Inf(1) }), "the y axis goes from 0 to +Inf, which is no range"},
		{line(func(_, y *Axis) { y.Min, y.Max = math.Inf(-1), math.Inf(-1) }), "which is no range"},
		{line(func(_, y *Axis) { y.Log, y.Max = true, 10 }), "the y axis starts at 0, which a log axis does not have"},
		{line(func(_, y *Axis) { y.Min, y.Max = -1e16, 1e16 }), "time reaches 1e+16"},
		{line(func(_, y *Axis) { y.Log, y.Min, y.Max = true, 1e-12, 10 }), "time reaches down to 1e-12"},
		{bar, "bars are measured from zero, which the axis from 0.001 to 1 does not have"},
		{named, "the x axis goes from 0 to 2: its range cannot be set"},
		{low, `series "int8": High[1] is 1, beyond the axis from 0 to 0.9`},
		{dashed, `series "bound": X[0] is 4, beyond the axis from 4.5 to 9`},
		{counted, "the x axis goes from -10 to 10: its range cannot be set"},
		{tall, "the y axis goes from 0 to 10: its range cannot be set"},
		{cells, "the x axis goes from 0 to 3: its range cannot be set"},
		{hot, "is 0.01, beyond the axis from 0.1 to 100"},
	})
}
