package elementwise

import "math"

// Adding roundMagic to a float64 below 2^51 in magnitude, and subtracting it,
// rounds to the nearest integer, ties to even.
const roundMagic = 3 << 51

// distance is that of t to the nearest integer. The conversions round: a fused
// operation would find a distance where a product is an integer only when rounded.
func distance(t float64) float64 { return float64(t) - (float64(float64(t)+roundMagic) - roundMagic) }

// RoundingErrors returns the sums of the squared distances of x[i]·a and of x[i]·b to
// the nearest integers, for magnitudes of these products up to 2^51.
func RoundingErrors(x []float32, a, b float64) (sumA, sumB float64) {
	n := whole(len(x), lanes)
	sumA, sumB = best.roundingErrors(x[:n], a, b)
	restA, restB := roundingErrors(x[n:], a, b)
	return sumA + restA, sumB + restB
}

func roundingErrors(x []float32, a, b float64) (sumA, sumB float64) {
	for _, v := range x {
		s, t := distance(float64(v)*a), distance(float64(v)*b)
		sumA += s * s
		sumB += t * t
	}
	return sumA, sumB
}

// WeightedRoundingErrors returns the sums of the squared distances of x[i]·scale[i] and
// of x[i]·scale[i]·ratio to the nearest integers, each times weight[i], for magnitudes of
// these products up to 2^51. scale and weight have at least the length of x.
func WeightedRoundingErrors(x []float32, scale, weight []float64, ratio float64) (sumA, sumB float64) {
	scale, weight = scale[:len(x)], weight[:len(x)]
	n := whole(len(x), lanes)
	sumA, sumB = best.weightedErrors(x[:n], scale, weight, ratio)
	restA, restB := weightedErrors(x[n:], scale[n:], weight[n:], ratio)
	return sumA + restA, sumB + restB
}

func weightedErrors(x []float32, scale, weight []float64, ratio float64) (sumA, sumB float64) {
	scale, weight = scale[:len(x)], weight[:len(x)]
	for i, v := range x {
		t := float64(v) * scale[i]
		s, t := distance(t), distance(t*ratio)
		sumA += s * s * weight[i]
		sumB += t * t * weight[i]
	}
	return sumA, sumB
}

// groupLength is the number of elements of a group of GroupRoundingErrors.
const groupLength = 32

// GroupRoundingErrors returns, for each 32 consecutive elements, of which the last may be
// fewer, and the largest magnitude m of them, the sums of the squared distances of
// x[i]·a/m and of x[i]·b/m to the nearest integers, times m². It also returns the largest
// of all magnitudes. a and b are at most 2^51; groups of zeros add nothing.
func GroupRoundingErrors(x []float32, a, b float64) (sumA, sumB float64, largest float32) {
	n := whole(len(x), groupLength)
	sumA, sumB, largest = best.groupErrors(x[:n], a, b)
	restA, restB, restLargest := groupErrors(x[n:], a, b)
	return sumA + restA, sumB + restB, max(largest, restLargest)
}

func groupErrors(x []float32, a, b float64) (sumA, sumB float64, largest float32) {
	for from := 0; from < len(x); from += groupLength {
		group := x[from:min(from+groupLength, len(x))]
		most := largestMagnitude(group)
		if most == 0 {
			continue
		}
		m := float64(most)
		s, t := roundingErrors(group, a/m, b/m)
		sumA += s * m * m
		sumB += t * m * m
		largest = max(largest, most)
	}
	return sumA, sumB, largest
}

func largestMagnitude(x []float32) float32 {
	var m uint32
	for _, v := range x {
		m = max(m, magnitude(v))
	}
	return math.Float32frombits(m)
}

// magnitude is |v| as bits, which are in the order of the magnitudes.
func magnitude(v float32) uint32 { return math.Float32bits(v) &^ (1 << 31) }
