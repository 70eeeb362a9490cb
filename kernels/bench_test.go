package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// BenchmarkMulTo times the shapes of transformer layers, at one row (decoding)
// and 32 rows (a prompt), and weights beyond the caches. GFLOP/s counts 2mkn
// operations whatever the scheme skips.
func BenchmarkMulTo(b *testing.B) {
	for _, s := range schemes {
		if s.name == kernels.SchemeLowRank || s.name == kernels.SchemeSkipZeros {
			continue // they need the structure that BenchmarkStructured gives them
		}
		for _, d := range []struct{ m, k, n int }{
			{1, 1024, 1024}, {32, 1024, 1024},
			{1, 1024, 3072}, {32, 1024, 3072},
			{1, 3072, 1024}, {32, 3072, 1024},
			{1, 2048, 2048}, {1, 6144, 6144},
		} {
			b.Run(caseName(s.String(), d.m, d.k, d.n), func(b *testing.B) {
				benchmarkMulTo(b, s.prepare, normal(d.k, d.n, 7), normal(d.m, d.k, 8))
			})
		}
	}
}

// BenchmarkMulQuantizedTo times W8A8 without the quantization of activations.
func BenchmarkMulQuantizedTo(b *testing.B) {
	for _, d := range []struct{ m, k, n int }{
		{1, 1024, 1024}, {32, 1024, 1024},
		{1, 1024, 3072}, {32, 1024, 3072},
		{1, 3072, 1024}, {32, 3072, 1024},
	} {
		b.Run(caseName("scheme="+kernels.SchemeW8A8, d.m, d.k, d.n), func(b *testing.B) {
			mul, err := kernels.NewW8A8(normal(d.k, d.n, 7))
			if err != nil {
				b.Fatal(err)
			}
			x, y := kernels.QuantizeRows(normal(d.m, d.k, 8)), kernels.New(d.m, d.n)
			for b.Loop() {
				mul.MulQuantizedTo(y, x)
			}
			reportRate(b, d.m, d.k, d.n)
		})
	}
}

// BenchmarkStructured times the schemes that need structure on what has it: nine
// zeros in ten activations, and a weight of rank 4 factorized at rank 8, the
// dense loop beside each.
func BenchmarkStructured(b *testing.B) {
	const m, k, n, rank = 64, 512, 512, 4
	rng := rand.New(rand.NewPCG(1, 0))
	sparse := build(m, k, func(int, int) float32 {
		if rng.Float64() < 0.9 {
			return 0
		}
		return float32(rng.NormFloat64())
	})
	lowRank := float64Product(normal(rank, n, 3), normal(k, rank, 4))
	atRank8 := func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewLowRank(w, kernels.Rank(8)) }

	for _, c := range []struct {
		scheme  string
		prepare kerneltest.Prepare
		w, x    kernels.Matrix
		suffix  string
	}{
		{kernels.SchemeDense, prepare(kernels.NewDense)(), normal(k, n, 2), sparse, "/density=0.1"},
		{kernels.SchemeSkipZeros, prepare(kernels.NewSkipZeros)(), normal(k, n, 2), sparse, "/density=0.1"},
		{kernels.SchemeDense, prepare(kernels.NewDense)(), lowRank, normal(m, k, 5), "/rank=4"},
		{kernels.SchemeLowRank, atRank8, lowRank, normal(m, k, 5), "/rank=4"},
	} {
		b.Run(caseName("scheme="+c.scheme, m, k, n)+c.suffix, func(b *testing.B) {
			benchmarkMulTo(b, c.prepare, c.w, c.x)
		})
	}
}

func caseName(scheme string, m, k, n int) string {
	return fmt.Sprintf("%s/m=%d/k=%d/n=%d", scheme, m, k, n)
}

func benchmarkMulTo(b *testing.B, prepare kerneltest.Prepare, w, x kernels.Matrix) {
	mul := mustPrepare(b, prepare, w)
	y := kernels.New(x.Rows, w.Cols)
	for b.Loop() {
		mul.MulTo(y, x)
	}
	reportRate(b, x.Rows, w.Rows, w.Cols)
}

func reportRate(b *testing.B, m, k, n int) {
	flop := 2 * float64(m) * float64(k) * float64(n)
	b.ReportMetric(flop*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}
