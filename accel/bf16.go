package accel

import (
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// bf16Weight is a weight in bfloat16 for dnnl_gemm_bf16bf16f32.
type bf16Weight struct {
	dnn     *dnn
	k, n    int
	w       []uint16 // [k,n]
	scratch freeList[[]uint16]
}

func newBF16Weight(d *dnn, w kernels.Matrix) *bf16Weight {
	b := &bf16Weight{dnn: d, k: w.Rows, n: w.Cols, w: make([]uint16, len(w.Data))}
	roundRowsBF16(b.w, w)
	return b
}

func (b *bf16Weight) weight() (bytes int64, exact bool) { return 2 * int64(len(b.w)), false }

func (b *bf16Weight) mulTo(y, x kernels.Matrix, callers slots) error {
	rounded := resize(b.scratch.take(), x.Rows*b.k)
	defer b.scratch.put(rounded)
	roundRowsBF16(rounded, x)
	callers.enter()
	defer callers.leave()
	return b.multiply(y, rounded)
}

func (b *bf16Weight) ready(x kernels.Matrix) func() error {
	rounded, y := make([]uint16, x.Rows*b.k), kernels.New(x.Rows, b.n)
	roundRowsBF16(rounded, x)
	return func() error { return b.multiply(y, rounded) }
}

func (b *bf16Weight) multiply(y kernels.Matrix, x []uint16) error {
	return status("dnnl_gemm_bf16bf16f32", b.dnn.gemmBF16('N', 'N', int64(y.Rows), int64(b.n), int64(b.k),
		1, &x[0], int64(b.k), &b.w[0], int64(b.n), 0, &y.Data[0], int64(y.Stride)))
}

// roundRowsBF16 writes the rows of a without gaps.
func roundRowsBF16(to []uint16, a kernels.Matrix) {
	for i := range a.Rows {
		row := to[i*a.Cols:][:a.Cols]
		for j, v := range a.Data[i*a.Stride:][:a.Cols] {
			row[j] = roundBF16(v)
		}
	}
}

// roundBF16 returns the bfloat16 nearest to v, ties to even, as kernels.BF16 rounds:
// finite values stay finite.
func roundBF16(v float32) uint16 {
	const infinity, largest = 0x7f80, 0x7f7f
	bits := math.Float32bits(v)
	switch {
	case v != v:
		return uint16(bits>>16) | 0x40 // quiet, so that no bit that is cut off makes it an infinity
	case bits&0x7fffffff == infinity<<16:
		return uint16(bits >> 16)
	}
	rounded := uint16((bits + 0x7fff + bits>>16&1) >> 16)
	if rounded&0x7fff == infinity {
		return rounded&0x8000 | largest
	}
	return rounded
}
