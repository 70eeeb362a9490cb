package experiment

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

func TestQuantizationOptions(t *testing.T) {
	for want, o := range map[string]QuantizationOptions{
		"-1 threads":            {Threads: -1},
		"no shapes":             {Shapes: []WeightShape{}},
		"no numbers of rows":    {M: []int{}},
		"a product 1x0x3":       {Shapes: []WeightShape{{0, 3}}},
		`no scheme "int9"`:      {Schemes: []string{"int9"}},
		"an error of at most 1": {MaxError: 1},
		"an outlier of 0.5":     {OutlierFactor: 0.5},
		"-1 samples":            {Samples: -1},
	} {
		if _, err := Quantization(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestQuantization(t *testing.T) {
	var progress []int
	r, err := Quantization(t.Context(), QuantizationOptions{
		Threads: 1, Shapes: []WeightShape{{128, 96}, {64, 33}}, M: []int{1, 6}, Samples: 4, Seed: 3,
		Rounds: 3, RoundTime: 100 * time.Microsecond, Progress: func(done, of int) { progress = append(progress, done, of) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 5, 2, 5, 3, 5, 4, 5, 5, 5}; !slices.Equal(progress, want) {
		t.Errorf("progress %v, want %v", progress, want)
	}
	if len(r.Cases) != 4 || r.Cases[1].shape() != "6x128x96" || r.Cases[2].shape() != "1x64x33" {
		t.Fatalf("%+v", r.Cases)
	}
	for _, c := range r.Cases {
		if len(c.Rows) != len(QuantizationSchemes()) || c.Rows[0].Scheme != "f32" {
			t.Fatalf("%+v", c)
		}
		for _, row := range c.Rows {
			least, most := row.Theory/2, row.Theory*2 // of few elements
			if row.Scheme == "f32" {
				least, most = 1e-9, 1e-6
			}
			checkProduct(t, row.Product, float64(c.M*c.K*c.N), least, most)
		}
		for scheme, bits := range map[string]float64{"f32": 32, "bf16": 16, "w8a16": 8, "w8a8": 8, "w8a8-q": 8, "w4a16": 4.5} {
			// Panels may be filled up with zeros, which are read too.
			if got := 8 * float64(c.row(scheme).Bytes) / float64(c.K*c.N); got < bits || got > 3*bits {
				t.Errorf("%s, %s: %v bits a weight, want about %v", c.shape(), scheme, got, bits)
			}
		}
	}
	for _, e := range r.Errors {
		if math.Abs(e.Err/e.Theory-1) > 0.15 || e.Spread <= 0 || e.Bits < 3 || e.Bits > 8 {
			t.Errorf("%+v", e)
		}
	}
	if len(r.Errors) != 6*4 { // bits, and what shares a step
		t.Errorf("%d errors", len(r.Errors))
	}
	checkJSON(t, r)
	checkShown(t, r, "# Quantization", "| 6 | 128 | 96 | w4a16-g128 |", "| 3 | groups of 32 |", "| output channel | 8 | per tensor |")
	for name, figure := range map[string]func() error{
		"speed":    func() error { _, err := r.SpeedFigure(6); return err },
		"pareto":   func() error { _, err := r.ParetoFigure(1); return err },
		"roofline": func() error { _, err := r.RooflineFigure(1); return err },
		"outliers": func() error { _, err := r.OutlierFigure(8); return err },
	} {
		if err := figure(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.ParetoFigure(2); err == nil {
		t.Error("a figure of what was not measured")
	}

	only, err := Quantization(t.Context(), QuantizationOptions{
		Threads: 1, Shapes: []WeightShape{{32, 32}}, M: []int{1}, Schemes: []string{"w8a16"}, Samples: 1, Rounds: 1, RoundTime: time.Microsecond,
	})
	if err != nil || !slices.Equal(only.schemes(), []string{"f32", "w8a16"}) {
		t.Errorf("%v, %v", only.schemes(), err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Quantization(cancelled, QuantizationOptions{Quick: true}); err != context.Canceled {
		t.Errorf("a context that is cancelled: %v", err)
	}
}

// Without an outlier the errors are those of the probes.
func TestOutlierErrors(t *testing.T) {
	w := normal(rand.New(rand.NewPCG(1, 2)), 50, 20)
	for _, bits := range []int{8, 4} {
		for want, got := range map[float64]func() (float64, float64){
			opscope.QuantError(w, bits, opscope.PerTensor): func() (float64, float64) { return outlierErrors(w, bits, 50, true, NoOutlier) },
			opscope.QuantError(w, bits, opscope.PerColumn): func() (float64, float64) { return outlierErrors(w, bits, 50, false, NoOutlier) },
			opscope.GroupQuantError(w, bits, 32):           func() (float64, float64) { return outlierErrors(w, bits, 32, false, NoOutlier) },
		} {
			if all, others := got(); math.Abs(all/want-1) > 1e-9 || others != all {
				t.Errorf("%d bits: %v and %v, want %v", bits, all, others, want)
			}
		}
	}
	// Codes of 2 bits are -1, 0 and 1: with a step of 4 the ones are lost, and what they
	// lose is all that they are.
	a := kernels.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float32{4, 1, 4, 1}}
	if all, others := outlierErrors(a, 2, 2, true, OutputOutlier); others != 1 || math.Abs(all-math.Sqrt(2.0/34)) > 1e-12 {
		t.Errorf("per tensor: %v, %v", all, others)
	}
	if all, others := outlierErrors(a, 2, 2, false, OutputOutlier); all != 0 || others != 0 {
		t.Errorf("per channel: %v, %v", all, others)
	}
	b := kernels.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float32{4, 4, 1, 1}}
	if _, others := outlierErrors(b, 2, 2, false, InputOutlier); others != 1 {
		t.Errorf("per channel, input: %v", others)
	}
}

func TestPareto(t *testing.T) {
	row := func(scheme string, bytes, ns int64, err float64) QuantizationRow {
		return QuantizationRow{Product: Product{Scheme: scheme, Bytes: bytes, NS: ns, Err: err}}
	}
	c := QuantizationCase{Rows: []QuantizationRow{
		row("f32", 4, 40, 0), row("bf16", 2, 50, 1), row("w8a16", 1, 20, 2), row("w8a8", 1, 20, 3), row("w8a8-q", 1, 1, 0), row("w4a16", 1, 20, 2),
	}}
	c.markPareto()
	var got []string
	for _, r := range c.Rows {
		if r.Pareto {
			got = append(got, r.Scheme)
		}
	}
	// bf16 is better in error than all smaller ones; two alike do not beat each other.
	if want := []string{"f32", "bf16", "w8a16", "w4a16"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// quantizationFigures makes a result of one shape with so many nanoseconds by w8a16,
// where f32 takes 100, at m = 1 and 32.
func quantizationFigures(decode, prompt int64) QuantizationResult {
	r := QuantizationResult{MaxError: 0.02, OutlierFactor: 30, Samples: 1}
	for i, m := range []int{1, 32} {
		c := QuantizationCase{M: m, K: 2, N: 3, Machine: bench.Machine{CPU: "made up", Tier: "x", Threads: 1}, Rows: []QuantizationRow{
			{Product: Product{Scheme: "f32", NS: 100, Bytes: 400, Roof: 0.9}},
			{Product: Product{Scheme: "w8a16", NS: []int64{decode, prompt}[i], Bytes: 100, Err: 0.008, Roof: 0.5}, Theory: 0.008},
			{Product: Product{Scheme: "w4a16", NS: 10, Bytes: 50, Err: 0.1}, Theory: 0.1},
			{Product: Product{Scheme: "w8a8-q", NS: 1, Bytes: 1, Err: 0.01}},
		}}
		c.markPareto()
		r.Cases = append(r.Cases, c)
	}
	return r
}

func TestQuantizationVerdict(t *testing.T) {
	errors := func(tensor, channel, group, theory float64) []QuantizationError {
		return []QuantizationError{
			{Bits: 4, Granularity: opscope.PerTensor, Err: tensor, Theory: tensor * theory},
			{Bits: 4, Granularity: opscope.PerColumn, Err: channel, Theory: channel},
			{Bits: 4, Granularity: opscope.PerGroup, Group: 32, Err: group, Theory: group},
		}
	}
	outliers := func(after float64) []QuantizationOutlier {
		return []QuantizationOutlier{
			{Outlier: NoOutlier, Bits: 8, Granularity: opscope.PerTensor, Others: 0.01},
			{Outlier: OutputOutlier, Bits: 8, Granularity: opscope.PerTensor, Others: after},
			{Outlier: NoOutlier, Bits: 8, Granularity: opscope.PerGroup, Group: 32, Others: 0.005},
			{Outlier: OutputOutlier, Bits: 8, Granularity: opscope.PerGroup, Group: 32, Others: 0.005},
		}
	}
	good, bad := quantizationFigures(25, 80), quantizationFigures(125, 100)
	good.Errors, good.Outliers = errors(0.2, 0.14, 0.1, 1.01), outliers(0.25)
	bad.Errors, bad.Outliers = errors(0.1, 0.14, 0.1, 2), outliers(0.012)
	mixed := quantizationFigures(25, 80)
	other := mixed.Cases[0]
	other.K, other.Rows = 4, slices.Clone(other.Rows)
	other.Rows[1].NS = 200
	mixed.Cases = append(mixed.Cases, other)
	none := quantizationFigures(25, 80)
	none.Cases[0].Rows[0].Err, none.Cases[0].Rows[1].Err = 0.3, 0.3
	for name, c := range map[string]struct {
		r      QuantizationResult
		want   []string
		absent []string
	}{
		"it pays": {good, []string{
			"(made up, our tier x), threads: 1, 1x2x3, 32x2x3, Gaussian x and W.",
			"Theory holds: the measured errors are within 0.99%",
			"At 4 bits a step per tensor loses 20%, per output channel 14%, per group of 32 10%: the smaller the group the better, 2 times in all.",
			"one output channel 30 times as large raises it from 1% to 25% with steps per tensor, leaves it at 0.5% with steps for groups of 32.",
			"w8a16: 4.00 times fewer bytes than f32, error 0.8% (theory 0.8%); at m=1 faster, 4.00 times the speed of f32 and 50% of the roof; at m=32 faster, 1.25 times",
			"Within an error of 2%, at m=1 the smallest is w8a16 and the fastest w8a16.",
			"at m=1, on some shape: f32, w8a16, w4a16.",
		}, []string{"not faster", "does not hold"}},
		"it does not": {bad, []string{
			"Theory does not hold: the error at 4 bits, per tensor, is 10%, not 20%.",
			"smaller groups do not help here",
			"leaves it at 1.2% with steps per tensor",
			"at m=1 not faster, 0.80 times the speed of f32 and 50% of the roof; at m=32 not faster, 1.00 times",
			"at m=1 the smallest is w8a16 and the fastest f32.",
		}, []string{"raises it", "Theory holds"}},
		"it depends":       {mixed, []string{"at m=1 faster on some shapes only, 0.50 to 4.00 times", "at m=1 the smallest is w8a16 and the fastest w8a16 or f32."}, nil},
		"nothing is exact": {none, []string{"At m=1 no scheme is within an error of 2%.", "Within an error of 2%, at m=32"}, nil},
		"nothing":          {QuantizationResult{}, []string{"Nothing was measured."}, nil},
	} {
		verdict := c.r.Verdict()
		for _, want := range c.want {
			if !strings.Contains(verdict, want) {
				t.Errorf("%s: the verdict lacks %q:\n%s", name, want, verdict)
			}
		}
		for _, absent := range c.absent {
			if strings.Contains(verdict, absent) {
				t.Errorf("%s: the verdict says %q:\n%s", name, absent, verdict)
			}
		}
	}
}
