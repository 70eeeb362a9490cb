//go:build !noasm

package kernels

import (
	"unsafe"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

var int4Asm = table[int4Funcs]{
	{cpu.NEON, gemmInt4(&int4TilesNEON, quantizeInt4NEON)},
	{cpu.DotProd, gemmInt4(&int4TilesDotProd, quantizeInt4NEON)},
}

var int4TilesNEON = int4Tiles{
	width: 16,
	rows:  []int4Tile{int4RowTile(gemvInt4_1x16_NEON)},
	row: func(y *float32, x, w *uint8, blocks, perGroup, panels, apart int) {
		// Two panels at a time, since all of them may take longer than 100 microseconds.
		for p := 0; p < panels; p += 2 {
			yp, wp := unsafe.Add(unsafe.Pointer(y), 4*16*p), unsafe.Add(unsafe.Pointer(w), p*apart)
			gemvInt4_1x16_NEON((*float32)(yp), x, (*uint8)(wp), blocks, perGroup, min(2, panels-p), apart)
		}
	},
}

var int4TilesDotProd = int4Tiles{
	width: 16,
	rows: []int4Tile{
		int4RowTile(gemvInt4_1x16_DotProd),
		func(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool) {
			wholePanels(y, ldy, 2, cols, 16, accumulate, func(y *float32, ldy int) {
				gemmInt4_2x16_DotProd(y, ldy, x, ldx, w, blocks, perGroup, accumulate)
			})
		},
	},
	row: gemvInt4_1x16_DotProd,
}

// int4RowTile makes a tile of one row out of the function for several panels.
func int4RowTile(row int4Row) int4Tile {
	return func(y *float32, _ int, x *uint8, _ int, w *uint8, blocks, perGroup, cols int, accumulate bool) {
		wholePanels(y, 0, 1, cols, 16, accumulate, func(y *float32, _ int) {
			if !accumulate {
				clear(unsafe.Slice(y, 16))
			}
			row(y, x, w, blocks, perGroup, 1, 0)
		})
	}
}

// quantizeInt4NEON sets dst to the records of x, whole blocks.
func quantizeInt4NEON(dst []uint8, x []float32) {
	blocks := len(x) / int4Block
	for b := 0; b < blocks; b += int4MaxBlocks {
		quantizeInt4_NEON(&dst[b*int4RecordBytes], &x[b*int4Block], min(int4MaxBlocks, blocks-b))
	}
}

//go:noescape
func quantizeInt4_NEON(dst *uint8, src *float32, blocks int)

//go:noescape
func gemmInt4_2x16_DotProd(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup int, accumulate bool)

//go:noescape
func gemvInt4_1x16_NEON(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)

//go:noescape
func gemvInt4_1x16_DotProd(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)
