package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

const (
	// Columns sketched beyond the rank, and passes over W and its transpose.
	// With these, a Gaussian matrix, whose singular values hardly decay, comes to
	// within 1% of the least error; two passes leave 3%, six 0.4%.
	oversampling = 10
	subspaceIter = 4

	// Singular values below this fraction of the largest are indistinguishable
	// from the float32 rounding of W, and are dropped.
	rankTolerance = 0x1p-23
)

// Factorize returns factors u[k,r] and v[r,n] whose product is close to the best
// approximation of w[k,n] of that rank, and the relative error
// |W - UV| / |W| in the Frobenius norm, computed from the returned factors. r is
// rank, or less when w has a lower rank: 0 for a zero matrix, whose error is 0.
//
// The method is the randomized range finder with subspace iteration, and an
// orthonormalization after every pass, of Halko, Martinsson and Tropp, "Finding
// structure with randomness" (SIAM Review 53, 2011), algorithms 4.4 and 5.1. It
// runs in float64 with a fixed seed, so equal inputs give equal factors. Each
// factor takes the square root of the singular values, so that both keep to the
// range of float32. The cost is about 20 (rank+10) k n operations, and 8 bytes
// of memory for each element of w.
// The error is within 1% of the least possible even for a Gaussian w, whose
// singular values hardly decay.
//
// It returns an error when rank is less than 1, a *ShapeError when w is
// malformed and a *NonFiniteError when it is not finite.
func Factorize(w Matrix, rank int) (u, v Matrix, relErr float64, err error) {
	return factorize("Factorize", w, rank)
}

func factorize(op string, w Matrix, rank int) (u, v Matrix, relErr float64, err error) {
	if rank < 1 {
		return u, v, 0, fmt.Errorf("kernels: %s: got rank %d, want at least 1", op, rank)
	}
	if err := checkFiniteMatrix(op, "w", w); err != nil {
		return u, v, 0, err
	}
	a := float64Matrix(w)
	norm := frobenius(a)
	if norm == 0 {
		return New(w.Rows, 0), New(0, w.Cols), 0, nil
	}
	rank = min(rank, a.Rows, a.Cols)

	// q[k,l] becomes an orthonormal basis of the range of W, z[n,l] of W^T.
	l := min(rank+oversampling, a.Rows, a.Cols)
	q, z := newFloat64(a.Rows, l), newFloat64(a.Cols, l)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range z.Data {
		z.Data[i] = rng.NormFloat64()
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, z, 0, q)
	orthonormalize(q)
	for range subspaceIter {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, a, q, 0, z)
		orthonormalize(z)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, z, 0, q)
		orthonormalize(q)
	}

	// With z = W^T q = P S R^T, W is close to q z^T = (q R) S P^T.
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, a, q, 0, z)
	p, s, rt, ok := thinSVD(z)
	if !ok {
		return u, v, 0, fmt.Errorf("kernels: %s: the singular value decomposition did not converge", op)
	}
	qr := newFloat64(a.Rows, l)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, q, rt, 0, qr)

	r := 0
	for r < rank && s[r] > rankTolerance*s[0] {
		r++
	}
	u, v = New(a.Rows, r), New(r, a.Cols)
	for c := range r {
		root := math.Sqrt(s[c])
		for i := range a.Rows {
			u.Data[i*u.Stride+c] = float32(qr.Data[i*qr.Stride+c] * root)
		}
		for j := range a.Cols {
			v.Data[c*v.Stride+j] = float32(p.Data[j*p.Stride+c] * root)
		}
	}

	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, float64Matrix(u), float64Matrix(v), 1, a)
	return u, v, frobenius(a) / norm, nil
}

// orthonormalize replaces the columns of a, no more than its rows, by an
// orthonormal basis of a space that holds theirs. Householder reflections keep
// the basis orthonormal to rounding even when the columns depend on each other.
func orthonormalize(a blas64.General) {
	tau := make([]float64, a.Cols)
	withWorkspace(func(work []float64, lwork int) { lapack64.Geqrf(a, tau, work, lwork) })
	withWorkspace(func(work []float64, lwork int) { lapack64.Orgqr(a, tau, work, lwork) })
}

// thinSVD returns a = p diag(s) rt for a with no fewer rows than columns, s
// descending. It overwrites a.
func thinSVD(a blas64.General) (p blas64.General, s []float64, rt blas64.General, ok bool) {
	p, s, rt = newFloat64(a.Rows, a.Cols), make([]float64, a.Cols), newFloat64(a.Cols, a.Cols)
	withWorkspace(func(work []float64, lwork int) {
		ok = lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, a, p, rt, s, work, lwork)
	})
	return p, s, rt, ok
}

// withWorkspace asks a LAPACK routine for its best workspace, then runs it.
func withWorkspace(routine func(work []float64, lwork int)) {
	size := make([]float64, 1)
	routine(size, -1)
	work := make([]float64, int(size[0]))
	routine(work, len(work))
}

func newFloat64(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float64, rows*cols)}
}

func float64Matrix(a Matrix) blas64.General {
	f := newFloat64(a.Rows, a.Cols)
	for i := range a.Rows {
		for j, v := range row(a, i) {
			f.Data[i*f.Stride+j] = float64(v)
		}
	}
	return f
}

// frobenius returns the Frobenius norm of a matrix without gaps.
func frobenius(a blas64.General) float64 {
	return blas64.Nrm2(blas64.Vector{N: len(a.Data), Inc: 1, Data: a.Data})
}
