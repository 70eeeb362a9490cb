package kernels

import "math"

// toF16 returns the IEEE 754 binary16 number nearest to f, ties to even, of a finite
// f from 0 to 65519.
func toF16(f float32) uint16 {
	const smallestNormal = 0x1p-14
	if f < smallestNormal {
		// Subnormal numbers are multiples of 2^-24; 2^10 of them are the first
		// normal number, whose bits follow theirs.
		return uint16(math.RoundToEven(float64(f) * 0x1p24))
	}
	// The exponent, biased by 127, becomes biased by 15, and 13 bits of the fraction
	// go. A carry out of the fraction enters the exponent, as it should.
	bits := math.Float32bits(f) - (127-15)<<23
	return uint16((bits + 0xfff + bits>>13&1) >> 13)
}

// fromF16 returns the value of a finite binary16 number that is not negative.
func fromF16(h uint16) float32 {
	if h < 1<<10 {
		return float32(h) * 0x1p-24
	}
	return math.Float32frombits(uint32(h)<<13 + (127-15)<<23)
}
