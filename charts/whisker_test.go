package charts

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"strings"
	"testing"
)

func exampleErrorBar() Bar {
	b := exampleBar()
	b.Series[0].Y = []float64{0.5, 0.75} // exact in binary, with their error bars
	b.Series[0].Low, b.Series[0].High = []float64{0.375, 0.5}, []float64{0.75, 1}
	return b
}

// An error bar from 1 to 3 around 2 is as long as the bar of 2, and in the middle of its end.
func TestErrorBarsAreToScale(t *testing.T) {
	for _, lying := range []bool{false, true} {
		f := mustFigure(t, Bar{
			Title: "t", Y: Axis{Label: "v"}, Categories: []string{"a"}, Horizontal: lying,
			Series: []Series{{Name: "f32", Y: []float64{2}, Low: []float64{1}, High: []float64{3}}, {Name: "w8a8", Y: []float64{2}}},
		})
		img := decode(t, f)
		f32, _ := StyleOf("f32")
		bar := bounds(pixels(img, f, f32.Color))
		var dark []image.Point
		for _, p := range pixels(img, f, whiskerLine) {
			if p.In(image.Rect(bar.Min.X, 0, bar.Max.X, 1e6)) || lying && p.In(image.Rect(0, bar.Min.Y, 1e6, bar.Max.Y)) {
				dark = append(dark, p)
			}
		}
		whisker := bounds(dark)
		long, want, end, middle := whisker.Dy(), bar.Dy(), bar.Min.Y, (whisker.Min.Y+whisker.Max.Y)/2
		if lying {
			long, want, end, middle = whisker.Dx(), bar.Dx(), bar.Max.X, (whisker.Min.X+whisker.Max.X)/2
		}
		if math.Abs(float64(long-want)) > 8 || math.Abs(float64(end-middle)) > 6 {
			t.Errorf("lying %v: the bar %v has the error bar %v", lying, bar, whisker)
		}
	}
}

func TestErrorBarOption(t *testing.T) {
	for _, lying := range []bool{false, true} {
		var option struct {
			Series []struct {
				Name, Type, ID string
				Encode         struct{ X, Y any }
				Data           []struct{ Value any }
			}
		}
		b := exampleErrorBar()
		b.Horizontal = lying
		f := mustFigure(t, b)
		if err := json.Unmarshal(f.script.Option, &option); err != nil {
			t.Fatal(err)
		}
		want := "{int8 custom error-0 {0 [1 2]} [{[0 0.375 0.75]} {[1 0.5 1]}]}"
		if lying {
			want = "{int8 custom error-0 {[1 2] 0} [{[0 0.375 0.75]} {[1 0.5 1]}]}"
		}
		if got := fmt.Sprint(option.Series[2]); len(option.Series) != 3 || got != want || f.script.Bars != 2 {
			t.Errorf("lying %v: %d bars with the error bars %s, want %s", lying, f.script.Bars, got, want)
		}
	}
}

// The axis holds the ends of the error bars.
func TestAxisHoldsErrorBars(t *testing.T) {
	f := mustFigure(t, Line{
		Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: "y"},
		Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{-2, -1}, High: []float64{4, 5}}},
	})
	ticks := f.script.Y
	if lo, hi := ticks[0][0], ticks[len(ticks)-1][0]; lo != -2.0 || hi != 6.0 {
		t.Errorf("the axis goes from %v to %v, want -2 to 6", lo, hi)
	}
}

func TestWrongErrorBarsAreRefused(t *testing.T) {
	bar := func(change func(*Series)) Bar {
		b := exampleErrorBar()
		change(&b.Series[0])
		return b
	}
	line := func(change func(*Series)) Line {
		l := exampleLine()
		change(&l.Series[0])
		return l
	}
	checkRefused(t, []refusal{
		{bar(func(s *Series) { s.Low[0] = 0.51 }), `series "int8": the error bar from Low[0] = 0.51 to High[0] = 0.75 does not hold Y[0] = 0.5`},
		{bar(func(s *Series) { s.High[1] = 0.74 }), `series "int8": the error bar from Low[1] = 0.5 to High[1] = 0.74 does not hold Y[1] = 0.75`},
		{bar(func(s *Series) { s.High[1] = math.Inf(1) }), `series "int8": High[1] is +Inf`},
		{bar(func(s *Series) { s.Low[1] = math.NaN() }), `series "int8": Low[1] is NaN`},
		{bar(func(s *Series) { s.Low = s.Low[:1] }), `series "int8": Low has 1 values and High has 2 for 2 in Y`},
		{bar(func(s *Series) { s.Low = nil }), `series "int8": Low has 0 values and High has 2 for 2 in Y`},
		{bar(func(s *Series) { s.Labels = []string{"a", "b"} }), `series "int8": Labels is set`},
		{line(func(s *Series) { s.Low = []float64{0} }), `series "skipzeros": Low has 1 values and High has 0 for 3 in Y`},
		{line(func(s *Series) { s.Labels = []string{"a"} }), `series "skipzeros": Labels is set`},
	})
}

// An error bar reaches as far below its point as Low says and as far above as
// High does.
func TestErrorBarsMayBeUneven(t *testing.T) {
	f := mustFigure(t, Scatter{
		Title: "t", X: Axis{Label: "x", Min: 0, Max: 2}, Y: Axis{Label: "v", Min: 0, Max: 8},
		Series: []Series{{Scheme: "f32", X: []float64{1}, Y: []float64{3}, Low: []float64{2}, High: []float64{7}}},
	})
	img := decode(t, f)
	f32, _ := StyleOf("f32")
	point := bounds(pixels(img, f, f32.Color))
	var dark []image.Point
	for _, p := range pixels(img, f, whiskerLine) {
		if p.X >= point.Min.X && p.X <= point.Max.X && p.Y > 2*f.frame.top() && p.Y < 2*(f.frame.height-40) {
			dark = append(dark, p)
		}
	}
	whisker := bounds(dark)
	middle := float64(point.Min.Y+point.Max.Y) / 2
	above, below := middle-float64(whisker.Min.Y), float64(whisker.Max.Y)-middle
	if r := above / below; math.Abs(r-4) > 0.4 {
		t.Errorf("the error bar %v reaches %g above and %g below the point %v, want 4 to 1", whisker, above, below, point)
	}
}

// On a log axis an error bar whose low end is zero or below reaches the axis, has a cap
// at its high end alone, and is said in words; the axis has room for it below the point.
func TestErrorBarRunsOutOfLogAxis(t *testing.T) {
	series := []Series{{Scheme: "f32", X: []float64{1, 2, 3}, Y: []float64{1, 1, 1}, Low: []float64{0.9, -1, 0}, High: []float64{1.5, 3, 2}}}
	x, y := Axis{Label: "x", Min: 0, Max: 4}, Axis{Label: "v", Log: true}
	for _, chart := range []interface{ Figure() (*Figure, error) }{
		Line{Title: "t", X: x, Y: y, Series: series}, Scatter{Title: "t", X: x, Y: y, Series: series},
	} {
		f := mustFigure(t, chart)
		if lowest := f.script.Y[0][0]; lowest != 0.5 {
			t.Errorf("the axis begins at %v, want 0.5", lowest)
		}
		if alt := f.alt(); !strings.Contains(alt, "an error bar that ends at zero or below runs out of the log axis") {
			t.Errorf("nothing is said of open error bars: %s", alt)
		}
		if text := f.String(); !strings.Contains(text, "-1") {
			t.Errorf("the table lacks the low end:\n%s", text)
		}
	}
}

func TestOpenErrorBarInThePicture(t *testing.T) {
	f := mustFigure(t, Scatter{
		Title: "t", X: Axis{Label: "x", Min: 0, Max: 2}, Y: Axis{Label: "v", Log: true},
		Series: []Series{{Scheme: "f32", X: []float64{1}, Y: []float64{1}, Low: []float64{-1}, High: []float64{2}}},
	})
	img := decode(t, f)
	f32, _ := StyleOf("f32")
	point := bounds(pixels(img, f, f32.Color))
	rows := map[int]int{} // dark pixels of the error bar in each row
	first, last := 1<<30, 0
	for _, p := range pixels(img, f, whiskerLine) {
		if p.X >= point.Min.X-4 && p.X <= point.Max.X+4 && p.Y < point.Max.Y+(point.Min.Y-2*f.frame.top())+8 {
			rows[p.Y]++
			first, last = min(first, p.Y), max(last, p.Y)
		}
	}
	// The axis from 0.5 to 2 has the point in its middle.
	above, below := point.Min.Y-first, last-point.Max.Y
	if below < above-6 {
		t.Errorf("the error bar ends %d pixels below the point and %d above it", below, above)
	}
	if rows[first+1] < 12 || rows[last-1] > 5 || rows[last] > 5 {
		t.Errorf("%d dark pixels at the high end, %d at the axis", rows[first+1], rows[last-1])
	}
}
