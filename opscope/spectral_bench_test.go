package opscope_test

import (
	"fmt"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func BenchmarkProbeSpectrum(b *testing.B) {
	for _, n := range []int{1024, 4096} {
		w := opscope.Sample(opscope.Gaussian, n, n, 1)
		norm := opscope.Norm(w)
		for name, memory := range map[string]int64{"in memory": 0, "read by blocks": 4 * int64(n) * int64(n)} {
			var r opscope.RowReader = opscope.MatrixRows(w)
			if memory > 0 {
				r = reader{RowReader: r}
			}
			b.Run(fmt.Sprintf("%dx%d/%s", n, n, name), func(b *testing.B) {
				b.SetBytes(4 * int64(n) * int64(n))
				for b.Loop() {
					if _, err := opscope.ProbeSpectrum(b.Context(), r, opscope.SpectralOptions{Norm: norm, Memory: memory}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
