package accel

import (
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// cblas holds functions of the C interface of the BLAS, whose int has 32 bits.
type cblas struct {
	sgemm func(order, transA, transB, m, n, k int32, alpha float32, a *float32, lda int32, b *float32, ldb int32, beta float32, c *float32, ldc int32)
	sgemv func(order, trans, m, n int32, alpha float32, a *float32, lda int32, x *float32, incX int32, beta float32, y *float32, incY int32)
}

// The values of the interface's enumerations.
const (
	rowMajor = 101
	noTrans  = 111
	trans    = 112
)

func (b *cblas) symbols() []symbol {
	return []symbol{{"cblas_sgemm", &b.sgemm}, {"cblas_sgemv", &b.sgemv}}
}

// multiply calls sgemm, or sgemv for one row of x and for rows that are too far apart
// for an int of 32 bits. Neither reports failures.
func (b *cblas) multiply(y, x, w kernels.Matrix) error {
	k, n := int32(w.Rows), int32(w.Cols)
	if x.Rows == 1 || max(x.Rows, x.Stride, y.Stride) > math.MaxInt32 {
		for i := range x.Rows {
			b.sgemv(rowMajor, trans, k, n, 1, &w.Data[0], n, &x.Data[i*x.Stride], 1, 0, &y.Data[i*y.Stride], 1)
		}
		return nil
	}
	b.sgemm(rowMajor, noTrans, noTrans, int32(x.Rows), n, k,
		1, &x.Data[0], int32(x.Stride), &w.Data[0], n, 0, &y.Data[0], int32(y.Stride))
	return nil
}
