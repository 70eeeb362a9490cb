package opscope

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// StableRank is ‖W‖²/σ₁², the Frobenius norm over the spectral norm, squared,
// between 1 and min(rows, cols). It has no axis and no unit.
// [Spectrum.StableRank] is the same figure from all singular values, and says
// what it does not mean.
//
// It works at any size, by the Lanczos method in float64, until the residual
// bounds the distance to an eigenvalue by 1e-6 of it, or for 300 steps; a
// Gaussian of 1024 x 1024 takes 48 steps, one of 4096 x 4096 takes 88. A step
// costs 4·rows·cols operations. [ProbeSpectrum] is faster, and too high by up to 1%
// where the spectrum has no gap.
//
// NaN if w has non-finite elements, 0 if it is zero or empty. The errors are a
// malformed matrix and the context's own.
//
// For Gaussian elements it is about kn/(sqrt k + sqrt n)², a quarter of the side
// of a square matrix.
func StableRank(ctx context.Context, w Matrix) (float64, error) {
	if err := check(w); err != nil {
		return 0, err
	}
	s, err := gather(ctx, w)
	if err != nil {
		return 0, err
	}
	return stableRank(ctx, w, s)
}

func stableRank(ctx context.Context, w Matrix, s stats) (float64, error) {
	if s.nonFinite.Count > 0 {
		return math.NaN(), nil
	}
	if s.sumSq == 0 {
		return 0, nil
	}
	sigmaSq, err := largestEigenvalue(ctx, w)
	if err != nil {
		return 0, err
	}
	return s.sumSq / sigmaSq, nil
}

// largestEigenvalue returns the largest eigenvalue σ₁² of the Gram matrix of
// w on its smaller side, by the Lanczos method with full reorthogonalization
// (Golub and Van Loan, Matrix Computations, 10.3) from a random vector, as a
// fixed one can be orthogonal to what is sought: a constant one is, whenever
// the rows of w sum to zero. w must be finite and not zero.
func largestEigenvalue(ctx context.Context, w Matrix) (float64, error) {
	const (
		maxSteps  = 300
		tolerance = 1e-6 // of the residual, relative to the eigenvalue
	)
	dim := min(w.Rows, w.Cols)
	steps := min(dim, maxSteps)
	rng := newSource(1, 0)
	v := make([]float64, dim)
	for i := range v {
		v[i] = rng.normal()
	}
	floats.Scale(1/floats.Norm(v, 2), v)

	var basis [][]float64
	var alpha, beta []float64
	for {
		basis = append(basis, v)
		next, err := gramTimes(ctx, w, v)
		if err != nil {
			return 0, err
		}
		alpha = append(alpha, floats.Dot(next, v))
		// Once is not enough when next nearly lies in the span; twice is.
		for range 2 {
			for _, b := range basis {
				floats.AddScaled(next, -floats.Dot(next, b), b)
			}
		}
		norm := floats.Norm(next, 2)
		last := len(alpha) == steps
		if last || len(alpha)%8 == 0 || norm <= tolerance*alpha[0] {
			theta, tail := ritz(alpha, beta)
			if last || norm*tail <= tolerance*theta {
				return theta, nil
			}
		}
		beta = append(beta, norm)
		floats.Scale(1/norm, next)
		v = next
	}
}

// ritz returns the largest eigenvalue of the tridiagonal matrix of diagonal
// alpha and off-diagonal beta, and the magnitude of the last component of its
// eigenvector, which scales the residual.
func ritz(alpha, beta []float64) (theta, tail float64) {
	n := len(alpha)
	t := mat.NewSymDense(n, nil)
	for i := range n {
		t.SetSym(i, i, alpha[i])
		if i > 0 {
			t.SetSym(i-1, i, beta[i-1])
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(t, true) {
		panic("opscope: LAPACK did not find the eigenvalues of a tridiagonal matrix")
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	return eig.Values(nil)[n-1], math.Abs(vectors.At(n-1, n-1))
}

// gramTimes returns WᵀW v if w is at least as tall as wide, and WWᵀ v otherwise.
func gramTimes(ctx context.Context, w Matrix, v []float64) ([]float64, error) {
	if w.Rows >= w.Cols {
		out := make([]float64, w.Cols)
		err := eachRow(ctx, w, func(_ int, row []float32) {
			addScaledRow(out, dotRow(row, v), row)
		})
		return out, err
	}
	wtv := make([]float64, w.Cols)
	if err := eachRow(ctx, w, func(i int, row []float32) { addScaledRow(wtv, v[i], row) }); err != nil {
		return nil, err
	}
	out := make([]float64, w.Rows)
	err := eachRow(ctx, w, func(i int, row []float32) { out[i] = dotRow(row, wtv) })
	return out, err
}

func dotRow(row []float32, v []float64) float64 {
	v = v[:len(row)]
	var s0, s1 float64
	j := 0
	for ; j+1 < len(row); j += 2 {
		s0 += float64(row[j]) * v[j]
		s1 += float64(row[j+1]) * v[j+1]
	}
	if j < len(row) {
		s0 += float64(row[j]) * v[j]
	}
	return s0 + s1
}

func addScaledRow(dst []float64, a float64, row []float32) {
	dst = dst[:len(row)]
	for j, x := range row {
		dst[j] += a * float64(x)
	}
}
