package opscope_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

func menuOf(t *testing.T, p opscope.Profile, b opscope.Budget) []opscope.Choice {
	t.Helper()
	choices, err := opscope.Menu(p, b)
	if err != nil {
		t.Fatal(err)
	}
	return choices
}

// find returns the choice of an action, and whether there is one.
func find(choices []opscope.Choice, a opscope.Action) (opscope.Choice, bool) {
	i := slices.IndexFunc(choices, func(c opscope.Choice) bool { return c.Action == a })
	if i < 0 {
		return opscope.Choice{}, false
	}
	return choices[i], true
}

// sparseOfFour is a matrix that has two nonzeros in each four rows of a column.
func sparseOfFour(k, n int) opscope.Matrix {
	return build(k, n, func(i, j int) float64 {
		if (i+j)%4 < 2 {
			return 0
		}
		return 1 + float64((i*7+j*3)%11)
	})
}

// Bytes are those of the kernel, to the byte, and errors those of the weight that the
// kernel holds.
func TestMenuAgreesWithTheKernels(t *testing.T) {
	shapes := [][2]int{{1, 1}, {1, 40}, {2, 40}, {33, 5}, {40, 1}, {64, 64}, {129, 31}, {130, 97}, {300, 20}}
	built := map[opscope.Action]int{}
	for _, s := range shapes {
		for _, d := range opscope.Dists() {
			w := opscope.Sample(d, s[0], s[1], 2)
			p := probe(t, w, opscope.Options{})
			b := opscope.Budget{Baseline: "F64", ActivationError: 0.01}
			for _, c := range menuOf(t, p, b) {
				name := fmt.Sprintf("%v of %v: %s", d, s, c.Name())
				m, err := c.Build(w)
				if !c.HasKernel {
					if m != nil || !errors.Is(err, opscope.ErrNoKernel) || !strings.Contains(c.Why, "No kernel") {
						t.Errorf("%s: built %v, %v: %s", name, m, err, c.Why)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				built[c.Action]++
				if got := m.Info().WeightBytes; got != c.Bytes {
					t.Errorf("%s: the kernel reads %d bytes, the choice says %d", name, got, c.Bytes)
				}
				near(t, name+": bits", c.BitsPerWeight, 8*float64(c.Bytes)/float64(s[0]*s[1]), 1e-12)
				e := kernels.RelErr(weightOf(m), w)
				if c.Action == opscope.W8A8 {
					e = math.Hypot(e, 0.01)
				}
				tolerance := 0.01*c.Error + 3e-7
				if strings.HasPrefix(string(c.Action), "int4") {
					tolerance += 0x1p-11 // what rounding a scale to binary16 may change
				}
				if math.Abs(e-c.Error) > tolerance {
					t.Errorf("%s: the kernel's weight is off by %v, the choice says %v", name, e, c.Error)
				}
			}
		}
	}
	for _, a := range []opscope.Action{
		opscope.BFloat16, opscope.Int8PerChannel, opscope.W8A8, opscope.Int4Group32, opscope.Int4Group128, opscope.Int4PerChannel, opscope.Factored,
	} {
		if built[a] == 0 {
			t.Errorf("%s was never built", a)
		}
	}
}

// The kernel of a weight with a channel whose scale is no normal binary16 holds a factor
// for each channel.
func TestInt4BytesOfExtremeChannels(t *testing.T) {
	const low, high = 7 * 0x1p-14, 7 * 65504.0
	ordinary := func(i, j int) float64 { return float64((i+j)%5) / 4 }
	with := func(channel int, largest float64) opscope.Matrix {
		return build(64, 8, func(i, j int) float64 {
			if j == channel {
				return largest * ordinary(i, j)
			}
			return ordinary(i, j)
		})
	}
	for _, tt := range []struct {
		name    string
		w       opscope.Matrix
		factors bool
	}{
		{"ordinary", with(0, 1), false},
		{"large", scaled(with(0, 1), 1e6), true},
		{"small", scaled(with(0, 1), 1e-6), true},
		{"the largest scale", with(3, high), false},
		{"above it", with(3, high+1), true},
		{"the smallest scale", with(7, low), false},
		{"below it", with(7, low*(1-0x1p-23)), true},
		{"a zero channel", with(5, 0), false},
		{"a channel of the smallest number", with(5, math.SmallestNonzeroFloat32), true},
		{"the smallest number in one place", build(64, 8, func(i, j int) float64 {
			return float64(1-min(j, 1)) + math.SmallestNonzeroFloat32*float64(i/63)
		}), true},
		{"all zero but one", build(64, 8, func(i, j int) float64 { return float64(i/63) * float64(j/7) }), false},
	} {
		for _, p := range []opscope.Profile{
			probe(t, tt.w, opscope.Options{SVDLimit: -1}), probe(t, transpose(tt.w), opscope.Options{SVDLimit: -1, OutIn: true}),
		} {
			checkInt4(t, tt.name, p, tt.w, tt.factors)
		}
	}
}

// checkInt4 compares the bytes of int4 choices with those of the kernels.
func checkInt4(t *testing.T, name string, p opscope.Profile, w opscope.Matrix, factors bool) {
	t.Helper()
	for _, a := range []opscope.Action{opscope.Int4Group32, opscope.Int4Group128} {
		c, ok := find(menuOf(t, p, opscope.Budget{}), a)
		if !ok {
			t.Errorf("%s: no %s", name, a)
			continue
		}
		group := min(map[opscope.Action]int{opscope.Int4Group32: 32, opscope.Int4Group128: 128}[a], w.Rows)
		want := int64((w.Rows*w.Cols+1)/2 + 2*((w.Rows+group-1)/group)*w.Cols)
		if factors {
			want += int64(4 * w.Cols)
		}
		if m, err := c.Build(w); err != nil || c.Bytes != want || m.Info().WeightBytes != want {
			t.Errorf("%s: %s has %d bytes in the kernel, %d in the choice, want %d", name, a, m.Info().WeightBytes, c.Bytes, want)
		}
	}
}

// A convolution with output channels that are almost zero.
func TestInt4BytesOfAConvolution(t *testing.T) {
	file, err := weights.Open("../notebooks/data/ppocr_v4_rec_two.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := file.Matrix("conv2d_180.w_0")
	if err != nil {
		t.Fatal(err)
	}
	p, err := opscope.ProbeRows(t.Context(), m, opscope.Options{OutIn: true, SVDLimit: -1})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := m.Load()
	if err != nil {
		t.Fatal(err)
	}
	checkInt4(t, m.Name(), p, stored.AsInOut().Matrix, true)
}

// The kernel's groups end at 4096.
func TestInt4PerChannelOfLongChannels(t *testing.T) {
	for k, kernel := range map[int]bool{4096: true, 4097: false} {
		w := build(k, 3, func(i, j int) float64 { return float64((i*7+j)%15 - 7) })
		c, ok := find(menuOf(t, probe(t, w, opscope.Options{SVDLimit: -1}), opscope.Budget{}), opscope.Int4PerChannel)
		if want := int64((k*3+1)/2 + 2*3); !ok || c.Bytes != want || c.HasKernel != kernel {
			t.Errorf("%d inputs: %+v, want %d bytes", k, c, want)
		}
		if m, err := c.Build(w); (err == nil) != kernel || kernel && m.Info().WeightBytes != c.Bytes {
			t.Errorf("%d inputs: %v", k, err)
		}
	}
}

// What no kernel runs is counted by hand: 2:4 keeps half of 4 of each column and 2 of
// the tail of 3, of 64 + 3 rows that is 34.
func TestBytesWithoutKernel(t *testing.T) {
	w := sparseOfFour(67, 10)
	p := probe(t, w, opscope.Options{})
	for _, tt := range []struct {
		dtype string
		size  int64
	}{{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}} {
		choices := menuOf(t, p, opscope.Budget{Baseline: tt.dtype})
		c, ok := find(choices, opscope.Sparse2of4)
		if want := 34*10*tt.size + 34*10/4; !ok || c.Bytes != want || c.Work != 0.5 || c.HasKernel {
			t.Errorf("2:4 of %s: %+v, want %d bytes", tt.dtype, c, want)
		}
		if c, ok := find(choices, opscope.Ternary); !ok || c.Bytes != (2*670+7)/8+4 || c.HasKernel {
			t.Errorf("ternary of %s: %+v", tt.dtype, c)
		}
		// 12 values need four bits each.
		if c, ok := find(choices, opscope.LookupTable); !ok || c.Bytes != 670/2+12*4 || c.HasKernel {
			t.Errorf("table of %s: %+v", tt.dtype, c)
		}
	}
	// Two values need one bit.
	if c, ok := find(menuOf(t, probe(t, hadamard(64), opscope.Options{}), opscope.Budget{}), opscope.LookupTable); !ok || c.Bytes != 64*64/8+8 {
		t.Errorf("table of a Hadamard matrix: %+v", c)
	}
	// One value needs none.
	ones := build(9, 9, func(i, j int) float64 { return 1 })
	if c, ok := find(menuOf(t, probe(t, ones, opscope.Options{}), opscope.Budget{}), opscope.LookupTable); !ok || c.Bytes != 4 {
		t.Errorf("table of ones: %+v", c)
	}
}

// The baseline is the type in the file.
func TestBaseline(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 128, 64, 4)
	p := probe(t, w, opscope.Options{})
	const elements = 128 * 64
	tests := []struct {
		dtype   string
		bytes   int64
		kernel  string // of KeepDense
		actions string
	}{
		{"", 0, "f32", "keep dense, bf16, int8 per channel, int4 group 32, int4 group 128, 2:4 sparse, ternary"},
		{"F32", 4 * elements, "f32", "keep dense, bf16, int8 per channel, int4 group 32, int4 group 128, 2:4 sparse, ternary"},
		{"BF16", 0, "bf16", "keep dense, int8 per channel, int4 group 32, int4 group 128, 2:4 sparse, ternary"},
		{"F64", 0, "", "keep dense, bf16, int8 per channel, int4 group 32, int4 group 128, 2:4 sparse, ternary"},
		// Of the same size, but with other numbers.
		{"F16", 2 * elements, "", "keep dense, int8 per channel, int4 group 32, int4 group 128, 2:4 sparse, ternary"},
		{"Q8_0", elements / 32 * 34, "", "keep dense, int8 per channel, int4 group 32, int4 group 128, ternary"},
		{"F8_E4M3", elements, "", "keep dense, int4 group 32, int4 group 128, ternary"},
		// The same 4.5 bits as int4 with groups of 32.
		{"Q4_0", elements / 32 * 18, "", "keep dense, int4 group 128, ternary"},
		{"Q2_K", elements / 256 * 84, "", "keep dense, ternary"},
	}
	for _, tt := range tests {
		choices := menuOf(t, p, opscope.Budget{Baseline: tt.dtype, BaselineBytes: tt.bytes})
		if got := actions(choices); got != tt.actions {
			t.Errorf("%s: %s; want %s", tt.dtype, got, tt.actions)
		}
		keep := choices[0]
		m, err := keep.Build(w)
		if keep.HasKernel != (tt.kernel != "") || keep.HasKernel != (err == nil) || err != nil && !errors.Is(err, opscope.ErrNoKernel) {
			t.Errorf("%s: %+v builds %v", tt.dtype, keep, err)
		}
		if err == nil && (m.Info().Scheme != tt.kernel || m.Info().WeightBytes != keep.Bytes) {
			t.Errorf("%s: %+v builds %+v", tt.dtype, keep, m.Info())
		}
		if tt.bytes != 0 && keep.Bytes != tt.bytes || keep.Error != 0 || tt.dtype != "" && keep.DType != tt.dtype {
			t.Errorf("%s: %+v", tt.dtype, keep)
		}
		recommended := recommend(t, p, opscope.Budget{Baseline: tt.dtype, BaselineBytes: tt.bytes})
		if last := recommended[len(recommended)-1]; last.Action != opscope.KeepDense {
			t.Errorf("%s: the dearest is %v", tt.dtype, last)
		}
	}
	// A kernel of a matrix that is bfloat16 already changes nothing.
	rounded := weightOf(must(kernels.NewBF16(w)))
	keep := menuOf(t, probe(t, rounded, opscope.Options{}), opscope.Budget{Baseline: "BF16"})[0]
	if e := kernels.RelErr(weightOf(must(keep.Build(rounded))), rounded); e != 0 {
		t.Errorf("keeping BF16 has an error of %v", e)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestMenuRefuses(t *testing.T) {
	p := probe(t, hadamard(8), opscope.Options{})
	for name, b := range map[string]opscope.Budget{
		"a type of unknown size":       {Baseline: "Q4_K"},
		"bytes that are not the type":  {Baseline: "BF16", BaselineBytes: 256},
		"negative bytes":               {Baseline: "Q4_K", BaselineBytes: -1},
		"a negative working set":       {WorkingSet: -1},
		"a negative number of outputs": {Outputs: -1},
		"an activation error of NaN":   {ActivationError: math.NaN()},
		"a negative activation error":  {ActivationError: -1},
		"a negative error":             {Error: -1},
	} {
		if c, err := opscope.Menu(p, b); err == nil || c != nil {
			t.Errorf("%s: %v, %v", name, c, err)
		}
		if c, err := opscope.Recommend(t.Context(), p, b); err == nil || c != nil {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	x := probe(t, hadamard(8), opscope.Options{Role: opscope.Activation})
	if _, err := opscope.Menu(x, opscope.Budget{}); err == nil || !strings.Contains(err.Error(), "activation") {
		t.Errorf("the menu of an activation: %v", err)
	}
}

// Errors and sparsity are along the axes of the kernels and of the hardware: steps
// belong to output channels, 2:4 groups run along the inputs.
func TestAxes(t *testing.T) {
	// Output channels of very different size, each of few codes: exact with a step each.
	w := build(64, 16, func(i, j int) float64 { return float64((i*7+j)%15-7) * math.Ldexp(1, j) })
	c, ok := find(menuOf(t, probe(t, w, opscope.Options{}), opscope.Budget{}), opscope.Int4Group128)
	if !ok || c.Error > 5e-4 {
		t.Errorf("int4 of channels that have 15 values: %+v", c)
	}
	c, ok = find(menuOf(t, probe(t, transpose(w), opscope.Options{}), opscope.Budget{}), opscope.Int4Group32)
	if !ok || c.Error < 0.01 {
		t.Errorf("int4 along the other axis: %+v", c)
	}
	// Rows of zeros: two of each four inputs are zero for every output.
	rows := build(64, 16, func(i, j int) float64 { return float64(i % 2 * (1 + i*j%7)) })
	c, ok = find(menuOf(t, probe(t, rows, opscope.Options{}), opscope.Budget{}), opscope.Sparse2of4)
	if !ok || c.Error != 0 {
		t.Errorf("2:4 along the inputs: %+v", c)
	}
	c, ok = find(menuOf(t, probe(t, transpose(rows), opscope.Options{}), opscope.Budget{}), opscope.Sparse2of4)
	if !ok || c.Error < 0.1 {
		t.Errorf("2:4 along the outputs: %+v", c)
	}
}

// Small numbers are not few numbers.
func TestNoTableForSmallWeights(t *testing.T) {
	for _, scale := range []float64{1, 3e-3, 1e-6, 1e6} {
		g := opscope.Sample(opscope.Gaussian, 200, 100, 8)
		w := build(200, 100, func(i, j int) float64 { return scale * float64(g.Data[i*g.Stride+j]) })
		if c, ok := find(menuOf(t, probe(t, w, opscope.Options{}), opscope.Budget{}), opscope.LookupTable); ok {
			t.Errorf("scale %v: %+v", scale, c)
		}
		q := opscope.Sample(opscope.Quantized, 200, 100, 8)
		few := build(200, 100, func(i, j int) float64 { return scale * float64(q.Data[i*q.Stride+j]) })
		if _, ok := find(menuOf(t, probe(t, few, opscope.Options{}), opscope.Budget{}), opscope.LookupTable); !ok {
			t.Errorf("scale %v: no table for a few values", scale)
		}
	}
}

// The steps of int8 would be subnormal float32, and the kernel's products 0, or 127 times
// them beyond float32, and the products infinite.
func TestNoInt8OfScalesThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		largest float64
		want    bool
	}{
		{127 * 0x1p-126, true}, {126 * 0x1p-126, false}, {1e-40, false}, {0, true},
		{math.MaxFloat32, false}, {math.MaxFloat32 * (1 - 0x1p-20), true},
	} {
		w := build(40, 30, func(i, j int) float64 { return tt.largest * float64((i+j)%4) / 3 })
		c, ok := find(menuOf(t, probe(t, w, opscope.Options{}), opscope.Budget{ActivationError: 0.01}), opscope.Int8PerChannel)
		if ok != tt.want {
			t.Errorf("largest %g: int8 is offered: %v, want %v", tt.largest, ok, tt.want)
		}
		if ok && tt.largest > 0 {
			near(t, fmt.Sprintf("largest %g: error", tt.largest), c.Error, kernels.RelErr(weightOf(must(c.Build(w))), w), 0.01)
		}
	}
}

// A kernel may take subnormal numbers for 0, which are all of a weight, or next to
// nothing of it.
func TestNoBF16ForSubnormalWeights(t *testing.T) {
	for _, tt := range []struct {
		first, rest float64
		want        bool
	}{{1e-30, 1e-30, true}, {1, 1e-40, true}, {0, 0, true}, {0, 0x1p-149, false}, {0, 1e-38, false}} {
		w := build(40, 30, func(i, j int) float64 {
			if i == 0 && j == 0 {
				return tt.first
			}
			return tt.rest * (1 + float64((i*7+j)%11)/11)
		})
		c, ok := find(menuOf(t, probe(t, w, opscope.Options{}), opscope.Budget{}), opscope.BFloat16)
		if ok != tt.want {
			t.Errorf("%g and %g: bf16 is offered: %v, want %v", tt.first, tt.rest, ok, tt.want)
		}
		if ok {
			within(t, fmt.Sprintf("%g and %g: error", tt.first, tt.rest), kernels.RelErr(weightOf(must(c.Build(w))), w), c.Error, 0x1p-12)
		}
	}
}

// A matrix whose rows all sum to zero, of rank 1: power iteration from a constant
// vector sees nothing of it.
func TestZeroRowSumsAreLowRank(t *testing.T) {
	w := build(48, 64, func(i, j int) float64 { return float64(1+i%5) * float64(1-2*(j%2)) })
	choices := recommend(t, probe(t, w, opscope.Options{}), opscope.Budget{})
	c, ok := find(choices, opscope.Factored)
	if !ok || c.Rank != 1 {
		t.Fatalf("%v", choices)
	}
	checkBuild(t, "rank 1", c, w, opscope.DefaultError)
}

// Factors are of float32, so that they must save more of a bfloat16 weight.
func TestFactorsOfABF16Weight(t *testing.T) {
	decay := make([]float64, 64)
	for i := range decay {
		if i < 20 {
			decay[i] = 1
		}
	}
	w := withSpectrum(64, 64, decay) // rank 20 of 64; 4·20·128 bytes are more than 2·64·64
	p := probe(t, w, opscope.Options{})
	if c, ok := find(menuOf(t, p, opscope.Budget{}), opscope.Factored); !ok || c.Rank != 20 || c.Bytes != 4*20*128 {
		t.Errorf("of F32: %+v", c)
	}
	if c, ok := find(menuOf(t, p, opscope.Budget{Baseline: "BF16"}), opscope.Factored); ok {
		t.Errorf("of BF16: %+v", c)
	}
	keep, _ := find(recommend(t, p, opscope.Budget{Baseline: "BF16"}), opscope.KeepDense)
	if want := "low-rank factored (needs rank 20 or more, saves nothing above 15)"; !strings.Contains(keep.Why, want) {
		t.Errorf("the reason %q lacks %q", keep.Why, want)
	}
}

// The menu holds factors of several errors, and no rank twice.
func TestMenuOfRanks(t *testing.T) {
	decay := make([]float64, 90)
	for i := range decay {
		decay[i] = math.Pow(0.8, float64(i))
	}
	w := withSpectrum(140, 120, decay)
	var ranks []int
	for _, c := range menuOf(t, probe(t, w, opscope.Options{}), opscope.Budget{}) {
		if c.Action == opscope.Factored {
			ranks = append(ranks, c.Rank)
			checkBuild(t, c.Name(), c, w, 0.2)
		}
	}
	// The tail of a geometric series is 0.8^r, to be at most 1, 2, 5, 10 and 20% over 1.01.
	if want := []int{21, 18, 14, 11, 8}; !slices.Equal(ranks, want) {
		t.Errorf("ranks %v, want %v", ranks, want)
	}
	exact := withSpectrum(140, 120, []float64{3, 2, 1})
	n := 0
	for _, c := range menuOf(t, probe(t, exact, opscope.Options{}), opscope.Budget{}) {
		if c.Action == opscope.Factored && c.Rank == 3 {
			n++
		}
	}
	if n != 1 {
		t.Errorf("rank 3 is there %d times", n)
	}
}

// A sketch that does not reach the rank needed is said, and not recommended.
func TestLowRankOfASketch(t *testing.T) {
	w := diagonal(600, func(i int) float64 { return math.Pow(0.97, float64(i)) })
	p := probe(t, w, opscope.Options{Sketch: 128})
	if p.Spectral == nil || p.Spectral.Exact || len(p.Spectral.Values) > 200 {
		t.Fatalf("a matrix of 600 x 600 is not sketched: %+v", p.Spectral)
	}
	c, ok := find(recommend(t, p, opscope.Budget{Error: 0.1}), opscope.Factored)
	// 0.97^r = 0.1 at 75.6; the sketch may need some more.
	if !ok || c.Rank < 75 || c.Rank > 85 || c.Error > 0.1 {
		t.Errorf("at 10%%: %+v", c)
	}
	m, err := c.Build(w)
	if err != nil {
		t.Fatal(err)
	}
	if e := kernels.RelErr(weightOf(m), w); e > 0.1 || m.Info().WeightBytes != c.Bytes {
		t.Errorf("the factors are off by %v, of %d bytes; the choice is %+v", e, m.Info().WeightBytes, c)
	}
	choices := recommend(t, p, opscope.Budget{Error: 1e-4})
	keep, _ := find(choices, opscope.KeepDense)
	if _, ok := find(choices, opscope.Factored); ok || !strings.Contains(keep.Why, "sketch") {
		t.Errorf("at 0.01%%: %s: %s", actions(choices), keep.Why)
	}
}

// times is a calibration in which a call takes so many nanoseconds whatever its size.
func times(ns map[string]time.Duration) *opscope.Calibration {
	c := &opscope.Calibration{}
	for scheme, t := range ns {
		for _, m := range opscope.CalibratedRows() {
			add := func(call opscope.Call, t time.Duration) {
				call.Scheme, call.M = scheme, m
				for bytes := int64(1); bytes < 1<<40; bytes <<= 20 {
					c.Points = append(c.Points, opscope.CalibrationPoint{Call: call, Bytes: bytes, Time: t})
				}
			}
			switch scheme {
			case kernels.SchemeW4A16:
				add(opscope.Call{Group: 32}, t)
				add(opscope.Call{Group: 128}, t)
			case kernels.SchemeSkipZeros:
				for _, density := range []float64{0, 0.1, 0.5, 1} {
					add(opscope.Call{Density: density}, time.Duration(float64(t)*density)+1)
				}
			default:
				add(opscope.Call{}, t)
			}
		}
	}
	return c
}

func TestExpectedTimes(t *testing.T) {
	c := times(map[string]time.Duration{
		kernels.SchemeF32: 1000, kernels.SchemeBF16: 500, kernels.SchemeW8A16: 250, kernels.SchemeW4A16: 2000, kernels.SchemeLowRank: 100,
	})
	p := probe(t, opscope.Sample(opscope.LowRank, 64, 64, 1), opscope.Options{})
	want := map[opscope.Action]float64{
		opscope.KeepDense: 1, opscope.BFloat16: 2, opscope.Int8PerChannel: 4,
		opscope.Int4Group32: 0.5, opscope.Int4Group128: 0.5, opscope.Factored: 10,
	}
	seen := 0
	for _, choice := range menuOf(t, p, opscope.Budget{Calibration: c}) {
		e, ok := choice.ExpectedAt(32)
		speedup, kernel := want[choice.Action]
		if ok != kernel || ok != choice.HasKernel || e.Speedup != speedup || ok && e.Baseline != kernels.SchemeF32 {
			t.Errorf("%s: %+v", choice.Name(), e)
		}
		if kernel {
			seen++
		}
		if _, ok := choice.ExpectedAt(2); ok {
			t.Errorf("%s: a time for 2 rows", choice.Name())
		}
	}
	if seen < len(want) {
		t.Errorf("%d choices with a time, want %d", seen, len(want))
	}
	for _, choice := range menuOf(t, p, opscope.Budget{}) {
		if choice.Expected != nil {
			t.Errorf("%s: %v without a calibration", choice.Name(), choice.Expected)
		}
	}
}

// With a calibration, skipping zeros is offered where it is faster.
func TestSkipZerosWithCalibration(t *testing.T) {
	c := times(map[string]time.Duration{kernels.SchemeF32: 1000, kernels.SchemeSkipZeros: 4000})
	for zeros, want := range map[int]string{10: "keep dense", 37: "keep dense", 38: "skip zeros, keep dense", 49: "skip zeros, keep dense"} {
		x := build(20, 50, func(i, j int) float64 {
			if j < zeros {
				return 0
			}
			return 1
		})
		p := probe(t, x, opscope.Options{Role: opscope.Activation})
		choices := recommend(t, p, opscope.Budget{Calibration: c, Outputs: 30})
		if got := actions(choices); got != want {
			t.Errorf("%d zeros of 50: %s; want %s", zeros, got, want)
		}
		if keep, _ := find(choices, opscope.KeepDense); !strings.Contains(keep.Why, "expected to be") {
			t.Errorf("%d zeros of 50: %s", zeros, keep.Why)
		}
	}
}

// The error of a W8A8 choice is that of the product: published values of the formula
// for Gaussian weights and activations, and a product in float64.
func TestW8A8OfGaussian(t *testing.T) {
	for k, want := range map[int]float64{1024: .0111, 3072: .0120} {
		const m, n = 32, 64
		w, x := opscope.Sample(opscope.Gaussian, k, n, 1), opscope.Sample(opscope.Gaussian, m, k, 2)
		activations := probe(t, x, opscope.Options{Role: opscope.Activation})
		c, ok := find(menuOf(t, probe(t, w, opscope.Options{SVDLimit: -1}),
			opscope.Budget{ActivationError: activations.QuantError(8, opscope.PerRow)}), opscope.W8A8)
		if !ok {
			t.Fatal("no W8A8")
		}
		near(t, "expected error", c.Error, want, 0.03)
		exact := build(m, n, func(i, j int) float64 {
			var sum float64
			for p := range k {
				sum += float64(x.Data[i*x.Stride+p]) * float64(w.Data[p*w.Stride+j])
			}
			return sum
		})
		near(t, "error of a product", kernels.RelErr(kernels.Mul(must(c.Build(w)), x), exact), c.Error, 0.08)
	}
}
