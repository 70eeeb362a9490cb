package experiment

import "math"

// gaussianBF16Error is the relative L2 error of Gaussian elements rounded to bfloat16:
// uniform within a step of 2^-7 of each power of two.
func gaussianBF16Error() float64 {
	var sum float64
	for e := -40; e < 4; e++ {
		low := math.Ldexp(1, e)
		share := math.Erf(2*low/math.Sqrt2) - math.Erf(low/math.Sqrt2)
		step := low / 128
		sum += share * step * step / 12
	}
	return math.Sqrt(sum)
}
