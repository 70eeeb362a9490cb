package charts

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// anyChart returns a chart of random kind, values and options, many of which no
// chart can have.
func anyChart(r *rand.Rand) figurer {
	odd := []float64{0, math.Copysign(0, -1), -1, 1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, 5e-324, 1e16, math.MaxFloat64, -math.MaxFloat64, 1e-12}
	scale := math.Pow(10, 8*r.Float64()-4)
	value := func() float64 {
		if r.IntN(120) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return scale * math.Exp(r.NormFloat64())
	}
	values := func(n int) []float64 { return about(r, n, value) }
	ascending := func(n int) []float64 {
		list := values(n)
		for i := 1; i < len(list); i++ {
			list[i] = list[i-1] + math.Abs(list[i])
		}
		return list
	}
	words := []string{"f32", "w8a16", "dense", "a name of several words", "", "名前", "<b>&\"'</b>", "line\nbreak", strings.Repeat("long ", 12), strings.Repeat("W", 500), "{a} %b", "\u202e", "\x00"}
	word := func() string {
		if r.IntN(4) > 0 {
			return fmt.Sprint("name ", r.IntN(1000))
		}
		return words[r.IntN(len(words))]
	}
	names := func(n int) []string { return about(r, n, word) }
	axis := func() Axis {
		a := Axis{Label: word(), Log: r.IntN(3) == 0}
		if r.IntN(2) == 0 {
			a.Unit = word()
		}
		if r.IntN(3) == 0 {
			a.Min, a.Max = scale*1e-3*r.Float64(), scale*1e3*r.Float64()
		}
		if r.IntN(40) == 0 {
			a.Min, a.Max = value(), value()
		}
		return a
	}
	series := func(n int, withX bool) []Series {
		list := make([]Series, 1+r.IntN(4))
		for i := range list {
			s := Series{Name: word(), Y: values(n), Dashed: withX && r.IntN(4) == 0}
			if withX {
				s.X = ascending(n)
			}
			if r.IntN(4) == 0 && !s.Dashed {
				for _, v := range s.Y {
					s.Low, s.High = append(s.Low, v*r.Float64()), append(s.High, v*(1+r.Float64()))
				}
			}
			list[i] = s
		}
		return list
	}
	n := 1 + r.IntN(12)
	if r.IntN(20) == 0 {
		n = 50
	}
	switch r.IntN(6) {
	case 0:
		return Line{Title: word(), X: axis(), Y: axis(), Series: series(n, true)}
	case 1:
		s := Scatter{Title: word(), X: axis(), Y: axis(), Series: series(n, true)}
		for i := range s.Series {
			if r.IntN(2) == 0 && !s.Series[i].Dashed {
				s.Series[i].Labels = names(len(s.Series[i].X))
			}
		}
		return s
	case 2:
		b := Bar{Title: word(), Y: axis(), Categories: names(n), Series: series(n, false), Horizontal: r.IntN(2) == 0}
		b.Y.Min, b.Y.Log = -b.Y.Min, b.Y.Log && r.IntN(4) == 0
		return b
	case 3:
		h := Histogram{Title: word(), X: Axis{Label: word(), Log: r.IntN(3) == 0}, Values: values(5 * n), Bins: r.IntN(260) - 20}
		h.Y.Log = r.IntN(3) == 0
		return h
	case 4:
		h := Heatmap{Title: word(), X: Axis{Label: word()}, Y: Axis{Label: word()}, Value: axis(), Columns: names(n), Rows: names(1 + r.IntN(4))}
		for range h.Rows {
			h.Values = append(h.Values, values(n))
		}
		return h
	}
	f := Roofline{Title: word(), Ops: word(), Kernels: series(n, true)}
	for i := range f.Kernels {
		f.Kernels[i].Dashed, f.Kernels[i].Low, f.Kernels[i].High = false, nil, nil
		if r.IntN(2) == 0 {
			f.Kernels[i].Labels = names(len(f.Kernels[i].X))
		}
	}
	for range 1 + r.IntN(2) {
		f.Peaks = append(f.Peaks, Limit{Name: word(), Value: value()})
		f.Bandwidths = append(f.Bandwidths, Limit{Name: word(), Value: value()})
	}
	return f
}

// about returns n elements, and now and then another number of them.
func about[T any](r *rand.Rand, n int, element func() T) []T {
	if r.IntN(60) == 0 {
		n = r.IntN(4)
	}
	list := make([]T, n)
	for i := range list {
		list[i] = element()
	}
	return list
}

// checkForms fails unless the chart either is an error of one line, or has all
// forms: a picture of two formats that can be read, the option of an interactive
// chart with finite ranges that hold its ticks, and a text.
func checkForms(t *testing.T, chart figurer) (drawn bool) {
	t.Helper()
	f, err := chart.Figure()
	if err != nil {
		if f != nil || !strings.HasPrefix(err.Error(), "charts: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%#v: error %q with the figure %v", chart, err, f)
		}
		return false
	}
	picture, err := f.encode(".png")
	if err == nil {
		_, err = png.Decode(bytes.NewReader(picture))
	}
	if err != nil {
		t.Errorf("%#v: PNG: %v", chart, err)
	}
	if picture, err = f.encode(".svg"); err == nil {
		err = wellFormed(picture)
	}
	if err != nil || bytes.Contains(picture, []byte("NaN")) || bytes.Contains(picture, []byte("Inf")) {
		t.Errorf("%#v: SVG: %v", chart, err)
	}
	if f.String() == "" || strings.Contains(f.String(), "NaN") || f.alt() == "" {
		t.Errorf("%#v: the text is %q", chart, f)
	}
	type ends struct {
		Type     string
		Min, Max *float64
	}
	var option struct{ XAxis, YAxis []ends }
	if err := json.Unmarshal(f.script.Option, &option); err != nil {
		t.Fatalf("%#v: the option: %v", chart, err)
	}
	for i, labels := range [][][2]any{f.script.X, f.script.Y} {
		a := [][]ends{option.XAxis, option.YAxis}[i][0]
		if a.Type == "category" {
			continue
		}
		if a.Min == nil || a.Max == nil || *a.Min >= *a.Max || len(labels) < 2 {
			t.Errorf("%#v: an axis from %v to %v with the labels %v", chart, a.Min, a.Max, labels)
			continue
		}
		for _, label := range labels {
			if v := label[0].(float64); v < *a.Min || v > *a.Max || label[1] == "" {
				t.Errorf("%#v: the label %v on an axis from %g to %g", chart, label, *a.Min, *a.Max)
			}
		}
	}
	return true
}

func wellFormed(document []byte) error {
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// A chart either has all forms or is an error.
func TestAnyChart(t *testing.T) {
	drawn := map[string]int{}
	for seed := range uint64(240) {
		chart := anyChart(rand.New(rand.NewPCG(seed, 1)))
		if checkForms(t, chart) {
			drawn[fmt.Sprintf("%T", chart)]++
		}
	}
	for _, kind := range []figurer{Line{}, Scatter{}, Bar{}, Histogram{}, Heatmap{}, Roofline{}} {
		if n := drawn[fmt.Sprintf("%T", kind)]; n < 3 {
			t.Errorf("%d charts of type %T have a picture", n, kind)
		}
	}
}

func FuzzAnyChart(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, seed+2)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) { checkForms(t, anyChart(rand.New(rand.NewPCG(a, b)))) })
}
