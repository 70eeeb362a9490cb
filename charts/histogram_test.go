package charts

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
)

func exampleHistogram() Histogram {
	return Histogram{
		Title:  "Most weights are small",
		X:      Axis{Label: "weight", Unit: "1e-3"},
		Values: []float64{-4, 0.5, 0.5, 1, 1.5, 6},
		Bins:   5,
		Scheme: "f32",
	}
}

func binsOf(t *testing.T, h Histogram) string {
	t.Helper()
	var option struct {
		Series []struct{ Data []struct{ Value [3]float64 } }
	}
	if err := json.Unmarshal(mustFigure(t, h).script.Option, &option); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, d := range option.Series[0].Data {
		text += fmt.Sprintf("[%g,%g):%g ", d.Value[0], d.Value[1], d.Value[2])
	}
	return text
}

func TestBins(t *testing.T) {
	for _, c := range []struct {
		x      Axis
		values []float64
		bins   int
		want   string
	}{
		{Axis{Label: "v"}, []float64{-4, 0.5, 0.5, 1, 1.5, 6}, 5, "[-4,-2):1 [-2,0):0 [0,2):4 [2,4):0 [4,6):1 "},
		{Axis{Label: "v"}, []float64{0, 0.5, 1, 3.75, 4}, 8, "[0,0.5):1 [0.5,1):1 [1,1.5):1 [1.5,2):0 [2,2.5):0 [2.5,3):0 [3,3.5):0 [3.5,4):2 "},
		{Axis{Label: "v"}, []float64{1, 2, 2, 3}, 3, "[1,2):1 [2,3):2 [3,4):1 "},
		{Axis{Label: "v"}, []float64{7, 7}, 1, "[7,8):2 "},
		{Axis{Label: "v", Log: true}, []float64{1, 10, 99, 100, 1000}, 3, "[1,10):1 [10,100):2 [100,1000):2 "},
	} {
		if got := binsOf(t, Histogram{Title: "t", X: c.x, Values: c.values, Bins: c.bins}); got != c.want {
			t.Errorf("%g: bins %s, want %s", c.values, got, c.want)
		}
	}
}

// Every value is in one bin, which holds it, whatever the number of bins.
func TestBinsHoldTheirValues(t *testing.T) {
	for _, log := range []bool{false, true} {
		var values []float64
		for i := range 1000 {
			values = append(values, math.Exp(float64(i%83)/9)/7)
		}
		slices.Sort(values)
		for _, count := range []int{0, 1, 7, 60, 200} {
			b := bins{x: Axis{Label: "v", Log: log}}
			if err := b.divide(values, count); err != nil {
				t.Fatal(err)
			}
			last := len(b.counts) - 1
			if len(b.edges) != last+2 || !slices.IsSorted(b.edges) || last+1 > maxBins {
				t.Fatalf("log %v, %d bins: edges %g", log, count, b.edges)
			}
			for i, n := range b.counts {
				want := 0
				for _, v := range values {
					if v >= b.edges[i] && (v < b.edges[i+1] || i == last && v == b.edges[i+1]) {
						want++
					}
				}
				if n != want {
					t.Errorf("log %v, %d bins: bin %d from %g to %g holds %d, want %d", log, count, i, b.edges[i], b.edges[i+1], n, want)
				}
			}
		}
	}
}

// Bars of 1 and 2 are as long as their counts, and on a log axis a count of one
// has a bar.
func TestHistogramIsToScale(t *testing.T) {
	h := Histogram{Title: "t", X: Axis{Label: "v"}, Values: []float64{0, 2, 2}, Scheme: "f32"}
	style, _ := StyleOf("f32")
	heights := func() (first, last int) {
		f := mustFigure(t, h)
		at := pixels(decode(t, f), f, style.Color)
		all := bounds(at)
		rows := func(left bool) int {
			lo, hi := math.MaxInt, 0
			for _, p := range at {
				if (p.X < all.Min.X+all.Dx()/2) == left {
					lo, hi = min(lo, p.Y), max(hi, p.Y+1)
				}
			}
			return max(0, hi-lo)
		}
		return rows(true), rows(false)
	}
	if one, two := heights(); one < 100 || math.Abs(float64(two-2*one)) > 4 {
		t.Errorf("counts of 1 and 2 are %d and %d pixels high", one, two)
	}
	h.Y.Log = true
	if one, two := heights(); one < 100 || math.Abs(float64(two-2*one)) > 4 { // from 0.5: one and two octaves
		t.Errorf("log: counts of 1 and 2 are %d and %d pixels high", one, two)
	}
}

func TestQuantile(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 3, 0.75: 4, 1: 9, 0.875: 6.5} {
		if got := quantile([]float64{1, 2, 3, 4, 9}, q); got != want {
			t.Errorf("the %g-quantile is %g, want %g", q, got, want)
		}
	}
}

func TestWrongHistogramsAreRefused(t *testing.T) {
	with := func(change func(*Histogram)) Histogram {
		h := exampleHistogram()
		change(&h)
		return h
	}
	checkRefused(t, []refusal{
		{with(func(h *Histogram) { h.Title = "" }), `histogram "": there is no title`},
		{with(func(h *Histogram) { h.X.Label = "" }), "the x axis has no label"},
		{with(func(h *Histogram) { h.Values = nil }), "there are no values"},
		{with(func(h *Histogram) { h.Values[2] = math.NaN() }), "Values[2] is NaN"},
		{with(func(h *Histogram) { h.X.Log = true }), "Values[0] is -4, which a log axis does not have"},
		{with(func(h *Histogram) { h.Bins = -1 }), "Bins is -1, not from 0 to 200"},
		{with(func(h *Histogram) { h.Bins = 201 }), "Bins is 201, not from 0 to 200"},
	})
}
