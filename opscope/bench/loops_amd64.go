//go:build !noasm

package bench

import "github.com/rlx-go/gopherscope/internal/cpu"

var (
	f32LoopsAsm  = []arithmeticLoop{{cpu.AVX2, 12 * 8 * 2, fmaF32_AVX2}, {cpu.AVX512, 12 * 16 * 2, fmaF32_AVX512}}
	int8LoopsAsm = []arithmeticLoop{{cpu.AVX2, 12 * 16 * 2, dotI8_AVX2}, {cpu.AVX512, 12 * 32 * 2, dotI8_AVX512}, {cpu.VNNI, 12 * 64 * 2, dotI8_VNNI}}
	bf16LoopsAsm = []arithmeticLoop{{cpu.BF16, 12 * 32 * 2, dotBF16_BF16}}
	readLoopsAsm = []readLoop{{cpu.AVX2, read_AVX2}, {cpu.AVX512, read_AVX512}}
)

func fmaF32_AVX2(steps int)
func fmaF32_AVX512(steps int)
func dotI8_AVX2(steps int)
func dotI8_AVX512(steps int)
func dotI8_VNNI(steps int)
func dotBF16_BF16(steps int)

//go:noescape
func read_AVX2(p *byte, n, passes int)

//go:noescape
func read_AVX512(p *byte, n, passes int)
