package opscope

import "math"

// NoiseBulk separates the singular values that noise alone would have, the
// bulk, from those beyond.
type NoiseBulk struct {
	// Noise is the standard deviation of the elements of the noise, in their unit.
	Noise float64 `json:"noise"`
	// Edge is where the singular values of such noise end, in the same unit.
	Edge float64 `json:"edge"`
	// Spikes is the number of singular values beyond.
	Spikes int `json:"spikes"`
	// AtLeast tells that the bounds of a sketch allow more.
	AtLeast bool `json:"at_least,omitempty"`
}

// MarchenkoPastur takes the matrix for independent noise of equal variance s²
// plus a part of low rank. The singular values of k x n noise end at s(√k + √n)
// (Marchenko and Pastur, 1967), the squared edge scattering by the law of Tracy
// and Widom (Johnstone, Annals of Statistics 29, 2001). Edge is the 99% point of
// the largest one, so that pure noise has a spike in one of a hundred matrices;
// a weaker signal than s(kn)^(1/4) has none (Baik, Ben Arous and Péché, 2005).
//
// The variance is that of all elements without the spikes, found by taking
// them out one after the other. Spikes is in [0, min(k,n)]; a sketch counts its
// lower bounds. A trained weight has a bulk that is not noise of equal variance, and
// the count then says how far the spectrum is from that, not the rank. All
// figures are 0 for a zero or empty matrix, and Noise and Edge NaN if there are
// non-finite elements.
func (s Spectral) MarchenkoPastur() NoiseBulk {
	if math.IsNaN(s.Norm) {
		return NoiseBulk{Noise: math.NaN(), Edge: math.NaN()}
	}
	if s.Norm == 0 {
		return NoiseBulk{}
	}
	k, n := float64(s.Rows), float64(s.Cols)
	energy := square(s.Norm)
	for spikes := 0; ; spikes++ {
		// A spike takes a row and a column with it.
		p, q := k-float64(spikes), n-float64(spikes)
		noise := math.Sqrt(max(0, energy) / max(1, p*q))
		edge := noise * gaussianEdge(p, q)
		if spikes == len(s.Values) || s.Values[spikes] <= edge {
			more := !s.Exact && (spikes == len(s.Values) || s.Upper[spikes] > edge)
			return NoiseBulk{noise, edge, spikes, more}
		}
		energy -= square(s.Values[spikes])
	}
}

// gaussianEdge is the 99% point of the largest singular value of a k x n
// matrix of standard normals.
func gaussianEdge(k, n float64) float64 {
	const tracyWidom99 = 2.0234
	if k < 1 || n < 1 {
		return 0
	}
	a, b := math.Sqrt(max(k, n)-1), math.Sqrt(min(k, n))
	if a == 0 {
		return math.Inf(1) // one element: no noise to compare with
	}
	return math.Sqrt(square(a+b) + tracyWidom99*(a+b)*math.Cbrt(1/a+1/b))
}
