package opscope

import (
	"context"

	"github.com/rlx-go/gopherscope/internal/elementwise"
)

// segment is a run of consecutive elements along k of one channel.
type segment struct {
	x       []float32
	channel int
	k       int // of x[0]
	slot    int // where the channel's sums are kept
}

// The columns of a matrix are copied into rows by tiles that stay in the
// first-level cache. A power of two between the rows of a tile would map them
// to the same few places of it.
const (
	tileChannels = 48
	tilePad      = 16
)

// channels is a matrix seen as channels of elements along k: the rows of a
// matrix stored as [out, in] or of an activation, or the columns of one stored
// as [in, out].
type channels struct {
	*input
	areRows bool
}

// size returns the number of channels and of elements of each.
func (c channels) size() (n, k int) {
	if c.areRows {
		return c.rows, c.cols
	}
	return c.cols, c.rows
}

// slots is the number of channels whose sums are open at a time in each.
func (c channels) slots() int {
	if c.areRows {
		return min(c.rows, c.blockRows(1))
	}
	return c.strip()
}

// strip is the number of columns that are done before the next ones. Where blocks of rows
// are read it is all of them, whose sums take less memory than a block.
func (c channels) strip() int {
	if c.r != nil {
		return c.cols
	}
	return min(c.cols, blockLines)
}

// each calls visit for all segments, of length elements but the last one of
// a channel. Those of one channel come in order. When channels from first on, in
// slots from 0 on, are complete, it calls done, in the order of the channels.
// Calls of visit for the same worker, from 0 to limit-1, or the same slot are not
// concurrent.
func (c channels) each(ctx context.Context, length, limit int, visit func(worker int, s segment), done func(first, n int)) error {
	if c.areRows {
		return c.scan(ctx, 1, func(first int, block Matrix) error {
			parallelRows(limit, block, func(worker, r int, row []float32) {
				for k := 0; k < c.cols; k += length {
					visit(worker, segment{row[k:min(k+length, c.cols)], first + r, k, r})
				}
			})
			done(first, block.Rows)
			return nil
		})
	}
	width := max(1, min(tileChannels, (c.cols+limit-1)/limit))
	tiles := make([][]float32, limit)
	for i := range tiles {
		tiles[i] = make([]float32, width*(length+tilePad))
	}
	for begin, strip := 0, c.strip(); begin < c.cols; begin += strip {
		in, n := c.input, min(strip, c.cols-begin)
		if n < c.cols {
			in = memoryInput(Matrix{Rows: c.rows, Cols: n, Stride: c.w.Stride, Data: c.w.Data[begin:]})
		}
		err := in.scan(ctx, length, func(first int, block Matrix) error {
			parallelUpTo(limit, (n+width-1)/width, func(worker, i int) {
				tile := tiles[worker]
				from, to := i*width, min((i+1)*width, n)
				for r := 0; r < block.Rows; r += length {
					rows := min(length, block.Rows-r)
					elementwise.Transpose(tile, length+tilePad, block.Data[r*block.Stride+from:], block.Stride, rows, to-from)
					for j := from; j < to; j++ {
						visit(worker, segment{tile[(j-from)*(length+tilePad):][:rows], begin + j, first + r, j})
					}
				}
			})
			return nil
		})
		if err != nil {
			return err
		}
		done(begin, n)
	}
	return ctx.Err()
}
