//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var lowRankAsm = table[lowRankFuncs]{
	{cpu.NEON, gemmLowRank(&dotTilesNEON, impl[f32Funcs]{cpu.NEON, gemmF32(&f32TilesNEON)})},
}

var dotTilesNEON = dotTiles{
	lanes: 4, columns: 4,
	rows: []dotTile{
		dotF32_1x4_NEON, dotF32_2x4_NEON, dotF32_3x4_NEON,
		dotF32_4x4_NEON, dotF32_5x4_NEON, dotF32_6x4_NEON,
	},
}

//go:noescape
func dotF32_1x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_2x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_3x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_4x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_5x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_6x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
