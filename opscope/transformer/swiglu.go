package transformer

import (
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// SwiGLU returns silu(gate) times up, element by element, with silu(g) = g / (1 + e^-g)
// (Shazeer, "GLU Variants Improve Transformer", 2020). Both are [tokens, n].
func SwiGLU(gate, up Matrix) Matrix {
	check("SwiGLU", "gate", gate, gate.Rows, gate.Cols)
	check("SwiGLU", "up", up, gate.Rows, gate.Cols)
	y := kernels.New(gate.Rows, gate.Cols)
	for t := range gate.Rows {
		ut := row(up, t)
		for i, v := range row(gate, t) {
			g := float64(v)
			y.Data[t*y.Stride+i] = float32(g / (1 + math.Exp(-g)) * float64(ut[i]))
		}
	}
	return y
}
