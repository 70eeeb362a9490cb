package kernels

// The inner loops of the portable reference implementations. They are kept
// plain: one accumulator, elements in order. None is inlined, so that all the
// callers of a loop run the same instructions: where an inlined copy happens to
// lie in memory can change its speed by half, and with it a comparison of two
// schemes.

// axpy adds a*v to y, element by element.
//
//go:noinline
func axpy(y []float32, a float32, v []float32) {
	v = v[:len(y)]
	for j := range y {
		y[j] += a * v[j]
	}
}

// axpyI8 adds a*v to y, element by element.
//
//go:noinline
func axpyI8(y []float32, a float32, v []int8) {
	v = v[:len(y)]
	for j := range y {
		y[j] += a * float32(v[j])
	}
}

// dot returns the sum of a[p]*b[p] in float32.
//
//go:noinline
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var sum float32
	for p := range a {
		sum += a[p] * b[p]
	}
	return sum
}

// dotF32I8 returns the sum of a[p]*b[p] in float32.
//
//go:noinline
func dotF32I8(a []float32, b []int8) float32 {
	b = b[:len(a)]
	var sum float32
	for p := range a {
		sum += a[p] * float32(b[p])
	}
	return sum
}

// dotF32BF16 returns the sum of a[p]*b[p] in float32, b holding bfloat16.
func dotF32BF16(a []float32, b []uint16) float32 {
	b = b[:len(a)]
	var sum float32
	for p := range a {
		sum += a[p] * fromBF16(b[p])
	}
	return sum
}

// maxDotI8 is a number of products of an int8 and a code in [-127, 127] whose
// sum always fits an int32: 2^17 * 128 * 127 < 2^31.
const maxDotI8 = 1 << 17

// dotI8 returns the exact sum of a[p]*b[p], b being codes in [-127, 127]. It
// sums in int32, as integer dot-product instructions do, and flushes into an
// int64 before the int32 can overflow.
func dotI8(a, b []int8) int64 {
	var total int64
	for len(a) > maxDotI8 {
		total += int64(dotI8Block(a[:maxDotI8], b))
		a, b = a[maxDotI8:], b[maxDotI8:]
	}
	return total + int64(dotI8Block(a, b))
}

//go:noinline
func dotI8Block(a, b []int8) int32 {
	b = b[:len(a)]
	var sum int32
	for p := range a {
		sum += int32(a[p]) * int32(b[p])
	}
	return sum
}
