package opscope

import (
	"context"
	"math"

	"github.com/rlx-go/gopherscope/internal/skinny"
)

const (
	// gramianBlock is about how many elements of W meet the vectors at a time: 384
	// KiB, which a second-level cache holds from the product with W to that with its
	// transpose. Of very long rows there are gramianRows.
	gramianBlock = 96 << 10
	gramianRows  = 24
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
	// Powers of two whose product is 4^-e and that keep WQ and WᵀWQ within the range of
	// float32: of Q, of WQ and of the result. They are about the same, since 2^-e alone is
	// beyond float32 for a matrix of subnormal numbers.
	scaleIn, scaleMid, scaleOut float32
	sums                        []Matrix // of each group
	scratch                     []gramianScratch
}

func newGramian(in *input, norm float64) *gramian {
	g := &gramian{in: in}
	g.blockRows = min(max(1, gramianBlock/in.cols/gramianRows)*gramianRows, in.rows)
	blocks := (in.rows + g.blockRows - 1) / g.blockRows
	g.perGroup = (blocks + gramianGroups - 1) / gramianGroups
	if most := max(1, gramianSums/(in.cols*sketchBlock)); most < gramianGroups {
		g.perGroup = (blocks + most - 1) / most
	}
	g.groups = (blocks + g.perGroup - 1) / g.perGroup
	g.sums = make([]Matrix, g.groups)
	_, e := math.Frexp(norm)
	third := -2 * e / 3
	g.scaleIn = float32(math.Ldexp(1, third))
	g.scaleMid = g.scaleIn
	g.scaleOut = float32(math.Ldexp(1, -2*e-2*third))
	return g
}

// gramianScratch is what one goroutine works with.
type gramianScratch struct {
	rows []float32
	y    Matrix
}

// times returns WᵀWQ / 4^e for a block Q of vectors, where 2^e is about the norm of W.
// The result is the gramian's until the next call.
func (g *gramian) times(ctx context.Context, q Matrix) (Matrix, error) {
	scaled := newVectors(q.Rows, q.Cols)
	for i, v := range q.Data {
		scaled.Data[i] = v * g.scaleIn
	}
	g.scratch = append(g.scratch, make([]gramianScratch, max(0, workers()-len(g.scratch)))...)
	errs := make([]error, g.groups)
	parallel(g.groups, func(worker, group int) {
		errs[group] = g.group(ctx, group, scaled, &g.scratch[worker])
	})
	for _, err := range errs {
		if err != nil {
			return Matrix{}, err
		}
	}
	total := g.sums[0]
	total.Rows = q.Rows
	chunks(total.Cols, func(_, from, to int) {
		for c := range total.Rows {
			piece := total.Data[c*total.Stride+from : c*total.Stride+to]
			for _, s := range g.sums[1:] {
				for j, v := range s.Data[c*s.Stride+from:][:len(piece)] {
					piece[j] += v
				}
			}
			for j := range piece {
				piece[j] *= g.scaleOut
			}
		}
	})
	return total, nil
}

// group sets a partial sum to what the rows of a group add to WᵀWQ.
func (g *gramian) group(ctx context.Context, group int, q Matrix, s *gramianScratch) error {
	if s.y.Data == nil {
		s.y = newCoefficients(g.blockRows, sketchBlock)
	}
	if g.sums[group].Data == nil {
		g.sums[group] = newVectors(sketchBlock, g.in.cols)
	}
	q, sum := wholeBlock(q), wholeBlock(g.sums[group])
	sum.Rows = q.Rows
	clear(sum.Data)
	firstRow := group * g.perGroup * g.blockRows
	lastRow := min(g.in.rows, firstRow+g.perGroup*g.blockRows)
	for first := firstRow; first < lastRow; first += g.blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		block, err := g.block(first, s)
		if err != nil {
			return err
		}
		y := s.y
		y.Rows, y.Cols = block.Rows, q.Rows
		clear(y.Data)
		skinny.AddDots(y, block, q)
		for i := range y.Data {
			y.Data[i] *= g.scaleMid
		}
		skinny.AddCombinations(sum, y, block)
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
