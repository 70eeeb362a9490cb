package opscope

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// sketchFailure is the probability that a bound of a sketch does not hold.
const sketchFailure = 1e-6

// ritz returns the Ritz values of G in the space, largest first, and for each
// eigenvalue of the same index an upper bound. trace is that of G.
//
// Let θᵢ, sᵢ be the Ritz pairs, P the projector on the space, and δ a bound of
// the norm of (I-P)G(I-P). With S = RᵀR's root times the last rows of the
// eigenvectors, λᵢ(G) is at most the i-th eigenvalue of
//
//	Θ  Sᵀ
//	S  δI
//
// or δ, whichever is larger, because G is that matrix with something at most δI in
// place of δI, of as many rows as there are dimensions outside the space. What the
// space leaves of the trace is one δ. The randomness of Ω gives a smaller one where
// the spectrum decays slowly, by the bounds xᵢ ≥ λᵢ(G) below.
//
// Suppose λᵣ₊₁ ≥ x. Among the first r+1 eigenvectors' combinations is a unit vector
// u orthogonal to s₁..sᵣ. For a polynomial q of degree below the number of blocks,
// q(G)Ω lies in the space, and so ‖uᵀq(G)Ω‖² is at most the sum over i > r of
// q(θᵢ)² ‖sᵢᵀΩ‖². It is also at least q(x)² times the square of the smallest
// singular value of the (r+1) x b part of Ω in those eigenvectors, if |q| grows
// from x on. That part is Gaussian, and its smallest singular value is below
//
//	ν/(e√b) (p √(2πν))^(1/ν),  ν = b-r
//
// with a probability of at most p (Halko, Martinsson and Tropp, SIAM Review 53, 2011,
// proposition A.3). The best q is the kernel polynomial of the measure that has
// ‖sᵢᵀΩ‖² at θᵢ, i > r; it gives 1/K(x,x), K being the sum of the squares of the
// orthonormal polynomials. So xᵣ₊₁ is where K reaches the inverse of the square
// of the singular value.
//
// Last, for a unit vector orthogonal to the space, the part g in the first r
// eigenvectors and the rest h have gᵀq(Λ₁)Ω₁ = -hᵀq(Λ₂)Ω₂. With the Chebyshev
// polynomial q of [0, xᵣ₊₁] δ is at most xᵣ₊₁ + θᵣ(‖Ω‖/(σ q(θᵣ)))²,
// since λ/q(λ)² falls from xᵣ₊₁ on; σ is the bound of the r x b part of Ω.
func (k *krylov) ritz(trace float64) (values, upper []float64) {
	values, vectors := eigen(k.projected())
	n := len(values)
	for i := range values {
		values[i] = max(values[i], 0)
	}
	b := k.omega.RawMatrix().Cols
	first, _ := k.omega.Dims()
	weights := make([]float64, n)
	for i := range weights {
		var row mat.VecDense
		row.MulVec(k.omega.T(), vectors.ColView(i).(*mat.VecDense).SliceVec(0, first))
		weights[i] = mat.Dot(&row, &row)
	}
	omegaSq := square(mat.Norm(k.omega, 2))
	captured := floats.Sum(values)
	delta := max(0, trace-captured) + k.eps*trace
	bounds := make([]float64, n)
	x, previous := math.Inf(1), 0.0
	for r := range bounds {
		if r < b {
			sigmaSq := smallestSingularValueSq(r+1, b, sketchFailure/float64(b))
			x = min(x, christoffelBound(values[r:], weights[r:], k.steps, 1/sigmaSq, trace))
			switch {
			case r == 0:
				delta = min(delta, x)
			case k.steps > 1 && values[r-1] > x && x > 0:
				q := math.Cosh(float64(k.steps-1) * math.Acosh(2*values[r-1]/x-1))
				delta = min(delta, x+values[r-1]*omegaSq/(previous*q*q))
			}
			previous = sigmaSq
		}
		bounds[r] = x
	}
	comparison := k.comparison(values, vectors, delta)
	for i := range bounds {
		bounds[i] = max(values[i], min(bounds[i], max(comparison[i], delta)))
	}
	return values, bounds
}

// comparison returns the eigenvalues of the matrix of ritz.
func (k *krylov) comparison(values []float64, vectors *mat.Dense, delta float64) []float64 {
	n := len(values)
	b := k.residual.SymmetricDim()
	lengths, directions := eigen(k.residual)
	m := mat.NewSymDense(n+b, nil)
	for i, v := range values {
		m.SetSym(i, i, v)
	}
	for j := range b {
		m.SetSym(n+j, n+j, delta)
		length := math.Sqrt(max(0, lengths[j]))
		for i := range n {
			var sum float64
			for l := range b {
				sum += directions.At(l, j) * vectors.At(k.last+l, i)
			}
			m.SetSym(i, n+j, length*sum)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(m, false) {
		panic("opscope: LAPACK did not find the eigenvalues of a symmetric matrix")
	}
	ascending := e.Values(nil)
	largest := make([]float64, n+b)
	for i := range largest {
		largest[i] = ascending[n+b-1-i]
	}
	return largest
}

// smallestSingularValueSq is the square below which the smallest singular value
// of a Gaussian matrix of rows x cols, rows <= cols, lies with a probability of
// at most p.
func smallestSingularValueSq(rows, cols int, p float64) float64 {
	nu := float64(cols - rows + 1)
	s := nu / (math.E * math.Sqrt(float64(cols))) * math.Pow(p*math.Sqrt(2*math.Pi*nu), 1/nu)
	return s * s
}

// christoffelBound returns the x from nodes[0] on, at most top, where the sum of
// the squares of the first count orthonormal polynomials of the measure with so
// much weight at each node reaches level. The nodes descend.
func christoffelBound(nodes, weights []float64, count int, level, top float64) float64 {
	// The recurrence of the orthonormal polynomials is the Lanczos method on the
	// diagonal matrix of the nodes.
	var alpha, beta []float64
	mass := floats.Sum(weights)
	if mass == 0 {
		return nodes[0]
	}
	var basis [][]float64
	v := make([]float64, len(nodes))
	for i, w := range weights {
		v[i] = math.Sqrt(w / mass)
	}
	for len(basis) < count {
		basis = append(basis, v)
		next := floats.MulTo(make([]float64, len(v)), nodes, v)
		alpha = append(alpha, floats.Dot(next, v))
		for range 2 {
			for _, u := range basis {
				floats.AddScaled(next, -floats.Dot(next, u), u)
			}
		}
		length := floats.Norm(next, 2)
		if length <= 1e-12*nodes[0] {
			// A polynomial is zero at all nodes that have weight.
			return nodes[0]
		}
		beta = append(beta, length)
		floats.Scale(1/length, next)
		v = next
	}
	sum := func(x float64) float64 {
		before, p := 0.0, 1/math.Sqrt(mass)
		total := p * p
		for i := 0; i+1 < len(alpha); i++ {
			next := (x - alpha[i]) * p
			if i > 0 {
				next -= beta[i-1] * before
			}
			before, p = p, next/beta[i]
			total += p * p
		}
		return total
	}
	low, high := nodes[0], max(top, nodes[0])
	if sum(low) >= level {
		return low
	}
	if sum(high) < level {
		return high
	}
	for range 60 {
		middle := (low + high) / 2
		if sum(middle) < level {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
