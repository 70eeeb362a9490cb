package transformer

import (
	"fmt"
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// RoPE returns the heads of x[tokens, heads*headDim] with their positions in them: it
// turns the pair of elements i and i + headDim/2 of each head, for i < headDim/2, in
// the row of position t by the angle
//
//	t theta^(-2i/headDim)
//
// so that the product of a query and a key depends on the distance of their positions
// (Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
// with the halves of a head as the pairs). headDim is even, theta the base of the
// angles, 10^6 in Qwen3.
func RoPE(x Matrix, headDim int, theta float64) Matrix {
	heads := checkHeads("RoPE", "x", x, headDim)
	if headDim%2 != 0 {
		panic(fmt.Errorf("transformer: RoPE: a head of %d elements, want an even number", headDim))
	}
	half := headDim / 2
	y := kernels.New(x.Rows, x.Cols)
	for t := range x.Rows {
		xt, yt := row(x, t), row(y, t)
		for i := range half {
			sin, cos := math.Sincos(float64(t) * math.Pow(theta, -float64(2*i)/float64(headDim)))
			for h := range heads {
				first, second := h*headDim+i, h*headDim+half+i
				a, b := float64(xt[first]), float64(xt[second])
				yt[first] = float32(a*cos - b*sin)
				yt[second] = float32(a*sin + b*cos)
			}
		}
	}
	return y
}
