package opscope_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
)

// finiteFloats lists the numbers of at least 0 that a binary floating-point format with
// so many bits of exponent and mantissa holds.
func finiteFloats(exponent, mantissa int) []float64 {
	var list []float64
	bias := 1<<(exponent-1) - 1
	for m := range 1 << mantissa {
		list = append(list, math.Ldexp(float64(m), 1-bias-mantissa))
	}
	for e := 1 - bias; e <= bias; e++ {
		for m := range 1 << mantissa {
			list = append(list, math.Ldexp(float64(1<<mantissa+m), e-mantissa))
		}
	}
	return list
}

// float16Formats are the two formats by their lists. A number beyond the largest becomes
// the largest bfloat16, but no binary16.
var float16Formats = []struct {
	name      string
	values    []float64
	saturates bool
}{
	{"BF16", finiteFloats(8, 7), true},
	{"F16", finiteFloats(5, 10), false},
}

// nearestError is the distance from x to the nearest of values, or NaN if x is beyond
// them by half a step or more and they do not saturate.
func nearestError(x float64, values []float64, saturates bool) float64 {
	x = math.Abs(x)
	i, found := slices.BinarySearch(values, x)
	switch last := len(values) - 1; {
	case found:
		return 0
	case i <= last:
		return min(x-values[i-1], values[i]-x)
	case saturates || x-values[last] < (values[last]-values[last-1])/2:
		return x - values[last]
	}
	return math.NaN()
}

// storedError is the error that a profile has for a format, in both layouts and as the
// probe of that format alone has it.
func storedError(t *testing.T, what string, w opscope.Matrix, format string) float64 {
	t.Helper()
	want := formatError(t, w, format)
	for _, p := range []opscope.Profile{
		probe(t, strided(w, 3), opscope.Options{SVDLimit: -1}),
		probe(t, transpose(w), opscope.Options{SVDLimit: -1, OutIn: true}),
		probe(t, w, opscope.Options{Role: opscope.Activation}),
	} {
		if got := p.FormatError(format); !(math.Abs(got-want) <= 1e-12*want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %s has an error of %v, alone of %v", what, format, got, want)
		}
	}
	return want
}

// One element at a time: the boundaries of binades, of subnormal numbers and of overflow,
// and numbers halfway between two of the format.
func TestFloat16Exact(t *testing.T) {
	list := []float64{0x1p-133, 0x1p-134, 0x1.8p-134, 0x1p-149, 0x1.fffffep-127, 0x1p-126, math.MaxFloat32, 0x1.fep127, 0x1.fefffep127, 0x1.ffp127,
		0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.000002p-25, 0x1p-14, 0x1.ffcp-15, 0x1.ffep-15, 0x1.fffp-15, 65504, 65519, 65519.996, 65520, 65536, 1e6, 1, 1.1}
	for _, e := range []int{-126, -30, -15, -14, 0, 15} {
		for _, m := range []int{7, 8, 9, 10, 11, 12} {
			list = append(list, math.Ldexp(1+math.Ldexp(1, -m), e), math.Ldexp(2-math.Ldexp(1, -m), e), math.Ldexp(1+math.Ldexp(3, -m), e))
		}
	}
	for _, x := range list {
		for _, sign := range []float64{1, -1} {
			w := build(1, 1, func(i, j int) float64 { return sign * x })
			for _, f := range float16Formats {
				got := storedError(t, fmt.Sprint(sign*x), w, f.name)
				x := math.Abs(float64(w.Data[0]))
				if want := nearestError(x, f.values, f.saturates) / x; math.Abs(got-want) > 1e-15 || math.IsNaN(got) != math.IsNaN(want) {
					t.Errorf("%s of %x: %v, want %v", f.name, sign*x, got, want)
				}
			}
		}
	}
}

// Numbers of any bits, with the values of the format found by search.
func TestFloat16AgainstNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, top := range []int{-110, -20, -10, 15, 127} { // of the exponents
		for _, shape := range [][2]int{{1, 1}, {37, 11}, {131, 50}} {
			w := build(shape[0], shape[1], func(i, j int) float64 {
				return math.Ldexp(2*rng.Float64()-1, max(top-rng.IntN(24), -149))
			})
			for _, f := range float16Formats {
				var errSq, sumSq float64
				for _, v := range w.Data {
					e := nearestError(float64(v), f.values, f.saturates)
					errSq += e * e
					sumSq += float64(v) * float64(v)
				}
				got, want := storedError(t, fmt.Sprint(top), w, f.name), math.Sqrt(errSq/sumSq)
				if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-12*want {
					t.Errorf("%s of %v below 2^%d: %v, want %v", f.name, shape, top, got, want)
				}
			}
		}
	}
}

// The kernel of bfloat16 holds a weight with the error measured.
func TestBF16IsThatOfTheKernel(t *testing.T) {
	for _, scale := range []float64{1e-30, 1, 3e36} {
		for _, d := range opscope.Dists() {
			w := scaled(opscope.Sample(d, 70, 30, 1), scale)
			for i, v := range w.Data {
				w.Data[i] = max(-math.MaxFloat32, min(math.MaxFloat32, v))
			}
			want := kernels.RelErr(weightOf(must(kernels.NewBF16(w))), w)
			near(t, fmt.Sprintf("%v times %v", d, scale), probe(t, w, opscope.Options{SVDLimit: -1}).FormatError("BF16"), want, 1e-9)
		}
	}
}

// Within a binade the errors are uniform to half the step of its numbers.
func TestFloat16OfGaussian(t *testing.T) {
	for _, tt := range []struct {
		name     string
		mantissa int
	}{{"BF16", 7}, {"F16", 10}} {
		var sumSq float64
		for e := -14; e < 4; e++ {
			step := math.Ldexp(1, e-tt.mantissa)
			sumSq += 2 * (cdf(math.Ldexp(1, e+1)) - cdf(math.Ldexp(1, e))) * step * step / 12
		}
		simulated(t, tt.name, math.Sqrt(sumSq), 16, func(seed uint64) float64 {
			return probe(t, opscope.Sample(opscope.Gaussian, 256, 200, seed), opscope.Options{SVDLimit: -1}).FormatError(tt.name)
		})
	}
}

func TestFloat16InAProfile(t *testing.T) {
	w := build(64, 8, func(i, j int) float64 { return float64(i) * 2e3 })
	p := probe(t, w, opscope.Options{SVDLimit: -1, InputMeanSquares: make([]float64, 64), Extra: opscope.ExtraFormats})
	seen := map[string]int{}
	for _, q := range p.Quant {
		seen[q.Format]++
		if q.Format == "BF16" || q.Format == "F16" {
			if q.Bits != 16 || q.BitsPerWeight != 16 || q.Granularity != "" || q.Group != 0 || q.Method != "" {
				t.Errorf("%+v", q)
			}
		}
	}
	if seen["BF16"] != 1 || seen["F16"] != 1 {
		t.Errorf("%v", seen)
	}
	if !math.IsNaN(p.FormatError("F16")) || len(p.Notes) != 2 {
		t.Errorf("F16 of 126000: %v, notes %q", p.FormatError("F16"), p.Notes)
	}
}
