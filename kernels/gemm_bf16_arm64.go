//go:build !noasm

package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

var bf16Asm = table[bf16Funcs]{
	{cpu.NEON, bf16Funcs{
		width: 16,
		pack:  (&bf16Tiles[float32]{width: 16}).pack,
		mul:   widenedBF16,
	}},
}

// widenedBF16 is the mul of bf16Funcs, for panels of 16 columns. Each element is one
// sum in the order of the inputs, whatever the number of rows.
func widenedBF16(y, x Matrix, w []uint16, lo, hi int) {
	m, k, n := x.Rows, x.Cols, y.Cols
	panel := 16 * 2 * ceilDiv(k, 2)
	if m == 1 {
		for ; hi-lo >= 2 && 16*(lo+2) <= n; lo += 2 {
			for p := 0; p < k; p += bf16BlockK {
				gemvBF16_1x32_NEON(&y.Data[16*lo], &x.Data[p], &w[lo*panel+16*p], panel, min(bf16BlockK, k-p), p > 0)
			}
		}
	}
	var widened [16 * widenedSteps]float32
	blockK := min(k, bf16BlockK)
	blockM := bf16BlockX / blockK
	for p := 0; p < k; p += blockK {
		for i := 0; i < m; i += blockM {
			yi, xi := rows(y, i, min(blockM, m-i)), rows(x, i, min(blockM, m-i))
			for j := lo; j < hi; j++ {
				for q := p; q < min(k, p+blockK); q += widenedSteps {
					steps := min(widenedSteps, k-q)
					widenBF16_NEON(&widened[0], &w[j*panel+16*q], ceilDiv(steps, 2))
					mulWidened(yi, xi, q, steps, 16*j, min(16, n-16*j), &widened)
				}
			}
		}
	}
}

//go:noescape
func widenBF16_NEON(dst *float32, w *uint16, pairs int)

//go:noescape
func gemvBF16_1x32_NEON(y, x *float32, w *uint16, apart, k int, accumulate bool)
