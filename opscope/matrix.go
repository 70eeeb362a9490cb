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
