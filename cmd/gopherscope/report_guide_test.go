package main

import (
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/bench"
	"github.com/rlx-go/gopherscope/opscope/experiment"
	"github.com/rlx-go/gopherscope/opscope/transformer"
)

// madeUp is a report in which everything pays, or nothing does.
func madeUp(pays bool) *reportResult {
	// Where f32 takes 100 ns a rival takes 25 or 250.
	rival := int64(250)
	if pays {
		rival = 25
	}
	machine := bench.Machine{CPU: "made up", Tier: "x", Threads: 1, F32Peak: 100, Int8Peak: 400, BF16Peak: 200,
		Read: []bench.Bandwidth{{Bytes: 1 << 20, GBps: 50}, {Bytes: 1 << 30, GBps: 10}}}
	f32 := experiment.Product{Scheme: "f32", Impl: "x", NS: 100, Bytes: 4000, Gops: 90, Roof: 0.9, Err: 1e-7}
	loop := experiment.Product{Scheme: "dense", Impl: "ref", NS: 1000, Bytes: 4000, Gops: 9, Roof: 0.09, Err: 1e-7}
	product := func(scheme string, ns, bytes int64, err float64) experiment.Product {
		return experiment.Product{Scheme: scheme, Impl: "x", NS: ns, Bytes: bytes, Gops: 50, Roof: 0.5, Err: err}
	}
	kernel := product("skipzeros", rival, 4000, 1e-7)
	r := &reportResult{
		Format:     reportFormat,
		Provenance: provenance{Date: time.Unix(0, 0).UTC(), Command: "gopherscope report", Version: "v1", Go: "go1", OS: "linux", Arch: "amd64", CPU: "made up", Cores: 2, Threads: 1, Tier: "x"},
		Features:   []schemeImpls{{"f32", "x", []string{"ref", "x"}}},
		Structure: &experiment.StructureResult{Machine: machine, M: 1, K: 2, N: 3, MaxError: 0.02, Rows: []experiment.StructureRow{{
			Input: "sparse90", Role: opscope.Activation, Density: 0.1, Recommended: "skip zeros", Why: "zeros", Timed: "skip zeros",
			Dense: []experiment.Product{f32, loop}, Kernel: &kernel,
		}}},
		Sparse: &experiment.SparseResult{Machine: machine, M: 1, K: 2, N: 3, Dense: []experiment.Product{f32, loop}, Rows: []experiment.SparseRow{
			{Density: 0.1, Probed: 0.1, Recommended: true, Product: product("skipzeros", rival, 4000, 1e-7)},
			{Density: 0.4, Probed: 0.4, Recommended: true, Product: product("skipzeros", 16*rival, 4000, 1e-7)},
		}},
		LowRank: []experiment.LowRankResult{{
			Machine: machine, Name: "gaussian", M: 1, K: 4, N: 4, MaxError: 0.02, StableRank: 2, BreakEven: 1,
			Spectral: opscope.Spectral{Rows: 4, Cols: 4, Exact: true, Norm: 2, Values: opscope.Spectrum{1, 1, 1, 1}},
			Needed:   opscope.RankEstimate{Rank: 4, Low: 4}, Dense: []experiment.Product{f32, loop},
			Rows: []experiment.LowRankRow{
				{Rank: 1, WeightErr: 0.8, Product: product("lowrank", rival, 1000, 0.8)}, {Rank: 4, WeightErr: 0.01, Product: product("lowrank", 16*rival, 4000, 0.01)},
			},
		}},
		Quantization: &experiment.QuantizationResult{
			ErrorShape: experiment.WeightShape{K: 2, N: 3}, Samples: 1, MaxError: 0.02, OutlierFactor: 30,
			Errors: []experiment.QuantizationError{{Bits: 4, Granularity: opscope.PerTensor, Err: 0.2, Theory: 0.2}, {Bits: 8, Granularity: opscope.PerTensor, Err: 0.01, Theory: 0.01}},
			Outliers: []experiment.QuantizationOutlier{
				{Outlier: experiment.NoOutlier, Bits: 8, Granularity: opscope.PerTensor, Err: 0.01, Others: 0.01},
				{Outlier: experiment.OutputOutlier, Bits: 8, Granularity: opscope.PerTensor, Err: 0.01, Others: 0.01},
			},
		},
		MatrixUnit: &experiment.MatrixUnitResult{},
		CacheVsDRAM: &experiment.CacheVsDRAMResult{Machine: machine, LastLevelCache: 1 << 20, Rows: []experiment.CacheRow{
			{Scheme: "f32", Weights: 1 << 19, Copies: 1, K: 1, N: 1, Bytes: 2 << 20, NS: 50, GBps: 40, ReadGBps: 50},
			{Scheme: "w8a16", Weights: 1 << 19, Copies: 1, K: 1, N: 1, Bytes: 1 << 19, NS: rival, GBps: 40, ReadGBps: 50},
			{Scheme: "w4a16", Weights: 1 << 19, Copies: 1, K: 1, N: 1, Bytes: 1 << 18, NS: 1, GBps: 40, ReadGBps: 50},
			{Scheme: "f32", Weights: 1 << 20, Copies: 1, K: 1, N: 1, Bytes: 4 << 20, NS: 100, GBps: 40, ReadGBps: 50},
			{Scheme: "w8a16", Weights: 1 << 20, Copies: 1, K: 1, N: 1, Bytes: 1 << 20, NS: rival, GBps: 40, ReadGBps: 50},
			{Scheme: "w4a16", Weights: 1 << 20, Copies: 1, K: 1, N: 1, Bytes: 1 << 19, NS: 1, GBps: 40, ReadGBps: 50}, // too large an error
		}},
		ErrorCompounding: &experiment.ErrorCompoundingResult{
			Config: transformer.Config{Layers: 2, Hidden: 4, Heads: 1, KVHeads: 1, HeadDim: 4, FeedForward: 4, Vocabulary: 8}, Tokens: 1, Seeds: []uint64{1},
			StreamRMS: [][]float64{{1, 1, 1}},
			Runs:      []experiment.CompoundingRun{{Recipe: "w8a16", Seed: 1, Impl: "x", WeightBytes: 1, Product: []float64{0.01, 0.01}, Added: []float64{0.01, 0.01}, Stream: []float64{0.01, 0.03}, Cosine: 1, Top1: 1}},
		},
	}
	for _, m := range []int{1, 32} {
		r.Quantization.Cases = append(r.Quantization.Cases, experiment.QuantizationCase{Machine: machine, M: m, K: 2, N: 3, Rows: []experiment.QuantizationRow{
			{Product: f32, Pareto: true}, {Product: product("w8a16", rival, 1000, 0.008), Theory: 0.008, Pareto: true}, {Product: product("w4a16", 1, 500, 0.1), Theory: 0.1, Pareto: true},
		}})
	}
	for _, threads := range []int{1, 2} {
		// Two threads have twice the peak; ours gain that, or nothing.
		ours := int64(100)
		if pays {
			ours /= int64(threads)
		}
		run := experiment.MatrixUnitRun{CPU: "made up", Tier: "x", Threads: threads, Libraries: []experiment.MatrixUnitLibrary{{Name: "lib", Version: "1"}}}
		for _, m := range []int{1, 32} {
			row := func(scheme, library, class string, ns int64) experiment.MatrixUnitRow {
				return experiment.MatrixUnitRow{Scheme: scheme, Library: library, Class: class, Impl: "x", M: m, K: 2, N: 3, NS: ns, WeightBytes: 10, Gops: 10, Peak: 100 * float64(threads), Roof: 0.5, Err: 1e-3}
			}
			run.Rows = append(run.Rows, row("f32", "", "f32", ours), row("w8a8", "", "int8", ours), row("lib-f32", "lib", "f32", rival))
		}
		r.MatrixUnit.Runs = append(r.MatrixUnit.Runs, run)
	}
	if !pays {
		r.ErrorCompounding.Runs[0].Stream = []float64{0.01, 0.01}
		r.CacheVsDRAM.LastLevelCache = 1 << 21
		r.CacheVsDRAM.Caches = []experiment.CacheLevel{{Level: 1, Bytes: 1 << 10}}
		r.Provenance.Mask, r.Provenance.Quick = "avx2", true
		r.Sparse.Dense[0].MedianNS = 2 * r.Sparse.Dense[0].NS
		for i := range r.MatrixUnit.Runs {
			r.MatrixUnit.Runs[i].Libraries[0].Unused = "no file"
		}
	} else {
		// So that one set is above 4 times the last cache.
		r.CacheVsDRAM.LastLevelCache = 1<<20 - 1
	}
	return r
}

// Opposite figures make opposite sentences, in the guide, the caveats and the document.
func TestReportOfOppositeFigures(t *testing.T) {
	for _, c := range []struct {
		pays         bool
		want, absent []string
	}{
		{true, []string{
			// log 4 of 16 between 0.1 and 0.4.
			"| Activations with many zeros | skip the zeros if more than 80% are | skipzeros was faster than f32 below a density of 20% |",
			"| A weight of low rank | factor it if the rank that its error allows is below 50% of its smaller side | factors were faster than f32 below rank 2 of 4x4 with 1 row of x; the stable rank does not tell |",
			"| One row of x (decoding), weights in a cache | use w8a16 | the fastest with an error of at most 2%: w8a16 4.00 times f32 at 2x3 |",
			"| 32 rows of x (a prompt or a batch) | use w8a16 |",
			"| Memory is short | use w8a16 |",
			"| One row of x, 4 MiB of weights in float32 (DRAM) | use w8a16 | 4.00 times the speed of f32, with 4.00 times fewer bytes |",
			"| Float32 products | use lib-f32 at m=1 (4.00 times), m=32 (4.00 times) |",
			"| 2 threads for f32 | use them | they gained 2.00 to 2.00 over 1, the most at m=1 |",
			"it went from w8a16 1% to 3%: it compounds.",
			"Only the working sets of f32 were larger than 4 times",
			"The system does not tell the sizes of its caches",
			"it pays in time.",
		}, []string{"measure again", "quick run", "masked", "not quiet", "No library of a vendor", "use f32", "use ours"}},
		{false, []string{
			"| Activations with many zeros | multiply by the zeros too | skipzeros was not faster than f32 even at a density of 10% |",
			"| A weight of low rank | keep it dense | factors were not faster than f32 even at rank 1 of 4x4 with 1 row of x |",
			"| One row of x (decoding), weights in a cache | use f32 |",
			"| Memory is short | use w8a16 |",
			"| One row of x, 4 MiB of weights in float32 (cache or DRAM) | use f32 | no scheme with an error of at most 2% was faster |",
			"| Float32 products | use ours | lib-f32 was faster on every shape at no number of rows measured |",
			"| 2 threads for f32 | leave them to others | they gained 1.00 to 1.00 over 1, the most at m=1 |",
			"it went from w8a16 1% to 1%: it does not grow here.",
			"No working set was larger than 4 times the last-level cache, so nothing is said of DRAM.",
			"This was a quick run", "tiers were masked to avx2", "half of the rounds of f32 took 2 times as long", "No library of a vendor was measured",
			"it does not pay here.",
		}, []string{"measure again", "it compounds", "use w8a16 | 4.00", "does not tell the sizes", "it pays in time"}},
	} {
		r := madeUp(c.pays)
		if err := r.check(); err != nil {
			t.Fatal(err)
		}
		text, pictures, err := document{r: r}.render()
		if err != nil {
			t.Fatal(err)
		}
		if len(pictures) < 10 {
			t.Errorf("%d pictures", len(pictures))
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("pays %v: the document lacks %q", c.pays, want)
			}
		}
		for _, absent := range c.absent {
			if strings.Contains(text, absent) {
				t.Errorf("pays %v: the document says %q", c.pays, absent)
			}
		}
		if t.Failed() {
			t.Log(text)
		}
	}
}

func TestGuideOfOddFigures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *reportResult)
		want   guideRow
	}{
		"zeros always": {func(r *reportResult) { r.Sparse.Rows = r.Sparse.Rows[:1] },
			guideRow{"Activations with many zeros", "skip the zeros, whatever the density", "skipzeros was faster than f32 at every density measured"}},
		"zeros from above": {func(r *reportResult) { r.Sparse.Rows[0].NS, r.Sparse.Rows[1].NS = 400, 25 },
			guideRow{"Activations with many zeros", "measure again", "the time of skipzeros did not grow with the density, so the run was disturbed"}},
		"factors always": {func(r *reportResult) { r.LowRank[0].Rows[1].NS = 50 },
			guideRow{"A weight of low rank", "factor it", "factors were faster than f32 up to rank 4, the highest measured, of 4x4 with 1 row of x"}},
		"factors from above": {func(r *reportResult) { r.LowRank[0].Rows[0].NS, r.LowRank[0].Rows[1].NS = 400, 25 },
			guideRow{"A weight of low rank", "measure again", "the time of the factors did not grow with the rank, so the run was disturbed"}},
		"nothing precise": {func(r *reportResult) { r.Quantization.MaxError = 1e-9 },
			guideRow{"32 rows of x (a prompt or a batch)", "nothing is precise enough", "no scheme had an error of at most 1e-07%"}},
		"no library": {func(r *reportResult) { r.MatrixUnit.Runs[0].Rows = r.MatrixUnit.Runs[0].Rows[:2] },
			guideRow{"Float32 products", "use ours", "no library of a vendor could be used here"}},
		"threads that were not free": {func(r *reportResult) {
			for i := range r.MatrixUnit.Runs[1].Rows {
				r.MatrixUnit.Runs[1].Rows[i].Peak = 110
			}
		}, guideRow{"2 threads", "measure again", "the peak of float32 was only 1.10 times that of 1: the processors were not free"}},
		"threads for many rows": {func(r *reportResult) { r.MatrixUnit.Runs[1].Rows[0].NS = 100 },
			guideRow{"2 threads for f32", "use them for many rows of x", "they gained 1.00 to 2.00 over 1, the most at m=32"}},
	} {
		r := madeUp(true)
		c.change(r)
		rows := guide(r)
		found := false
		for _, row := range rows {
			found = found || row == c.want
		}
		if !found {
			t.Errorf("%s: the guide lacks %+v: %+v", name, c.want, rows)
		}
	}
}

func TestCompareReports(t *testing.T) {
	old, now := madeUp(false), madeUp(true)
	now.Provenance.CPU = "another"
	now.MatrixUnit.Runs[0].Rows = now.MatrixUnit.Runs[0].Rows[:5]
	for _, c := range []struct {
		old, now     *reportResult
		want, absent []string
	}{
		{old, now, []string{
			"processor: made up before, another now\n", "mask: avx2 before, none now\n",
			"2 figures in one of the runs only\n", // a crossover, and a row that was removed
			"skipzeros 1x2x3 at a density of 10%", "0.25 µs", "0.025 µs", "10.00 times better",
			// The error of the stream is smaller where nothing pays.
			"error of w8a16 after 2 layers, seed 1", "3.00 times worse",
		}, []string{"the same", "reading 1"}},
		{now, old, []string{"processor: another before, made up now", "10.00 times worse", "3.00 times better"}, []string{"10.00 times better"}},
		{old, old, []string{"the circumstances are the same\n", "none of the ", "differs by more than 10%"}, []string{"better", "worse", "in one of the runs"}},
	} {
		changes := compareReports(c.old, c.now)
		text := changes.text()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("the comparison lacks %q:\n%s", want, text)
			}
		}
		for _, absent := range c.absent {
			if strings.Contains(text, absent) {
				t.Errorf("the comparison says %q:\n%s", absent, text)
			}
		}
		doc := document{r: c.now}
		doc.changes = &changes
		document, _, err := doc.render()
		if err != nil || !strings.Contains(document, "## What changed\n\n- ") {
			t.Errorf("%v: the document says nothing of changes", err)
		}
	}
	// Within a tenth nothing changed.
	near := madeUp(true)
	near.Sparse.Rows[0].NS = 26
	if got := compareReports(madeUp(true), near).differing(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	names := map[string]bool{}
	for _, f := range now.figures() {
		if names[f.name] {
			t.Errorf("two figures are named %q", f.name)
		}
		names[f.name] = true
	}
}
