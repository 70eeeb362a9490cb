//go:build !noasm

package skinny

import "github.com/rlx-go/gopherscope/internal/cpu"

var assembly = []impl{
	(&tiles{
		dotsVectors: 4, dots: []dotsTile{dots1x4_AVX2, dots2x4_AVX2, dots3x4_AVX2},
		vectors: 4, columns: 16, combinations: combinations4x16_AVX2,
	}).impl(cpu.AVX2),
	(&tiles{
		dotsVectors: 8, dots: []dotsTile{dots1x8_AVX512, dots2x8_AVX512, dots3x8_AVX512},
		vectors: 8, columns: 32, combinations: combinations8x32_AVX512,
	}).impl(cpu.AVX512),
}

//go:noescape
func dots1x4_AVX2(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func dots2x4_AVX2(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func dots3x4_AVX2(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func combinations4x16_AVX2(z *float32, ldz int, y *float32, ldy int, w *float32, ldw, rows int)

//go:noescape
func dots1x8_AVX512(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func dots2x8_AVX512(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func dots3x8_AVX512(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func combinations8x32_AVX512(z *float32, ldz int, y *float32, ldy int, w *float32, ldw, rows int)
