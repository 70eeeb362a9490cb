package kernels_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// int4GroupError is the relative error of standard normal values in symmetric absmax
// int4 by groups of 32: the square root of the mean of (x-q)^2 under the distribution
// of the largest of 32, integrated numerically.
const int4GroupError = 0.0970

func newW4A16(t testing.TB, w kernels.Matrix, opts ...kernels.Option) *kernels.W4A16 {
	t.Helper()
	mul, err := kernels.NewW4A16(w, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return mul
}

func TestW4A16ErrorOfGaussian(t *testing.T) {
	const m, k, n = 32, 1024, 512
	w, x := normal(k, n, 1), normal(m, k, 2)
	product := float64Product(w, x)
	for _, impl := range kernels.Implementations(kernels.SchemeW4A16) {
		mul := newW4A16(t, w, kernels.Impl(impl))
		for what, got := range map[string]float64{
			"weight":  kernels.RelErr(mul.Dequantize(), w),
			"product": kernels.RelErr(kernels.Mul(mul, x), product),
		} {
			if math.Abs(got/int4GroupError-1) > 0.02 {
				t.Errorf("%s: error of the %s %.5f, want %.4f within 2%%", impl, what, got, int4GroupError)
			}
		}
	}
}

// Every implementation multiplies by the weight that Dequantize returns, which is the
// same for all.
func TestW4A16DequantizeIsTheWeightMultipliedBy(t *testing.T) {
	const k, n = 71, 45
	w := normal(k, n, 3)
	want := newW4A16(t, w, kernels.Impl(kernels.ImplRef)).Dequantize()
	for _, impl := range kernels.Implementations(kernels.SchemeW4A16) {
		mul := newW4A16(t, w, kernels.Impl(impl))
		if got := mul.Dequantize(); !equalBits(got.Data, want.Data) {
			t.Errorf("%s dequantizes to another weight than the reference", impl)
		}
		if got := kernels.Mul(mul, identity(k)); !slices.Equal(got.Data, want.Data) {
			t.Errorf("%s multiplies by another weight than it dequantizes to", impl)
		}
	}
}

// The bound of the documentation, with one activation in 32 that is 30 to 30000 times
// as large as the others and meets a weight of 0.
func TestW4A16ActivationBound(t *testing.T) {
	const m, k, n = 6, 300, 50
	w := normal(k, n, 4)
	for p := 0; p < k; p += 32 {
		clear(w.Data[p*n:][:n])
	}
	for _, outlier := range []float32{1, 30, 300, 3000, 30000} {
		x := normal(m, k, 5)
		for i := range m {
			for p := 0; p < k; p += 32 {
				x.Data[i*k+p] *= outlier
			}
		}
		for _, impl := range kernels.Implementations(kernels.SchemeW4A16) {
			mul := newW4A16(t, w, kernels.Impl(impl))
			w4, y := mul.Dequantize(), kernels.Mul(mul, x)
			want, rounding := kerneltest.Product(w4, x), kerneltest.Float32Bound(w4, x)
			for i := range m {
				for j := range n {
					bound := rounding[i*n+j]
					if impl != kernels.ImplRef {
						for p := range k {
							largest := absmax(x.Data[i*k+p/32*32 : i*k+min(k, p/32*32+32)])
							bound += (largest/32512 + 0x1p-127) * math.Abs(float64(w4.Data[p*n+j]))
						}
					}
					if distance := math.Abs(float64(y.Data[i*n+j]) - want[i*n+j]); !(distance <= bound) {
						t.Fatalf("%s, outliers of %v: y[%d,%d] is off by %v, bound %v", impl, outlier, i, j, distance, bound)
					}
				}
			}
			if outlier == 1 && impl != kernels.ImplRef {
				exact := build(m, n, func(i, j int) float32 { return float32(want[i*n+j]) })
				if e := kernels.RelErr(y, exact); e > 4e-5 {
					t.Errorf("%s: relative error of the activations %v, want at most 4e-5", impl, e)
				}
			}
		}
	}
}

// Sums of integers and the order of blocks are the same on all tiers but the reference.
func TestW4A16IsTheSameOnEveryTier(t *testing.T) {
	w, x := normal(517, 131, 6), normal(7, 517, 7)
	tiers := kernels.Implementations(kernels.SchemeW4A16)[1:]
	t.Logf("tiers: %v", tiers)
	var first []float32
	for _, impl := range tiers {
		y := kernels.Mul(newW4A16(t, w, kernels.Impl(impl)), x)
		if first == nil {
			first = y.Data
		}
		if !equalBits(y.Data, first) {
			t.Errorf("%s and %s differ", impl, tiers[0])
		}
	}
}

func TestW4A16ExactCases(t *testing.T) {
	const f16 = 65504
	for _, c := range []struct {
		name    string
		w, want []float32
	}{
		{"codes up to 7", []float32{7, -7, 1, -3.2, 0.5, 1.5, 2.5}, []float32{7, -7, 1, -3, 0, 2, 2}},
		{"zeros", []float32{0, 0, float32(math.Copysign(0, -1))}, []float32{0, 0, 0}},
		{"the scale is rounded to binary16, then the code chosen",
			// 1/7 = 0.142857 becomes 1170/8192.
			[]float32{1, 0.5, -0.07}, []float32{7 * 1170. / 8192, 4 * 1170. / 8192, 0}},
		{"the largest scale of binary16", []float32{7 * f16, f16, -3 * f16}, []float32{7 * f16, f16, -3 * f16}},
		{"above it, a power of two for the column", []float32{7 << 20, -2 << 20, 1 << 18}, []float32{7 << 20, -2 << 20, 0}},
		{"the largest float32, whose scale is 1170/2048 of 2^126", []float32{math.MaxFloat32}, []float32{7 * 1170 * 0x1p115}},
		{"the smallest normal scale", []float32{7 * 0x1p-14, 0x1p-14}, []float32{7 * 0x1p-14, 0x1p-14}},
		{"below it, a power of two for the column", []float32{7 * 0x1p-60, -0x1p-60}, []float32{7 * 0x1p-60, -0x1p-60}},
		{"the smallest subnormal", []float32{0x1p-149, -0x1p-149}, []float32{0x1p-149, -0x1p-149}},
		{"subnormal", []float32{7 * 0x1p-149, 0x1p-149}, []float32{7 * 0x1p-149, 0x1p-149}},
	} {
		w := kernels.Matrix{Rows: len(c.w), Cols: 1, Stride: 1, Data: c.w}
		mul := newW4A16(t, w)
		if got := mul.Dequantize().Data; !slices.Equal(got, c.want) {
			t.Errorf("%s: %v became %v, want %v", c.name, c.w, got, c.want)
		}
	}
}

// A group that is much smaller than another of its column has a subnormal scale, which
// must not be too small for its largest value.
func TestW4A16SmallGroups(t *testing.T) {
	for _, small := range []float64{0x1p-11, 0x1p-20, 0x1p-21, 10.6 * 0x1p-24, 7.4 * 0x1p-24, 7.5 * 0x1p-24, 0x1p-24, 0.6 * 0x1p-24, 0x1p-25, 0x1p-26, 0x1p-100, 0} {
		w := build(64, 1, func(p, _ int) float32 {
			if p < 32 {
				return 1
			}
			return float32(small * float64(p-48) / 16)
		})
		got := newW4A16(t, w).Dequantize()
		// Half a step of a scale that is at most one smallest binary16 too large.
		allowed := (small/7 + 0x1p-24) / 2 * (1 + 0x1p-10)
		for p := 32; p < 64; p++ {
			if distance := math.Abs(float64(got.Data[p]) - float64(w.Data[p])); distance > allowed {
				t.Errorf("a group up to %v: %v became %v, off by %v, want at most %v", small, w.Data[p], got.Data[p], distance, allowed)
			}
		}
	}
}

func TestW4A16Groups(t *testing.T) {
	for _, group := range []int{64, 96, 4096} {
		for _, impl := range kernels.Implementations(kernels.SchemeW4A16) {
			t.Run(fmt.Sprintf("impl=%s/group=%d", impl, group), func(t *testing.T) {
				p := prepare(kernels.NewW4A16)(kernels.Impl(impl), kernels.GroupSize(group))
				bound := kerneltest.Int4GroupBound(group)
				for _, d := range []struct{ m, k, n int }{
					{1, 1, 1}, {1, group - 1, 33}, {3, group, 5}, {2, group + 1, 65}, {1, 3*group + 40, 150}, {9, 2*group + 33, 31},
				} {
					w, x := normal(d.k, d.n, 8), normal(d.m, d.k, 9)
					y, want, allowed := kernels.Mul(mustPrepare(t, p, w), x), kerneltest.Product(w, x), bound(w, x)
					for e, v := range y.Data {
						if distance := math.Abs(float64(v) - want[e]); !(distance <= allowed[e]) {
							t.Fatalf("m=%d k=%d n=%d: element %d is off by %v, bound %v", d.m, d.k, d.n, e, distance, allowed[e])
						}
					}
				}
			})
		}
	}
}

func TestW4A16GroupSize(t *testing.T) {
	w := normal(100, 6, 10)
	for _, c := range []struct{ size, want, bytes int }{
		{32, 32, 300 + 4*6*2}, {64, 64, 300 + 2*6*2}, {128, 128, 300 + 6*2}, {4096, 128, 300 + 6*2},
	} {
		mul := newW4A16(t, w, kernels.GroupSize(c.size))
		if mul.Group() != c.want || mul.Info().WeightBytes != int64(c.bytes) {
			t.Errorf("GroupSize(%d): groups of %d and %d bytes, want %d and %d", c.size, mul.Group(), mul.Info().WeightBytes, c.want, c.bytes)
		}
	}
	for _, size := range []int{-32, 0, 16, 33, 4128} {
		_, err := kernels.NewW4A16(w, kernels.GroupSize(size))
		if err == nil || !strings.Contains(err.Error(), "NewW4A16") || !strings.Contains(err.Error(), fmt.Sprint(size)) {
			t.Errorf("GroupSize(%d): got error %v, want one that names NewW4A16 and the size", size, err)
		}
	}
	// A shorter weight than the group, and none at all.
	for _, k := range []int{0, 1} {
		if mul := newW4A16(t, normal(k, 3, 11), kernels.GroupSize(4096)); mul.Group() != 32 {
			t.Errorf("k=%d: groups of %d, want 32", k, mul.Group())
		}
	}
}

func TestW4A16RowsThatAreNotFinite(t *testing.T) {
	const k, n = 70, 40
	w := normal(k, n, 12)
	for _, impl := range kernels.Implementations(kernels.SchemeW4A16) {
		mul := newW4A16(t, w, kernels.Impl(impl))
		for _, m := range []int{1, 5} {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				for _, at := range []int{0, 31, 32, k - 1} {
					x := normal(m, k, 13)
					x.Data[(m-1)*k+at] = float32(bad)
					y := kernels.Mul(mul, x)
					for j, v := range y.Data[(m-1)*n:] {
						if v == v {
							t.Fatalf("%s: m=%d, %v at %d: y[%d,%d] = %v, want NaN", impl, m, bad, at, m-1, j, v)
						}
					}
				}
			}
		}
	}
}
