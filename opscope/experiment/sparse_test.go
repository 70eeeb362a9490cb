package experiment

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestSparseOptions(t *testing.T) {
	for want, o := range map[string]SparseOptions{
		"-1 threads":          {Threads: -1},
		"-1 rounds":           {Rounds: -1},
		"rounds of -1ns":      {RoundTime: -1},
		"a product -1x512":    {M: -1},
		"at most 1073741824":  {M: 1, K: math.MaxInt, N: 2},
		"no densities":        {Densities: []float64{}},
		"are [0 1]":           {Densities: []float64{0, 1}},
		"are [0.5 0.5]":       {Densities: []float64{0.5, 0.5}},
		"are [1.1]":           {Densities: []float64{1.1}},
		"are [NaN], want num": {Densities: []float64{math.NaN()}},
	} {
		if _, err := Sparse(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestSparse(t *testing.T) {
	var progress []int
	o := SparseOptions{
		Threads: 1, M: 5, K: 40, N: 33, Densities: []float64{0.1, 0.5, 1}, Seed: 7,
		Rounds: 3, RoundTime: 100 * time.Microsecond,
		Progress: func(done, of int) { progress = append(progress, done*1000/of) },
	}
	r, err := Sparse(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{20, 100, 200} { // nonzeros
		row := r.Rows[i]
		if row.Density != want/200 || row.Probed != row.Density || row.Recommended != (row.Density <= 0.5) {
			t.Errorf("%+v, want a density of %v", row, want/200)
		}
		checkProduct(t, row.Product, want*33, 0, 1e-6)
		if row.Err == 0 {
			t.Error("a float32 product without rounding")
		}
		if most := int64(4 * 40 * 33); row.Bytes > most || i == 2 && row.Bytes != most {
			t.Errorf("density %v reads %d bytes", row.Density, row.Bytes)
		}
	}
	if len(r.Dense) != 2 || r.Dense[0].Scheme != "f32" || r.Dense[1].Scheme != "dense" {
		t.Errorf("dense kernels %+v", r.Dense)
	}
	for _, d := range r.Dense {
		checkProduct(t, d, 5*40*33, 1e-9, 1e-6)
	}
	if len(progress) == 0 || progress[len(progress)-1] != 1000 {
		t.Errorf("progress %v", progress)
	}
	checkJSON(t, r)
	checkShown(t, r, "# Sparse activations", "| skipzeros | 10% | 10% | skip zeros |")

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Sparse(cancelled, SparseOptions{Quick: true}); err != context.Canceled {
		t.Errorf("a context that is cancelled: %v", err)
	}
}

func TestWithNonzeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for density, want := range map[float64]int{0.0001: 1, 0.25: 30, 1: 120} {
		x, said := withNonzeros(rng, 10, 12, density)
		count := 0
		for _, v := range x.Data {
			if v != 0 {
				count++
			}
		}
		if count != want || said != want {
			t.Errorf("density %v: %d nonzeros, said to be %d, want %d", density, count, said, want)
		}
	}
}

func TestBytesMet(t *testing.T) {
	x, _ := withNonzeros(rand.New(rand.NewPCG(1, 2)), 2, 3, 1)
	x.Data[0], x.Data[3], x.Data[1] = 0, 0, 0 // the first column, and half of the second
	if got := bytesMet(x, 10); got != 4*2*10 {
		t.Errorf("%d bytes, want those of 2 rows of 10", got)
	}
}

// sparseFigures makes a result of times in nanoseconds at densities of 10, 20 and 40%.
func sparseFigures(f32, loop int64, skip ...int64) SparseResult {
	r := SparseResult{M: 1, K: 2, N: 3, Dense: []Product{
		{Scheme: "f32", Impl: "x", NS: f32, Roof: 0.9, Err: 1e-7}, {Scheme: "dense", Impl: "ref", NS: loop, Err: 1e-7},
	}}
	for i, ns := range skip {
		density := []float64{0.1, 0.2, 0.4}[i]
		r.Rows = append(r.Rows, SparseRow{Density: density, Probed: density, Recommended: density < 0.3, Product: Product{Scheme: "skipzeros", NS: ns, Err: 2e-7}})
	}
	return r
}

func TestSparseVerdict(t *testing.T) {
	inexact := sparseFigures(100, 900, 50, 80, 140)
	inexact.Rows[1].Err = 0.1
	noisy := sparseFigures(100, 900, 50, 80, 140)
	noisy.Dense[0].MedianNS = 150
	for name, c := range map[string]struct {
		r      SparseResult
		want   []string
		absent []string
	}{
		"a crossover": {sparseFigures(100, 900, 50, 80, 140), []string{
			"the fastest dense kernel is f32 (x), 100 ns, 90% of the roof",
			"faster than f32 below a density of 26% and slower above", // 0.2·2^(log 1.25 / log 1.75)
			"At a density of 10% it is 2 times as fast as f32; the work alone would allow 10 times the speed. Over the plain loop its speed is 18 times.",
			"exact but for the rounding",
			"the faster one at all of the 3 densities",
		}, []string{"disturbed", "NOT"}},
		"everywhere": {sparseFigures(100, 900, 10, 20, 40), []string{
			"faster than f32 at every density measured, 10% to 40%",
			"the faster one at 2 of the 3 densities, and is not at 40% (skipping not recommended, but faster, 2.50 times the speed)",
		}, []string{"below a density", "not faster"}},
		"nowhere": {sparseFigures(100, 900, 150, 200, 400), []string{
			"not faster than f32 at any density measured: at 10% it takes 1.50 times as long",
			"At a density of 10% it takes 1.5 times as long as f32",
			"at 10% (skipping recommended, but slower, 0.67 times the speed), 20% (skipping",
		}, []string{"every density"}},
		"the loop is the fastest": {sparseFigures(100, 60, 50, 80, 140), []string{
			"the fastest dense kernel is dense (ref)", "faster than dense below a density of 13%",
		}, []string{"plain loop its speed"}},
		"up and down": {sparseFigures(100, 900, 50, 120, 90), []string{"at several densities, 17%, 31%", "disturbed"}, []string{"slower above"}},
		"from above":  {sparseFigures(100, 900, 150, 120, 80), []string{"slower than f32 below a density of 27% and faster above it, which is odd"}, nil},
		"inexact":     {inexact, []string{"NOT exact: its largest error against float64 is 1.0e-01"}, []string{"exact but"}},
		"noisy":       {noisy, []string{"disturbed the run: half of the rounds of f32 took 1.5 times as long as the fastest, or longer"}, nil},
		"nothing":     {SparseResult{}, []string{"Nothing was measured."}, nil},
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
