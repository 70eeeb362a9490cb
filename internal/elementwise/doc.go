// Package elementwise sums what each element of a run of float32 values adds to the
// figures of a matrix: errors of rounding, moments, counts.
//
// Elements are finite unless it is said otherwise; a run may have any length, zero too.
// Sums are of float64. What an element adds is the same on every tier of instructions up
// to rounding in float64, and so are the sums, whose order is the tier's own.
package elementwise

import (
	"slices"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// An impl holds the functions for one tier of instructions. Those in assembly take a
// multiple of lanes elements, groupErrors one of groupLength, transposeEight one of 4
// columns.
type impl struct {
	needs          cpu.Tier
	roundingErrors func(x []float32, a, b float64) (sumA, sumB float64)
	weightedErrors func(x []float32, scale, weight []float64, ratio float64) (sumA, sumB float64)
	groupErrors    func(x []float32, a, b float64) (sumA, sumB float64, largest float32)
	float16Errors  func(x []float32) (bf16, f16 float64)
	dropped24      func(x []float32) float64
	sumAbove       func(x []float32, threshold float32) (n int, sum float64)
	moments        func(x []float32, mean float64) (m2, m4 float64)
	gridCodes      func(dst []uint16, x []float32, inverse float64)
	rowSums        func(x []float32, colMax []uint32) (zeros int, sum, sumAbs, sumSq float64, low, high float32)
	transposeEight func(dst []float32, dstStride int, src []float32, srcStride, cols int)
}

const lanes = 16

// impls lists the tiers in order, the reference first.
var impls = append([]impl{{
	cpu.Ref, roundingErrors, weightedErrors, groupErrors, float16Errors, dropped24, sumAbove, moments, gridCodes, rowSums, transposeEight,
}}, assembly...)

// best is what runs: the last of impls that this processor and the mask allow.
var best = usable()[len(usable())-1]

func usable() []impl {
	return slices.DeleteFunc(slices.Clone(impls), func(i impl) bool { return !cpu.Has(i.needs) })
}

// whole is how many elements of n are for the assembly, in multiples of unit. The
// reference takes the others.
func whole(n, unit int) int { return n &^ (unit - 1) }
