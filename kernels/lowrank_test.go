package kernels_test

import (
	"math"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// Shapes with r on both sides of where panels replace dot products, and with more
// rows and inputs than one block.
var lowRankShapes = []struct{ m, k, r, n int }{
	{1, 1, 1, 1}, {2, 15, 3, 7}, {3, 16, 4, 24}, {4, 17, 5, 33}, {5, 64, 8, 64}, {12, 129, 9, 130}, {13, 33, 16, 17},
	{7, 100, 24, 40}, {6, 100, 25, 40}, {9, 70, 32, 35}, {8, 70, 33, 35}, {4, 50, 57, 20}, {3, 40, 72, 20}, {2, 30, 200, 9},
	{64, 512, 8, 512}, {2, 8200, 5, 9}, {1, 16400, 2, 3}, {500, 20, 100, 20}, {6200, 3, 2, 2},
}

func newLowRankFactors(t testing.TB, u, v kernels.Matrix, impl string) *kernels.LowRank {
	t.Helper()
	l, err := kernels.NewLowRankFactors(u, v, kernels.Impl(impl))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLowRankOfEveryRank(t *testing.T) {
	const unit = 0x1p-24
	for _, d := range lowRankShapes {
		u, v, x := normal(d.k, d.r, 40), normal(d.r, d.n, 41), normal(d.m, d.k, 42)
		want, abs := threeProduct(x, u, v), threeProduct(absolute(x), absolute(u), absolute(v))
		steps := float64(d.k + d.r)
		for _, impl := range kernels.Implementations(kernels.SchemeLowRank) {
			l := newLowRankFactors(t, u, v, impl)
			y := kernels.Mul(l, x)
			for i, got := range y.Data {
				bound := steps * unit / (1 - steps*unit) * abs[i]
				if e := math.Abs(float64(got) - want[i]); !(e <= bound) {
					t.Fatalf("impl=%s %+v: y[%d,%d] = %v, want %v within %v", impl, d, i/d.n, i%d.n, got, want[i], bound)
				}
			}
			for i := 0; i < d.m; i += 1 + d.m/5 {
				one := kernels.Matrix{Rows: 1, Cols: d.k, Stride: d.k, Data: x.Data[i*d.k:][:d.k]}
				if got := kernels.Mul(l, one); !equalBits(got.Data, y.Data[i*d.n:][:d.n]) {
					t.Errorf("impl=%s %+v: row %d alone differs from row %d among others", impl, d, i, i)
				}
			}
		}
	}
}

// threeProduct returns xuv in row order, summed in float64.
func threeProduct(x, u, v kernels.Matrix) []float64 {
	t := kerneltest.Product(u, x)
	y := make([]float64, 0, x.Rows*v.Cols)
	for i := range x.Rows {
		for j := range v.Cols {
			var sum float64
			for r := range u.Cols {
				sum += t[i*u.Cols+r] * float64(v.Data[r*v.Stride+j])
			}
			y = append(y, sum)
		}
	}
	return y
}

// Integers are exact in any order: a factor or a product that is misplaced shows.
func TestLowRankExact(t *testing.T) {
	for _, d := range lowRankShapes {
		u := build(d.k, d.r, func(p, r int) float32 { return float32((p*7+r*3)%5 - 2) })
		v := build(d.r, d.n, func(r, j int) float32 { return float32((r*5+j*11)%7 - 3) })
		x := build(d.m, d.k, func(i, p int) float32 { return float32((i*13+p)%3 - 1) })
		want := threeProduct(x, u, v)
		for _, impl := range kernels.Implementations(kernels.SchemeLowRank) {
			for i, got := range kernels.Mul(newLowRankFactors(t, u, v, impl), x).Data {
				if float64(got) != want[i] {
					t.Fatalf("impl=%s %+v: y[%d,%d] = %v, want %v", impl, d, i/d.n, i%d.n, got, want[i])
				}
			}
		}
	}
}

// Whatever the factors, a value that is not finite makes its row NaN, and no other.
func TestLowRankNonFiniteRows(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, d := range lowRankShapes {
		u, v, clean := normal(d.k, d.r, 43), normal(d.r, d.n, 44), normal(d.m, d.k, 45)
		for p := range d.k {
			u.Data[p*d.r+d.r/2] = 0 // NaN times zero is NaN
		}
		bad := clean
		bad.Data = slices.Clone(clean.Data)
		for i := 0; i < d.m; i += 2 {
			bad.Data[i*d.k+(i*37)%d.k] = []float32{nan, inf, -inf}[i/2%3]
		}
		for _, impl := range kernels.Implementations(kernels.SchemeLowRank) {
			l := newLowRankFactors(t, u, v, impl)
			want, got := kernels.Mul(l, clean), kernels.Mul(l, bad)
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

// A number of threads changes no bit and takes no memory, and neither do rows of x a
// page apart, which F32 copies.
func TestLowRankThreadsAndPages(t *testing.T) {
	defer kernels.SetThreads(0)
	for _, d := range []struct{ m, k, r, n int }{{100, 1024, 8, 300}, {50, 1024, 64, 300}, {1, 700, 200, 500}} {
		u, v, x := normal(d.k, d.r, 46), normal(d.r, d.n, 47), normal(d.m, d.k, 48)
		for _, impl := range kernels.Implementations(kernels.SchemeLowRank) {
			l := newLowRankFactors(t, u, v, impl)
			kernels.SetThreads(1)
			want := kernels.Mul(l, x)
			for _, threads := range []int{2, 3} {
				kernels.SetThreads(threads)
				if got := kernels.Mul(l, x); !equalBits(got.Data, want.Data) {
					t.Errorf("impl=%s %+v: %d threads give another result than one", impl, d, threads)
				}
			}
			kernels.SetThreads(1)
			y := kernels.New(d.m, d.n)
			if allocs := testing.AllocsPerRun(3, func() { l.MulTo(y, x) }); allocs > 0 {
				t.Errorf("impl=%s %+v: MulTo allocates %v times a call after the first", impl, d, allocs)
			}
		}
	}
}
