package opscope_test

import (
	"runtime"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

// The sums of a column take more memory than two elements, so they are not held for all
// columns of a wide matrix at a time. Its figures are those of its transpose.
func TestProbeOfManyColumnsIsSmall(t *testing.T) {
	w := opscope.Sample(opscope.Outlier, 2, 1<<19+1, 1)
	o := opscope.Options{Role: opscope.Weight}
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	p := probe(t, w, o)
	if got, most := allocated()-before, uint64(150*w.Cols); got > most {
		t.Errorf("%d bytes were allocated for %d columns, want at most %d", got, w.Cols, most)
	}
	o.OutIn = true
	q := probe(t, transpose(w), o)
	for i := range p.Quant {
		near(t, string(p.Quant[i].Granularity), p.Quant[i].Error, q.Quant[i].Error, 1e-9)
	}
	near(t, "2:4", p.Sparse[0].Error, q.Sparse[0].Error, 1e-9)
	near(t, "ternary", p.Ternary, q.Ternary, 1e-9)
	near(t, "kurtosis", p.Kurtosis, q.Kurtosis, 1e-9)
	if p.Cardinality != q.Cardinality || p.BestBits != q.BestBits {
		t.Errorf("%v and %d bits, of the transpose %v and %d", p.Cardinality, p.BestBits, q.Cardinality, q.BestBits)
	}
}
