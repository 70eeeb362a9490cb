package bench

import (
	"fmt"
	"math"
)

// Crossings returns the x at which a ratio passes 1, such as the density or the
// number of rows at which two functions take the same time, in ascending order.
// Between two points the logarithm of the ratio is taken to be on the straight line
// over the logarithm of x. A ratio of exactly 1 counts as one below.
//
// x must be positive and ascending, the ratios positive, and both of one length:
// Crossings panics otherwise.
func Crossings(x, ratios []float64) []float64 {
	if len(x) != len(ratios) {
		panic(fmt.Sprintf("bench: %d x and %d ratios", len(x), len(ratios)))
	}
	for i := range x {
		if !(x[i] > 0 && ratios[i] > 0) || math.IsInf(x[i], 1) || math.IsInf(ratios[i], 1) || i > 0 && x[i] <= x[i-1] {
			panic(fmt.Sprintf("bench: no logarithms to interpolate between at x = %v, ratio %v", x[i], ratios[i]))
		}
	}
	var at []float64
	for i := 1; i < len(x); i++ {
		a, b := math.Log(ratios[i-1]), math.Log(ratios[i])
		if (a > 0) == (b > 0) {
			continue
		}
		from, to := math.Log(x[i-1]), math.Log(x[i])
		at = append(at, math.Exp(from+(to-from)*a/(a-b)))
	}
	return at
}
