package kernels_test

import (
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// roundsActivations says which implementation multiplies by bfloat16 activations.
func roundsActivations(impl string) bool { return impl == "bf16" }

// The relative error of rounding a standard normal value to 8 bits: an error uniform
// over a step of 2^-7 of the power of two below, in squares and summed over the powers
// of two.
func bf16Error() float64 {
	var sum float64
	for e := -30; e < 10; e++ {
		lo, hi := math.Ldexp(1, e), math.Ldexp(1, e+1)
		probability := math.Erf(hi/math.Sqrt2) - math.Erf(lo/math.Sqrt2)
		step := lo * 0x1p-7
		sum += probability * step * step / 12
	}
	return math.Sqrt(sum)
}

func TestBF16ErrorOfGaussianProduct(t *testing.T) {
	const m, k, n = 32, 1024, 256
	w, x := normal(k, n, 1), normal(m, k, 2)
	product := float64Product(w, x)
	for _, impl := range kernels.Implementations(kernels.SchemeBF16) {
		mul := mustPrepare(t, prepare(kernels.NewBF16)(kernels.Impl(impl)), w)
		want := bf16Error()
		if roundsActivations(impl) {
			want *= math.Sqrt2 // independent errors add in squares
		}
		got := kernels.RelErr(kernels.Mul(mul, x), product)
		if math.Abs(got/want-1) > 0.03 {
			t.Errorf("%s: error %.6f, want %.6f within 3%%", impl, got, want)
		}
		t.Logf("%s: error %.6f, theory %.6f", impl, got, want)
	}
}

// The implementations that take float32 activations keep to the bound of the weight
// alone, even when rounding x would be worse.
func TestBF16KeepsActivations(t *testing.T) {
	const k, n = 333, 70
	// Weights that are bfloat16 already.
	w := build(k, n, func(p, j int) float32 { return float32((p*7+j*13)%255 - 127) })
	x := normal(5, k, 3)
	want, allowed := kerneltest.Product(w, x), kerneltest.Float32Bound(w, x)
	for _, impl := range kernels.Implementations(kernels.SchemeBF16) {
		if roundsActivations(impl) {
			continue
		}
		y := kernels.Mul(mustPrepare(t, prepare(kernels.NewBF16)(kernels.Impl(impl)), w), x)
		for e, v := range y.Data {
			if distance := math.Abs(float64(v) - want[e]); !(distance <= allowed[e]) {
				t.Fatalf("%s: element %d is off by %v, bound %v", impl, e, distance, allowed[e])
			}
		}
	}
}

func TestBF16Extremes(t *testing.T) {
	const largest, tiny = math.MaxFloat32, 0x1p-130
	const largestBF16 = 0x1.fep127
	inf := float32(math.Inf(1))
	for _, impl := range kernels.Implementations(kernels.SchemeBF16) {
		rounds := roundsActivations(impl)
		either := func(rounded, kept float32) float32 {
			if rounds {
				return rounded
			}
			return kept
		}
		for _, c := range []struct {
			name       string
			w, x, want float32
		}{
			{"a weight beyond the largest bfloat16", largest, 1, largestBF16},
			{"its negative", -largest, 1, -largestBF16},
			{"an activation beyond the largest bfloat16", 1, largest, either(largestBF16, largest)},
			{"an infinite weight", inf, -2, -inf},
			{"an infinite activation", -2, inf, -inf},
			{"a subnormal weight", tiny, 1, either(0, tiny)},
			{"a subnormal activation", 1, tiny, either(0, tiny)},
			{"a subnormal product", 0x1p-80, 0x1p-60, either(0, 0x1p-140)},
		} {
			// The same in a column of the first vector and in one of the last.
			w := build(3, 67, func(p, j int) float32 { return []float32{0, c.w, 0}[p] })
			x := build(2, 3, func(_, p int) float32 { return []float32{0, c.x, 0}[p] })
			y := kernels.Mul(mustPrepare(t, prepare(kernels.NewBF16)(kernels.Impl(impl)), w), x)
			for _, j := range []int{0, 66} {
				if got := y.Data[67+j]; got != c.want {
					t.Errorf("%s: %s: y[1,%d] = %v, want %v", impl, c.name, j, got, c.want)
				}
			}
		}
	}
}

// One row goes through other micro-kernels than several, and columns of the first
// panels through others than the last ones.
func TestBF16AndW4A16RowsAloneAndAmongOthers(t *testing.T) {
	const m, k, n = 7, 2111, 601
	w, x := normal(k, n, 4), normal(m, k, 5)
	for _, s := range schemes {
		if s.name != kernels.SchemeBF16 && s.name != kernels.SchemeW4A16 {
			continue
		}
		mul := mustPrepare(t, s.prepare, w)
		y := kernels.Mul(mul, x)
		for i := range m {
			one := kernels.Matrix{Rows: 1, Cols: k, Stride: k, Data: x.Data[i*k:][:k]}
			if got := kernels.Mul(mul, one); !equalBits(got.Data, y.Data[i*n:][:n]) {
				t.Errorf("%s: row %d alone differs from row %d among others", s, i, i)
			}
		}
	}
}
