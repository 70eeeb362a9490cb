//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var lowRankAsm = table[lowRankFuncs]{
	{cpu.AVX2, gemmLowRank(&dotTilesAVX2, impl[f32Funcs]{cpu.AVX2, gemmF32(&f32TilesAVX2)})},
	{cpu.AVX512, gemmLowRank(&dotTilesAVX512, impl[f32Funcs]{cpu.AVX512, gemmF32(&f32TilesAVX512)})},
}

var dotTilesAVX2 = dotTiles{
	lanes: 8, columns: 4,
	rows: []dotTile{dotF32_1x4_AVX2, dotF32_2x4_AVX2, dotF32_3x4_AVX2},
}

var dotTilesAVX512 = dotTiles{
	lanes: 16, columns: 8,
	rows: []dotTile{dotF32_1x8_AVX512, dotF32_2x8_AVX512, dotF32_3x8_AVX512},
}

//go:noescape
func dotF32_1x4_AVX2(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_2x4_AVX2(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_3x4_AVX2(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_1x8_AVX512(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_2x8_AVX512(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)

//go:noescape
func dotF32_3x8_AVX512(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
