package opscope

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rlx-go/gopherscope/internal/skinny"
)

// sketchBlock is the number of columns of the random block that a sketch
// starts with.
const sketchBlock = 16

// krylov is the space spanned by a block of random vectors Ω and by GΩ, G²Ω, ...,
// where G = WᵀW / 4^e, by the block Lanczos method with full reorthogonalization
// (Golub and Underwood, 1977). The products run in float32, what becomes of them
// in float64.
type krylov struct {
	v     Matrix      // an orthonormal basis, the first dim vectors
	dim   int         // number of vectors in use
	eps   float64     // see rounding
	steps int         // number of blocks
	h     [][]float64 // column by column, VᵀGV from row 0 to the last of the column's own block
	omega *mat.Dense  // Ω in terms of the first block of the basis
	// residual is RᵀR for the part R of G times the last block that is outside the
	// space, last the first column of that block.
	residual *mat.SymDense
	last     int
}

// newKrylov builds the space up to so many dimensions. trace is that of G.
func newKrylov(ctx context.Context, g *gramian, trace float64, limit int) (*krylov, error) {
	k := &krylov{v: newVectors(limit, g.in.cols), eps: rounding(max(g.in.rows, g.in.cols))}
	block := randomBlock(min(sketchBlock, limit), g.in.cols, 0)
	k.residual = gram(block)
	var norm, captured float64 // of G, from below
	for {
		// The basis of what the block adds to the space.
		q, factor := orthonormal(block, k.residual, k.eps*norm)
		switch {
		case k.dim == 0:
			k.omega = factor
		case q.Rows == 0 && (trace-captured <= k.eps*trace || k.dim+sketchBlock > limit):
			return k, nil
		case q.Rows == 0:
			// G maps the space into itself: eigenvalues of more than sketchBlock vectors
			// are left, which only other random vectors show.
			block = randomBlock(sketchBlock, g.in.cols, k.dim)
			k.project(block)
			q, _ = orthonormal(block, gram(block), 0)
			fallthrough
		default:
			// Division by small norms made large what rounding left of the space.
			k.project(q)
			q, _ = orthonormal(q, gram(q), 0)
		}
		k.last = k.dim
		k.append(q)
		product, err := g.times(ctx, q)
		if err != nil {
			return nil, err
		}
		c := k.project(product)
		for j := range q.Rows {
			col := make([]float64, k.dim)
			for i := range col {
				col[i] = c.At(i, j)
			}
			k.h = append(k.h, col)
			norm = max(norm, col[k.last+j])
			captured += col[k.last+j]
		}
		k.steps++
		k.residual = gram(product)
		if d := captured + mat.Trace(k.residual); math.IsNaN(d) || math.IsInf(d, 0) {
			return nil, errNotFinite
		}
		block = product
		if k.dim+block.Rows > limit {
			return k, nil
		}
	}
}

// rounding is what sums of n products in float32 may change G by, relative to its
// norm, and the trace of a part of it, relative to the trace. They round like a
// random walk (Higham and Mary, SIAM J. Sci. Comput. 41, 2019). The factor is four
// times the largest seen on matrices of known singular values, without vector
// instructions; with them it was less.
func rounding(n int) float64 { return 4 * 0x1p-24 * math.Sqrt(float64(n)) }

func (k *krylov) append(q Matrix) {
	copy(k.v.Data[k.dim*k.v.Stride:], q.Data[:q.Rows*q.Stride])
	k.dim += q.Rows
}

// basis is components from to to of the vectors in use.
func (k *krylov) basis(from, to int) Matrix {
	v := components(k.v, from, to)
	v.Rows = k.dim
	return v
}

// project takes the space out of b, as far as float32 allows, and returns its
// part Vᵀb.
func (k *krylov) project(b Matrix) *mat.Dense {
	partial := make([]Matrix, chunkCount(b.Cols))
	chunks(b.Cols, func(i, from, to int) {
		partial[i] = newCoefficients(k.dim, b.Rows)
		skinny.AddDots(partial[i], k.basis(from, to), components(wholeBlock(b), from, to))
	})
	c := mat.NewDense(k.dim, b.Rows, nil)
	minus := newCoefficients(k.dim, b.Rows)
	for i := range k.dim {
		for j := range b.Rows {
			var sum float64
			for _, p := range partial {
				sum += float64(p.Data[i*p.Stride+j])
			}
			c.Set(i, j, sum)
			minus.Data[i*minus.Stride+j] = float32(-sum)
		}
	}
	chunks(b.Cols, func(_, from, to int) {
		skinny.AddCombinations(components(wholeBlock(b), from, to), minus, k.basis(from, to))
	})
	return c
}

// projected returns VᵀGV.
func (k *krylov) projected() *mat.SymDense {
	h := mat.NewSymDense(k.dim, nil)
	for j, col := range k.h {
		for i := 0; i <= j; i++ {
			v := col[i]
			// The block on the diagonal was computed whole.
			if i < len(k.h) && j < len(k.h[i]) {
				v = (v + k.h[i][j]) / 2
			}
			h.SetSym(i, j, v)
		}
	}
	return h
}
