package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

func newW8A16(t testing.TB, w kernels.Matrix, impl string) *kernels.W8A16 {
	t.Helper()
	mul, err := kernels.NewW8A16(w, kernels.Impl(impl))
	if err != nil {
		t.Fatal(err)
	}
	return mul
}

// The error of every row, over the channels, is at most 4 times that of F32 with
// the weight that the codes stand for. The rows with outliers meet a weight that is
// 0 where the outliers are, so that nothing but the other values makes y.
func TestW8A16IsAsPreciseAsF32(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	normal := func(int, int) float32 { return float32(rng.NormFloat64()) }
	type rows struct {
		name    string
		value   func(p, k int) float32
		outlier func(p, k int) bool
	}
	none := func(int, int) bool { return false }
	cases := []rows{
		{"normal", normal, none},
		{"positive", func(int, int) float32 { return rng.Float32() }, none},
		{"one magnitude", func(p, _ int) float32 { return math.Pi * float32(1-2*(p*p%7%2)) }, none},
		{"a tenth not zero", func(p, k int) float32 { return normal(p, k) * float32(max(0, rng.IntN(10)-8)) }, none},
		{"half zeros", func(p, k int) float32 { return max(0, normal(p, k)) }, none},
		{"exponential", func(int, int) float32 { return float32(rng.ExpFloat64()) }, none},
		{"log-normal", func(p, k int) float32 { return float32(math.Exp(2 * rng.NormFloat64())) }, none},
		{"Student's t of 2 degrees", func(int, int) float32 { return float32(rng.NormFloat64() / math.Sqrt(rng.ExpFloat64())) }, none},
	}
	for _, sigmas := range []float32{10, 30, 100, 300, 1000, 3000, 1e6} {
		one := func(p, k int) bool { return p == k/2 }
		hundredth := func(p, k int) bool { return p%100 == k%100/2 }
		cases = append(cases,
			rows{fmt.Sprintf("an outlier of %v sigma", sigmas), func(p, k int) float32 {
				if one(p, k) {
					return sigmas
				}
				return normal(p, k)
			}, one},
			rows{fmt.Sprintf("outliers of %v sigma", sigmas), func(p, k int) float32 {
				if hundredth(p, k) {
					return sigmas * normal(p, k)
				}
				return normal(p, k)
			}, hundredth})
	}
	const m, n = 3, 64
	for _, k := range []int{1, 2, 3, 4, 7, 16, 33, 64, 200, 1024, 5000} {
		for _, c := range cases {
			w := build(k, n, func(p, _ int) float32 {
				if c.outlier(p, k) {
					return 0
				}
				return normal(0, 0)
			})
			x := build(m, k, func(_, p int) float32 { return c.value(p, k) })
			if absmax(w.Data) == 0 || absmax(x.Data) == 0 {
				continue
			}
			widened := newW8A16(t, w, kernels.ImplRef).Dequantize()
			f32 := kernels.Mul(mustPrepare(t, prepare(kernels.NewF32)(), widened), x)
			exact := kerneltest.Product(widened, x)
			for _, impl := range kernels.Implementations(kernels.SchemeW8A16) {
				y := kernels.Mul(newW8A16(t, w, impl), x)
				for i := range m {
					got, allowed := distance(y.Data[i*n:][:n], exact[i*n:]), 4*distance(f32.Data[i*n:][:n], exact[i*n:])
					if got > allowed {
						t.Errorf("%s, k=%d, %s: error %.3g, want at most %.3g, 4 times that of F32", impl, k, c.name, got, allowed)
					}
				}
			}
		}
	}
}

// distance returns the Euclidean distance.
func distance(got []float32, want []float64) float64 {
	var sum float64
	for j, v := range got {
		sum += (float64(v) - want[j]) * (float64(v) - want[j])
	}
	return math.Sqrt(sum)
}

// Rows of every form beside each other give what they give alone, and keep the
// bound. Their largest values run through all exponents.
func TestW8A16RowsOfAllForms(t *testing.T) {
	const k, n = 150, 70
	rng := rand.New(rand.NewPCG(6, 0))
	w := normal(k, n, 7)
	var data []float32
	for exponent := -149; exponent <= 113; exponent += 3 {
		for _, outlier := range []float64{1, 1 << 5, 1 << 9, 1 << 20} {
			row := make([]float32, k)
			for p := range row {
				row[p] = float32(math.Ldexp(rng.NormFloat64(), exponent))
			}
			if largest := math.Ldexp(outlier, exponent); largest < 0x1p113 {
				row[rng.IntN(k)] = -float32(largest)
			}
			switch rng.IntN(20) {
			case 0:
				clear(row)
			case 1:
				row[rng.IntN(k)] = float32(math.NaN())
			}
			data = append(data, row...)
		}
	}
	x := kernels.Matrix{Rows: len(data) / k, Cols: k, Stride: k, Data: data}
	bounds := kerneltest.W8A16Bound(w, x)
	exact := kerneltest.Product(w, x)
	for _, impl := range kernels.Implementations(kernels.SchemeW8A16) {
		mul := newW8A16(t, w, impl)
		y := kernels.Mul(mul, x)
		for i := range x.Rows {
			row := kernels.Matrix{Rows: 1, Cols: k, Stride: k, Data: data[i*k:][:k]}
			got := y.Data[i*n:][:n]
			if !equalBits(kernels.Mul(mul, row).Data, got) {
				t.Fatalf("%s: row %d alone differs from row %d among others", impl, i, i)
			}
			finite := firstNonFinite(row.Data) < 0
			for j, v := range got {
				if finite && !(math.Abs(float64(v)-exact[i*n+j]) <= bounds[i*n+j]) || !finite && v == v {
					t.Fatalf("%s: y[%d,%d] = %v, want %v within %v", impl, i, j, v, exact[i*n+j], bounds[i*n+j])
				}
			}
		}
	}
}

// Integers stay exact as long as their sums do, and so do activations that need no
// more bits than these.
func TestW8A16ExactSums(t *testing.T) {
	const m, n = 9, 66
	rng := rand.New(rand.NewPCG(8, 0))
	for _, k := range []int{3, 16, 61, 130} {
		w := build(k, n, func(p, j int) float32 {
			if p == j%k {
				return 127
			}
			return float32(rng.IntN(255) - 127)
		})
		// Sums stay below 2^24.
		x := build(m, k, func(int, int) float32 { return float32(rng.IntN(1<<16/k) - 1<<15/k) })
		want := kerneltest.Product(w, x)
		for _, shift := range []int{-80, -40, 0, 40} {
			scaled := build(m, k, func(i, p int) float32 { return float32(math.Ldexp(float64(x.Data[i*k+p]), shift)) })
			for _, impl := range kernels.Implementations(kernels.SchemeW8A16) {
				y := kernels.Mul(newW8A16(t, w, impl), scaled)
				for i, got := range y.Data {
					if float64(got) != math.Ldexp(want[i], shift) {
						t.Fatalf("%s: k=%d, x times 2^%d: y[%d] = %v, want %v", impl, k, shift, i, got, math.Ldexp(want[i], shift))
					}
				}
			}
		}
	}
}

// Sums that int32 cannot hold, in every form.
func TestW8A16LongSums(t *testing.T) {
	const n = 5
	for _, k := range []int{1<<15 + 1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<17 + 77} {
		w, x := normal(k, n, 9), normal(3, k, 10)
		for p := range k {
			w.Data[p*n] = 127 // all of one sign
			x.Data[p] = -1
		}
		x.Data[k+5] = 1e5
		x.Data[2*k+7] = 1e15
		for _, impl := range kernels.Implementations(kernels.SchemeW8A16) {
			mul := newW8A16(t, w, impl)
			exact := kerneltest.Product(mul.Dequantize(), x)
			y := kernels.Mul(mul, x)
			for i, got := range y.Data {
				// Of the ends of the sums only the square root of k counts.
				if allowed := 1e-4 * math.Sqrt(float64(k)) * absmax(x.Data[i/n*k:][:k]); math.Abs(float64(got)-exact[i]) > allowed {
					t.Errorf("%s: k=%d: y[%d] = %v, want %v within %v", impl, k, i, got, exact[i], allowed)
				}
			}
			if y.Data[0] != float32(-127*k) {
				t.Errorf("%s: k=%d: y[0] = %v, want %v", impl, k, y.Data[0], float32(-127*k))
			}
		}
	}
}

func TestInt8ResultsDoNotDependOnThreads(t *testing.T) {
	defer kernels.SetThreads(0)
	w := normal(300, 200, 11)
	for _, s := range schemes {
		if s.name != kernels.SchemeW8A8 && s.name != kernels.SchemeW8A16 {
			continue
		}
		mul := mustPrepare(t, s.prepare, w)
		for _, m := range []int{1, 5, 600} {
			x := normal(m, 300, 12)
			x.Data[7] = 1e4
			kernels.SetThreads(1)
			want := kernels.Mul(mul, x)
			for _, threads := range []int{2, 3} {
				kernels.SetThreads(threads)
				if got := kernels.Mul(mul, x); !equalBits(got.Data, want.Data) {
					t.Errorf("%s: m=%d: %d threads give another result than one", s, m, threads)
				}
			}
		}
	}
}
