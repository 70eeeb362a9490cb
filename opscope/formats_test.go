package opscope_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func formatError(t *testing.T, w opscope.Matrix, name string) float64 {
	t.Helper()
	e, err := opscope.FormatError(w, name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Expected errors of Gaussian elements: simulations of the definitions in
// another program for the 4-bit formats, the formula for 8 bits, to which
// rounding the step to binary16 adds little.
func TestFormatsOfGaussian(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 1024, 256, 5)
	within(t, "Q4_0", formatError(t, w, "Q4_0"), 0.0859, 0.0006)
	within(t, "Q8_0", formatError(t, w, "Q8_0"), .005346, 0.00004)
	p := probe(t, w, opscope.Options{Extra: opscope.AllExtras, SVDLimit: -1})
	find := func(m opscope.Method, bits, group int) float64 {
		for _, q := range p.Quant {
			if q.Method == m && q.Bits == bits && q.Group == group && q.Format == "" {
				return q.Error
			}
		}
		t.Fatalf("no %s at %d bits in groups of %d", m, bits, group)
		return 0
	}
	within(t, "min-max of 4 bits", find(opscope.Asymmetric, 4, 32), 0.0782, 0.0006)
	// 16 values of one table: Max's optimum. 0.009497 is the squared error.
	near(t, "table of 16", find(opscope.BestTable, 4, 0), math.Sqrt(.009497), 0.01)
	for values, squared := range map[int]float64{2: .3634, 4: .1175, 8: .03454} {
		near(t, "table", opscope.TableError(w, values), math.Sqrt(squared), 0.01)
	}
	// No code beats the rate-distortion bound, a search beats absmax, and for long
	// groups it comes near the best uniform quantizer of 16 levels, .01154.
	for _, q := range p.Quant {
		if q.Error < math.Pow(2, -float64(q.Bits)) {
			t.Errorf("%+v is better than any code can be", q)
		}
	}
	for _, group := range []int{32, 128} {
		if s, a := find(opscope.ScaleSearch, 4, group), find("", 4, group); s >= a {
			t.Errorf("groups of %d: searched %v, absmax %v", group, s, a)
		}
	}
	if s := find(opscope.ScaleSearch, 4, 128); s < math.Sqrt(.009497) || s > 1.04*math.Sqrt(.01154) {
		t.Errorf("searched in groups of 128: %v", s)
	}
	// Q4_K spends 6 bits on the steps and offsets of groups, and searches for them.
	if k, a := formatError(t, w, "Q4_K"), find(opscope.Asymmetric, 4, 32); k > a || k < 0.9*a {
		t.Errorf("Q4_K %v, min-max %v", k, a)
	}
	// A mantissa of m bits errs by 2^-m-1 at most, uniformly over a binade.
	if e := formatError(t, w, "FP8 E4M3"); e < 0.02 || e > 1./16 {
		t.Errorf("FP8 E4M3: %v", e)
	}
	near(t, "FP8 E5M2 over E4M3", formatError(t, w, "FP8 E5M2")/formatError(t, w, "FP8 E4M3"), 2, 0.03)
}

// Values that a format holds exactly stay, in blocks that are whole and not.
func TestFormatsHoldTheirValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tests := []struct {
		name   string
		values []float64
		always float64 // in each block of 32, to fix its step
	}{
		{"BF16", []float64{0, 1, -1.0078125, 255, math.Ldexp(1, -131), math.Ldexp(255, 113)}, 1},
		{"F16", []float64{0, 1, -1.0009765625, 1023, math.Ldexp(1, -22), math.Ldexp(1023, -22)}, 1},
		{"Q8_0", integers(-127, 127), 127},
		{"Q4_0", integers(-8, 7), -8},
		{"Q4_K", integers(0, 15), 15},
		{"MXFP4", []float64{0, .5, 1, 1.5, 2, 3, 4, 6, -.5, -1, -1.5, -2, -3, -4, -6}, 6},
		{"FP8 E4M3", []float64{448, -448, 416, 1, 1.125, -1.875, 0.0625, math.Ldexp(1, -6), math.Ldexp(7, -9), math.Ldexp(1, -9), 0}, 448},
		{"FP8 E5M2", []float64{57344, -57344, 49152, 1, 1.25, -1.75, math.Ldexp(1, -14), math.Ldexp(3, -16), math.Ldexp(1, -16), 0}, 57344},
	}
	if len(tests) != len(opscope.Formats()) {
		t.Errorf("formats %q", opscope.Formats())
	}
	for _, tt := range tests {
		for _, k := range []int{256, 32, 40, 7} {
			for _, scale := range []float64{1, 0.25, 64} {
				if tt.name == "Q4_K" && scale != 1 {
					scale *= 63 // the step of the steps times 63 is a step
				}
				w := build(k, 3, func(i, j int) float64 {
					if i%32 == 0 {
						return scale * tt.always
					}
					return scale * tt.values[rng.IntN(len(tt.values))]
				})
				tolerance := 0.0
				if tt.name == "Q4_K" {
					tolerance = 1e-3 // 1/63 is not a number of binary16
				}
				within(t, tt.name, formatError(t, w, tt.name), 0, tolerance)
			}
		}
	}
}

func integers(from, to int) []float64 {
	var list []float64
	for i := from; i <= to; i++ {
		list = append(list, float64(i))
	}
	return list
}

func TestFormatsOfOddMatrices(t *testing.T) {
	for _, name := range opscope.Formats() {
		for what, w := range map[string]opscope.Matrix{
			"empty": {}, "zero": build(70, 3, func(i, j int) float64 { return 0 }),
		} {
			if e := formatError(t, w, name); e != 0 {
				t.Errorf("%s of a matrix that is %s: %v", name, what, e)
			}
		}
		bad := hadamard(64)
		bad.Data[3] = float32(math.Inf(1))
		if e := formatError(t, bad, name); !math.IsNaN(e) {
			t.Errorf("%s of an infinity: %v", name, e)
		}
		tiny := build(64, 2, func(i, j int) float64 { return math.SmallestNonzeroFloat32 * float64(i-30) })
		if e := formatError(t, tiny, name); !(e >= 0) {
			t.Errorf("%s of the smallest numbers: %v", name, e)
		}
	}
	// A step of 1e36 is no number of binary16.
	huge := build(64, 2, func(i, j int) float64 { return 1e38 * float64(1-2*(i%2)) })
	p := probe(t, huge, opscope.Options{Extra: opscope.ExtraFormats, SVDLimit: -1})
	for _, q := range p.Quant {
		if slices.Contains([]string{"F16", "Q8_0", "Q4_0", "Q4_K"}, q.Format) != math.IsNaN(q.Error) {
			t.Errorf("%+v", q)
		}
	}
}

// The bits of a weight of 256 x 64 are those of the formats' definitions.
func TestBitsPerWeight(t *testing.T) {
	p := probe(t, opscope.Sample(opscope.Gaussian, 256, 64, 1), opscope.Options{Extra: opscope.AllExtras, SVDLimit: -1})
	formats := map[string]float64{"BF16": 16, "F16": 16, "Q8_0": 8.5, "Q4_0": 4.5, "Q4_K": 4.5, "MXFP4": 4.25}
	for _, q := range p.Quant {
		want := float64(q.Bits)
		switch {
		case formats[q.Format] != 0:
			want = formats[q.Format]
		case q.Method == opscope.BestTable:
			want += 16 * 32 / (256. * 64)
		case q.Granularity == opscope.PerTensor:
			want += 32 / (256. * 64)
		case q.Granularity == opscope.PerRow:
			want += 32. / 64
		case q.Granularity == opscope.PerColumn:
			want += 32. / 256
		case q.Method == opscope.Asymmetric:
			want += 2 * 16 / float64(q.Group)
		default:
			want += 16 / float64(q.Group)
		}
		if q.BitsPerWeight != want {
			t.Errorf("%+v, want %v bits", q, want)
		}
	}
	// A column of 33 has two groups of 32; the second is a block of its own.
	p = probe(t, opscope.Sample(opscope.Gaussian, 33, 2, 1), opscope.Options{Extra: opscope.ExtraFormats, SVDLimit: -1})
	for _, q := range p.Quant {
		want := map[string]float64{"Q8_0": 2 * 272. / 33, "Q4_K": 1152. / 33}[q.Format]
		if want != 0 && math.Abs(q.BitsPerWeight-want) > 1e-12 || q.Format == "" && q.Group == 32 && q.BitsPerWeight != float64(q.Bits)+32./33 {
			t.Errorf("%+v", q)
		}
	}
}

// The definition of the weighted error, for steps that need no search.
func TestWeightedError(t *testing.T) {
	w := opscope.Sample(opscope.Outlier, 60, 20, 7)
	h := make([]float64, 60)
	for i := range h {
		h[i] = float64(i * i)
	}
	p := probe(t, w, opscope.Options{InputMeanSquares: h, Extra: opscope.ExtraBits, SVDLimit: -1})
	for _, q := range p.Quant {
		if q.Granularity != opscope.PerColumn {
			continue
		}
		l := math.Pow(2, float64(q.Bits-1)) - 1
		var errSq, sumSq float64
		for j := range w.Cols {
			var a float64
			for i := range w.Rows {
				a = max(a, math.Abs(float64(w.Data[i*w.Stride+j])))
			}
			for i := range w.Rows {
				x := float64(w.Data[i*w.Stride+j])
				e := math.Round(x*l/a)*a/l - x
				errSq += h[i] * e * e
				sumSq += h[i] * x * x
			}
		}
		near(t, "weighted error", q.WeightedError, math.Sqrt(errSq/sumSq), 1e-9)
	}
	ones := make([]float64, 60)
	for i := range ones {
		ones[i] = 2.5
	}
	p = probe(t, w, opscope.Options{InputMeanSquares: ones, Extra: opscope.AllExtras, SVDLimit: -1})
	for _, q := range p.Quant {
		if q.Method != opscope.BestTable {
			near(t, "error with equal weights", q.WeightedError, q.Error, 1e-9)
		}
	}
}

// All ways to split the sorted elements into runs.
func TestTableErrorAgainstAllTables(t *testing.T) {
	for seed := range uint64(20) {
		w := opscope.Sample(opscope.Outlier, 3, 4, seed)
		for i, v := range w.Data {
			w.Data[i] = math.Float32frombits(math.Float32bits(v) &^ 0xffff) // one cell a value
		}
		sorted := slices.Sorted(slices.Values(w.Data))
		var best func(x []float32, runs int) float64
		best = func(x []float32, runs int) float64 {
			least := math.Inf(1)
			for n := 1; n <= len(x); n++ {
				var mean, cost float64
				for _, v := range x[:n] {
					mean += float64(v) / float64(n)
				}
				for _, v := range x[:n] {
					cost += (float64(v) - mean) * (float64(v) - mean)
				}
				if n < len(x) {
					if runs == 1 {
						continue
					}
					cost += best(x[n:], runs-1)
				}
				least = min(least, cost)
			}
			return least
		}
		for _, values := range []int{1, 2, 3, 5} {
			within(t, "table", opscope.TableError(w, values), math.Sqrt(best(sorted, values))/opscope.Norm(w), 1e-7)
		}
		within(t, "a value each", opscope.TableError(w, 12), 0, 1e-7)
	}
}
