//go:build !noasm

package kernels

import (
	"math"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

var w8a8Asm = table[w8a8Funcs]{
	{cpu.AVX2, gemmW8A8(&i16TilesAVX2, quantizeI16, widenI16)},
	{cpu.VNNI, gemmW8A8(&u8TilesVNNI, quantizeU8, biasU8)},
}

var i16TilesAVX2 = int8Tiles{
	width: 16, group: 2, size: 2, planes: 1, apart: 1,
	rows: []int8Tile{
		gemmI16_1x16_AVX2, gemmI16_2x16_AVX2, gemmI16_3x16_AVX2,
		gemmI16_4x16_AVX2, gemmI16_5x16_AVX2, gemmI16_6x16_AVX2,
	},
	sums: []int8Sums{
		sumI16_1x16_AVX2, sumI16_2x16_AVX2, sumI16_3x16_AVX2,
		sumI16_4x16_AVX2, sumI16_5x16_AVX2, sumI16_6x16_AVX2,
	},
}

// absmaxAVX2 returns the bits of the largest absolute value of x, those of a NaN
// or an infinity if there is one.
func absmaxAVX2(x []float32) uint32 {
	vectors := len(x) &^ 7
	largest := absmaxF32_AVX2(&x[0], vectors)
	for _, f := range x[vectors:] {
		largest = max(largest, math.Float32bits(f)&math.MaxInt32)
	}
	return largest
}

// quantizeI16 is quantize, with codes of 16 bits.
func quantizeI16(dst []int8, x []float32) float32 {
	vectors := len(x) &^ 7
	scale := rowScale(absmaxAVX2(x))
	inverse := 1 / scale
	quantizeI16_AVX2(&dst[0], &x[0], vectors, inverse)
	for p, f := range x[vectors:] {
		putI16(dst, vectors+p, int8(math.Round(float64(f*inverse))))
	}
	return scale
}

// widenI16 writes codes with 16 bits.
func widenI16(dst, codes []int8) {
	vectors := len(codes) &^ 15
	widenI16_AVX2(&dst[0], &codes[0], vectors)
	for p, code := range codes[vectors:] {
		putI16(dst, vectors+p, code)
	}
}

func putI16(dst []int8, p int, code int8) { dst[2*p], dst[2*p+1] = code, code>>7 }

var u8TilesVNNI = int8Tiles{
	width: 64, group: 4, size: 1, offset: 128, planes: 1, apart: 1,
	rows: []int8Tile{
		gemmU8_1x64_VNNI, gemmU8_2x64_VNNI, gemmU8_3x64_VNNI,
		gemmU8_4x64_VNNI, gemmU8_5x64_VNNI, gemmU8_6x64_VNNI,
	},
	row: gemvU8_1x256_VNNI, rowPanels: 4,
	sums: sumsVNNI,
}

var sumsVNNI = []int8Sums{
	sumU8_1x64_VNNI, sumU8_2x64_VNNI, sumU8_3x64_VNNI,
	sumU8_4x64_VNNI, sumU8_5x64_VNNI, sumU8_6x64_VNNI,
}

// quantizeU8 is quantize, with codes that are 128 more.
func quantizeU8(dst []int8, x []float32) float32 {
	scale := rowScale(absmaxF32_AVX512(&x[0], len(x)))
	quantizeU8_AVX512(&dst[0], &x[0], len(x), 1/scale)
	return scale
}

func biasU8(dst, codes []int8) { biasU8_AVX512(&dst[0], &codes[0], len(codes)) }

//go:noescape
func gemmI16_1x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmI16_2x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmI16_3x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmI16_4x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmI16_5x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmI16_6x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func sumI16_1x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI16_2x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI16_3x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI16_4x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI16_5x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI16_6x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func absmaxF32_AVX2(x *float32, n int) uint32

//go:noescape
func quantizeI16_AVX2(dst *int8, x *float32, n int, inverse float32)

//go:noescape
func widenI16_AVX2(dst, codes *int8, n int)

//go:noescape
func gemmU8_1x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU8_2x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU8_3x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU8_4x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU8_5x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU8_6x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU24_1x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU24_2x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemmU32_1x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)

//go:noescape
func gemvU8_1x256_VNNI(y *float32, x *int8, ldx int, w *int8, apart, steps int, start *int32, rowScale, scales *float32)

//go:noescape
func gemvU24_1x128_VNNI(y *float32, x *int8, ldx int, w *int8, apart, steps int, start *int32, rowScale, scales *float32)

//go:noescape
func sumU8_1x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumU8_2x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumU8_3x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumU8_4x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumU8_5x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumU8_6x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func absmaxF32_AVX512(x *float32, n int) uint32

//go:noescape
func quantizeU8_AVX512(dst *int8, x *float32, n int, inverse float32)

//go:noescape
func biasU8_AVX512(dst, codes *int8, n int)
