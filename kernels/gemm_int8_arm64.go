//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var w8a8Asm = table[w8a8Funcs]{
	{cpu.NEON, gemmW8A8(&i8TilesNEON, quantizeI8, copyI8)},
	{cpu.DotProd, gemmW8A8(&i8TilesDotProd, quantizeI8, copyI8)},
	{cpu.I8MM, gemmW8A8(&i8TilesI8MM, quantizeI8, copyI8)},
}

var i8TilesNEON = int8Tiles{
	width: 4, group: 16, size: 1, planes: 1, apart: 1,
	rows: []int8Tile{
		i8Tile(gemmI8_1x4_NEON, 1, 4), i8Tile(gemmI8_2x4_NEON, 2, 4),
		i8Tile(gemmI8_3x4_NEON, 3, 4), i8Tile(gemmI8_4x4_NEON, 4, 4),
	},
	sums: []int8Sums{sumI8_1x4_NEON, sumI8_2x4_NEON, sumI8_3x4_NEON, sumI8_4x4_NEON},
}

var i8TilesDotProd = int8Tiles{
	width: 16, group: 4, size: 1, planes: 1, apart: 1,
	rows: []int8Tile{
		i8Tile(gemmI8_1x16_DotProd, 1, 16), i8Tile(gemmI8_2x16_DotProd, 2, 16), i8Tile(gemmI8_3x16_DotProd, 3, 16),
		i8Tile(gemmI8_4x16_DotProd, 4, 16), i8Tile(gemmI8_5x16_DotProd, 5, 16), i8Tile(gemmI8_6x16_DotProd, 6, 16),
	},
	sums: sumsDotProd,
}

var sumsDotProd = []int8Sums{
	sumI8_1x16_DotProd, sumI8_2x16_DotProd, sumI8_3x16_DotProd,
	sumI8_4x16_DotProd, sumI8_5x16_DotProd, sumI8_6x16_DotProd,
}

var i8TilesI8MM = int8Tiles{
	width: 16, group: 8, size: 1, planes: 1, apart: 1, pairs: true,
	rows: []int8Tile{
		i8PairsTile(gemmI8_2x16_I8MM, 1), i8PairsTile(gemmI8_2x16_I8MM, 2), i8PairsTile(gemmI8_4x16_I8MM, 3),
		i8PairsTile(gemmI8_4x16_I8MM, 4), i8PairsTile(gemmI8_6x16_I8MM, 5), i8PairsTile(gemmI8_6x16_I8MM, 6),
	},
	sums: sumsI8MM,
}

var sumsI8MM = []int8Sums{
	i8PairsSums(sumI8_2x16_I8MM, 1), i8PairsSums(sumI8_2x16_I8MM, 2), i8PairsSums(sumI8_4x16_I8MM, 3),
	i8PairsSums(sumI8_4x16_I8MM, 4), i8PairsSums(sumI8_6x16_I8MM, 5), i8PairsSums(sumI8_6x16_I8MM, 6),
}

// i8Tile makes a tile of any number of columns out of one that needs a whole panel.
// Codes have signs, so there are no sums to start from.
func i8Tile(tile func(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32), rows, width int) int8Tile {
	return func(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, _ *int32, rowScales, scales *float32) {
		wholePanels(y, ldy, rows, cols, width, false, func(y *float32, ldy int) {
			tile(y, ldy, x, ldx, w, steps, rowScales, scales)
		})
	}
}

// i8PairsTile is i8Tile for a function that does pairs of rows, the last of which may
// be one row.
func i8PairsTile(tile func(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32), rows int) int8Tile {
	return i8Tile(func(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32) {
		tile(y, ldy, x, ldx, w, steps, rows, rowScales, scales)
	}, rows, 16)
}

func i8PairsSums(sum func(sums *int32, x *int8, ldx int, w *int8, steps, rows int), rows int) int8Sums {
	return func(sums *int32, x *int8, ldx int, w *int8, steps int) { sum(sums, x, ldx, w, steps, rows) }
}

// in16s returns how many values of x are in whole vectors, and those that are not,
// filled up with zeros.
func in16s(x []float32) (whole int, rest [16]float32) {
	whole = len(x) &^ 15
	copy(rest[:], x[whole:])
	return whole, rest
}

// absmaxNEON returns the bits of the largest absolute value of x, those of a NaN or an
// infinity if there is one.
func absmaxNEON(x []float32) uint32 {
	whole, rest := in16s(x)
	return max(absmaxF32_NEON(&x[0], whole), absmaxF32_NEON(&rest[0], 16))
}

// quantizeI8 is quantize by NEON. The codes are followed by zeros to a multiple of 16.
func quantizeI8(dst []int8, x []float32) float32 {
	scale := rowScale(absmaxNEON(x))
	whole, rest := in16s(x)
	quantizeI8_NEON(&dst[0], &x[0], whole, 1/scale)
	quantizeI8_NEON(&dst[whole], &rest[0], 16, 1/scale)
	return scale
}

func copyI8(dst, codes []int8) { copy(dst, codes) }

//go:noescape
func gemmI8_1x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_2x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_3x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_4x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func sumI8_1x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_2x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_3x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_4x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func gemmI8_1x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_2x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_3x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_4x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_5x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI8_6x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func sumI8_1x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_2x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_3x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_4x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_5x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func sumI8_6x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)

//go:noescape
func gemmI8_2x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32)

//go:noescape
func gemmI8_4x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32)

//go:noescape
func gemmI8_6x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32)

//go:noescape
func sumI8_2x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)

//go:noescape
func sumI8_4x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)

//go:noescape
func sumI8_6x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)

//go:noescape
func absmaxF32_NEON(x *float32, n int) uint32

//go:noescape
func quantizeI8_NEON(dst *int8, x *float32, n int, inverse float32)
