//go:build linux && !noaccel

package accel

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/testreq"
	"github.com/rlx-go/gopherscope/kernels"
)

// What accel adds to the library's call for one row and a weight of 64x64, as the
// least of interleaved rounds: MulTo-ns less call-ns, of which convert-ns is for
// activations that are not float32. Accelerate is the library of the tests.
func BenchmarkOverhead(b *testing.B) {
	fake, err := openVendor(b, accelerate, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, l := range []*Library{openForTest(b, "openblas"), openForTest(b, "onednn"), fake} {
		for _, s := range l.Schemes {
			b.Run("impl="+s.Name, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(7, 8))
				m, err := l.New(s.Name, normal(rng, 64, 64))
				if err != nil {
					testreq.Skip(b, err.Error())
				}
				x, y := normal(rng, 1, 64), kernels.New(1, 64)
				call := m.ready(x)
				whole, bare, convert := math.Inf(1), math.Inf(1), math.Inf(1)
				for b.Loop() {
					whole = min(whole, nanoseconds(func() { m.MulTo(y, x) }))
					bare = min(bare, nanoseconds(func() { call() }))
					convert = min(convert, nanoseconds(conversion(m, y, x)))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(whole, "MulTo-ns")
				b.ReportMetric(bare, "call-ns")
				b.ReportMetric(convert, "convert-ns")
				b.ReportMetric(whole-bare, "over-ns")
				b.ReportMetric(testing.AllocsPerRun(100, func() { m.MulTo(y, x) })-testing.AllocsPerRun(100, func() { call() }), "over-allocs")
			})
		}
	}
}

// nanoseconds returns the mean time of a few calls.
func nanoseconds(f func()) float64 {
	const calls = 50
	start := time.Now()
	for range calls {
		f()
	}
	return float64(time.Since(start)) / calls
}

// conversion returns what MulTo does to one row besides the call.
func conversion(m *Multiplier, y, x kernels.Matrix) func() {
	switch p := m.prepared.(type) {
	case *int8Weight:
		codes, scales, sums := make([]uint8, p.k), make([]float32, 1), make([]int32, p.n)
		return func() {
			quantizeRows(codes, scales, x, p.flip)
			p.scale(y, sums, scales)
		}
	case *fullyConnected:
		codes, scales := make([]uint8, p.k), make([]float32, 1)
		return func() {
			quantizeRows(codes, scales, x, 0)
			scaleRows(y, scales)
		}
	case *bf16Weight:
		rounded := make([]uint16, p.k)
		return func() { roundRowsBF16(rounded, x) }
	}
	return func() {}
}
