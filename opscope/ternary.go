package opscope

import (
	"context"
	"math"
)

// ternaryThreshold times the mean magnitude is what a weight must exceed not
// to become zero.
const ternaryThreshold = 0.7

// TernaryError is the relative L2 error of replacing w by the values -α, 0 and
// α: an element of a magnitude above 0.7 times the mean magnitude of the whole
// matrix keeps its sign, any other becomes 0, and α is the mean magnitude of
// those kept, which makes the error least for that choice (ternary weight
// networks, Li, Zhang and Liu 2016, arXiv:1605.04711).
//
// The result is in [0,1); 0.4378 for Gaussian elements, whose best threshold
// would give 0.4361. NaN if w has non-finite elements, 0 if it is zero or empty.
// It panics on a malformed matrix.
func TernaryError(w Matrix) float64 {
	mustCheck(w)
	ctx := context.Background()
	s, _ := gather(ctx, w)
	r, _ := fusedPass(ctx, channels{memoryInput(w), true}, s, DefaultError)
	return r.ternary
}

// ternaryError is the error of keeping so many elements, of magnitudes of that
// sum: Σ(|w|-α)² over them and Σw² over the others is Σw² - (Σ|w|)²/kept.
func ternaryError(kept int, keptSum, sumSq float64) float64 {
	if kept == 0 {
		return 0
	}
	return math.Sqrt(max(0, 1-keptSum/float64(kept)*keptSum/sumSq))
}

// roundDown is the largest float32 that is not above v.
func roundDown(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}
