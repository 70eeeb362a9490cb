package skinny

import (
	"slices"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
)

// An impl is an implementation for one tier of instructions. The columns of w are a
// multiple of Columns.
type impl struct {
	needs           cpu.Tier
	addDots         func(y, w, q kernels.Matrix)
	addCombinations func(z, y, w kernels.Matrix)
}

// impls lists the tiers in order, the reference first.
var impls = append([]impl{{cpu.Ref, addDotsRef, addCombinationsRef}}, assembly...)

// best is what runs: the last of impls that this processor and the mask allow.
var best = usable()[len(usable())-1]

func usable() []impl {
	return slices.DeleteFunc(slices.Clone(impls), func(i impl) bool { return !cpu.Has(i.needs) })
}

// A dotsTile adds the dot products of rows of w and vectors of q of n columns, above 0
// and a multiple of Columns, to y. It fetches blockColumns ahead in the rows of w.
type dotsTile func(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)

// A combinationsTile adds rows of w times coefficients of y to vectors of z.
type combinationsTile func(z *float32, ldz int, y *float32, ldy int, w *float32, ldw, rows int)

// tiles are the micro-kernels of one instruction set.
type tiles struct {
	dotsVectors int        // of a dotsTile; a divisor of Vectors
	dots        []dotsTile // dots[i] does i+1 rows
	// The size of a combinationsTile: divisors of Vectors and of Columns.
	vectors, columns int
	combinations     combinationsTile
}

func (t *tiles) impl(needs cpu.Tier) impl { return impl{needs, t.addDots, t.addCombinations} }

func (t *tiles) addDots(y, w, q kernels.Matrix) {
	if w.Cols == 0 {
		return
	}
	// The vectors stay in the cache, the rows pass by.
	for c := 0; c < q.Rows; c += t.dotsVectors {
		for i := 0; i < w.Rows; {
			rows := min(len(t.dots), w.Rows-i)
			t.dots[rows-1](&y.Data[i*y.Stride+c], y.Stride, &w.Data[i*w.Stride], w.Stride, &q.Data[c*q.Stride], q.Stride, w.Cols)
			i += rows
		}
	}
}

func (t *tiles) addCombinations(z, y, w kernels.Matrix) {
	if w.Rows == 0 {
		return
	}
	for j := w.Cols - t.columns; j >= 0; j -= t.columns {
		for c := 0; c < z.Rows; c += t.vectors {
			t.combinations(&z.Data[c*z.Stride+j], z.Stride, &y.Data[c], y.Stride, &w.Data[j], w.Stride, w.Rows)
		}
	}
}

func addDotsRef(y, w, q kernels.Matrix) {
	for i := range w.Rows {
		row := w.Data[i*w.Stride:][:w.Cols]
		for c := range q.Rows {
			vector := q.Data[c*q.Stride:][:len(row)]
			var even, odd float32
			for j := 0; j+1 < len(row); j += 2 {
				even += row[j] * vector[j]
				odd += row[j+1] * vector[j+1]
			}
			y.Data[i*y.Stride+c] += even + odd
		}
	}
}

func addCombinationsRef(z, y, w kernels.Matrix) {
	for i := range w.Rows {
		row := w.Data[i*w.Stride:][:w.Cols]
		for c := range z.Rows {
			vector := z.Data[c*z.Stride:][:len(row)]
			factor := y.Data[i*y.Stride+c]
			for j, v := range row {
				vector[j] += factor * v
			}
		}
	}
}
