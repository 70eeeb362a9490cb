package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

// The cases of "gopherscope bench kernels", for benchstat:
//
//	go test ./kernels -run '^$' -bench 'MulTo/scheme=f32/.*/m=32/' -count 10 > new.txt
//	benchstat -col /impl new.txt
//
// Gop/s counts two operations for each multiply-add that the scheme makes, GB/s the
// bytes of the weight.

// benchShapes are the layers of a small transformer at one row, as in decoding, and
// at more, as in a prompt, and weights beyond the caches.
var benchShapes = []struct{ m, k, n int }{
	{1, 1024, 1024}, {32, 1024, 1024}, {128, 1024, 1024}, {512, 1024, 1024},
	{1, 1024, 3072}, {32, 1024, 3072},
	{1, 3072, 1024}, {32, 3072, 1024},
	{1, 2048, 2048}, {1, 6144, 6144}, {1, 12288, 12288},
	{64, 512, 512},
}

// BenchmarkMulTo times every implementation of the schemes that need no structure.
func BenchmarkMulTo(b *testing.B) {
	for _, d := range benchShapes {
		w := sync.OnceValue(func() kernels.Matrix { return normal(d.k, d.n, 7) })
		for _, s := range schemes {
			if s.name == kernels.SchemeLowRank || s.name == kernels.SchemeSkipZeros {
				continue
			}
			b.Run(caseName(s.String(), d.m, d.k, d.n), func(b *testing.B) {
				mul := mustPrepare(b, s.prepare, w())
				x, y := normal(d.m, d.k, 8), kernels.New(d.m, d.n)
				for b.Loop() {
					mul.MulTo(y, x)
				}
				reportRates(b, mul, 2*d.m*d.k*d.n)
			})
		}
	}
}

// BenchmarkMulQuantizedTo times W8A8 without the quantization of activations.
func BenchmarkMulQuantizedTo(b *testing.B) {
	for _, d := range benchShapes {
		w := sync.OnceValue(func() kernels.Matrix { return normal(d.k, d.n, 7) })
		for _, impl := range kernels.Implementations(kernels.SchemeW8A8) {
			b.Run(caseName("scheme=w8a8-q/impl="+impl, d.m, d.k, d.n), func(b *testing.B) {
				mul, err := kernels.NewW8A8(w(), kernels.Impl(impl))
				if err != nil {
					b.Fatal(err)
				}
				x, y := kernels.QuantizeRows(normal(d.m, d.k, 8)), kernels.New(d.m, d.n)
				for b.Loop() {
					mul.MulQuantizedTo(y, x)
				}
				reportRates(b, mul, 2*d.m*d.k*d.n)
			})
		}
	}
}

// BenchmarkStructured times every implementation of the schemes that need structure
// on what has it: activations with zeros, and factors of low rank.
func BenchmarkStructured(b *testing.B) {
	const m, k, n = 64, 512, 512
	for _, impl := range kernels.Implementations(kernels.SchemeSkipZeros) {
		for _, density := range []float64{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1} {
			name := fmt.Sprintf("%s/density=%v", caseName("scheme=skipzeros/impl="+impl, m, k, n), density)
			b.Run(name, func(b *testing.B) {
				mul, err := kernels.NewSkipZeros(normal(k, n, 2), kernels.Impl(impl))
				if err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 0))
				nonzeros := 0
				x := build(m, k, func(int, int) float32 {
					if rng.Float64() >= density {
						return 0
					}
					nonzeros++
					return float32(rng.NormFloat64())
				})
				y := kernels.New(m, n)
				for b.Loop() {
					mul.MulTo(y, x)
				}
				reportRates(b, mul, 2*nonzeros*n)
			})
		}
	}
	for _, impl := range kernels.Implementations(kernels.SchemeLowRank) {
		for _, rank := range []int{1, 8, 24, 32, 64, 128} {
			b.Run(fmt.Sprintf("%s/rank=%d", caseName("scheme=lowrank/impl="+impl, m, k, n), rank), func(b *testing.B) {
				mul, err := kernels.NewLowRankFactors(normal(k, rank, 3), normal(rank, n, 4), kernels.Impl(impl))
				if err != nil {
					b.Fatal(err)
				}
				x, y := normal(m, k, 5), kernels.New(m, n)
				for b.Loop() {
					mul.MulTo(y, x)
				}
				reportRates(b, mul, 2*m*rank*(k+n))
			})
		}
	}
}

func caseName(scheme string, m, k, n int) string {
	return fmt.Sprintf("%s/m=%d/k=%d/n=%d", scheme, m, k, n)
}

// reportRates reports what a call, of so many operations, does in a nanosecond.
func reportRates(b *testing.B, mul kernels.Multiplier, ops int) {
	perCall := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(float64(ops)/perCall, "Gop/s")
	b.ReportMetric(float64(mul.Info().WeightBytes)/perCall, "GB/s")
}
