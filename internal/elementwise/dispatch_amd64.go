//go:build !noasm

package elementwise

import "github.com/rlx-go/gopherscope/internal/cpu"

var assembly = []impl{
	{
		cpu.AVX2, roundingErrors_AVX2, weightedErrors_AVX2, groupErrors_AVX2, float16Errors_AVX2,
		dropped24_AVX2, sumAbove_AVX2, moments_AVX2, gridCodes_AVX2, rowSums_AVX2, transposeEight_AVX2,
	},
	{
		cpu.AVX512, roundingErrors_AVX512, weightedErrors_AVX512, groupErrors_AVX512, float16Errors_AVX512,
		dropped24_AVX512, sumAbove_AVX512, moments_AVX512, gridCodes_AVX512, rowSums_AVX512, transposeEight_AVX2,
	},
}

//go:noescape
func roundingErrors_AVX2(x []float32, a, b float64) (sumA, sumB float64)

//go:noescape
func weightedErrors_AVX2(x []float32, scale, weight []float64, ratio float64) (sumA, sumB float64)

//go:noescape
func groupErrors_AVX2(x []float32, a, b float64) (sumA, sumB float64, largest float32)

//go:noescape
func float16Errors_AVX2(x []float32) (bf16, f16 float64)

//go:noescape
func dropped24_AVX2(x []float32) float64

//go:noescape
func sumAbove_AVX2(x []float32, threshold float32) (n int, sum float64)

//go:noescape
func moments_AVX2(x []float32, mean float64) (m2, m4 float64)

//go:noescape
func gridCodes_AVX2(dst []uint16, x []float32, inverse float64)

//go:noescape
func rowSums_AVX2(x []float32, colMax []uint32) (zeros int, sum, sumAbs, sumSq float64, low, high float32)

//go:noescape
func transposeEight_AVX2(dst []float32, dstStride int, src []float32, srcStride, cols int)

//go:noescape
func roundingErrors_AVX512(x []float32, a, b float64) (sumA, sumB float64)

//go:noescape
func weightedErrors_AVX512(x []float32, scale, weight []float64, ratio float64) (sumA, sumB float64)

//go:noescape
func groupErrors_AVX512(x []float32, a, b float64) (sumA, sumB float64, largest float32)

//go:noescape
func float16Errors_AVX512(x []float32) (bf16, f16 float64)

//go:noescape
func dropped24_AVX512(x []float32) float64

//go:noescape
func sumAbove_AVX512(x []float32, threshold float32) (n int, sum float64)

//go:noescape
func moments_AVX512(x []float32, mean float64) (m2, m4 float64)

//go:noescape
func gridCodes_AVX512(dst []uint16, x []float32, inverse float64)

//go:noescape
func rowSums_AVX512(x []float32, colMax []uint32) (zeros int, sum, sumAbs, sumSq float64, low, high float32)
