package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// sparse returns standard normal values, each 0 or -0 unless density says otherwise.
func sparse(rows, cols int, density float64, seed uint64) kernels.Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	return build(rows, cols, func(int, int) float32 {
		if rng.Float64() >= density {
			return float32(math.Copysign(0, rng.Float64()-0.5))
		}
		return float32(rng.NormFloat64())
	})
}

func newSkipZeros(t *testing.T, w kernels.Matrix, impl string) *kernels.SkipZeros {
	t.Helper()
	s, err := kernels.NewSkipZeros(w, kernels.Impl(impl))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Shapes of few rows and many, around the blocks of rows, inputs and columns.
var sparseShapes = []struct{ m, k, n int }{
	{1, 1, 1}, {1, 5000, 70}, {2, 64, 128}, {3, 129, 127}, {9, 1100, 129}, {23, 200, 40}, {24, 65, 200},
	{33, 127, 300}, {64, 300, 260}, {130, 2100, 20}, {257, 30, 17},
}

func TestSkipZerosAtEveryDensity(t *testing.T) {
	const u = 0x1p-24
	for _, d := range sparseShapes {
		w := normal(d.k, d.n, 5)
		for _, density := range []float64{0, 0.5 / float64(d.k), 0.02, 0.1, 0.5, 0.9, 1} {
			x := sparse(d.m, d.k, density, 6)
			// The sums of absolute products, to which the error is relative.
			want, abs := kerneltest.Product(w, x), kerneltest.Product(absolute(w), absolute(x))
			for _, impl := range kernels.Implementations(kernels.SchemeSkipZeros) {
				got := kernels.Mul(newSkipZeros(t, w, impl), x)
				for i := range d.m {
					z := 0.0
					for _, v := range x.Data[i*d.k:][:d.k] {
						if v != 0 {
							z++
						}
					}
					for j := range d.n {
						bound := z * u / (1 - z*u) * abs[i*d.n+j]
						if e := math.Abs(float64(got.Data[i*d.n+j]) - want[i*d.n+j]); !(e <= bound) {
							t.Fatalf("impl=%s %+v density %v: y[%d,%d] = %v, want %v within %v", impl, d, density, i, j,
								got.Data[i*d.n+j], want[i*d.n+j], bound)
						}
					}
				}
			}
		}
	}
}

func absolute(a kernels.Matrix) kernels.Matrix {
	return build(a.Rows, a.Cols, func(i, j int) float32 { return float32(math.Abs(float64(a.Data[i*a.Stride+j]))) })
}

// A row without nonzeros gives +0, and one with a single nonzero one rounded product
// for each column, wherever the nonzero is.
func TestSkipZerosOfOneNonzero(t *testing.T) {
	for _, d := range sparseShapes {
		w := normal(d.k, d.n, 7)
		x := sparse(d.m, d.k, 0, 8)
		at := make([]int, d.m) // the input that is not 0, or -1
		for i := range d.m {
			at[i] = []int{0, d.k - 1, d.k / 2, -1, min(15, d.k-1), min(16, d.k-1), min(63, d.k-1), min(64, d.k-1)}[i%8]
			if at[i] >= 0 {
				x.Data[i*d.k+at[i]] = float32(i + 3)
			}
		}
		for _, impl := range kernels.Implementations(kernels.SchemeSkipZeros) {
			got := kernels.Mul(newSkipZeros(t, w, impl), x)
			for i, p := range at {
				for j := range d.n {
					var want float32
					if p >= 0 {
						want = float32(i+3) * w.Data[p*d.n+j]
					}
					if math.Float32bits(got.Data[i*d.n+j]) != math.Float32bits(want) {
						t.Fatalf("impl=%s %+v: y[%d,%d] = %v, want %v of the nonzero at %d", impl, d, i, j, got.Data[i*d.n+j], want, p)
					}
				}
			}
		}
	}
}

// Subnormal values are not zeros.
func TestSkipZerosKeepsSubnormals(t *testing.T) {
	const k, n = 40, 20
	w := build(k, n, func(p, j int) float32 { return float32(math.Ldexp(float64(1+j), 120)) })
	x := kernels.New(2, k)
	x.Data[7], x.Data[k+39] = 0x1p-149, -0x1p-140
	for _, impl := range kernels.Implementations(kernels.SchemeSkipZeros) {
		got := kernels.Mul(newSkipZeros(t, w, impl), x)
		for j := range n {
			if got.Data[j] != float32(1+j)*0x1p-29 || got.Data[n+j] != -float32(1+j)*0x1p-20 {
				t.Fatalf("impl=%s: y[0,%d] = %v and y[1,%d] = %v", impl, j, got.Data[j], j, got.Data[n+j])
			}
		}
	}
}

// A row gives the same bits alone and among others, which other blocks do.
func TestSkipZerosRowsAreIndependent(t *testing.T) {
	for _, d := range sparseShapes {
		w, x := normal(d.k, d.n, 9), sparse(d.m, d.k, 0.3, 10)
		for _, impl := range kernels.Implementations(kernels.SchemeSkipZeros) {
			s := newSkipZeros(t, w, impl)
			y := kernels.Mul(s, x)
			for i := 0; i < d.m; i += 1 + d.m/5 {
				one := kernels.Matrix{Rows: 1, Cols: d.k, Stride: d.k, Data: x.Data[i*d.k:][:d.k]}
				if got := kernels.Mul(s, one); !equalBits(got.Data, y.Data[i*d.n:][:d.n]) {
					t.Fatalf("impl=%s %+v: row %d alone differs from row %d among others", impl, d, i, i)
				}
			}
		}
	}
}

// The tiers in assembly sum in the same order with the same rounding.
func TestSkipZerosTiersAgree(t *testing.T) {
	impls := kernels.Implementations(kernels.SchemeSkipZeros)
	for _, d := range sparseShapes {
		w, x := normal(d.k, d.n, 11), sparse(d.m, d.k, 0.3, 12)
		var first kernels.Matrix
		for _, impl := range impls[1:] {
			got := kernels.Mul(newSkipZeros(t, w, impl), x)
			if first.Data == nil {
				first = got
			}
			if !equalBits(got.Data, first.Data) {
				t.Errorf("%+v: %s differs from %s", d, impl, impls[1])
			}
		}
	}
}

// A value that is not finite makes its row NaN, wherever it is, and no other.
func TestSkipZerosNonFiniteRows(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, d := range sparseShapes {
		w := normal(d.k, d.n, 13)
		clear(w.Data[:d.n]) // NaN times zero is NaN
		clean := sparse(d.m, d.k, 0.1, 14)
		bad := clean
		bad.Data = slices.Clone(clean.Data)
		for i := 0; i < d.m; i += 2 {
			bad.Data[i*d.k+(i*37)%d.k] = []float32{nan, inf, -inf}[i/2%3]
		}
		for _, impl := range kernels.Implementations(kernels.SchemeSkipZeros) {
			s := newSkipZeros(t, w, impl)
			want, got := kernels.Mul(s, clean), kernels.Mul(s, bad)
			for i := range d.m {
				row := got.Data[i*d.n:][:d.n]
				if i%2 == 1 && !equalBits(row, want.Data[i*d.n:][:d.n]) {
					t.Fatalf("impl=%s %+v: row %d changed with other rows", impl, d, i)
				}
				if j := slices.IndexFunc(row, func(v float32) bool { return v == v }); i%2 == 0 && j >= 0 {
					t.Fatalf("impl=%s %+v: y[%d,%d] = %v, want NaN", impl, d, i, j, row[j])
				}
			}
		}
	}
}

func FuzzSkipZeros(f *testing.F) {
	f.Add(uint64(1), uint8(1), uint16(1), uint16(1), 0.5)
	f.Add(uint64(2), uint8(24), uint16(65), uint16(129), 0.1)
	f.Add(uint64(3), uint8(130), uint16(17), uint16(127), 0.0)
	f.Add(uint64(4), uint8(5), uint16(2100), uint16(3), 1.0)
	f.Fuzz(func(t *testing.T, seed uint64, m uint8, k, n uint16, density float64) {
		k, n = k%2500, n%300
		w, x := normal(int(k), int(n), seed), sparse(int(m), int(k), density, seed)
		want, bound := kerneltest.Product(w, x), kerneltest.Float32Bound(w, x)
		for _, impl := range kernels.Implementations(kernels.SchemeSkipZeros) {
			for i, v := range kernels.Mul(newSkipZeros(t, w, impl), x).Data {
				if e := math.Abs(float64(v) - want[i]); !(e <= bound[i]) {
					t.Fatalf("impl=%s: element %d is %v, want %v within %v", impl, i, v, want[i], bound[i])
				}
			}
		}
	})
}
