package opscope_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
)

func recommend(t *testing.T, p opscope.Profile, b opscope.Budget) []opscope.Choice {
	t.Helper()
	choices, err := opscope.Recommend(t.Context(), p, b)
	if err != nil {
		t.Fatal(err)
	}
	return choices
}

func actions(choices []opscope.Choice) string {
	var names []string
	for _, c := range choices {
		names = append(names, string(c.Action))
	}
	return strings.Join(names, ", ")
}

// weightOf is what a prepared weight really stands for: its product with the identity.
func weightOf(m kernels.Multiplier) opscope.Matrix {
	k, _ := m.Dims()
	return kernels.Mul(m, diagonal(k, func(int) float64 { return 1 }))
}

func TestRecommendForEveryDistribution(t *testing.T) {
	tests := []struct {
		dist       opscope.Dist
		weight     string
		activation string
	}{
		{opscope.Gaussian, "int8 per channel, bf16, keep dense", "keep dense"},
		{opscope.Uniform, "int8 per channel, bf16, keep dense", "keep dense"},
		{opscope.Sparse90, "int8 per channel, bf16, keep dense", "skip zeros, keep dense"},
		{opscope.LowRank, "low-rank factored, int8 per channel, bf16, keep dense", "keep dense"},
		// 1% of outliers 30 times as large set the step of every channel.
		{opscope.Outlier, "bf16, keep dense", "keep dense"},
		// Steps of 0.5 within ±4 or so make a few values.
		{opscope.Quantized, "lookup table, int8 per channel, bf16, keep dense", "keep dense"},
		// Neighbouring rows are alike, which makes it nearly low-rank, but int8
		// is still smaller.
		{opscope.Coherent, "int8 per channel, bf16, low-rank factored, keep dense", "keep dense"},
	}
	for _, tt := range tests {
		w := opscope.Sample(tt.dist, 384, 384, 21)
		p := probe(t, w, opscope.Options{})
		choices := recommend(t, p, opscope.Budget{})
		if got := actions(choices); got != tt.weight {
			t.Errorf("%v weight: %s; want %s", tt.dist, got, tt.weight)
		}
		for _, c := range choices {
			checkBuild(t, fmt.Sprintf("%v %s", tt.dist, c.Action), c, w, opscope.DefaultError)
		}
		x := probe(t, w, opscope.Options{Role: opscope.Activation})
		if got := actions(recommend(t, x, opscope.Budget{})); got != tt.activation {
			t.Errorf("%v activation: %s; want %s", tt.dist, got, tt.activation)
		}
	}
}

// checkBuild compares what a choice promises with the kernel it builds.
func checkBuild(t *testing.T, name string, c opscope.Choice, w opscope.Matrix, budget float64) {
	t.Helper()
	m, err := c.Build(strided(w, 3))
	if !c.HasKernel {
		if m != nil || !errors.Is(err, opscope.ErrNoKernel) {
			t.Errorf("%s: Build gave %v, %v", name, m, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if k, n := m.Dims(); k != w.Rows || n != w.Cols || c.K != k || c.N != n {
		t.Errorf("%s: built %d x %d for %d x %d", name, k, n, c.K, c.N)
	}
	if got := m.Info().WeightBytes; got != c.Bytes {
		t.Errorf("%s: the kernel reads %d bytes, the choice says %d", name, got, c.Bytes)
	}
	e := kernels.RelErr(weightOf(m), w)
	if e > budget {
		t.Errorf("%s: the kernel's weight is off by %v, above the budget of %v", name, e, budget)
	}
	// Factors come within 1% of the best ones, and the binary16 scales of int4 change
	// its error by less; float32 adds about 1e-7.
	if math.Abs(e-c.Error) > 0.01*c.Error+3e-7 {
		t.Errorf("%s: the kernel's weight is off by %v, the choice says %v", name, e, c.Error)
	}
	if c.Why == "" || !strings.HasSuffix(c.Why, ".") {
		t.Errorf("%s: reason %q", name, c.Why)
	}
}

func TestGaussianIsNeverLowRank(t *testing.T) {
	for _, s := range [][2]int{{32, 32}, {64, 200}, {200, 64}, {32, 2400}, {120, 6625}, {1, 50}, {50, 1}} {
		for seed := range uint64(2) {
			p := probe(t, opscope.Sample(opscope.Gaussian, s[0], s[1], seed), opscope.Options{})
			for _, b := range []float64{0, 0.02, 0.1} {
				if got := actions(recommend(t, p, opscope.Budget{Error: b})); strings.Contains(got, "low-rank") {
					t.Errorf("%v, seed %d, budget %v: %s", s, seed, b, got)
				}
			}
		}
	}
}

// A stable rank near 1 does not make a matrix low-rank: one large direction
// carries the norm, and the rest is still above the budget.
func TestLowStableRankIsNotLowRank(t *testing.T) {
	const n = 100
	w := diagonal(n, func(i int) float64 {
		if i == 0 {
			return 20
		}
		return 1
	})
	p := probe(t, w, opscope.Options{})
	within(t, "stable rank", p.StableRank, (400+99)/400.0, 1e-6)
	if got := actions(recommend(t, p, opscope.Budget{Error: 0.2})); strings.Contains(got, "low-rank") {
		t.Error(got)
	}
	// Rank 50 leaves sqrt(50/499) = 0.3165; break-even is 49, which leaves 0.3197.
	for budget, want := range map[float64]int{0.316: 0, 0.3165: 0, 0.33: 47, 0.5: 1} {
		rank := 0
		for _, c := range recommend(t, p, opscope.Budget{Error: budget}) {
			if c.Action == opscope.Factored {
				rank = c.Rank
				checkBuild(t, fmt.Sprintf("budget %v", budget), c, w, budget)
			}
		}
		if rank != want {
			t.Errorf("budget %v: rank %d, want %d", budget, rank, want)
		}
	}
}

// A budget holds for the factors that Build makes, not only for the best ones.
func TestFactorsKeepTheBudget(t *testing.T) {
	decay := make([]float64, 90)
	for i := range decay {
		decay[i] = math.Pow(0.93, float64(i))
	}
	w := withSpectrum(140, 120, decay)
	p := probe(t, w, opscope.Options{})
	for _, budget := range []float64{0.3, 0.1, 0.05, 0.02} {
		i := 0
		choices := recommend(t, p, opscope.Budget{Error: budget})
		for i < len(choices) && choices[i].Action != opscope.Factored {
			i++
		}
		if i == len(choices) {
			t.Errorf("budget %v: %s", budget, actions(choices))
			continue
		}
		checkBuild(t, fmt.Sprintf("budget %v", budget), choices[i], w, budget)
		// The tail of a geometric series: 0.93^r.
		if want := math.Log(budget) / math.Log(0.93); math.Abs(float64(choices[i].Rank)-want) > 1.5 {
			t.Errorf("budget %v: rank %d, want about %.1f", budget, choices[i].Rank, want)
		}
	}
}

// The order is that of the bytes, and no choice without a gain is listed.
func TestChoicesAreCheapestFirst(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {1, 40}, {2, 40}, {40, 1}, {64, 64}, {5, 3}} {
		for _, d := range opscope.Dists() {
			p := probe(t, opscope.Sample(d, s[0], s[1], 2), opscope.Options{})
			choices := recommend(t, p, opscope.Budget{Error: 0.3})
			if !slices.IsSortedFunc(choices, func(a, b opscope.Choice) int { return int(a.Bytes - b.Bytes) }) {
				t.Errorf("%v of %v: %v", d, s, choices)
			}
			if last := choices[len(choices)-1]; last.Action != opscope.KeepDense || last.Bytes != int64(4*s[0]*s[1]) || last.Error != 0 {
				t.Errorf("%v of %v: last is %v", d, s, last)
			}
		}
	}
}

func TestSkipZeros(t *testing.T) {
	const m, k = 20, 50
	for zeros, want := range map[int]string{0: "keep dense", 24: "keep dense", 25: "skip zeros, keep dense", 50: "skip zeros, keep dense"} {
		x := build(m, k, func(i, j int) float64 {
			if j < zeros {
				return 0
			}
			return float64(i + j)
		})
		choices := recommend(t, probe(t, x, opscope.Options{Role: opscope.Activation}), opscope.Budget{})
		if got := actions(choices); got != want {
			t.Errorf("%d zeros of %d: %s; want %s", zeros, k, got, want)
			continue
		}
		w := opscope.Sample(opscope.Gaussian, k, 7, 1)
		for _, c := range choices {
			if c.Bytes != 0 || c.Error != 0 || c.K != k || c.N != 0 || !c.HasKernel {
				t.Errorf("%+v", c)
			}
			mul, err := c.Build(w)
			if err != nil {
				t.Errorf("%s: %v", c.Action, err)
				continue
			}
			if e := kernels.RelErr(kernels.Mul(mul, x), product(x, w)); e > 1e-6 {
				t.Errorf("%s: error %v", c.Action, e)
			}
			if _, err := c.Build(transpose(w)); err == nil || !strings.Contains(err.Error(), "50 x n") {
				t.Errorf("%s: got %v for a weight of another shape", c.Action, err)
			}
		}
		if want := float64(k-zeros) / k; choices[0].Work != want && zeros >= 25 {
			t.Errorf("%d zeros: work %v, want %v", zeros, choices[0].Work, want)
		}
	}
}

// product is x w in float64.
func product(x, w opscope.Matrix) opscope.Matrix {
	return build(x.Rows, w.Cols, func(i, j int) float64 {
		var sum float64
		for p := range x.Cols {
			sum += float64(x.Data[i*x.Stride+p]) * float64(w.Data[p*w.Stride+j])
		}
		return sum
	})
}

func TestRecommendWithoutFigures(t *testing.T) {
	bad := hadamard(8)
	bad.Data[9] = float32(math.NaN())
	gaussian := opscope.Sample(opscope.Gaussian, 30, 20, 1)
	tests := []struct {
		name      string
		w         opscope.Matrix
		o         opscope.Options
		want, why string
	}{
		{"NaN in a weight", bad, opscope.Options{}, "keep dense", "row 1, column 1"},
		{"NaN in an activation", bad, opscope.Options{Role: opscope.Activation}, "keep dense", "row 1, column 1"},
		{"empty weight", opscope.Matrix{}, opscope.Options{}, "keep dense", "Exact."},
		{"empty activation", opscope.Matrix{Rows: 2}, opscope.Options{Role: opscope.Activation}, "keep dense", "Exact."},
		{"zero weight", build(30, 20, func(i, j int) float64 { return 0 }), opscope.Options{},
			"low-rank factored, lookup table, ternary, int4 group 32, int8 per channel, bf16, 2:4 sparse, keep dense", "Exact."},
		{"outside the budget", gaussian, opscope.Options{}, "int8 per channel, bf16, keep dense",
			"Outside the budget of 0.02: int4 group 32 (error "},
	}
	for _, tt := range tests {
		choices := recommend(t, probe(t, tt.w, tt.o), opscope.Budget{})
		if got := actions(choices); got != tt.want {
			t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
		}
		if last := choices[len(choices)-1]; !strings.Contains(last.Why, tt.why) {
			t.Errorf("%s: reason %q; want one with %q", tt.name, last.Why, tt.why)
		}
		for _, c := range choices {
			if m, err := c.Build(tt.w); (err == nil) != c.HasKernel || (err == nil) != (m != nil) {
				if tt.o.Role == opscope.Weight || tt.o.Role == "" {
					t.Errorf("%s: %s built %v, %v", tt.name, c.Action, m, err)
				}
			}
		}
	}
}

func TestRecommendRefuses(t *testing.T) {
	p := probe(t, hadamard(2), opscope.Options{})
	for _, e := range []float64{-0.1, math.NaN(), math.Inf(1)} {
		if _, err := opscope.Recommend(t.Context(), p, opscope.Budget{Error: e}); err == nil {
			t.Errorf("budget %v: no error", e)
		}
	}
	if _, err := opscope.Recommend(t.Context(), opscope.Profile{}, opscope.Budget{}); err == nil {
		t.Error("a profile without a role: no error")
	}
}

func TestBuildRefuses(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 30, 20, 1)
	bad := opscope.Sample(opscope.Gaussian, 30, 20, 1)
	bad.Data[7] = float32(math.Inf(1))
	for _, c := range recommend(t, probe(t, w, opscope.Options{}), opscope.Budget{}) {
		for name, other := range map[string]opscope.Matrix{
			"transposed": transpose(w), "malformed": {Rows: 30, Cols: 20, Stride: 20}, "empty": {},
		} {
			if m, err := c.Build(other); err == nil || m != nil {
				t.Errorf("%s of a %s weight: %v, %v", c.Action, name, m, err)
			}
		}
		var nonFinite *kernels.NonFiniteError
		takesAll := !c.HasKernel || c.Action == opscope.KeepDense || c.Action == opscope.BFloat16
		if m, err := c.Build(bad); !takesAll && (!errors.As(err, &nonFinite) || m != nil) {
			t.Errorf("%s of a weight with an infinity: %v, %v", c.Action, m, err)
		}
	}
	if _, err := (opscope.Choice{Action: "transmute", HasKernel: true, K: 30, N: 20}).Build(w); err == nil {
		t.Error("unknown action: no error")
	}
}

func TestChoiceString(t *testing.T) {
	for _, tt := range []struct {
		c    opscope.Choice
		want string
	}{
		{
			opscope.Choice{Action: opscope.Factored, Rank: 4, Error: 0.0123, Bytes: 16384, BitsPerWeight: 0.5, Work: 0.0156, HasKernel: true, Why: "Because."},
			"low-rank factored, rank 4: error 0.012, 16.4 kB (0.5 bits a weight), 0.0156 of the multiply-adds\n  Because.",
		},
		{
			opscope.Choice{Action: opscope.KeepDense, DType: "F16", Bytes: 2048, BitsPerWeight: 16, Work: 1, Why: "Exact."},
			"keep dense, F16: error 0, 2.05 kB (16 bits a weight), no kernel\n  Exact.",
		},
		{
			opscope.Choice{Action: opscope.BFloat16, Bytes: 999_700, Work: 1, HasKernel: true, Why: "Smaller."},
			"bf16: error 0, 1.00 MB\n  Smaller.",
		},
		{
			opscope.Choice{Action: opscope.SkipZeros, Work: 0.1, HasKernel: true, Why: "Exact.",
				Expected: []opscope.Expected{{M: 1, Time: 5, Speedup: 2.04, Baseline: "f32"}, {M: 32, Time: 6, Speedup: 0.5, Baseline: "f32"}}},
			"skip zeros: error 0, 0.1 of the multiply-adds, 2.04 times as fast as f32 at m = 1, 0.50 times as fast as f32 at m = 32\n  Exact.",
		},
	} {
		if got := tt.c.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
