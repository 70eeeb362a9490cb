package kerneltest

import (
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// A Bound returns, for each element of y[m,n] in row order, the largest distance
// from the exact product x[m,k] w[k,n] that a scheme allows. w and x are finite.
type Bound func(w, x kernels.Matrix) []float64

const (
	unit      = 0x1p-24  // unit roundoff of float32
	subnormal = 0x1p-149 // smallest positive float32
	minNormal = 0x1p-126 // smallest normal float32

	// Half a quantization step, and the float32 rounding of v/scale, which is
	// at most 127 * 4 unit.
	half = 0.5 + 127*4*unit
)

// Float32Bound is the bound of float32 sums in any order, with or without fused
// multiply-adds: (k+3) u sum|x w|, u = 2^-24, and an allowance for underflow.
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.)
func Float32Bound(w, x kernels.Matrix) []float64 {
	return eachElement(w, x, func(xi, wj []float64) float64 {
		return rounding(len(xi), dotAbs(xi, wj))
	})
}

// BF16Bound is the bound of a weight and activations rounded to bfloat16, to nearest
// or to the largest finite one, with float32 sums: each is off by at most 2^-8 of
// its size. Values and sums below the smallest normal float32 may be taken for 0.
func BF16Bound(w, x kernels.Matrix) []float64 {
	const roundoff = 0x1p-8
	return eachElement(w, x, func(xi, wj []float64) float64 {
		abs, flushed := dotAbs(xi, wj), minNormal*(sumAbs(xi)+sumAbs(wj)+float64(len(xi)))
		return (2*roundoff+roundoff*roundoff)*abs + rounding(len(xi), (1+roundoff)*(1+roundoff)*abs) + flushed
	})
}

// Int8WeightBound is the bound of a weight in symmetric absmax int8 per output
// channel, codes in [-127, 127], with float32 activations and float32 sums: half
// a step of the channel times sum|x|, and the rounding of the sums.
func Int8WeightBound(w, x kernels.Matrix) []float64 {
	return eachElement(w, x, func(xi, wj []float64) float64 {
		quantization := half * scale(wj) * sumAbs(xi)
		return quantization + rounding(len(xi), dotAbs(xi, wj)+quantization)
	})
}

// W8A16Bound is Int8WeightBound for activations that may be multiplied as integers
// of at least 24 bits (see docs/kernels.md), which adds 2^-23 sum|x| sum|w| over
// the square root of N, the sums and N being of the values of x that are not 0.
func W8A16Bound(w, x kernels.Matrix) []float64 {
	bounds := Int8WeightBound(w, x)
	integers := eachElement(w, x, func(xi, wj []float64) float64 {
		var nonzero, sumW float64
		step := half * scale(wj)
		for p, v := range xi {
			if v != 0 {
				nonzero++
				sumW += math.Abs(wj[p]) + step
			}
		}
		return 2.01 * unit * sumAbs(xi) * sumW / math.Sqrt(max(1, nonzero))
	})
	for i, b := range integers {
		bounds[i] += b
	}
	return bounds
}

// Int8Bound is the bound of a weight in symmetric absmax int8 per output channel
// with activations in symmetric absmax int8 per row, codes in [-127, 127] and
// exact integer sums: half a step of the channel times sum|x|, half a step of
// the row times sum|w|, k times both, and the rounding of the two scales.
func Int8Bound(w, x kernels.Matrix) []float64 {
	return eachElement(w, x, func(xi, wj []float64) float64 {
		s, t := half*scale(wj), half*scale(xi)
		quantization := s*sumAbs(xi) + t*sumAbs(wj) + float64(len(xi))*s*t
		return quantization + 4*unit*(dotAbs(xi, wj)+quantization) + subnormal
	})
}

// Int4GroupBound returns the bound of a weight in symmetric absmax int4, codes in
// [-7, 7], by groups of that many consecutive inputs of a column, with scales in
// binary16, activations of 16 bits, and float32 sums.
//
// The scale of a group is its absmax/7 rounded to 11 bits, or off by at most 2^-10 of
// the largest scale of the column where that is more. The weight is off by half of it.
// Each activation is off by 1/32512 of the largest of 32 neighbours, or 2^-127, when
// activations are rounded.
func Int4GroupBound(group int) Bound {
	const halfStep = 0.5 + 0x1p-20
	return func(w, x kernels.Matrix) []float64 {
		return eachElement(w, x, func(xi, wj []float64) float64 {
			floor := 0x1p-10 * absmax(wj) / 7
			var quantization float64
			for g := 0; g < len(wj); g += group {
				end := min(len(wj), g+group)
				scale := absmax(wj[g:end])/7*(1+0x1p-11) + floor + subnormal
				quantization += halfStep * scale * sumAbs(xi[g:end])
				for b := g; b < end; b += 32 {
					v := wj[b:min(end, b+32)]
					off := absmax(xi[b:min(end, b+32)])/32512 + minNormal/2
					// The weight that is multiplied by is within half a scale of v.
					quantization += off * (sumAbs(v) + float64(len(v))*halfStep*scale)
				}
			}
			return quantization + rounding(len(xi), dotAbs(xi, wj)+quantization)
		})
	}
}

// Product returns x[m,k] w[k,n] in row order, summed in float64.
func Product(w, x kernels.Matrix) []float64 {
	return eachElement(w, x, func(xi, wj []float64) float64 {
		var sum float64
		for p := range xi {
			sum += xi[p] * wj[p]
		}
		return sum
	})
}

// rounding bounds the error of a float32 sum of k products and one more
// multiplication, given the sum of their absolute values.
func rounding(k int, abs float64) float64 {
	return float64(k+3)*unit*abs + float64(k+1)*subnormal
}

// scale returns the symmetric absmax int8 step of v.
func scale(v []float64) float64 {
	return max(absmax(v)/127, minNormal)
}

func absmax(v []float64) float64 {
	var m float64
	for _, f := range v {
		m = max(m, math.Abs(f))
	}
	return m
}

func sumAbs(v []float64) float64 {
	var sum float64
	for _, f := range v {
		sum += math.Abs(f)
	}
	return sum
}

func dotAbs(a, b []float64) float64 {
	var sum float64
	for p := range a {
		sum += math.Abs(a[p] * b[p])
	}
	return sum
}

// eachElement returns f(row i of x, column j of w) for each element of y.
func eachElement(w, x kernels.Matrix, f func(xi, wj []float64) float64) []float64 {
	columns := make([][]float64, w.Cols)
	for j := range columns {
		columns[j] = make([]float64, w.Rows)
		for p := range columns[j] {
			columns[j][p] = float64(w.Data[p*w.Stride+j])
		}
	}
	out := make([]float64, 0, x.Rows*w.Cols)
	xi := make([]float64, x.Cols)
	for i := range x.Rows {
		for p := range xi {
			xi[p] = float64(x.Data[i*x.Stride+p])
		}
		for _, wj := range columns {
			out = append(out, f(xi, wj))
		}
	}
	return out
}
