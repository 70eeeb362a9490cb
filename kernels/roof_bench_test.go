package kernels_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// BenchmarkF32OfRoof gives the rate of each implementation of F32 and its fraction
// of the limit of one core: the peak of multiply-adds, or the bandwidth of the
// weight where that is less. One iteration times all of them and the limits in
// turns, since clocks drift and caches are shared; -benchtime=1x is enough. The
// limits are those of the best tier: GOPHERSCOPE_CPU=avx2 gives that of AVX2.
func BenchmarkF32OfRoof(b *testing.B) {
	kernels.SetThreads(1)
	defer kernels.SetThreads(0)
	for _, d := range []struct{ m, k, n int }{
		{32, 1024, 1024}, {128, 1024, 1024}, {512, 1024, 1024},
		{1, 1024, 1024}, {1, 1024, 3072}, {1, 3072, 1024},
		{1, 2048, 2048}, {1, 6144, 6144}, {1, 12288, 12288},
	} {
		b.Run(fmt.Sprintf("m=%d/k=%d/n=%d", d.m, d.k, d.n), func(b *testing.B) {
			weightBytes := 4 * int64(d.k) * int64(d.n)
			ops := 2 * float64(d.m) * float64(d.k) * float64(d.n)
			roofs := bench.NewRoofs(1, weightBytes)
			limits := roofs.Funcs()
			funcs := limits
			x, y := normal(d.m, d.k, 2), kernels.New(d.m, d.n)
			w := normal(d.k, d.n, 1)
			for _, impl := range kernels.Implementations(kernels.SchemeF32) {
				if impl == kernels.ImplRef {
					continue
				}
				mul := mustPrepare(b, prepare(kernels.NewF32)(kernels.Impl(impl)), w)
				funcs = append(funcs, bench.Func{Name: impl, Call: func() { mul.MulTo(y, x) }})
			}
			for b.Loop() {
				c, err := bench.Plan{Rounds: 15, RoundTime: 10 * time.Millisecond}.Compare(b.Context(), funcs...)
				if err != nil {
					b.Fatal(err)
				}
				machine := roofs.Machine(c[:len(limits)])
				roof := machine.Roof(machine.F32Peak, ops, weightBytes)
				for _, e := range c[len(limits):] {
					rate := ops / float64(e.Min())
					b.ReportMetric(rate, e.Name+"-GFLOP/s")
					b.ReportMetric(rate/roof, e.Name+"-of-roof")
				}
			}
		})
	}
}
