package opscope

import "math"

// Adding roundMagic to a float64 below 2^51 in magnitude, and subtracting it,
// rounds to the nearest integer, ties to even.
const roundMagic = 3 << 51

// A float64 below 2^19 in magnitude plus fractionMagic has in the lower half of
// its bits, as an int32, the distance to the nearest integer in units of 2^-32.
const fractionMagic = 3 << 19

// The square of such a distance, a number of at most 2^62, is summed without its
// last fractionShift bits, which lets 512 of them be summed.
const (
	fractionShift = 8
	fractionUnit  = 1.0 / (1 << (64 - fractionShift)) // of the sum
)

// roundingErrors returns the sums of the squared distances of x[i]·a and of
// x[i]·b to the nearest integers, for magnitudes of x·a up to 2^51 and of x·b
// up to 2^19. len(x) is a multiple of 4, and at most 512.
//
// It does one by floating-point and the other by integer instructions,
// because a processor runs the two side by side. The second takes a distance as
// a multiple of 2^-32.
func roundingErrors(x []float64, a, b float64) (float64, float64) {
	var a0, a1 float64
	var b0 uint64
	for i := 0; i+4 <= len(x); i += 4 {
		v := (*[4]float64)(x[i:])
		t := v[0] * a
		t -= (t + roundMagic) - roundMagic
		a0 += t * t
		d := int64(int32(math.Float64bits(v[0]*b + fractionMagic)))
		b0 += uint64(d*d) >> fractionShift

		t = v[1] * a
		t -= (t + roundMagic) - roundMagic
		a1 += t * t
		d = int64(int32(math.Float64bits(v[1]*b + fractionMagic)))
		b0 += uint64(d*d) >> fractionShift

		t = v[2] * a
		t -= (t + roundMagic) - roundMagic
		a0 += t * t
		d = int64(int32(math.Float64bits(v[2]*b + fractionMagic)))
		b0 += uint64(d*d) >> fractionShift

		t = v[3] * a
		t -= (t + roundMagic) - roundMagic
		a1 += t * t
		d = int64(int32(math.Float64bits(v[3]*b + fractionMagic)))
		b0 += uint64(d*d) >> fractionShift
	}
	return a0 + a1, float64(b0) * fractionUnit
}

// roundingError is the first result of roundingErrors. len(x) is a multiple of 4.
func roundingError(x []float64, a float64) float64 {
	var s0, s1 float64
	for i := 0; i+4 <= len(x); i += 4 {
		v := (*[4]float64)(x[i:])
		t0, t1, t2, t3 := v[0]*a, v[1]*a, v[2]*a, v[3]*a
		t0 -= (t0 + roundMagic) - roundMagic
		t1 -= (t1 + roundMagic) - roundMagic
		t2 -= (t2 + roundMagic) - roundMagic
		t3 -= (t3 + roundMagic) - roundMagic
		s0 += t0 * t0
		s1 += t1 * t1
		s0 += t2 * t2
		s1 += t3 * t3
	}
	return s0 + s1
}

// weightedRoundingErrors returns the sums of the squared distances of
// x[i]·a[i] and of x[i]·a[i]·ratio to the nearest integers, each times weight[i].
func weightedRoundingErrors(x, a, weight []float64, ratio float64) (float64, float64) {
	a, weight = a[:len(x)], weight[:len(x)]
	var s0, s1 float64
	for i, v := range x {
		t := v * a[i]
		u := t * ratio
		t -= (t + roundMagic) - roundMagic
		u -= (u + roundMagic) - roundMagic
		s0 += t * t * weight[i]
		s1 += u * u * weight[i]
	}
	return s0, s1
}

// largestMagnitude returns the largest of |x|. len(x) is a multiple of 4.
func largestMagnitude(x []float64) float64 {
	var m, n uint64
	for i := 0; i+4 <= len(x); i += 4 {
		v := (*[4]float64)(x[i:])
		m = max(m, math.Float64bits(v[0])<<1)
		n = max(n, math.Float64bits(v[1])<<1)
		m = max(m, math.Float64bits(v[2])<<1)
		n = max(n, math.Float64bits(v[3])<<1)
	}
	return math.Float64frombits(max(m, n) >> 1)
}

// dropped24 returns the sum of the squares of the two smallest magnitudes of
// every four consecutive elements. len(x) is a multiple of 4.
func dropped24(x []float64) float64 {
	var s0, s1 float64
	for i := 0; i+4 <= len(x); i += 4 {
		v := (*[4]float64)(x[i:])
		// Without its sign a float64 is ordered as its bits are.
		a := math.Float64bits(v[0]) << 1
		b := math.Float64bits(v[1]) << 1
		c := math.Float64bits(v[2]) << 1
		d := math.Float64bits(v[3]) << 1
		ab, AB := min(a, b), max(a, b)
		cd, CD := min(c, d), max(c, d)
		first := math.Float64frombits(min(ab, cd) >> 1)
		second := math.Float64frombits(min(max(ab, cd), min(AB, CD)) >> 1)
		s0 += first * first
		s1 += second * second
	}
	return s0 + s1
}

// sumAbove returns the number of elements whose magnitude is above threshold,
// which is not negative, and the sum of these magnitudes.
func sumAbove(x []float64, threshold float64) (n int64, sum float64) {
	limit := int64(math.Float64bits(threshold))
	for _, v := range x {
		a := int64(math.Float64bits(v) &^ (1 << 63))
		above := (limit - a) >> 63 // all ones, or zero
		n -= above
		sum += math.Float64frombits(uint64(a & above))
	}
	return n, sum
}

// moments returns the sums of the second and fourth powers of x[i]-mean.
func moments(x []float64, mean float64) (m2, m4 float64) {
	var n2, n4 float64
	i := 0
	for ; i+2 <= len(x); i += 2 {
		v := (*[2]float64)(x[i:])
		a, b := v[0]-mean, v[1]-mean
		a *= a
		b *= b
		m2 += a
		n2 += b
		m4 += a * a
		n4 += b * b
	}
	if i < len(x) {
		a := x[i] - mean
		a *= a
		m2 += a
		m4 += a * a
	}
	return m2 + n2, m4 + n4
}

// float16Errors returns the sums of the squared errors of rounding to bfloat16, where
// numbers beyond the largest become that, and to binary16. The second is of no meaning
// if a number overflows.
//
// bfloat16 is the upper half of a float32, subnormal numbers included. A number plus
// 1.5 times the power of two whose unit in the last place is the step that binary16 has
// near the number is rounded to a multiple of that step. Which way ties go does not
// change an error.
func float16Errors(x []float32) (bf16, f16 float64) {
	const (
		exponent    = 0x7f800000 // the bits of a float32 that hold it
		minExponent = (127 - 14) << 23
		toMagic     = 13<<23 | 1<<22 // 2^13 · 1.5, as the step is 2^-10 of the power of two
	)
	for _, v := range x {
		bits := math.Float32bits(v) &^ (1 << 31)
		upper := min((bits+1<<15)&^0xffff, maxBF16)
		e := float64(math.Float32frombits(bits) - math.Float32frombits(upper))
		bf16 += e * e

		magic := math.Float32frombits(max(bits&exponent, minExponent) + toMagic)
		e = float64(v - ((v + magic) - magic))
		f16 += e * e
	}
	return bf16, f16
}
