package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// A scheme of the suite, at its full precision, with one of its implementations.
type scheme struct {
	name, impl string
	prepare    kerneltest.Prepare
	bound      kerneltest.Bound
	bytes      func(k, n int) int
	exact      bool
	// finite is true when the scheme refuses a weight that is not finite.
	finite bool
}

func (s scheme) String() string { return "scheme=" + s.name + "/impl=" + s.impl }

// schemes holds every implementation that can run here of every scheme. A
// low-rank product of the weight and the identity loses nothing.
var schemes = slices.Concat(
	implementations(kernels.SchemeDense, prepare(kernels.NewDense), kerneltest.Float32Bound, bytesF32, true, false),
	implementations(kernels.SchemeF32, prepare(kernels.NewF32), kerneltest.Float32Bound, bytesF32, true, false),
	implementations(kernels.SchemeBF16, prepare(kernels.NewBF16), kerneltest.BF16Bound, bytesBF16, false, false),
	implementations(kernels.SchemeSkipZeros, prepare(kernels.NewSkipZeros), kerneltest.Float32Bound, bytesF32, true, true),
	implementations(kernels.SchemeLowRank, prepare(timesIdentity), kerneltest.Float32Bound, bytesIdentity, false, true),
	implementations(kernels.SchemeInt8PerChannel, prepare(kernels.NewInt8PerChannel), kerneltest.Int8WeightBound, bytesInt8, false, true),
	implementations(kernels.SchemeW8A16, prepare(kernels.NewW8A16), kerneltest.W8A16Bound, bytesInt8, false, true),
	implementations(kernels.SchemeW8A8, prepare(kernels.NewW8A8), kerneltest.Int8Bound, bytesInt8, false, true),
	implementations(kernels.SchemeW4A16, prepare(kernels.NewW4A16), kerneltest.Int4GroupBound(32), bytesInt4, false, true),
)

func implementations(name string, prepare func(...kernels.Option) kerneltest.Prepare, bound kerneltest.Bound, bytes func(k, n int) int, exact, finite bool) []scheme {
	var all []scheme
	for _, impl := range kernels.Implementations(name) {
		all = append(all, scheme{name, impl, prepare(kernels.Impl(impl)), bound, bytes, exact, finite})
	}
	return all
}

func bytesF32(k, n int) int      { return 4 * k * n }
func bytesBF16(k, n int) int     { return 2 * k * n }
func bytesInt4(k, n int) int     { return k*n/2 + 2*n*((k+31)/32) }
func bytesInt8(k, n int) int     { return k*n + 4*n }
func bytesIdentity(k, n int) int { return 4 * n * (k + n) }

// prepare drops the concrete type of a constructor and fixes its options.
func prepare[T kernels.Multiplier](construct func(kernels.Matrix, ...kernels.Option) (T, error)) func(...kernels.Option) kerneltest.Prepare {
	return func(opts ...kernels.Option) kerneltest.Prepare {
		return func(w kernels.Matrix) (kernels.Multiplier, error) {
			m, err := construct(w, opts...)
			if err != nil {
				return nil, err
			}
			return m, nil
		}
	}
}

func timesIdentity(w kernels.Matrix, opts ...kernels.Option) (*kernels.LowRank, error) {
	return kernels.NewLowRankFactors(w, identity(max(0, w.Cols)), opts...)
}

func identity(n int) kernels.Matrix {
	return build(n, n, func(i, j int) float32 {
		if i == j {
			return 1
		}
		return 0
	})
}

func build(rows, cols int, value func(i, j int) float32) kernels.Matrix {
	a := kernels.New(rows, cols)
	for i := range rows {
		for j := range cols {
			a.Data[i*a.Stride+j] = value(i, j)
		}
	}
	return a
}

func normal(rows, cols int, seed uint64) kernels.Matrix {
	rng := rand.New(rand.NewPCG(seed, 0))
	return build(rows, cols, func(int, int) float32 { return float32(rng.NormFloat64()) })
}

func mustPrepare(t testing.TB, p kerneltest.Prepare, w kernels.Matrix) kernels.Multiplier {
	t.Helper()
	m, err := p(w)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func equalBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func TestConformance(t *testing.T) {
	for _, s := range schemes {
		t.Run(s.String(), func(t *testing.T) {
			largest := 127
			if s.name == kernels.SchemeW4A16 {
				largest = 7
			}
			kerneltest.RunCodes(t, s.prepare, s.bound, largest)
		})
	}
}

func TestInfo(t *testing.T) {
	const k, n = 12, 10
	for _, s := range schemes {
		want := kernels.Info{Scheme: s.name, Impl: s.impl, WeightBytes: int64(s.bytes(k, n)), Exact: s.exact}
		if got := mustPrepare(t, s.prepare, normal(k, n, 1)).Info(); got != want {
			t.Errorf("%s: Info() = %+v, want %+v", s, got, want)
		}
	}
}

// Properties that hold bit for bit.
func TestProperties(t *testing.T) {
	const m, k, n = 6, 45, 13
	w, x := normal(k, n, 2), normal(m, k, 3)
	for _, s := range schemes {
		t.Run(s.String(), func(t *testing.T) {
			mul := mustPrepare(t, s.prepare, w)
			y := kernels.Mul(mul, x)

			if again := kernels.Mul(mul, x); !equalBits(again.Data, y.Data) {
				t.Error("two calls with the same x differ")
			}
			for i := range m {
				one := kernels.Matrix{Rows: 1, Cols: k, Stride: k, Data: x.Data[i*k:][:k]}
				if got := kernels.Mul(mul, one); !equalBits(got.Data, y.Data[i*n:][:n]) {
					t.Errorf("row %d alone differs from row %d among others", i, i)
				}
			}
			reversed := mustPrepare(t, s.prepare, build(k, n, func(p, j int) float32 { return w.Data[p*n+n-1-j] }))
			want := build(m, n, func(i, j int) float32 { return y.Data[i*n+n-1-j] })
			if got := kernels.Mul(reversed, x); !equalBits(got.Data, want.Data) {
				t.Error("the columns of W reversed do not give those of y reversed")
			}
			scaled := mustPrepare(t, s.prepare, build(k, n, func(p, j int) float32 { return -8 * w.Data[p*n+j] }))
			want = build(m, n, func(i, j int) float32 { return -8 * y.Data[i*n+j] })
			if got := kernels.Mul(scaled, x); !equalBits(got.Data, want.Data) {
				t.Error("-8 W does not give -8 y")
			}
		})
	}
}

// Schemes that do not trade an error follow IEEE arithmetic for weights too.
func TestNonFiniteWeightOfFloat32Schemes(t *testing.T) {
	inf := float32(math.Inf(1))
	w := build(2, 3, func(p, j int) float32 { return [][]float32{{1, inf, float32(math.NaN())}, {1, 1, 1}}[p][j] })
	x := build(1, 2, func(int, int) float32 { return 2 })
	for _, s := range schemes {
		if s.finite {
			continue
		}
		y := kernels.Mul(mustPrepare(t, s.prepare, w), x)
		if y.Data[0] != 4 || y.Data[1] != inf || y.Data[2] == y.Data[2] {
			t.Errorf("%s: y = %v, want [4 +Inf NaN]", s, y.Data)
		}
	}
}
