//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var w8a8Asm = table[w8a8Funcs]{
	{cpu.VNNI, gemmW8A8(&u8TilesVNNI, quantizeU8, biasU8)},
}

var u8TilesVNNI = int8Tiles{
	width: 64, group: 4, size: 1, planes: 1, offset: 128,
	rows: []int8Tile{
		gemmU8_1x64_VNNI, gemmU8_2x64_VNNI, gemmU8_3x64_VNNI,
		gemmU8_4x64_VNNI, gemmU8_5x64_VNNI, gemmU8_6x64_VNNI,
	},
	sums: sumU8_1x64_VNNI,
}

// quantizeU8 is quantize, with codes that are 128 more.
func quantizeU8(dst []int8, x []float32) float32 {
	scale := rowScale(absmaxF32_AVX512(&x[0], len(x)))
	quantizeU8_AVX512(&dst[0], &x[0], len(x), 1/scale)
	return scale
}

func biasU8(dst, codes []int8) { biasU8_AVX512(&dst[0], &codes[0], len(codes)) }

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
func sumU8_1x64_VNNI(sums *int32, x, w *int8, steps int)

//go:noescape
func absmaxF32_AVX512(x *float32, n int) uint32

//go:noescape
func quantizeU8_AVX512(dst *int8, x *float32, n int, inverse float32)

//go:noescape
func biasU8_AVX512(dst, codes *int8, n int)
