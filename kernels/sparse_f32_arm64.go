//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var skipZerosAsm = table[skipZerosFuncs]{{cpu.NEON, gemmSparse(&sparseTilesNEON)}}

// sparseTilesNEON counts four vectors as one of 16 lanes.
var sparseTilesNEON = sparseTiles{
	lanes:    16,
	compress: compressF32_NEON,
	rows: []sparseRows{
		sparseRowsNEON(sparseF32_16_NEON, 16), sparseRowsNEON(sparseF32_32_NEON, 32),
		sparseRowsNEON(sparseF32_48_NEON, 48), sparseRowsNEON(sparseF32_64_NEON, 64),
	},
}

// sparseRowsNEON makes a function for any number of columns out of one that needs whole
// panels, and fetches only what nonzeros need ahead.
func sparseRowsNEON(mul func(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool), width int) sparseRows {
	return func(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32,
		accumulate bool, last int, next *float32, _ int) {
		wholePanels(y, ldy, rows, width-16+last, width, accumulate, func(y *float32, ldy int) {
			mul(y, ldy, rows, lists, ld, ends, span, w, accumulate, next == nil)
		})
	}
}

//go:noescape
func compressF32_NEON(list *nonzero, ends *int32, ldEnds int, x *float32, k int) bool

//go:noescape
func sparseF32_16_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)

//go:noescape
func sparseF32_32_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)

//go:noescape
func sparseF32_48_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)

//go:noescape
func sparseF32_64_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)
