//go:build !noasm

package kernels

import (
	"unsafe"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

var f32Asm = table[f32Funcs]{{cpu.NEON, gemmF32(&f32TilesNEON)}}

var f32TilesNEON = f32Tiles{
	width: 16,
	rows: []f32Tile{
		f32TileNEON(gemmF32_1x16_NEON, 1), f32TileNEON(gemmF32_2x16_NEON, 2), f32TileNEON(gemmF32_3x16_NEON, 3),
		f32TileNEON(gemmF32_4x16_NEON, 4), f32TileNEON(gemmF32_5x16_NEON, 5), f32TileNEON(gemmF32_6x16_NEON, 6),
	},
	row: func(y, x, w *float32, apart, k, cols int, accumulate bool) {
		wholePanels(y, 0, 1, cols, 64, accumulate, func(y *float32, _ int) {
			gemvF32_1x64_NEON(y, x, w, apart, k, accumulate)
		})
	},
}

// f32TileNEON makes a tile of any number of columns out of one that needs 16. The
// processors fetch panels well enough by themselves.
func f32TileNEON(tile func(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool), rows int) f32Tile {
	return func(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, _ *float32, _ int, accumulate bool) {
		wholePanels(y, ldy, rows, cols, 16, accumulate, func(y *float32, ldy int) {
			tile(y, ldy, x, ldx, w, k, accumulate)
		})
	}
}

// wholePanels calls mul for y if y has whole rows of width columns. NEON has no
// stores for some lanes: if y has fewer columns, mul gets other memory, from which
// they are copied to y. If mul adds to what is there, that holds y first.
func wholePanels(y *float32, ldy, rows, cols, width int, accumulate bool, mul func(y *float32, ldy int)) {
	if cols == width {
		mul(y, ldy)
		return
	}
	whole := scratchPanels.get(rows * width)
	some := unsafe.Slice(y, (rows-1)*ldy+cols)
	if accumulate {
		for i := range rows {
			copy(whole[i*width:][:cols], some[i*ldy:])
		}
	}
	mul(&whole[0], width)
	for i := range rows {
		copy(some[i*ldy:][:cols], whole[i*width:])
	}
	scratchPanels.put(whole)
}

var scratchPanels scratch[float32]

//go:noescape
func gemmF32_1x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)

//go:noescape
func gemmF32_2x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)

//go:noescape
func gemmF32_3x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)

//go:noescape
func gemmF32_4x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)

//go:noescape
func gemmF32_5x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)

//go:noescape
func gemmF32_6x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)

//go:noescape
func gemvF32_1x64_NEON(y, x, w *float32, apart, k int, accumulate bool)
