//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var bf16Asm = table[bf16Funcs]{
	{cpu.AVX2, gemmBF16(&bf16TilesAVX2)},
	{cpu.AVX512, gemmBF16(&bf16TilesAVX512)},
	{cpu.BF16, gemmBF16Rounded(&bf16TilesBF16, roundBF16AVX512)},
}

var bf16TilesAVX2 = bf16Tiles[float32]{
	width: 32,
	rows:  []bf16Tile[float32]{gemmBF16_1x32_AVX2, gemmBF16_2x32_AVX2, gemmBF16_3x32_AVX2},
	row:   gemvBF16_1x64_AVX2, panels: 2,
}

var bf16TilesAVX512 = bf16Tiles[float32]{
	width: 64,
	rows: []bf16Tile[float32]{
		gemmBF16_1x64_AVX512, gemmBF16_2x64_AVX512, gemmBF16_3x64_AVX512,
		gemmBF16_4x64_AVX512, gemmBF16_5x64_AVX512, gemmBF16_6x64_AVX512,
	},
	row: gemvBF16_1x256_AVX512, panels: 4,
}

var bf16TilesBF16 = bf16Tiles[uint16]{
	width: 64,
	rows: []bf16Tile[uint16]{
		gemmBF16_1x64_BF16, gemmBF16_2x64_BF16, gemmBF16_3x64_BF16,
		gemmBF16_4x64_BF16, gemmBF16_5x64_BF16, gemmBF16_6x64_BF16,
	},
	row: gemvBF16_1x256_BF16, panels: 4,
}

// roundBF16AVX512 sets dst to src in bfloat16, a block at a time.
func roundBF16AVX512(dst []uint16, src []float32) {
	const block = 1 << 14
	for len(src) > 0 {
		n := min(block, len(src))
		// The micro-kernel would turn values from here on into infinities, and
		// spoil those that are not finite.
		if roundBF16_AVX512(&dst[0], &src[0], n) >= largestBF16Bits+1<<15 {
			for i, v := range src[:n] {
				dst[i] = toBF16(v)
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

// roundBF16_AVX512 writes n values rounded to bfloat16 and returns the largest bits
// of them without their sign, as they were before. n is at least 1.
//
//go:noescape
func roundBF16_AVX512(dst *uint16, src *float32, n int) (largest uint32)

//go:noescape
func gemmBF16_1x32_AVX2(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_2x32_AVX2(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_3x32_AVX2(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_1x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_2x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_3x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_4x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_5x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_6x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_1x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_2x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_3x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_4x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_5x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemmBF16_6x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)

//go:noescape
func gemvBF16_1x64_AVX2(y, x *float32, w *uint16, apart, k int, accumulate bool)

//go:noescape
func gemvBF16_1x256_AVX512(y, x *float32, w *uint16, apart, k int, accumulate bool)

//go:noescape
func gemvBF16_1x256_BF16(y *float32, x, w *uint16, apart, k int, accumulate bool)
