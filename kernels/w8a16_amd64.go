//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var w8a16Asm = table[w8a16Funcs]{
	{cpu.AVX2, widenW8A16(&f32i8TilesAVX2, absmaxAVX2)},
	{cpu.AVX512, widenW8A16(&f32i8TilesAVX512, absmaxAVX512)},
	{cpu.VNNI, bytesW8A16(&u24TilesVNNI, &u32TilesVNNI, splitAVX512, &f32i8TilesAVX512)},
}

var f32i8TilesAVX2 = f32i8Tiles{
	width: 64, group: 1, cols: 16,
	rows: []f32i8Tile{
		gemmF32I8_1x64_AVX2, gemmF32I8_2x16_AVX2, gemmF32I8_3x16_AVX2,
		gemmF32I8_4x16_AVX2, gemmF32I8_5x16_AVX2, gemmF32I8_6x16_AVX2,
	},
}

var f32i8TilesAVX512 = f32i8Tiles{
	width: 64, group: 4, cols: 64,
	rows: []f32i8Tile{
		gemmF32I8_1x64_AVX512, gemmF32I8_2x64_AVX512, gemmF32I8_3x64_AVX512,
		gemmF32I8_4x64_AVX512, gemmF32I8_5x64_AVX512, gemmF32I8_6x64_AVX512,
	},
}

// The bytes of an integer are in rows of their own, the upper first.
var u24TilesVNNI = int8Tiles{
	width: 64, group: 4, size: 1, offset: 128, planes: 3, apart: 4,
	rows: []int8Tile{gemmU24_1x64_VNNI, gemmU24_2x64_VNNI},
	row:  gemvU24_1x128_VNNI, rowPanels: 2,
	sums: sumsVNNI,
}

var u32TilesVNNI = int8Tiles{
	width: 64, group: 4, size: 1, offset: 128, planes: 4, apart: 4,
	rows: []int8Tile{gemmU32_1x64_VNNI},
	sums: sumsVNNI,
}

func absmaxAVX512(x []float32) uint32 { return absmaxF32_AVX512(&x[0], len(x)) }

// splitAVX512 is the prepare of w8a16Funcs.
func splitAVX512(dst []int8, x []float32) (form rowForm, step float32) {
	form, step = chooseForm(statsF32_AVX512(&x[0], len(x)))
	switch apart := len(dst) / 4; form {
	case rowOf24Bits:
		splitU24_AVX512(&dst[0], apart, &x[0], len(x), 1/step)
	case rowOf32Bits:
		splitU32_AVX512(&dst[0], apart, &x[0], len(x), 1/step)
	}
	return form, step
}

//go:noescape
func gemmF32I8_1x64_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_2x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_3x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_4x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_5x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_6x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_1x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_2x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_3x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_4x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_5x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func gemmF32I8_6x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)

//go:noescape
func statsF32_AVX512(x *float32, n int) (absmax uint32, nonzero, exponents int)

//go:noescape
func splitU24_AVX512(dst *int8, apart int, x *float32, n int, inverse float32)

//go:noescape
func splitU32_AVX512(dst *int8, apart int, x *float32, n int, inverse float32)
