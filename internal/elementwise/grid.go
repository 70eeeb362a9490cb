package elementwise

import "math"

// GridCodes sets dst[i], for every element of x, to 2^15 plus the integer nearest to
// x[i]·inverse, ties to even, for magnitudes of that product up to 2^15 - 1. dst has at
// least the length of x.
func GridCodes(dst []uint16, x []float32, inverse float64) {
	dst = dst[:len(x)]
	n := whole(len(x), lanes)
	best.gridCodes(dst[:n], x[:n], inverse)
	gridCodes(dst[n:], x[n:], inverse)
}

func gridCodes(dst []uint16, x []float32, inverse float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = uint16(math.Float64bits(float64(float64(v)*inverse)+roundMagic) + 1<<15)
	}
}
