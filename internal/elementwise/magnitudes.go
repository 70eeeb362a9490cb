package elementwise

import "math"

// Dropped24 returns the sum of the squares of what 2:4 sparsity drops: the two smallest
// magnitudes of every four consecutive elements. Of a last three it is the smallest, of
// fewer none.
func Dropped24(x []float32) float64 {
	n := whole(len(x), lanes)
	return best.dropped24(x[:n]) + dropped24(x[n:])
}

func dropped24(x []float32) float64 {
	var sum float64
	for ; len(x) >= 4; x = x[4:] {
		sum += smallestTwo(magnitude(x[0]), magnitude(x[1]), magnitude(x[2]), magnitude(x[3]))
	}
	if len(x) == 3 {
		sum += smallestTwo(magnitude(x[0]), magnitude(x[1]), magnitude(x[2]), 0)
	}
	return sum
}

// smallestTwo returns the sum of the squares of the two smallest of four magnitudes.
func smallestTwo(a, b, c, d uint32) float64 {
	ab, AB := min(a, b), max(a, b)
	cd, CD := min(c, d), max(c, d)
	first := float64(math.Float32frombits(min(ab, cd)))
	second := float64(math.Float32frombits(min(max(ab, cd), min(AB, CD))))
	return first*first + second*second
}

// SumAbove returns the number of elements whose magnitude is above threshold, which is
// not negative, and the sum of these magnitudes.
func SumAbove(x []float32, threshold float32) (n int, sum float64) {
	w := whole(len(x), lanes)
	n, sum = best.sumAbove(x[:w], threshold)
	restN, restSum := sumAbove(x[w:], threshold)
	return n + restN, sum + restSum
}

func sumAbove(x []float32, threshold float32) (n int, sum float64) {
	limit := int32(math.Float32bits(threshold))
	for _, v := range x {
		a := int32(magnitude(v))
		above := (limit - a) >> 31 // all ones, or zero
		n -= int(above)
		sum += float64(math.Float32frombits(uint32(a & above)))
	}
	return n, sum
}
