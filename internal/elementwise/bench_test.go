package elementwise

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkRun is every function on a run as long as the probes take it, in the cache.
func BenchmarkRun(b *testing.B) {
	const n = 128
	rng := rand.New(rand.NewPCG(1, 2))
	x, scale, codes, colMax := make([]float32, n), make([]float64, n), make([]uint16, n), make([]uint32, n)
	for i := range x {
		x[i], scale[i] = float32(rng.NormFloat64()), 10*rng.Float64()
	}
	dst := make([]float32, 8*24)
	for _, f := range []struct {
		name string
		run  func()
	}{
		{"RoundingErrors", func() { RoundingErrors(x, 30, 2) }},
		{"WeightedRoundingErrors", func() { WeightedRoundingErrors(x, scale, scale, 7./127) }},
		{"GroupRoundingErrors", func() { GroupRoundingErrors(x, 127, 7) }},
		{"Float16Errors", func() { Float16Errors(x) }},
		{"Dropped24", func() { Dropped24(x) }},
		{"SumAbove", func() { SumAbove(x, 0.5) }},
		{"Moments", func() { Moments(x, 0.1) }},
		{"GridCodes", func() { GridCodes(codes, x, 1000) }},
		{"Transpose", func() { Transpose(dst, 24, x, 8, 16, 8) }},
		{"SumRow", func() { SumRow(x, colMax) }},
	} {
		eachTier(func(tier string) {
			b.Run(f.name+"/impl="+tier, func(b *testing.B) {
				b.SetBytes(4 * n)
				for b.Loop() {
					f.run()
				}
			})
		})
	}
}

// eachTier makes every implementation that can run here the best one.
func eachTier(f func(tier string)) {
	was := best
	defer func() { best = was }()
	for _, best = range usable() {
		f(best.needs.String())
	}
}
