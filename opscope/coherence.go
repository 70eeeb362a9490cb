package opscope

import (
	"context"
	"fmt"
	"math"
)

// AdjacentRowCoherence says how much alike each row of x is to the row before,
//
//	C = 2 sum of xᵢ·xᵢ₋₁ / sum of (‖xᵢ‖² + ‖xᵢ₋₁‖²)
//
// over the pairs of adjacent rows; a row of an activation is a token. It is in
// [-1,1], without a unit: 1 if all rows are equal, about 0 if they are
// independent with mean 0, -1 if each is the negative of the one before. The
// differences of adjacent rows hold 1-C of the energy of the rows that they are made of,
// so a delta code pays from 0.5 on.
//
// NaN if x has non-finite elements, 0 if it is zero or has fewer than two rows. The
// errors are those of the reader, a malformed matrix and the context's own.
func AdjacentRowCoherence(ctx context.Context, x RowReader) (float64, error) {
	in, err := newInput(ctx, x, 0)
	if err != nil {
		return 0, err
	}
	before := make([]float32, in.cols)
	var products, energy float64
	finite := true
	err = in.scan(ctx, 1, func(first int, block Matrix) error {
		type sums struct{ product, energy float64 }
		rows := make([]sums, block.Rows)
		parallel(block.Rows, func(_, i int) {
			row := block.Data[i*block.Stride:][:block.Cols]
			above := before
			if i > 0 {
				above = block.Data[(i-1)*block.Stride:][:block.Cols]
			}
			var s sums
			for j, v := range row {
				s.product += float64(v) * float64(above[j])
				s.energy += float64(v) * float64(v)
			}
			rows[i] = s
		})
		for i, s := range rows {
			finite = finite && s.energy <= math.MaxFloat64
			at := first + i
			products += s.product
			switch {
			case in.rows == 1:
			case at == 0 || at == in.rows-1:
				energy += s.energy
			default:
				energy += 2 * s.energy
			}
		}
		copy(before, block.Data[(block.Rows-1)*block.Stride:][:block.Cols])
		return nil
	})
	switch {
	case err != nil:
		return 0, err
	case !finite:
		return math.NaN(), nil
	case energy == 0:
		return 0, nil
	}
	return 2 * products / energy, nil
}

// BlockIdentityGap is ‖out-in‖/‖in‖, how far a block of a network that turns in
// into out, both [tokens, channels], is from doing nothing: 0 if it does nothing.
// It has no upper end and no unit.
//
// NaN if either has non-finite elements; 0 if both are zero or empty, and +Inf if
// only in is. The errors are a malformed matrix, two shapes that differ, and the
// context's own.
func BlockIdentityGap(ctx context.Context, in, out Matrix) (float64, error) {
	for _, m := range []Matrix{in, out} {
		if err := check(m); err != nil {
			return 0, err
		}
	}
	if in.Rows != out.Rows || in.Cols != out.Cols {
		return 0, fmt.Errorf("opscope: identity gap between matrices of %d x %d and %d x %d", in.Rows, in.Cols, out.Rows, out.Cols)
	}
	var gap, energy float64
	err := eachRow(ctx, in, func(i int, row []float32) {
		for j, v := range out.Data[i*out.Stride:][:out.Cols] {
			x := float64(row[j])
			gap += square(float64(v) - x)
			energy += x * x
		}
	})
	switch {
	case err != nil:
		return 0, err
	case !(gap <= math.MaxFloat64 && energy <= math.MaxFloat64):
		return math.NaN(), nil
	case gap == 0:
		return 0, nil
	}
	return math.Sqrt(gap / energy), nil
}
