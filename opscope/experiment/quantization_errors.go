package experiment

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
)

// measureErrors probes weights, as they are and with an outlier.
func (r *QuantizationResult) measureErrors(ctx context.Context, o QuantizationOptions) error {
	s := r.ErrorShape
	for sample := range o.Samples {
		w := normal(rand.New(rand.NewPCG(o.Seed, uint64(sample))), s.K, s.N)
		p, err := opscope.Probe(ctx, w, opscope.Options{Extra: opscope.ExtraBits, SVDLimit: -1})
		if err != nil {
			return err
		}
		at := 0
		for _, q := range p.Quant {
			if q.Format != "" || q.Method != "" || q.Granularity == opscope.PerRow {
				continue
			}
			if sample == 0 {
				r.Errors = append(r.Errors, QuantizationError{
					Bits: q.Bits, Granularity: q.Granularity, Group: q.Group, BitsPerWeight: q.BitsPerWeight,
					Theory: opscope.GaussianQuantError(stepElements(q.Granularity, q.Group, s), q.Bits),
				})
			}
			e := &r.Errors[at]
			at++
			e.Err += q.Error * q.Error
			e.Spread += q.Error
		}
	}
	slices.SortStableFunc(r.Errors, func(a, b QuantizationError) int { return a.Bits - b.Bits })
	n := float64(o.Samples)
	for i := range r.Errors {
		e := &r.Errors[i]
		mean := e.Spread / n
		square := e.Err / n
		e.Err, e.Spread = math.Sqrt(square), math.Sqrt(max(0, square-mean*mean))
	}

	w := normal(rand.New(rand.NewPCG(o.Seed, 0)), s.K, s.N)
	scale := float32(o.OutlierFactor)
	for _, where := range []Outlier{NoOutlier, OutputOutlier, InputOutlier} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a := kernels.Matrix{Rows: w.Rows, Cols: w.Cols, Stride: w.Stride, Data: append([]float32(nil), w.Data...)}
		switch where {
		case OutputOutlier:
			for i := range a.Rows {
				a.Data[i*a.Stride] *= scale
			}
		case InputOutlier:
			for j := range a.Cols {
				a.Data[j] *= scale
			}
		}
		for _, bits := range []int{8, 4} {
			for _, g := range []QuantizationOutlier{
				{Granularity: opscope.PerTensor}, {Granularity: opscope.PerColumn}, {Granularity: opscope.PerGroup, Group: 32},
			} {
				g.Outlier, g.Bits = where, bits
				g.Err, g.Others = outlierErrors(a, bits, stepRows(g.Granularity, g.Group, a.Rows), g.Granularity == opscope.PerTensor, where)
				r.Outliers = append(r.Outliers, g)
			}
		}
	}
	return nil
}

// stepElements is how many elements of a weight share a step.
func stepElements(g opscope.Granularity, group int, s WeightShape) int {
	n := stepRows(g, group, s.K)
	if g == opscope.PerTensor {
		n *= s.N
	}
	return n
}

// stepRows is how many consecutive elements of a column share a step.
func stepRows(g opscope.Granularity, group, k int) int {
	if g == opscope.PerGroup {
		return min(group, k)
	}
	return k
}

// outlierErrors returns the relative L2 error of symmetric absmax quantization of all of
// w, and of the part without the outlier, which is the first column or row. So many rows
// of a column share a step, or those of all columns.
func outlierErrors(w kernels.Matrix, bits, rows int, tensor bool, where Outlier) (all, others float64) {
	levels := float64(int(1)<<(bits-1) - 1)
	largest := func(first, last, column int) float64 {
		a := 0.0
		for i := first; i < last; i++ {
			a = max(a, math.Abs(float64(w.Data[i*w.Stride+column])))
		}
		return a
	}
	whole := 0.0
	if tensor {
		for j := range w.Cols {
			whole = max(whole, largest(0, w.Rows, j))
		}
	}
	var diff2, sum2, othersDiff2, othersSum2 float64
	for first := 0; first < w.Rows; first += rows {
		last := min(first+rows, w.Rows)
		for j := range w.Cols {
			a := whole
			if !tensor {
				a = largest(first, last, j)
			}
			if a == 0 {
				continue
			}
			step := a / levels
			for i := first; i < last; i++ {
				v := float64(w.Data[i*w.Stride+j])
				d := math.Round(v/step)*step - v
				diff2 += d * d
				sum2 += v * v
				if where == OutputOutlier && j == 0 || where == InputOutlier && i == 0 {
					continue
				}
				othersDiff2 += d * d
				othersSum2 += v * v
			}
		}
	}
	return ratio(diff2, sum2), ratio(othersDiff2, othersSum2)
}

// ratio is the root of a quotient of sums of squares, 0 if there is nothing.
func ratio(diff2, sum2 float64) float64 {
	if diff2 == 0 {
		return 0
	}
	return math.Sqrt(diff2 / sum2)
}
