package bench

import (
	"fmt"
	"math"
)

// Even is how far from 1 a ratio of two measured times can be when they are equal.
const Even = 0.03

// Crossings returns the x at which a ratio passes 1, such as the density or the
// number of rows at which two functions take the same time, in ascending order.
// Between two points the logarithm of the ratio is taken to be on the straight line
// over the logarithm of x. A ratio of exactly 1 counts as one below.
//
// Where several follow each other and every ratio between them is within Even of 1,
// they are one, in their geometric middle, if the ratio comes out on the other side,
// and none if it does not: the scatter of two times that are equal.
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
	var at, scatter []float64 // scatter: crossings so far with ratios near 1 between them
	settle := func() {
		if n := len(scatter); n%2 == 1 {
			at = append(at, math.Sqrt(scatter[0]*scatter[n-1]))
		}
		scatter = scatter[:0]
	}
	for i := 1; i < len(x); i++ {
		a, b := math.Log(ratios[i-1]), math.Log(ratios[i])
		if (a > 0) != (b > 0) {
			from, to := math.Log(x[i-1]), math.Log(x[i])
			scatter = append(scatter, math.Exp(from+(to-from)*a/(a-b)))
		}
		if math.Abs(ratios[i]-1) > Even {
			settle()
		}
	}
	settle()
	return at
}
