package opscope

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rlx-go/gopherscope/internal/pages"
)

// blockElements is how much of a matrix a pass takes at a time, if its rows are
// not longer: enough to share between processors, little enough to stop soon.
const blockElements = 1 << 20

// blockLines is the most rows of a block, or columns of a matrix in memory, whose sums
// are kept at a time: of short ones the sums take more memory than the elements.
const blockLines = 1 << 16

// lineBytes is about what the passes keep for each row and each column.
const lineBytes = 16

// input is what the passes over a matrix read: a matrix in memory, or one
// behind a RowReader of which a block is in memory at a time.
type input struct {
	rows, cols int
	w          Matrix    // the matrix, if r is nil
	r          RowReader // or where to read it
	memory     int64
	buf        []float32
}

func memoryInput(w Matrix) *input {
	return &input{rows: w.Rows, cols: w.Cols, w: w}
}

// newInput reads the matrix behind r if it fits in so many bytes of memory.
func newInput(ctx context.Context, r RowReader, memory int64) (*input, error) {
	if m, ok := r.(matrixRows); ok {
		if err := check(m.w); err != nil {
			return nil, err
		}
		return memoryInput(m.w), nil
	}
	if memory <= 0 {
		memory = DefaultMemory
	}
	in := &input{r: r, memory: memory}
	in.rows, in.cols = r.Dims()
	if in.rows < 0 || in.cols < 0 {
		return nil, fmt.Errorf("opscope: matrix of %d rows and %d columns", in.rows, in.cols)
	}
	if in.cols == 0 || in.rows == 0 {
		return memoryInput(Matrix{Rows: in.rows, Cols: in.cols, Stride: in.cols}), nil
	}
	if lines := int64(in.rows) + int64(in.cols); lines > memory/lineBytes {
		return nil, fmt.Errorf("opscope: the sums of %d rows and %d columns take more than %d bytes of memory: allow %d",
			in.rows, in.cols, memory, lineBytes*lines)
	}
	if int64(in.rows) > memory/4/int64(in.cols) {
		return in, nil
	}
	w := Matrix{Rows: in.rows, Cols: in.cols, Stride: in.cols, Data: make([]float32, in.rows*in.cols)}
	pages.Huge(w.Data)
	blockRows := max(1, blockElements/in.cols)
	for first := 0; first < in.rows; first += blockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(blockRows, in.rows-first)
		if err := readRows(r, w.Data[first*in.cols:][:n*in.cols], first, in.cols); err != nil {
			return nil, err
		}
	}
	return memoryInput(w), nil
}

// reader is the matrix for a probe that reads it by itself.
func (in *input) reader() RowReader {
	if in.r == nil {
		return MatrixRows(in.w)
	}
	return in.r
}

// blockRows is the number of rows of a block, a multiple of so many.
func (in *input) blockRows(multiple int) int {
	elements := blockElements
	if in.r != nil {
		elements = int(min(blockElements, in.memory/4))
	}
	return multiple * max(1, min(blockLines, elements/max(in.cols, 1))/multiple)
}

// scan calls f for the blocks of rows that make up the matrix, in order. All
// but the last have a multiple of so many rows.
func (in *input) scan(ctx context.Context, multiple int, f func(first int, block Matrix) error) error {
	if in.rows == 0 || in.cols == 0 {
		return ctx.Err()
	}
	blockRows := in.blockRows(multiple)
	if in.r != nil {
		rows := min(blockRows, in.rows)
		if in.cols > int(in.memory/4)/rows {
			return fmt.Errorf("opscope: a block of %d rows by %d columns does not fit in %d bytes of memory: allow more", rows, in.cols, in.memory)
		}
		if len(in.buf) < rows*in.cols {
			in.buf = make([]float32, rows*in.cols)
		}
	}
	for first := 0; first < in.rows; first += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		block := Matrix{Rows: min(blockRows, in.rows-first), Cols: in.cols}
		if in.r == nil {
			block.Stride, block.Data = in.w.Stride, in.w.Data[first*in.w.Stride:]
		} else {
			block.Stride, block.Data = in.cols, in.buf[:block.Rows*in.cols]
			if err := readRows(in.r, block.Data, first, in.cols); err != nil {
				return err
			}
		}
		if err := f(first, block); err != nil {
			return err
		}
	}
	return nil
}

// readRows is r.ReadRows in pieces, on all processors.
func readRows(r RowReader, dst []float32, first, cols int) error {
	rows := len(dst) / cols
	piece := max(1, 1<<16/cols)
	errs := make([]error, (rows+piece-1)/piece)
	parallel(len(errs), func(_, i int) {
		from, to := i*piece, min((i+1)*piece, rows)
		errs[i] = r.ReadRows(dst[from*cols:to*cols], first+from)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// parallelRows calls f for every row of a block, several in a call of parallelUpTo.
func parallelRows(limit int, block Matrix, f func(worker, r int, row []float32)) {
	perCall := max(1, 1<<14/block.Cols)
	parallelUpTo(limit, (block.Rows+perCall-1)/perCall, func(worker, i int) {
		for r := i * perCall; r < min((i+1)*perCall, block.Rows); r++ {
			f(worker, r, block.Data[r*block.Stride:][:block.Cols])
		}
	})
}

// workers is the number of goroutines that work at a time. It can change between
// calls, when a container is given another share of the machine.
func workers() int { return runtime.GOMAXPROCS(0) }

// parallel calls f for every i from 0 to n-1, in any order, and waits.
func parallel(n int, f func(worker, i int)) { parallelUpTo(workers(), n, f) }

// parallelUpTo is parallel with at most limit goroutines: calls with the same
// worker, from 0 to limit-1, are not concurrent.
func parallelUpTo(limit, n int, f func(worker, i int)) {
	limit = min(limit, n)
	if limit <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range limit {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(worker, i)
			}
		})
	}
	wg.Wait()
}
