//go:build !noasm

package skinny

import "github.com/rlx-go/gopherscope/internal/cpu"

var assembly = []impl{
	(&tiles{
		dotsVectors: 8, dots: []dotsTile{dots1x8_NEON, dots2x8_NEON, dots3x8_NEON},
		vectors: 8, columns: 8, combinations: combinations8x8_NEON,
	}).impl(cpu.NEON),
}

//go:noescape
func dots1x8_NEON(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func dots2x8_NEON(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func dots3x8_NEON(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

//go:noescape
func combinations8x8_NEON(z *float32, ldz int, y *float32, ldy int, w *float32, ldw, rows int)
