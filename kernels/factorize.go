package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	a, err := newFactorizer(op, w, rank)
	if err != nil {
		return u, v, 0, err
	}
	if a.norm == 0 {
		return New(w.Rows, 0), New(0, w.Cols), 0, nil
	}
	s, err := a.sketch(rank)
	if err != nil {
		return u, v, 0, err
	}
	u, v = s.factors(len(s.values))
	return u, v, frobenius(a.residual(u, v)) / a.norm, nil
}

// FactorizeWithin returns factors as Factorize does, of the least rank that it
// finds for a relative error of at most maxErr, and that error. It doubles the
// rank of the sketch until its singular values promise the error, so it costs up
// to four times as much as Factorize at the rank that it finds, which for a
// Gaussian w is up to 2% above the least. The memory is 16 bytes for each element.
//
// It returns an error when no rank up to maxRank has an error that low, which may
// be because of the rounding of the factors to float32 if maxErr is below 1e-6,
// when maxErr is not positive, and as Factorize does.
func FactorizeWithin(w Matrix, maxErr float64, maxRank int) (u, v Matrix, relErr float64, err error) {
	return factorizeWithin("FactorizeWithin", w, maxErr, maxRank)
}

// firstSketch is the rank of the first sketch of FactorizeWithin.
const firstSketch = 16

func factorizeWithin(op string, w Matrix, maxErr float64, maxRank int) (u, v Matrix, relErr float64, err error) {
	if !(maxErr > 0) {
		return u, v, 0, fmt.Errorf("kernels: %s: got error %v, want more than 0", op, maxErr)
	}
	a, err := newFactorizer(op, w, maxRank)
	if err != nil {
		return u, v, 0, err
	}
	if a.norm == 0 {
		return New(w.Rows, 0), New(0, w.Cols), 0, nil
	}
	largest := min(maxRank, w.Rows, w.Cols)
	for rank := min(firstSketch, largest); ; rank = min(2*rank, largest) {
		s, err := a.sketch(rank)
		if err != nil {
			return u, v, 0, err
		}
		values := len(s.values)
		r, last := s.rankWithin(maxErr*a.norm), rank == largest || values < rank
		if r > values && !last {
			continue
		}
		// The rounding of the factors can ask for a little more.
		for r = min(r, values); ; r = min(r+1+r/64, values) {
			u, v = s.factors(r)
			relErr = frobenius(a.residual(u, v)) / a.norm
			if relErr <= maxErr {
				return u, v, relErr, nil
			}
			if r == values {
				break
			}
		}
		if last {
			return Matrix{}, Matrix{}, 0, fmt.Errorf("kernels: %s: rank %d leaves an error of %.3g, want at most %.3g", op, r, relErr, maxErr)
		}
	}
}

// A factorizer is a matrix that is approximated by factors.
type factorizer struct {
	op   string
	w    blas64.General
	norm float64
}

// newFactorizer checks w and a rank.
func newFactorizer(op string, w Matrix, rank int) (*factorizer, error) {
	if rank < 1 {
		return nil, fmt.Errorf("kernels: %s: got rank %d, want at least 1", op, rank)
	}
	if err := checkFiniteMatrix(op, "w", w); err != nil {
		return nil, err
	}
	a := &factorizer{op: op, w: float64Matrix(w)}
	a.norm = frobenius(a.w)
	return a, nil
}

// A sketch is an approximation left diag(values) right^T of a matrix, where left and
// right have orthonormal columns. values, descending, are close to the largest
// singular values of the matrix.
type sketch struct {
	norm        float64 // of the matrix
	left, right blas64.General
	values      []float64
}

// sketch returns a sketch with rank values, or as many as are not 0.
func (a *factorizer) sketch(rank int) (*sketch, error) {
	k, n := a.w.Rows, a.w.Cols
	rank = min(rank, k, n)

	// q[k,l] becomes an orthonormal basis of the range of W, z[n,l] of W^T.
	l := min(rank+oversampling, k, n)
	q, z := newFloat64(k, l), newFloat64(n, l)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range z.Data {
		z.Data[i] = rng.NormFloat64()
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a.w, z, 0, q)
	orthonormalize(q)
	for range subspaceIter {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, a.w, q, 0, z)
		orthonormalize(z)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a.w, z, 0, q)
		orthonormalize(q)
	}

	// With z = W^T q = P S R^T, W is close to q z^T = (q R) S P^T.
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, a.w, q, 0, z)
	p, s, rt, ok := thinSVD(z)
	if !ok {
		return nil, fmt.Errorf("kernels: %s: the singular value decomposition did not converge", a.op)
	}
	qr := newFloat64(k, l)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, q, rt, 0, qr)

	r := 0
	for r < rank && s[r] > rankTolerance*s[0] {
		r++
	}
	return &sketch{a.norm, qr, p, s[:r]}, nil
}

// rankWithin returns how many values leave an error, in the Frobenius norm, of at
// most maxErr; len(values)+1 if all of them leave more.
func (s *sketch) rankWithin(maxErr float64) int {
	// As left is orthonormal, the square of the error is that of the norm less those
	// of the values.
	rest := s.norm * s.norm
	for r, value := range s.values {
		if rest <= maxErr*maxErr {
			return r
		}
		rest -= value * value
	}
	if rest <= maxErr*maxErr {
		return len(s.values)
	}
	return len(s.values) + 1
}

// factors returns the first r values as factors.
func (s *sketch) factors(r int) (u, v Matrix) {
	u, v = New(s.left.Rows, r), New(r, s.right.Rows)
	for c, value := range s.values[:r] {
		root := math.Sqrt(value)
		for i := range u.Rows {
			u.Data[i*u.Stride+c] = float32(s.left.Data[i*s.left.Stride+c] * root)
		}
		for j := range v.Cols {
			v.Data[c*v.Stride+j] = float32(s.right.Data[j*s.right.Stride+c] * root)
		}
	}
	return u, v
}

// residual returns w - uv.
func (a *factorizer) residual(u, v Matrix) blas64.General {
	rest := a.w
	rest.Data = slices.Clone(rest.Data)
	if u.Cols > 0 { // gonum wants data even for factors without columns
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, float64Matrix(u), float64Matrix(v), 1, rest)
	}
	return rest
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
