package elementwise

import "math"

// RowSums describes a row.
type RowSums struct {
	Zeros              int
	Sum, SumAbs, SumSq float64
	// Min and Max are of no elements the infinities +Inf and -Inf. A zero is of either sign.
	Min, Max float32
}

// SumRow describes x, and raises the magnitudes in colMax, as bits of float32, to those
// of x. colMax has at least the length of x. Elements may be NaN or infinite: then SumSq
// is not finite, and otherwise it is.
func SumRow(x []float32, colMax []uint32) RowSums {
	colMax = colMax[:len(x)]
	n := whole(len(x), lanes)
	var s, rest RowSums
	s.Zeros, s.Sum, s.SumAbs, s.SumSq, s.Min, s.Max = best.rowSums(x[:n], colMax[:n])
	rest.Zeros, rest.Sum, rest.SumAbs, rest.SumSq, rest.Min, rest.Max = rowSums(x[n:], colMax[n:])
	return RowSums{
		s.Zeros + rest.Zeros, s.Sum + rest.Sum, s.SumAbs + rest.SumAbs, s.SumSq + rest.SumSq,
		min(s.Min, rest.Min), max(s.Max, rest.Max),
	}
}

func rowSums(x []float32, colMax []uint32) (zeros int, sum, sumAbs, sumSq float64, low, high float32) {
	low, high = float32(math.Inf(1)), float32(math.Inf(-1))
	colMax = colMax[:len(x)]
	for i, v := range x {
		a := magnitude(v)
		if a > colMax[i] {
			colMax[i] = a
		}
		// One below the bits of zero only is the largest number.
		zeros += int((a - 1) >> 31)
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
		f := float64(v)
		sum += f
		sumAbs += math.Abs(f)
		sumSq += f * f
	}
	return zeros, sum, sumAbs, sumSq, low, high
}
