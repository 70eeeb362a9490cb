package kernels_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// BenchmarkInt8OfRoof gives for each implementation of the int8 schemes its fraction
// of the limit of one core (the peak of int8 dot products, or the bandwidth of the
// weight where that is less) and how many times faster than the best F32 it is. W8A16
// does one multiply-add for each that it is asked for, though it takes several dot
// products. One iteration times all of them, F32 and the limits in turns.
func BenchmarkInt8OfRoof(b *testing.B) {
	kernels.SetThreads(1)
	defer kernels.SetThreads(0)
	for _, d := range []struct{ m, k, n int }{
		{1, 1024, 1024}, {4, 1024, 1024}, {32, 1024, 1024}, {128, 1024, 1024},
		{1, 2048, 2048}, {1, 6144, 6144},
	} {
		b.Run(fmt.Sprintf("m=%d/k=%d/n=%d", d.m, d.k, d.n), func(b *testing.B) {
			weightBytes := int64(d.k) * int64(d.n)
			ops := 2 * float64(d.m) * float64(d.k) * float64(d.n)
			roofs := bench.NewRoofs(1, weightBytes)
			funcs := roofs.Funcs()
			limits := len(funcs)
			w, x, y := normal(d.k, d.n, 1), normal(d.m, d.k, 2), kernels.New(d.m, d.n)
			add := func(name string, call func()) { funcs = append(funcs, bench.Func{Name: name, Call: call}) }

			f32 := mustPrepare(b, prepare(kernels.NewF32)(), w)
			add("f32", func() { f32.MulTo(y, x) })
			for _, impl := range kernels.Implementations(kernels.SchemeW8A8)[1:] {
				mul, codes := newW8A8(b, w, impl), kernels.QuantizeRows(x)
				add("w8a8-q/impl="+impl, func() { mul.MulQuantizedTo(y, codes) })
				add("w8a8/impl="+impl, func() { mul.MulTo(y, x) })
			}
			for _, impl := range kernels.Implementations(kernels.SchemeW8A16)[1:] {
				mul := newW8A16(b, w, impl)
				add("w8a16/impl="+impl, func() { mul.MulTo(y, x) })
			}
			for b.Loop() {
				c, err := bench.Plan{Rounds: 60, RoundTime: 2 * time.Millisecond}.Compare(b.Context(), funcs...)
				if err != nil {
					b.Fatal(err)
				}
				machine := roofs.Machine(c[:limits])
				roof := machine.Roof(machine.Int8Peak, ops, weightBytes)
				for _, e := range c[limits+1:] {
					b.ReportMetric(ops/float64(e.Min())/roof, e.Name+"-of-roof")
					b.ReportMetric(float64(c[limits].Min())/float64(e.Min()), e.Name+"-times-f32")
				}
			}
		})
	}
}
