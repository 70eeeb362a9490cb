//go:build !noasm

package bench

import "github.com/rlx-go/gopherscope/internal/cpu"

var (
	f32LoopsAsm  = []arithmeticLoop{{cpu.NEON, 20 * 4 * 2, fmaF32_NEON}}
	int8LoopsAsm = []arithmeticLoop{{cpu.NEON, 10 * 8 * 2, dotI8_NEON}, {cpu.DotProd, 20 * 16 * 2, dotI8_DotProd}, {cpu.I8MM, 20 * 32 * 2, dotI8_I8MM}}
	bf16LoopsAsm []arithmeticLoop
	readLoopsAsm = []readLoop{{cpu.NEON, read_NEON}}
)

func fmaF32_NEON(steps int)
func dotI8_NEON(steps int)
func dotI8_DotProd(steps int)
func dotI8_I8MM(steps int)

//go:noescape
func read_NEON(p *byte, n, passes int)
