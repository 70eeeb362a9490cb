//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var w8a16Asm = table[w8a16Funcs]{
	{cpu.NEON, w8a16Funcs{
		width: 16, group: 4,
		rowBytes: func(int) int { return 0 },
		prepare: func(_ []int8, x []float32) (rowForm, float32) {
			if absmaxNEON(x) >= infinityBits {
				return rowNotFinite, 0
			}
			return rowOfFloats, 0
		},
		widen: widenedI8,
	}},
	{cpu.DotProd, integersW8A16(&i24TilesDotProd, &i32TilesDotProd)},
	{cpu.I8MM, integersW8A16(&i24TilesI8MM, &i32TilesI8MM)},
}

// integersW8A16 makes an implementation of W8A16 out of micro-kernels that multiply
// integers of 24 and 32 bits.
func integersW8A16(mul24, mul32 *int8Tiles) w8a16Funcs {
	return w8a16Funcs{
		width: mul24.width, group: mul24.group,
		rowBytes: func(k int) int { return 4 * mul24.rowBytes(k) },
		prepare:  splitI,
		widen:    widenedI8,
		mul24:    mul24.mul,
		mul32:    mul32.mul,
	}
}

// The bytes of an integer are in rows of their own, the upper first. Each has a sign.
var i24TilesDotProd = int8Tiles{
	width: 16, group: 4, size: 1, planes: 3, apart: 4,
	rows: []int8Tile{i8Tile(gemmI24_1x16_DotProd, 1, 16), i8Tile(gemmI24_2x16_DotProd, 2, 16)},
	sums: sumsDotProd,
}

var i32TilesDotProd = int8Tiles{
	width: 16, group: 4, size: 1, planes: 4, apart: 4,
	rows: []int8Tile{i8Tile(gemmI32_1x16_DotProd, 1, 16)},
	sums: sumsDotProd,
}

var i24TilesI8MM = int8Tiles{
	width: 16, group: 8, size: 1, planes: 3, apart: 4,
	rows: []int8Tile{i8Tile(gemmI24_1x16_I8MM, 1, 16), i8Tile(gemmI24_2x16_I8MM, 2, 16)},
	sums: sumsI8MM,
}

var i32TilesI8MM = int8Tiles{
	width: 16, group: 8, size: 1, planes: 4, apart: 4,
	rows: []int8Tile{i8Tile(gemmI32_1x16_I8MM, 1, 16)},
	sums: sumsI8MM,
}

// splitI is the prepare of w8a16Funcs. Bytes that have signs hold integers up to
// 0x7f7f7f, or 0x7f7f7f7f: a little less than 23 or 31 bits, so that the step of a row
// is doubled if its largest value has this many ones in the beginning.
func splitI(dst []int8, x []float32) (form rowForm, step float32) {
	whole, rest := in16s(x)
	absmax, nonzero, exponents := statsF32_NEON(&x[0], whole)
	a, n, e := statsF32_NEON(&rest[0], 16)
	absmax, nonzero, exponents = max(absmax, a), nonzero+n, exponents+e
	const fraction, exponent = 1<<23 - 1, 1 << 23
	if absmax&fraction > 0x7efefe && absmax < infinityBits-exponent {
		absmax = absmax&^fraction + exponent
		exponents++
	}
	form, step = chooseForm(absmax, nonzero, exponents)
	switch apart := len(dst) / 4; form {
	case rowOf24Bits:
		splitI24_NEON(&dst[0], apart, &x[0], whole, 1/step)
		splitI24_NEON(&dst[whole], apart, &rest[0], 16, 1/step)
	case rowOf32Bits:
		splitI32_NEON(&dst[0], apart, &x[0], whole, 1/step)
		splitI32_NEON(&dst[whole], apart, &rest[0], 16, 1/step)
	}
	return form, step
}

//go:noescape
func gemmI24_1x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI24_2x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI32_1x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI24_1x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI24_2x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func gemmI32_1x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)

//go:noescape
func statsF32_NEON(x *float32, n int) (absmax uint32, nonzero, exponents int)

//go:noescape
func splitI24_NEON(dst *int8, apart int, x *float32, n int, inverse float32)

//go:noescape
func splitI32_NEON(dst *int8, apart int, x *float32, n int, inverse float32)
