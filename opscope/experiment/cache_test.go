package experiment

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/opscope/bench"
)

func TestCacheOptions(t *testing.T) {
	for want, o := range map[string]CacheVsDRAMOptions{
		"-1 threads":              {Threads: -1},
		`no scheme "int9"`:        {Schemes: []string{"int9"}},
		"at most 8191 weights":    {MaxWeights: 8191},
		"100 bytes of memory":     {MaxMemory: 100},
		"rounds of -1ns":          {RoundTime: -1},
		"-3 rounds, want at leas": {Rounds: -3},
	} {
		if _, err := CacheVsDRAM(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestCacheVsDRAM(t *testing.T) {
	var progress []int
	o := CacheVsDRAMOptions{
		Threads: 1, MaxWeights: 1 << 15, Rounds: 3, RoundTime: 100 * time.Microsecond,
		Progress: func(done, of int) { progress = append(progress, done, of) },
	}
	r, err := CacheVsDRAM(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 3, 2, 3, 3, 3}; !slices.Equal(progress, want) {
		t.Errorf("progress %v, want %v", progress, want)
	}
	if len(r.Rows) != 3*len(CacheSchemes()) || r.LastLevelCache <= 0 || r.Stopped != "" {
		t.Fatalf("%+v", r)
	}
	for i, row := range r.Rows {
		weights := int64(1) << (13 + i/len(CacheSchemes()))
		if row.Scheme != CacheSchemes()[i%len(CacheSchemes())] || row.Weights != weights || int64(row.Copies*row.K*row.N) != weights {
			t.Errorf("%+v, want %s of %d weights", row, CacheSchemes()[i%len(CacheSchemes())], weights)
		}
		bits := map[string]float64{"f32": 32, "bf16": 16, "w8a16": 8, "w8a8": 8, "w4a16": 4.5}[row.Scheme]
		if got := 8 * float64(row.Bytes) / float64(row.Weights); got < bits || got > 1.15*bits {
			t.Errorf("%s: %v bits a weight, want about %v", row.Scheme, got, bits)
		}
		if want := float64(row.Bytes) / float64(row.NS); row.NS <= 0 || math.Abs(row.GBps-want) > 1e-9 || row.ReadGBps <= 0 {
			t.Errorf("%+v", row)
		}
	}
	checkJSON(t, r)
	checkShown(t, r, "# Cache against DRAM", "| 32.8K | 1 | 128 | 256 | w4a16 |")
	if _, err := r.SpeedFigure(); err != nil {
		t.Error(err)
	}

	// The sweep ends before the memory is exceeded.
	o.MaxWeights, o.MaxMemory, o.Schemes = 1<<30, 1<<20, []string{}
	if r, err = CacheVsDRAM(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	last := r.Rows[len(r.Rows)-1]
	if last.Weights != 1<<18 || last.Bytes != 1<<20 || !strings.Contains(r.Stopped, "2^19 weights would take more than the 1 MiB") {
		t.Errorf("%+v, %q", last, r.Stopped)
	}
	if !strings.Contains(r.Verdict(), "The sweep ended early: a model of 2^19") {
		t.Error(r.Verdict())
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CacheVsDRAM(cancelled, CacheVsDRAMOptions{Quick: true}); err != context.Canceled {
		t.Errorf("a context that is cancelled: %v", err)
	}
}

func TestSweep(t *testing.T) {
	sizes := sweep(1 << 24)
	for i, s := range sizes {
		if got := s.copies * s.shape.K * s.shape.N; got != 1<<(13+i) || s.log2 != 13+i {
			t.Errorf("%+v has %d weights, want 2^%d", s, got, 13+i)
		}
	}
	if len(sizes) != 12 {
		t.Errorf("%d sizes up to 2^24, want 12", len(sizes))
	}
}

func TestPlace(t *testing.T) {
	r := CacheVsDRAMResult{Caches: []CacheLevel{{1, 100}, {2, 1000}}, LastLevelCache: 1000}
	for bytes, want := range map[int64]string{100: "L1", 101: "L2", 1000: "L2", 1001: "cache or DRAM", 4000: "cache or DRAM", 4001: "DRAM"} {
		if got := r.Place(bytes); got != want {
			t.Errorf("%d bytes: %s, want %s", bytes, got, want)
		}
	}
	r.Caches = nil // not known
	if got := r.Place(10); got != "cache" {
		t.Errorf("%s", got)
	}
}

// cacheFigures makes a result of models of 1024, 2048 and 4096 weights, where float32
// takes 100, 200 and 400 ns, with the times of w8a16.
func cacheFigures(ns ...int64) CacheVsDRAMResult {
	r := CacheVsDRAMResult{LastLevelCache: 2048, Machine: bench.Machine{CPU: "made up", Tier: "x", Threads: 1}}
	for i, w8a16 := range ns {
		weights := int64(1024) << i
		f32 := CacheRow{Scheme: "f32", Weights: weights, Bytes: 4 * weights, NS: 100 << i, ReadGBps: 50}
		int8 := CacheRow{Scheme: "w8a16", Weights: weights, Bytes: weights, NS: w8a16, ReadGBps: 50}
		for _, row := range []*CacheRow{&f32, &int8} {
			row.GBps = float64(row.Bytes) / float64(row.NS)
		}
		r.Rows = append(r.Rows, f32, int8)
	}
	return r
}

func TestCacheVerdict(t *testing.T) {
	early := cacheFigures(25, 50, 100)
	early.Stopped = "of no memory"
	early.Caches = []CacheLevel{{1, 2048}}
	for name, c := range map[string]struct {
		r      CacheVsDRAMResult
		want   []string
		absent []string
	}{
		"everywhere": {cacheFigures(25, 50, 100), []string{
			"models of 1.02K to 4.1K weights; last-level cache 2 KiB, which is assumed, since",
			"f32: the largest model is 16 KiB (DRAM) and is read at 41 GB/s, 82% of the bandwidth measured in the same rounds: the bandwidth is its limit.",
			"w8a16 has 4 times fewer bytes than f32 and 4 times its speed at 4.1K weights, 4 times at 1.02K: it is faster at every size, with at least 80% of what its bytes promise everywhere.",
		}, []string{"save memory alone", "ended early"}},
		"nowhere": {cacheFigures(125, 250, 500), []string{
			"w8a16: the largest model is 4 KiB (cache or DRAM) and is read at 8.19 GB/s, 16% of the bandwidth measured in the same rounds: something else than the bandwidth is its limit.",
			"0.8 times its speed at 4.1K weights, 0.8 times at 1.02K: at the largest model it is not faster, its bytes save memory alone, and never has 80%",
		}, []string{"faster at every size"}},
		"from some size on": {cacheFigures(110, 100, 110), []string{
			"it is faster from 2.05K weights on (8 KiB in float32), with at least 80% of what its bytes promise from 4.1K weights on (16 KiB in float32: DRAM).",
		}, []string{"at every size"}},
		"early":   {early, []string{"The sweep ended early: of no memory.", "last-level cache 2 KiB."}, []string{"assumed"}},
		"nothing": {CacheVsDRAMResult{}, []string{"Nothing was measured."}, nil},
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

func TestBestReads(t *testing.T) {
	var all []bench.Bandwidth
	for _, reads := range [][]bench.Bandwidth{{{Bytes: 2, GBps: 10}, {Bytes: 8, GBps: 5}}, {{Bytes: 4, GBps: 7}, {Bytes: 8, GBps: 6}}, {{Bytes: 2, GBps: 9}}} {
		all = bestReads(all, reads)
	}
	if want := []bench.Bandwidth{{Bytes: 2, GBps: 10}, {Bytes: 4, GBps: 7}, {Bytes: 8, GBps: 6}}; !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
}
