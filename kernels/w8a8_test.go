package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

func newW8A8(t testing.TB, w kernels.Matrix, impl string) *kernels.W8A8 {
	t.Helper()
	mul, err := kernels.NewW8A8(w, kernels.Impl(impl))
	if err != nil {
		t.Fatal(err)
	}
	return mul
}

// Sums of integers are exact, so every implementation gives the bits of the
// reference, in every shape of tile and block.
func TestW8A8EqualsReference(t *testing.T) {
	for _, d := range []struct{ m, k, n int }{
		{1, 1, 1}, {2, 3, 5}, {3, 4, 64}, {4, 67, 65}, {5, 129, 17}, {6, 255, 130}, {7, 64, 63}, {13, 1000, 33},
		{300, 513, 20}, {700, 300, 3}, {6, 40001, 9}, {5, 65535, 5}, {2, 65536, 66}, {7, 65537, 3}, {1, 140003, 17},
	} {
		w, x := normal(d.k, d.n, 1), normal(d.m, d.k, 2)
		if d.m > 4 {
			x.Data[3*d.k] = float32(math.Inf(1))
			clear(x.Data[4*d.k:][:d.k])
		}
		ref := newW8A8(t, w, kernels.ImplRef)
		want := kernels.Mul(ref, x)
		for _, impl := range kernels.Implementations(kernels.SchemeW8A8) {
			mul := newW8A8(t, w, impl)
			if got := kernels.Mul(mul, x); !equalBits(got.Data, want.Data) {
				t.Errorf("%s: m=%d k=%d n=%d: MulTo differs from the reference", impl, d.m, d.k, d.n)
			}
			got := kernels.New(d.m, d.n)
			mul.MulQuantizedTo(got, kernels.QuantizeRows(x))
			if !equalBits(got.Data, want.Data) {
				t.Errorf("%s: m=%d k=%d n=%d: MulQuantizedTo differs from the reference", impl, d.m, d.k, d.n)
			}
			if !equalBits(mul.Dequantize().Data, ref.Dequantize().Data) {
				t.Errorf("%s: k=%d n=%d: Dequantize differs from the reference", impl, d.k, d.n)
			}
		}
	}
}

// With the identity as the weight, y shows every code of the rows.
func TestW8A8QuantizesAsQuantizeRows(t *testing.T) {
	const k = 203
	rng := rand.New(rand.NewPCG(3, 0))
	below := math.Nextafter32(0.5, 0)
	rows := []func(p int) float32{
		// The step is 1, so these are on both sides of every half.
		func(p int) float32 { return float32(p-101) + 0.5 },
		func(p int) float32 { return float32(p%127) + below },
		func(p int) float32 { return -float32(p%127) - 0.5 },
		func(p int) float32 { return math.Nextafter32(float32(p%127)+0.5, float32(p%3)*1000) },
		func(p int) float32 { return float32(rng.NormFloat64()) },
		func(p int) float32 { return float32(rng.NormFloat64() * 1e38) },
		func(p int) float32 { return float32(rng.NormFloat64() * 1e-37) },
		func(p int) float32 { return float32(rng.NormFloat64() * 1e-44) },
		func(p int) float32 { return math.Float32frombits(rng.Uint32() &^ (1 << 30)) },
		func(p int) float32 { return 0 },
	}
	x := build(len(rows), k, func(i, p int) float32 {
		if i < 4 && p == 7 {
			return 127
		}
		return rows[i](p)
	})
	q := kernels.QuantizeRows(x)
	for _, impl := range kernels.Implementations(kernels.SchemeW8A8) {
		y := kernels.Mul(newW8A8(t, identity(k), impl), x)
		for i := range x.Rows {
			for p := range k {
				want := float32(127*int(q.Codes[i*k+p])) * q.Scales[i] * (1. / 127)
				if got := y.Data[i*k+p]; got != want {
					t.Errorf("%s: x[%d,%d] = %v gives %v, want %v of code %d", impl, i, p, x.Data[i*k+p], got, want, q.Codes[i*k+p])
				}
			}
		}
	}
}

// The extremes of int8 in every sum, with codes that QuantizeRows never gives.
func TestW8A8ExtremeCodes(t *testing.T) {
	const m, n = 7, 3
	for _, k := range []int{5, 1024, 65536, 65540} {
		w := build(k, n, func(_, j int) float32 { return []float32{127, -127, 1}[j] })
		codes := make([]int8, m*k)
		scales := make([]float32, m)
		for i := range m {
			scales[i] = 1
			for p := range k {
				codes[i*k+p] = []int8{-128, 127, -127, 1, 0, -1, -128}[i]
			}
		}
		for _, impl := range kernels.Implementations(kernels.SchemeW8A8) {
			y := kernels.New(m, n)
			newW8A8(t, w, impl).MulQuantizedTo(y, kernels.QuantizedRows{Rows: m, Cols: k, Codes: codes, Scales: scales})
			for i := range m {
				sum := float32(127 * k * int(codes[i*k]))
				for j, scale := range []float32{1, 1, 1. / 127} {
					want := sum * scale
					if j == 1 {
						want = -want
					}
					if got := y.Data[i*n+j]; got != want {
						t.Errorf("%s: k=%d, codes %d: y[%d] = %v, want %v", impl, k, codes[i*k], j, got, want)
					}
				}
			}
		}
	}
}
