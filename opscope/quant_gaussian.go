package opscope

import (
	"fmt"
	"math"
)

// GaussianQuantError is the error that QuantError and GroupQuantError are to
// expect of k independent elements of N(0,1) that share one step: the root of the
// expected squared error of an element. A tensor of n channels of k elements has
// k·n with one step, k with a step per channel, and the group's size with one per
// group. The result is in [0,1), without a unit, and is 0 for k = 1, whose only
// element is a code. It panics on k below 1 and on bits outside 2 to 16.
//
// With a, the largest of the k magnitudes, given, whose density is
// k·erf(a/√2)^(k-1)·2φ(a), the other k-1 elements are N(0,1) between -a and a. The
// integral of (x-q)²φ(x) is taken cell by cell around the codes q, that over a by
// Simpson's rule. Above 8 bits the error within a cell is taken as uniform,
// sqrt(E[a²]/12)/L, which is off by less than 0.1%.
func GaussianQuantError(k, bits int) float64 {
	if k < 1 {
		panic(fmt.Sprintf("opscope: %d elements cannot share a step", k))
	}
	checkBits(bits)
	codes := int(1)<<(bits-1) - 1 // on each side of 0
	squared := expectedOverLargest(k, func(a float64) float64 {
		step := a / float64(codes)
		if bits > 8 {
			return step * step / 12
		}
		var sum float64
		for q := range codes + 1 {
			c := float64(q) * step
			low, high := max(c-step/2, 0), min(c+step/2, a)
			sum += 2 * ((1+c*c)*(normalCDF(high)-normalCDF(low)) -
				(high*normalDensity(high) - low*normalDensity(low)) +
				2*c*(normalDensity(high)-normalDensity(low)))
		}
		return sum / math.Erf(a/math.Sqrt2)
	})
	return math.Sqrt(squared * float64(k-1) / float64(k))
}

// expectedOverLargest is the expectation of f over the largest of k magnitudes of
// N(0,1).
func expectedOverLargest(k int, f func(a float64) float64) float64 {
	// Beyond 9 not even the largest of 2^40 has a density that counts.
	const end, steps = 9.0, 2000
	const h = end / steps
	var sum float64
	for i := 1; i < steps; i++ {
		a := float64(i) * h
		density := 2 * float64(k) * math.Pow(math.Erf(a/math.Sqrt2), float64(k-1)) * normalDensity(a)
		if density > 1e-14 {
			sum += float64(2+2*(i%2)) * density * f(a)
		}
	}
	return sum * h / 3
}

func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// normalCDF is the distribution function of N(0,1).
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
