package opscope

import (
	"context"
	"fmt"
	"math"
)

// Granularity says which elements of a matrix share one quantization step.
type Granularity string

const (
	// PerTensor: one step for the whole matrix.
	PerTensor Granularity = "tensor"
	// PerRow: one step a row. For a weight W[k,n] that is an input channel,
	// for an activation x[m,k] a token.
	PerRow Granularity = "row"
	// PerColumn: one step a column. For a weight W[k,n] that is an OUTPUT
	// channel, which is what "per channel" means: the step then leaves the
	// sum over k and scales one output.
	PerColumn Granularity = "column"
	// PerGroup: one step a group of consecutive elements along k of one output
	// channel; along a row of an activation.
	PerGroup Granularity = "group"
)

// The range of bit widths that QuantError takes.
const (
	minBits = 2
	maxBits = 16
)

// QuantError is the relative L2 error of rounding w to signed integers of the
// given bits by symmetric absmax quantization: with L = 2^(bits-1)-1 and A the
// largest magnitude among the elements that share a step, step = A/L,
// q = round(w/step), and the error is ‖q·step - w‖/‖w‖. Nothing is clipped.
// The steps are float64 here; a kernel that stores them as float32 differs by
// less than 1e-6 of the error's own size.
//
// The result lies in [0,1); a group of zeros adds no error. NaN if w has
// non-finite elements, 0 if it is zero or empty. QuantError panics on a malformed matrix,
// on bits outside 2 to 16 and on an unknown granularity.
//
// For Gaussian elements in groups of k the error is about
// sqrt(E[A²]/12)/L, A being the largest of k magnitudes: 0.0079 at 8 bits and
// 0.143 at 4 bits for k = 1024.
func QuantError(w Matrix, bits int, g Granularity) float64 {
	mustCheck(w)
	ctx := context.Background()
	s, _ := gather(ctx, w)
	errs, _ := quantErrors(ctx, w, s, []quantFormat{{bits, g}})
	return errs[0]
}

type quantFormat struct {
	bits int
	g    Granularity
}

// quantErrors measures several formats in one pass; s is what gather found in w.
func quantErrors(ctx context.Context, w Matrix, s stats, formats []quantFormat) ([]float64, error) {
	accs := make([]quantAcc, len(formats))
	for i, f := range formats {
		accs[i] = newQuantAcc(f, s)
	}
	errs := make([]float64, len(formats))
	if s.nonFinite.Count > 0 {
		for i := range errs {
			errs[i] = math.NaN()
		}
		return errs, nil
	}
	err := eachRow(ctx, w, func(i int, row []float32) {
		for f := range accs {
			accs[f].add(i, row)
		}
	})
	if s.sumSq > 0 {
		for i, a := range accs {
			errs[i] = math.Sqrt(a.errSq / s.sumSq)
		}
	}
	return errs, err
}

// quantAcc sums the squared rounding error of one format. The slices hold one
// step, or one a row, or one a column.
type quantAcc struct {
	g     Granularity
	step  []float64
	inv   []float64 // 1/step, or 0 where the step is 0
	errSq float64
}

func newQuantAcc(f quantFormat, s stats) quantAcc {
	if f.bits < minBits || f.bits > maxBits {
		panic(fmt.Sprintf("opscope: quantization to %d bits, want %d to %d", f.bits, minBits, maxBits))
	}
	a := quantAcc{g: f.g}
	var absMax []float32
	switch f.g {
	case PerTensor:
		absMax = []float32{float32(s.absMax)}
	case PerRow:
		absMax = s.rowMax
	case PerColumn:
		absMax = s.colMax
	default:
		panic(fmt.Sprintf("opscope: unknown granularity %q", string(f.g)))
	}
	levels := float64(int(1)<<(f.bits-1) - 1)
	a.step = make([]float64, len(absMax))
	a.inv = make([]float64, len(absMax))
	for i, m := range absMax {
		if m > 0 {
			a.step[i] = float64(m) / levels
			a.inv[i] = levels / float64(m)
		}
	}
	return a
}

// add sums the errors of row i. The products q*step are converted to float64,
// which rounds them: a fused multiply-subtract would find a nonzero error where
// a value lies on the grid.
func (a *quantAcc) add(i int, row []float32) {
	var sum float64
	if a.g == PerColumn {
		step, inv := a.step[:len(row)], a.inv[:len(row)]
		for j, v := range row {
			x := float64(v)
			e := x - float64(math.RoundToEven(x*inv[j])*step[j])
			sum += e * e
		}
	} else {
		if a.g == PerTensor {
			i = 0
		}
		step, inv := a.step[i], a.inv[i]
		for _, v := range row {
			x := float64(v)
			e := x - float64(math.RoundToEven(x*inv)*step)
			sum += e * e
		}
	}
	a.errSq += sum
}
