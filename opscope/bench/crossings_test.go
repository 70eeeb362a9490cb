package bench

import (
	"math"
	"testing"
)

func TestCrossings(t *testing.T) {
	for _, c := range []struct {
		name            string
		x, ratios, want []float64
	}{
		{"none", nil, nil, nil},
		{"one point", []float64{1}, []float64{2}, nil},
		{"never", []float64{1, 2, 4}, []float64{2, 3, 4}, nil},
		// 1/x is a straight line of logarithms, which is 1 at 1.
		{"a power", []float64{0.25, 0.5, 4}, []float64{4, 2, 0.25}, []float64{1}},
		// Over three octaves of x the ratio falls by three; after two it is 1.
		{"between", []float64{1, 8}, []float64{4, 0.5}, []float64{4}},
		{"twice", []float64{1, 4, 16}, []float64{0.5, 2, 0.5}, []float64{2, 8}},
		{"touched from above", []float64{1, 2, 4}, []float64{2, 1, 2}, nil},
		{"equal on the way down", []float64{1, 2, 8, 32}, []float64{4, 0.99, 1.01, 0.25}, []float64{math.Sqrt(
			math.Pow(2, math.Log(4)/math.Log(4/0.99)) * 8 * math.Pow(4, math.Log(1.01)/math.Log(1.01/0.25)))}},
		{"equal at the end", []float64{1, 2, 4}, []float64{4, 0.99, 1.01}, nil},
		{"a little below at the end", []float64{1, 2}, []float64{1 / 0.99, 0.99}, []float64{math.Sqrt2}},
		{"touched from below", []float64{1, 2, 4}, []float64{0.5, 1, 0.5}, nil},
	} {
		got := Crossings(c.x, c.ratios)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-12*c.want[i] {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

func TestCrossingsRefuses(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"lengths":        {{1, 2}, {1}},
		"zero x":         {{0, 1}, {1, 2}},
		"zero ratio":     {{1, 2}, {0, 1}},
		"NaN":            {{1, 2}, {1, math.NaN()}},
		"infinite ratio": {{1, 2}, {1, math.Inf(1)}},
		"descending x":   {{2, 1}, {1, 2}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			Crossings(c[0], c[1])
		}()
	}
}
