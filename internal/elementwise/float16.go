package elementwise

import "math"

// MaxBF16 is the largest bfloat16, as the bits of a float32.
const MaxBF16 = 0x7f7f0000

// Float16Errors returns the sums of the squared errors of rounding to bfloat16, where
// numbers beyond the largest become that, and to binary16. The second is of no meaning
// if a number overflows.
func Float16Errors(x []float32) (bf16, f16 float64) {
	n := whole(len(x), lanes)
	bf16, f16 = best.float16Errors(x[:n])
	restBF16, restF16 := float16Errors(x[n:])
	return bf16 + restBF16, f16 + restF16
}

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
		bits := magnitude(v)
		upper := min((bits+1<<15)&^0xffff, MaxBF16)
		e := float64(math.Float32frombits(bits) - math.Float32frombits(upper))
		bf16 += e * e

		magic := math.Float32frombits(max(bits&exponent, minExponent) + toMagic)
		e = float64(v - ((v + magic) - magic))
		f16 += e * e
	}
	return bf16, f16
}
