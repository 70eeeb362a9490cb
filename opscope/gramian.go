package opscope

import (
	"context"
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

const (
	// gramianBlock is about how many elements of W are multiplied at a time.
	gramianBlock = 1 << 19
	// At most gramianGroups partial sums of WᵀWQ are held, and as few as
	// gramianSums elements allow. Their number decides the order in which rows
	// are added up, so it does not depend on the number of processors.
	gramianGroups = 16
	gramianSums   = 1 << 23
)

// gramian multiplies by WᵀW, of which only W is stored, in one pass over W.
type gramian struct {
	in        *input
	blockRows int
	perGroup  int // blocks of rows
	groups    int
	// Powers of two that keep WQ and WᵀWQ within the range of float32: of Q, of WQ
	// and of the result.
	scaleIn, scaleMid, scaleOut float32
	sums                        [][]float32 // of each group
	scratch                     []gramianScratch
	// transposed holds the blocks of W as [cols][blockRows], or is nil where there
	// is no memory for it; filled tells that it does.
	transposed []float32
	filled     bool
}

func newGramian(in *input, norm float64, memory int64) *gramian {
	g := &gramian{in: in}
	g.blockRows = min(max(16, gramianBlock/in.cols/16*16), (in.rows+15)/16*16)
	blocks := (in.rows + g.blockRows - 1) / g.blockRows
	g.perGroup = (blocks + gramianGroups - 1) / gramianGroups
	if most := max(1, gramianSums/(in.cols*sketchBlock)); most < gramianGroups {
		g.perGroup = (blocks + most - 1) / most
	}
	g.groups = (blocks + g.perGroup - 1) / g.perGroup
	g.sums = make([][]float32, g.groups)
	_, e := math.Frexp(norm)
	g.scaleIn = float32(math.Ldexp(1, -e/2))
	g.scaleMid = float32(math.Ldexp(1, -e))
	// What is left of 2^(2e) after the other two.
	g.scaleOut = float32(math.Ldexp(1, -(2*e - e/2 - e)))
	if in.r == nil && int64(in.rows)*int64(in.cols)*4 <= memory/2 {
		g.transposed = make([]float32, blocks*g.blockRows*in.cols)
	}
	return g
}

// gramianScratch is what one goroutine works with.
type gramianScratch struct {
	rows, transposed []float32
	y, z             []float32
}

// times returns WᵀWQ / 4^e for Q[cols,b], where 2^e is about the norm of W and b
// at most sketchBlock. The result is the gramian's until the next call.
func (g *gramian) times(ctx context.Context, q Matrix) (Matrix, error) {
	scaled := kernels.New(q.Rows, q.Cols)
	for i, v := range q.Data {
		scaled.Data[i] = v * g.scaleIn
	}
	weight := prepared(scaled)
	g.scratch = append(g.scratch, make([]gramianScratch, max(0, workers()-len(g.scratch)))...)
	errs := make([]error, g.groups)
	parallel(g.groups, func(worker, group int) {
		errs[group] = g.group(ctx, group, weight, &g.scratch[worker])
	})
	for _, err := range errs {
		if err != nil {
			return Matrix{}, err
		}
	}
	g.filled = g.transposed != nil
	total := Matrix{Rows: q.Rows, Cols: q.Cols, Stride: q.Cols, Data: g.sums[0][:q.Rows*q.Cols]}
	const piece = 1 << 14
	parallel((len(total.Data)+piece-1)/piece, func(_, i int) {
		from, to := i*piece, min((i+1)*piece, len(total.Data))
		for _, s := range g.sums[1:] {
			addTo(total.Data[from:to], s[from:to])
		}
		for j := from; j < to; j++ {
			total.Data[j] *= g.scaleOut
		}
	})
	return total, nil
}

// group sets a partial sum to what the rows of a group add to WᵀWQ.
func (g *gramian) group(ctx context.Context, group int, q kernels.Multiplier, s *gramianScratch) error {
	rows, cols := g.in.rows, g.in.cols
	_, b := q.Dims()
	if s.y == nil {
		s.y, s.z = make([]float32, g.blockRows*sketchBlock), make([]float32, cols*sketchBlock)
	}
	if g.sums[group] == nil {
		g.sums[group] = make([]float32, cols*sketchBlock)
	}
	sum, z := g.sums[group][:cols*b], Matrix{Rows: cols, Cols: b, Stride: b, Data: s.z[:cols*b]}
	clear(sum)
	firstRow := group * g.perGroup * g.blockRows
	lastRow := min(rows, firstRow+g.perGroup*g.blockRows)
	for first := firstRow; first < lastRow; first += g.blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		block, err := g.block(first, s)
		if err != nil {
			return err
		}
		y := Matrix{Rows: block.Rows, Cols: b, Stride: b, Data: s.y[:block.Rows*b]}
		q.MulTo(y, block)
		for i := range y.Data {
			y.Data[i] *= g.scaleMid
		}
		prepared(y).MulTo(z, g.transpose(block, first, s))
		addTo(sum, z.Data)
	}
	return nil
}

// block returns the block of rows that starts at first.
func (g *gramian) block(first int, s *gramianScratch) (Matrix, error) {
	block := Matrix{Rows: min(g.blockRows, g.in.rows-first), Cols: g.in.cols}
	if g.in.r == nil {
		block.Stride, block.Data = g.in.w.Stride, g.in.w.Data[first*g.in.w.Stride:]
		return block, nil
	}
	if s.rows == nil {
		s.rows = make([]float32, g.blockRows*block.Cols)
	}
	block.Stride, block.Data = block.Cols, s.rows[:block.Rows*block.Cols]
	return block, g.in.r.ReadRows(block.Data, first)
}

// transpose returns the transpose of a block of rows.
func (g *gramian) transpose(block Matrix, first int, s *gramianScratch) Matrix {
	t := Matrix{Rows: block.Cols, Cols: block.Rows, Stride: g.blockRows}
	if g.transposed != nil {
		t.Data = g.transposed[first*block.Cols:][:g.blockRows*block.Cols]
	} else {
		if s.transposed == nil {
			s.transposed = make([]float32, g.blockRows*block.Cols)
		}
		t.Data = s.transposed
	}
	if !g.filled {
		transposeTo(t, block)
	}
	return t
}

// transposeTo sets t to the transpose of a. It copies eight rows at a time, so
// that every line of the cache of t is written once, and few columns, so that
// these lines are in the cache.
func transposeTo(t, a Matrix) {
	const rowsAtOnce, colsAtOnce = 8, 64
	for c := 0; c < a.Cols; c += colsAtOnce {
		cols := min(colsAtOnce, a.Cols-c)
		i := 0
		for ; i+rowsAtOnce <= a.Rows; i += rowsAtOnce {
			row := func(r int) []float32 { return a.Data[(i+r)*a.Stride+c:][:cols] }
			r0, r1, r2, r3, r4, r5, r6, r7 := row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)
			for j := range r0 {
				d := (*[rowsAtOnce]float32)(t.Data[(c+j)*t.Stride+i:])
				d[0], d[1], d[2], d[3] = r0[j], r1[j], r2[j], r3[j]
				d[4], d[5], d[6], d[7] = r4[j], r5[j], r6[j], r7[j]
			}
		}
		for ; i < a.Rows; i++ {
			for j, v := range a.Data[i*a.Stride+c:][:cols] {
				t.Data[(c+j)*t.Stride+i] = v
			}
		}
	}
}

// prepared makes a weight of few columns.
func prepared(w Matrix) *kernels.F32 {
	f, err := kernels.NewF32(w)
	if err != nil {
		panic(err) // w is well-formed
	}
	return f
}

func addTo(dst, src []float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += src[i]
	}
}
