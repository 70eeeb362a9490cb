package charts

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

func exampleRoofline() Roofline {
	return Roofline{
		Title:      "One row is limited by memory",
		Ops:        "flop",
		Peaks:      []Limit{{Name: "f32 peak", Scheme: "f32", Value: 160}},
		Bandwidths: []Limit{{Name: "DRAM", Value: 20}, {Name: "L2", Value: 80}},
		Kernels: []Series{
			{Name: "f32", X: []float64{0.5, 32}, Y: []float64{8, 120}, Labels: []string{"m=1", "m=64"}},
			{Name: "w8a16", X: []float64{2}, Y: []float64{30}},
		},
	}
}

// The lines end where they meet: at intensities 160/80 and 160/20.
func TestRoofs(t *testing.T) {
	var option struct {
		XAxis, YAxis []struct {
			Type, Name string
			Min, Max   float64
		}
		Series []struct {
			Name, Type string
			Data       []struct{ Value [2]float64 }
		}
	}
	f := mustFigure(t, exampleRoofline())
	if err := json.Unmarshal(f.script.Option, &option); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(option.XAxis, option.YAxis, option.Series)
	want := "[{log arithmetic intensity (flop/byte) 0.2 100}] [{log rate (Gflop/s) 2 200}] " +
		"[{f32 peak line [{[2 160]} {[100 160]}]} {DRAM line [{[0.2 4]} {[8 160]}]} {L2 line [{[0.2 16]} {[2 160]}]} " +
		"{f32 scatter [{[0.5 8]} {[32 120]}]} {w8a16 scatter [{[2 30]}]}]"
	if got != want {
		t.Errorf("the option holds %s\nwant %s", got, want)
	}
}

// The lines reach the ends of the axis, also where a wider range would have other
// ticks.
func TestRoofsReachTheEnds(t *testing.T) {
	r := exampleRoofline()
	r.Kernels[0].X = []float64{0.25, 128}
	f := mustFigure(t, r)
	var option struct {
		XAxis  []struct{ Min, Max float64 }
		Series []struct {
			Data []struct{ Value [2]float64 }
		}
	}
	if err := json.Unmarshal(f.script.Option, &option); err != nil {
		t.Fatal(err)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range option.Series {
		for _, point := range s.Data {
			low, high = min(low, point.Value[0]), max(high, point.Value[0])
		}
	}
	if axis := option.XAxis[0]; low != axis.Min || high != axis.Max {
		t.Errorf("the lines go from %g to %g, the axis from %g to %g", low, high, axis.Min, axis.Max)
	}
}

func TestWrongRooflinesAreRefused(t *testing.T) {
	with := func(change func(*Roofline)) Roofline {
		r := exampleRoofline()
		change(&r)
		return r
	}
	checkRefused(t, []refusal{
		{with(func(r *Roofline) { r.Title = "" }), `roofline "": there is no title`},
		{with(func(r *Roofline) { r.Peaks = nil }), "there is no peak"},
		{with(func(r *Roofline) { r.Bandwidths = nil }), "there is no bandwidth"},
		{with(func(r *Roofline) { r.Kernels = nil }), "there is no kernel"},
		{with(func(r *Roofline) { r.Peaks[0].Name = "" }), "a limit has no name"},
		{with(func(r *Roofline) { r.Peaks[0].Value = math.NaN() }), `limit "f32 peak" is NaN`},
		{with(func(r *Roofline) { r.Bandwidths[0].Value = 0 }), `limit "DRAM" is 0`},
		{with(func(r *Roofline) { r.Bandwidths[1].Value = math.Inf(1) }), `limit "L2" is +Inf`},
		{with(func(r *Roofline) { r.Bandwidths[1].Name = "DRAM" }), `two series have the name "DRAM"`},
		{with(func(r *Roofline) { r.Kernels[1].Name = "" }), "Kernels[1] has no name"},
		{with(func(r *Roofline) { r.Kernels[0].X[0] = 0 }), `series "f32": X[0] is 0, which a log axis does not have`},
		{with(func(r *Roofline) { r.Kernels[0].X[0] = math.Inf(1) }), `series "f32": X[0] is +Inf`},
		{with(func(r *Roofline) { r.Kernels[0].Y[1] = math.NaN() }), `series "f32": Y[1] is NaN`},
		{with(func(r *Roofline) { r.Kernels[0].Y = r.Kernels[0].Y[:1] }), `series "f32": X has 2 values and Y has 1`},
		{with(func(r *Roofline) { r.Kernels[0].Labels = []string{"a"} }), `series "f32": there are 1 labels for 2 points`},
		{with(func(r *Roofline) { r.Kernels[0].Dashed = true }), `series "f32": kernels cannot be dashed`},
		{with(func(r *Roofline) { r.Kernels[0].Low = []float64{1, 1} }), `series "f32": kernels have no error bars`},
	})
}
