package kernels_test

import (
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

// Every implementation in assembly sums fused multiply-adds in the order of k, so
// tiles and vectors of any size give the same bits.
func TestF32ImplementationsAgree(t *testing.T) {
	for _, d := range []struct{ m, k, n int }{{1, 33, 500}, {1, 2100, 131}, {9, 1025, 100}, {40, 2100, 75}} {
		w, x := normal(d.k, d.n, 1), normal(d.m, d.k, 2)
		var first kernels.Matrix
		for i, impl := range kernels.Implementations(kernels.SchemeF32)[1:] {
			y := kernels.Mul(mustPrepare(t, prepare(kernels.NewF32)(kernels.Impl(impl)), w), x)
			if i == 0 {
				first = y
			} else if !equalBits(y.Data, first.Data) {
				t.Errorf("m=%d k=%d n=%d: %s differs from the first implementation", d.m, d.k, d.n, impl)
			}
		}
	}
}
