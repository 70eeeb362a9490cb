//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var f32Asm = table[f32Funcs]{
	{cpu.AVX2, gemmF32(&f32TilesAVX2)},
	{cpu.AVX512, gemmF32(&f32TilesAVX512)},
}

var f32TilesAVX2 = f32Tiles{
	width: 24,
	rows:  []f32Tile{gemmF32_1x24_AVX2, gemmF32_2x24_AVX2, gemmF32_3x24_AVX2, gemmF32_4x24_AVX2},
	row:   gemvF32_1x96_AVX2,
}

var f32TilesAVX512 = f32Tiles{
	width: 32,
	rows: []f32Tile{
		gemmF32_1x32_AVX512, gemmF32_2x32_AVX512, gemmF32_3x32_AVX512, gemmF32_4x32_AVX512,
		gemmF32_5x32_AVX512, gemmF32_6x32_AVX512, gemmF32_7x32_AVX512, gemmF32_8x32_AVX512,
		gemmF32_9x32_AVX512, gemmF32_10x32_AVX512, gemmF32_11x32_AVX512, gemmF32_12x32_AVX512,
	},
	half: []f32Tile{
		gemmF32_1x16_AVX512, gemmF32_2x16_AVX512, gemmF32_3x16_AVX512, gemmF32_4x16_AVX512,
		gemmF32_5x16_AVX512, gemmF32_6x16_AVX512, gemmF32_7x16_AVX512, gemmF32_8x16_AVX512,
		gemmF32_9x16_AVX512, gemmF32_10x16_AVX512, gemmF32_11x16_AVX512, gemmF32_12x16_AVX512,
	},
	row: gemvF32_1x128_AVX512,
}

//go:noescape
func gemmF32_1x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_2x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_3x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_4x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemvF32_1x96_AVX2(y, x, w *float32, apart, k, cols int, accumulate bool)

//go:noescape
func gemmF32_1x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_2x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_3x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_4x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_5x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_6x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_7x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_8x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_9x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_10x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_11x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_12x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemvF32_1x128_AVX512(y, x, w *float32, apart, k, cols int, accumulate bool)

//go:noescape
func gemmF32_1x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_2x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_3x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_4x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_5x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_6x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_7x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_8x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_9x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_10x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_11x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)

//go:noescape
func gemmF32_12x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
