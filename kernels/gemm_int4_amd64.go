//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var int4Asm = table[int4Funcs]{
	{cpu.AVX2, gemmInt4(&int4TilesAVX2, quantizeInt4AVX2)},
	{cpu.AVX512, gemmInt4(&int4TilesAVX512, quantizeInt4AVX2)},
	{cpu.VNNI, gemmInt4(&int4TilesVNNI, quantizeInt4AVX2)},
}

var (
	int4TilesAVX2 = int4Tiles{
		width: 16,
		rows:  []int4Tile{gemmInt4_1x16_AVX2, gemmInt4_2x16_AVX2},
		row:   gemvInt4_1x16_AVX2,
	}
	int4TilesAVX512 = int4Tiles{
		width: 32,
		rows:  []int4Tile{gemmInt4_1x32_AVX512, gemmInt4_2x32_AVX512, gemmInt4_3x32_AVX512},
		row:   gemvInt4_1x32_AVX512,
	}
	int4TilesVNNI = int4Tiles{
		width: 32,
		rows:  []int4Tile{gemmInt4_1x32_VNNI, gemmInt4_2x32_VNNI, gemmInt4_3x32_VNNI, gemmInt4_4x32_VNNI},
		row:   gemvInt4_1x32_VNNI,
	}
)

// quantizeInt4AVX2 sets dst to the records of x, whole blocks.
func quantizeInt4AVX2(dst []uint8, x []float32) {
	blocks := len(x) / int4Block
	for b := 0; b < blocks; b += int4MaxBlocks {
		quantizeInt4_AVX2(&dst[b*int4RecordBytes], &x[b*int4Block], min(int4MaxBlocks, blocks-b))
	}
}

//go:noescape
func quantizeInt4_AVX2(dst *uint8, src *float32, blocks int)

//go:noescape
func gemmInt4_1x16_AVX2(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_2x16_AVX2(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_1x32_AVX512(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_2x32_AVX512(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_3x32_AVX512(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_1x32_VNNI(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_2x32_VNNI(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_3x32_VNNI(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemmInt4_4x32_VNNI(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)

//go:noescape
func gemvInt4_1x16_AVX2(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)

//go:noescape
func gemvInt4_1x32_AVX512(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)

//go:noescape
func gemvInt4_1x32_VNNI(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)
