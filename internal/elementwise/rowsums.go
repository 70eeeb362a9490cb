package elementwise

import "math"

// RowSums describes a row.
type RowSums struct {
	Zeros              int
	Sum, SumAbs, SumSq float64
	// Min and Max do not count NaN, and are +Inf and -Inf of no elements. A zero is of
	// either sign.
	Min, Max float32
}

// longestRun is how many elements of a row are done in one call of assembly, which the
// garbage collector cannot interrupt: some microseconds.
const longestRun = 1 << 15

// SumRow describes x, and raises the magnitudes in colMax, as bits of float32, to those
// of x. colMax has at least the length of x. Elements may be NaN or infinite: then SumSq
// is not finite, and otherwise it is.
func SumRow(x []float32, colMax []uint32) RowSums {
	colMax = colMax[:len(x)]
	n := whole(len(x), lanes)
	s := RowSums{Min: float32(math.Inf(1)), Max: float32(math.Inf(-1))}
	for from := 0; from < n; from += longestRun {
		to := min(from+longestRun, n)
		s.add(best.rowSums(x[from:to], colMax[from:to]))
	}
	s.add(rowSums(x[n:], colMax[n:]))
	return s
}

func (s *RowSums) add(zeros int, sum, sumAbs, sumSq float64, low, high float32) {
	s.Zeros += zeros
	s.Sum += sum
	s.SumAbs += sumAbs
	s.SumSq += sumSq
	s.Min, s.Max = min(s.Min, low), max(s.Max, high)
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
