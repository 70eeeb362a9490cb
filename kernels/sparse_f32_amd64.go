//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var skipZerosAsm = table[skipZerosFuncs]{
	{cpu.AVX2, gemmSparse(&sparseTilesAVX2)},
	{cpu.AVX512, gemmSparse(&sparseTilesAVX512)},
}

var sparseTilesAVX2 = sparseTiles{
	lanes: 8,
	compress: func(list *nonzero, ends *int32, ldEnds int, x *float32, k int) bool {
		return compressF32_AVX2(list, ends, ldEnds, x, k, &setBits)
	},
	rows: []sparseRows{
		sparseF32_8_AVX2, sparseF32_16_AVX2, sparseF32_24_AVX2, sparseF32_32_AVX2,
		sparseF32_40_AVX2, sparseF32_48_AVX2, sparseF32_56_AVX2, sparseF32_64_AVX2,
	},
}

// setBits holds for each byte the places of the bits that are set, the lowest first.
var setBits = func() (places [256][8]uint8) {
	for b := range places {
		n := 0
		for bit := range uint8(8) {
			if b>>bit&1 == 1 {
				places[b][n] = bit
				n++
			}
		}
	}
	return places
}()

var sparseTilesAVX512 = sparseTiles{
	lanes:    16,
	compress: compressF32_AVX512,
	rows: []sparseRows{
		sparseF32_16_AVX512, sparseF32_32_AVX512, sparseF32_48_AVX512, sparseF32_64_AVX512,
		sparseF32_80_AVX512, sparseF32_96_AVX512, sparseF32_112_AVX512, sparseF32_128_AVX512,
	},
}

//go:noescape
func compressF32_AVX2(list *nonzero, ends *int32, ldEnds int, x *float32, k int, places *[256][8]uint8) bool

//go:noescape
func compressF32_AVX512(list *nonzero, ends *int32, ldEnds int, x *float32, k int) bool

//go:noescape
func sparseF32_8_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_16_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_24_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_32_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_40_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_48_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_56_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_64_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_16_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_32_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_48_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_64_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_80_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_96_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_112_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)

//go:noescape
func sparseF32_128_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
