package skinny

import (
	"math/rand/v2"
	"testing"

	"github.com/rlx-go/gopherscope/internal/guard"
	"github.com/rlx-go/gopherscope/kernels"
)

// shapes are those of w, and the number of vectors.
var shapes = []struct{ m, n, k int }{
	{0, 0, 0}, {0, 40, 8}, {3, 0, 8}, {5, 40, 0},
	{1, 1, 8}, {2, 31, 8}, {3, 32, 16}, {4, 33, 8}, {5, 64, 24}, {6, 95, 8}, {7, 100, 16},
	{23, 511, 8}, {24, 512, 16}, {25, 513, 16}, {50, 1100, 8}, {100, 2081, 16}, {49, 4096, 16},
}

// eachTier runs a test with every implementation that this processor has.
func eachTier(t *testing.T, test func(t *testing.T)) {
	was := best
	defer func() { best = was }()
	for _, best = range usable() {
		t.Run(best.needs.String(), test)
	}
}

// ints is a matrix of small integers, of which sums of products are exact, with gap
// columns between its rows that hold fill.
func ints(rng *rand.Rand, rows, cols, gap int, fill float32) kernels.Matrix {
	a := kernels.Matrix{Rows: rows, Cols: cols, Stride: cols + gap, Data: make([]float32, rows*(cols+gap))}
	for i := range a.Data {
		if a.Data[i] = fill; i%max(1, a.Stride) < cols {
			a.Data[i] = float32(rng.IntN(17) - 8)
		}
	}
	return a
}

func TestProductsOfIntegersAreExact(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, s := range shapes {
			for _, gap := range []int{0, 3, 64} {
				w := ints(rng, s.m, s.n, gap, 100)
				v := ints(rng, s.k, s.n, Pad(s.n)-s.n+gap, 0)
				y := ints(rng, s.m, s.k, gap, 7)

				want := ints(rng, s.m, s.k, gap, 7)
				for i := range s.m {
					for c := range s.k {
						sum := y.Data[i*y.Stride+c]
						for j := range s.n {
							sum += w.Data[i*w.Stride+j] * v.Data[c*v.Stride+j]
						}
						want.Data[i*want.Stride+c] = sum
					}
				}
				AddDots(y, w, v)
				same(t, "AddDots", s, gap, y, want)

				// Products with the sums in y would not be exact.
				y = ints(rng, s.m, s.k, gap, 7)
				want = ints(rng, s.k, s.n, Pad(s.n)-s.n+gap, 0)
				for c := range s.k {
					for j := range s.n {
						sum := v.Data[c*v.Stride+j]
						for i := range s.m {
							sum += y.Data[i*y.Stride+c] * w.Data[i*w.Stride+j]
						}
						want.Data[c*want.Stride+j] = sum
					}
				}
				AddCombinations(v, y, w)
				same(t, "AddCombinations", s, gap, v, want)
			}
		}
	})
}

// same compares elements and what is between rows.
func same(t *testing.T, op string, shape any, gap int, got, want kernels.Matrix) {
	t.Helper()
	for i, v := range want.Data {
		if got.Data[i] != v {
			t.Errorf("%s of %v, gap %d: [%d,%d] is %v, want %v", op, shape, gap, i/want.Stride, i%want.Stride, got.Data[i], v)
			return
		}
	}
}

// Operands that are shorter than what would be read and written are refused.
func TestShapesThatDoNotFit(t *testing.T) {
	matrix := func(rows, cols, stride, length int) kernels.Matrix {
		return kernels.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: make([]float32, length)}
	}
	y, w, v := matrix(3, 8, 8, 24), matrix(3, 40, 40, 120), matrix(8, 40, 64, 7*64+64)
	for name, bad := range map[string][3]kernels.Matrix{
		"fewer rows of y":          {matrix(2, 8, 8, 24), w, v},
		"fewer columns of y":       {matrix(3, 7, 8, 24), w, v},
		"short y":                  {matrix(3, 8, 8, 23), w, v},
		"short w":                  {y, matrix(3, 40, 40, 119), v},
		"stride of w":              {y, matrix(3, 40, 39, 120), v},
		"other columns of w":       {y, matrix(3, 41, 41, 123), v},
		"no padding":               {y, w, matrix(8, 40, 40, 320)},
		"no padding of the last":   {y, w, matrix(8, 40, 64, 7*64+63)},
		"seven vectors":            {matrix(3, 7, 7, 21), w, matrix(7, 40, 64, 7*64)},
		"vectors that are missing": {y, w, matrix(8, 40, 64, 7*64)},
	} {
		for op, call := range map[string]func(){
			"AddDots":         func() { AddDots(bad[0], bad[1], bad[2]) },
			"AddCombinations": func() { AddCombinations(bad[2], bad[0], bad[1]) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s did not panic", op, name)
					}
				}()
				call()
			}()
		}
	}
}

// Nothing is read beside the operands, nor written, wherever they lie.
func TestOperandsBetweenGuards(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, s := range shapes {
			for _, atEnd := range []bool{false, true} {
				matrix := func(rows, cols, stride int) kernels.Matrix {
					m, err := guard.New[float32](rows*stride, atEnd)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() {
						if err := m.Close(); err != nil {
							t.Errorf("%v: %v", s, err)
						}
					})
					return kernels.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: m.Data}
				}
				y, w, v := matrix(s.m, s.k, s.k), matrix(s.m, s.n, s.n), matrix(s.k, s.n, Pad(s.n))
				AddDots(y, w, v)
				AddCombinations(v, y, w)
			}
		}
	})
}

func BenchmarkSkinny(b *testing.B) {
	const n, k, rows = 4096, 16, 24
	rng := rand.New(rand.NewPCG(1, 2))
	w, v, y := ints(rng, rows, n, 0, 0), ints(rng, k, n, 544, 0), ints(rng, rows, k, 0, 0)
	for _, op := range []struct {
		name string
		call func()
	}{
		{"AddDots", func() { AddDots(y, w, v) }},
		{"AddCombinations", func() { AddCombinations(v, y, w) }},
	} {
		was := best
		for _, best = range usable() {
			b.Run(op.name+"/impl="+best.needs.String(), func(b *testing.B) {
				b.SetBytes(4 * rows * n)
				for b.Loop() {
					op.call()
				}
				b.ReportMetric(2*rows*n*k*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
		best = was
	}
}
