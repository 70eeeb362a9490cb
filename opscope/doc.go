// Package opscope measures the structure of one matrix and says which cheaper
// way of multiplying by it that structure allows.
//
// A probe is a function on a [Matrix]: [Density], [QuantError], [GroupQuantError],
// [FormatError], [NMError], [TernaryError], [TableError], [CountDistinct],
// [ChannelOutliers], [StableRank], [SingularValues]. [Probe] runs them together and
// returns a [Profile]; [ProbeRows] does so for a matrix larger than memory.
// [Recommend] turns a profile into a list of [Choice] values, cheapest first,
// each with its measured error and its bytes; [Choice.Build] makes the kernel.
//
// A weight is W[k,n] = [in, out]: a row belongs to an input channel, a column
// to an output channel, and k is the reduction axis of y[m,n] = x[m,k] W[k,n].
// An activation is x[m,k]: a row is a token, a column an input channel.
//
// Errors are relative L2 (Frobenius) norms, ‖Ŵ-W‖/‖W‖, unless named otherwise.
// Sums are taken in float64. A probe on a matrix with a NaN or an infinity
// answers NaN; [CountNonFinite] says how many there are and where the first is.
// The probes of a zero or an empty matrix are 0.
package opscope

import (
	"context"
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
)

// Matrix is a row-major float32 matrix; see [kernels.Matrix].
type Matrix = kernels.Matrix

// check reports the first thing that makes w unreadable.
func check(w Matrix) error {
	switch {
	case w.Rows < 0 || w.Cols < 0:
		return fmt.Errorf("opscope: matrix of %d rows and %d columns", w.Rows, w.Cols)
	case w.Rows == 0 || w.Cols == 0:
		return nil
	case w.Stride < w.Cols:
		return fmt.Errorf("opscope: matrix stride %d is below its %d columns", w.Stride, w.Cols)
	case len(w.Data) < w.Cols || (len(w.Data)-w.Cols)/w.Stride < w.Rows-1:
		return fmt.Errorf("opscope: %d values do not hold a matrix of %d rows and %d columns with stride %d",
			len(w.Data), w.Rows, w.Cols, w.Stride)
	}
	return nil
}

// mustCheck panics on a matrix that check refuses, as gonum does: it is a
// mistake in the calling program, not in its data.
func mustCheck(w Matrix) {
	if err := check(w); err != nil {
		panic(err.Error())
	}
}

// eachRow calls f for every row of w in order and stops with the context's
// error when it is cancelled.
func eachRow(ctx context.Context, w Matrix, f func(i int, row []float32)) error {
	if w.Rows == 0 || w.Cols == 0 {
		return ctx.Err()
	}
	const valuesPerPoll = 1 << 16
	left := 0
	for i := range w.Rows {
		if left -= w.Cols; left < 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			left = valuesPerPoll
		}
		f(i, w.Data[i*w.Stride:][:w.Cols])
	}
	return nil
}
