package transformer

import (
	"fmt"
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// RMSNorm returns each row of x[tokens, n] divided by its root mean square and
// multiplied by gain[n], element by element:
//
//	y[t,i] = gain[i] x[t,i] / sqrt(mean over i of x[t,i]^2 + epsilon)
//
// (Zhang and Sennrich, "Root Mean Square Layer Normalization", NeurIPS 2019).
func RMSNorm(x Matrix, gain []float32, epsilon float64) Matrix {
	check("RMSNorm", "x", x, x.Rows, x.Cols)
	if len(gain) != x.Cols {
		panic(fmt.Errorf("transformer: RMSNorm: gain has %d values, want %d", len(gain), x.Cols))
	}
	y := kernels.New(x.Rows, x.Cols)
	for t := range x.Rows {
		normalize(row(y, t), row(x, t), gain, epsilon)
	}
	return y
}

// HeadRMSNorm is RMSNorm of each head of x[tokens, heads*len(gain)] by itself, as Qwen3
// normalizes queries and keys.
func HeadRMSNorm(x Matrix, gain []float32, epsilon float64) Matrix {
	heads := checkHeads("HeadRMSNorm", "x", x, len(gain))
	y := kernels.New(x.Rows, x.Cols)
	for t := range x.Rows {
		for h := range heads {
			start, end := h*len(gain), (h+1)*len(gain)
			normalize(row(y, t)[start:end], row(x, t)[start:end], gain, epsilon)
		}
	}
	return y
}

func normalize(y, x, gain []float32, epsilon float64) {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	scale := 1 / math.Sqrt(sum/float64(len(x))+epsilon)
	for i, v := range x {
		y[i] = float32(float64(gain[i]) * float64(v) * scale)
	}
}
