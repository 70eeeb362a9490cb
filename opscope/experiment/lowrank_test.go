package experiment

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
)

func TestLowRankOptions(t *testing.T) {
	for want, o := range map[string]LowRankOptions{
		"-1 threads":             {Threads: -1},
		"a product 64x-1x512":    {K: -1},
		"an error of at most 2":  {MaxError: 2},
		"error of at most NaN":   {MaxError: math.NaN()},
		"distribution 99":        {Dist: 99},
		"ranks are [0 1]":        {Ranks: []int{0, 1}},
		"ranks are [2 2]":        {Ranks: []int{2, 2}},
		"numbers from 1 to 5 in": {K: 5, N: 7, Ranks: []int{6}},
		"the weight is zero":     {Weight: kernels.New(4, 4), Ranks: []int{1}},
		"non-finite":             {Weight: kernels.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: []float32{float32(math.NaN())}}, Ranks: []int{1}},
	} {
		if want == "non-finite" {
			want = "" // whoever refuses it
		}
		if _, err := LowRank(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// small48 measures a weight of 48 x 48 in milliseconds.
func small48(w kernels.Matrix, ranks ...int) LowRankOptions {
	return LowRankOptions{Threads: 1, Weight: w, Name: "small", M: 4, Ranks: ranks, Rounds: 3, RoundTime: 100 * time.Microsecond}
}

// A Hadamard matrix of order n has n equal singular values: stable rank n, and an error
// of sqrt(1-r/n) at rank r.
func TestLowRankOfHadamard(t *testing.T) {
	w := kernels.New(32, 32)
	for i := range 32 {
		for j := range 32 {
			w.Data[i*32+j] = 1
			for bits := i & j; bits > 0; bits &= bits - 1 {
				w.Data[i*32+j] *= -1
			}
		}
	}
	r, err := LowRank(t.Context(), small48(w, 4, 8))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.StableRank-32) > 1e-6 || r.BreakEven != 15 || r.Needed.Rank != 32 || !r.Spectral.Exact {
		t.Errorf("stable rank %v, break-even %d, needed %v", r.StableRank, r.BreakEven, r.Needed)
	}
	for i, rank := range []int{4, 8, 15} {
		row, want := r.Rows[i], math.Sqrt(1-float64(rank)/32)
		if row.Rank != rank || math.Abs(row.WeightErr-want) > 1e-6 {
			t.Errorf("rank %d: error %v, want that of %d, %v", row.Rank, row.WeightErr, rank, want)
		}
		checkProduct(t, row.Product, float64(4*rank*64), 0.3, 1.1)
	}
	if _, ok := r.Within(); ok {
		t.Error("a rank within 2%")
	}
	if !strings.Contains(r.Verdict(), "No rank that was measured has an error of at most 2%: keep the weight dense.") {
		t.Error(r.Verdict())
	}
}

func TestLowRank(t *testing.T) {
	var progress []int
	o := small48(opscope.Sample(opscope.LowRank, 48, 40, 3), 1, 2, 8)
	o.Progress = func(done, of int) { progress = append(progress, done*1000/of) }
	r, err := LowRank(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Needed.Rank != 4 || r.K != 48 || r.N != 40 || r.BreakEven != 21 {
		t.Errorf("needed %v, %+v", r.Needed, r)
	}
	found := false
	for _, row := range r.Rows {
		if row.Rank < 4 != (row.WeightErr > 0.1) || row.Rank >= 4 && row.WeightErr > 1e-5 {
			t.Errorf("rank %d: error %v", row.Rank, row.WeightErr)
		}
		found = found || row.Rank == 4
		if row.Rank >= 4 {
			checkProduct(t, row.Product, float64(4*row.Rank*88), 1e-9, 1e-5)
		}
	}
	if !found {
		t.Errorf("the rank needed is not among %+v", r.Rows)
	}
	if row, ok := r.Within(); !ok || row.Rank < 4 {
		t.Errorf("within the error: %+v", row)
	}
	if len(progress) == 0 || progress[len(progress)-1] != 1000 {
		t.Errorf("progress %v", progress)
	}
	checkJSON(t, r)
	checkShown(t, r, "# Low-rank weights", "| lowrank | 4 |")
	for name, figure := range map[string]func() error{
		"errors":   func() error { _, err := r.ErrorFigure(); return err },
		"spectrum": func() error { _, err := r.SpectrumFigure(); return err },
	} {
		if err := figure(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LowRank(cancelled, LowRankOptions{Quick: true}); err != context.Canceled {
		t.Errorf("a context that is cancelled: %v", err)
	}
}

// lowRankFigures makes a result of a weight of 100 x 100 that needs some rank, with
// times and errors at ranks 10, 20 and 40.
func lowRankFigures(stable float64, needed int, f32 int64, ns [3]int64, errs [3]float64) LowRankResult {
	r := LowRankResult{
		Name: "made up", M: 1, K: 100, N: 100, MaxError: 0.02, BreakEven: 49, StableRank: stable,
		Needed:   opscope.RankEstimate{Rank: needed, Low: needed},
		Spectral: opscope.Spectral{Rows: 100, Cols: 100, Exact: true, Norm: 10},
		Dense:    []Product{{Scheme: "f32", Impl: "x", NS: f32, Roof: 0.9}, {Scheme: "dense", Impl: "ref", NS: 10 * f32}},
	}
	for range 100 {
		r.Spectral.Values = append(r.Spectral.Values, 1)
	}
	for i, rank := range []int{10, 20, 40} {
		r.Rows = append(r.Rows, LowRankRow{Rank: rank, WeightErr: errs[i], Product: Product{Scheme: "lowrank", NS: ns[i]}})
	}
	return r
}

func TestLowRankVerdict(t *testing.T) {
	sketch := lowRankFigures(5, 15, 100, [3]int64{20, 40, 80}, [3]float64{0.5, 0.3, 0.1})
	sketch.Needed = opscope.RankEstimate{Rank: 30, Low: 30, AtLeast: true}
	for name, c := range map[string]struct {
		r      LowRankResult
		want   []string
		absent []string
	}{
		"it pays": {lowRankFigures(8, 10, 100, [3]int64{20, 40, 80}, [3]float64{0.01, 0.005, 0.001}), []string{
			"The stable rank is 8 of 100; an error of at most 2% needs rank 10: here the stable rank is near it.",
			"is 49: the rank needed is below it, and the factors are 5 times smaller than W.",
			"faster than f32 at every rank measured, 10 to 40",
			"Rank 10 is within an error of 2% (its own is 1%) and is 5 times as fast as f32: factor this weight.",
		}, []string{"keep the weight dense", "not a low rank"}},
		"small but slow": {lowRankFigures(8, 10, 100, [3]int64{120, 240, 480}, [3]float64{0.01, 0.005, 0.001}), []string{
			"faster than f32 at no rank measured: at rank 10 they take 1.2 times as long",
			"No rank within an error of 2% is faster: the fastest of them, rank 10, takes 1.2 times as long as f32. Keep the weight dense.",
		}, []string{"factor this weight"}},
		"fast but wrong": {lowRankFigures(8, 90, 100, [3]int64{20, 40, 80}, [3]float64{0.9, 0.8, 0.7}), []string{
			"needs rank 90, 11.2 times as many: a low stable rank is not a low rank.",
			"above it, so the factors would be larger than W",
			"No rank that was measured has an error of at most 2%: keep the weight dense.",
		}, []string{"factor this weight", "smaller than W"}},
		// Half way between the logarithms of 20 and 40; of equal singular values the error at
		// rank 28 is sqrt(1-28/100).
		"a crossover":        {lowRankFigures(8, 90, 100, [3]int64{25, 50, 200}, [3]float64{0.9, 0.8, 0.01}), []string{"faster than f32 below rank 28.3, at which the error of the weight is 85%", "rank 40, takes 2 times as long as f32. Keep"}, nil},
		"up and down":        {lowRankFigures(8, 90, 100, [3]int64{50, 150, 50}, [3]float64{0.9, 0.8, 0.7}), []string{"more than once", "disturbed"}, nil},
		"a sketch":           {sketch, []string{"needs rank at least 30, 6 times as many", "not known from this sketch"}, []string{"smaller than W", "larger than W"}},
		"nothing":            {LowRankResult{}, []string{"Nothing was measured."}, nil},
		"the fastest counts": {lowRankFigures(8, 10, 100, [3]int64{70, 40, 80}, [3]float64{0.01, 0.005, 0.001}), []string{"Rank 20 is within"}, nil},
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

func TestLowRankFiguresOfOneRow(t *testing.T) {
	r, err := LowRank(t.Context(), small48(normal(rand.New(rand.NewPCG(1, 2)), 1, 32), 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.ErrorFigure(); err != nil {
		t.Error(err)
	}
}
