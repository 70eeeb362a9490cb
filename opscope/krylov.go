package opscope

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rlx-go/gopherscope/kernels"
)

// sketchBlock is the number of columns of the random block that a sketch
// starts with.
const sketchBlock = 16

// krylov is the space spanned by a block of random vectors Ω and by GΩ, G²Ω, ...,
// where G = WᵀW / 4^e, by the block Lanczos method with full reorthogonalization
// (Golub and Underwood, 1977). The products run in float32, what becomes of them
// in float64.
type krylov struct {
	v     Matrix      // [cols, dim], an orthonormal basis, in the first dim columns
	dim   int         // number of columns in use
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
	k := &krylov{v: kernels.New(g.in.cols, limit), eps: rounding(max(g.in.rows, g.in.cols))}
	block := randomBlock(g.in.cols, min(sketchBlock, limit), 0)
	k.residual = gram(block)
	var norm, captured float64 // of G, from below
	for {
		// The basis of what the block adds to the space.
		q, factor := orthonormal(block, k.residual, k.eps*norm)
		switch {
		case k.dim == 0:
			k.omega = factor
		case q.Cols == 0 && (trace-captured <= k.eps*trace || k.dim+sketchBlock > limit):
			return k, nil
		case q.Cols == 0:
			// G maps the space into itself: eigenvalues of more than sketchBlock vectors
			// are left, which only other random vectors show.
			block = randomBlock(g.in.cols, sketchBlock, k.dim)
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
		for j := range q.Cols {
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
		if k.dim+block.Cols > limit {
			return k, nil
		}
	}
}

// randomBlock makes standard normals, others for each stream.
func randomBlock(rows, cols, stream int) Matrix {
	block := kernels.New(rows, cols)
	chunks(rows, func(i, from, to int) {
		rng := newSource(1+uint64(stream), uint64(i))
		for j := from * cols; j < to*cols; j++ {
			block.Data[j] = float32(rng.normal())
		}
	})
	return block
}

// rounding is what sums of n products in float32 may change G by, relative to its
// norm, and the trace of a part of it, relative to the trace. They round like a
// random walk (Higham and Mary, SIAM J. Sci. Comput. 41, 2019). The factor is three
// times the largest seen on matrices of known singular values.
func rounding(n int) float64 { return 4 * 0x1p-24 * math.Sqrt(float64(n)) }

func (k *krylov) append(q Matrix) {
	for i := range q.Rows {
		copy(k.v.Data[i*k.v.Stride+k.dim:][:q.Cols], q.Data[i*q.Stride:])
	}
	k.dim += q.Cols
}

// krylovChunk is how many components of the vectors are handled at a time.
const krylovChunk = 256

// chunks calls f for the chunks of n components.
func chunks(n int, f func(i, from, to int)) {
	parallel((n+krylovChunk-1)/krylovChunk, func(_, i int) { f(i, i*krylovChunk, min((i+1)*krylovChunk, n)) })
}

// project takes the space out of b, as far as float32 allows, and returns its
// part Vᵀb.
func (k *krylov) project(b Matrix) *mat.Dense {
	partial := make([]Matrix, (b.Rows+krylovChunk-1)/krylovChunk)
	chunks(b.Rows, func(i, from, to int) {
		t := kernels.New(k.dim, to-from)
		transposeTo(t, k.chunk(from, to))
		partial[i] = kernels.Mul(prepared(rowsOf(b, from, to)), t)
	})
	c := mat.NewDense(k.dim, b.Cols, nil)
	single := kernels.New(k.dim, b.Cols)
	sum := c.RawMatrix().Data
	for _, p := range partial {
		for i, v := range p.Data {
			sum[i] += float64(v)
		}
	}
	for i, v := range sum {
		single.Data[i] = float32(v)
	}
	weight := prepared(single)
	chunks(b.Rows, func(_, from, to int) {
		inside := kernels.Mul(weight, k.chunk(from, to))
		part := rowsOf(b, from, to)
		for i, v := range inside.Data {
			part.Data[i] -= v
		}
	})
	return c
}

// chunk is components from to to of the basis.
func (k *krylov) chunk(from, to int) Matrix {
	return Matrix{Rows: to - from, Cols: k.dim, Stride: k.v.Stride, Data: k.v.Data[from*k.v.Stride : (to-1)*k.v.Stride+k.dim]}
}

// rowsOf is rows from to to of a matrix without gaps.
func rowsOf(a Matrix, from, to int) Matrix {
	return Matrix{Rows: to - from, Cols: a.Cols, Stride: a.Cols, Data: a.Data[from*a.Cols : to*a.Cols]}
}

// gram returns bᵀb.
func gram(b Matrix) *mat.SymDense {
	n := b.Cols
	partial := make([][]float64, (b.Rows+krylovChunk-1)/krylovChunk)
	chunks(b.Rows, func(c, from, to int) {
		sum := make([]float64, n*n)
		row := make([]float64, n)
		for i := from; i < to; i++ {
			for j, v := range b.Data[i*n:][:n] {
				row[j] = float64(v)
			}
			for j, v := range row {
				s := sum[j*n:][:n]
				for l := j; l < n; l++ {
					s[l] += v * row[l]
				}
			}
		}
		partial[c] = sum
	})
	total := mat.NewSymDense(n, nil)
	for j := range n {
		for l := j; l < n; l++ {
			var sum float64
			for _, p := range partial {
				sum += p[j*n+l]
			}
			total.SetSym(j, l, sum)
		}
	}
	return total
}

// orthonormal returns an orthonormal basis Q of the columns of b, of which bᵀb is
// given, without those directions that are not longer than floor, and the factor R
// of b ≈ QR.
func orthonormal(b Matrix, btb *mat.SymDense, floor float64) (q Matrix, r *mat.Dense) {
	values, vectors := eigen(btb)
	n := len(values)
	// A direction shorter than this is lost in the squares.
	floor = max(floor, 1e-7*math.Sqrt(max(0, values[0])))
	keep := 0
	for keep < n && values[keep] > floor*floor {
		keep++
	}
	if keep == 0 {
		return Matrix{Rows: b.Rows}, nil
	}
	weight := kernels.New(n, keep)
	r = mat.NewDense(keep, n, nil)
	for j := range keep {
		length := math.Sqrt(values[j])
		for i := range n {
			weight.Data[i*keep+j] = float32(vectors.At(i, j) / length)
			r.Set(j, i, vectors.At(i, j)*length)
		}
	}
	return kernels.Mul(prepared(weight), b), r
}

// eigen returns the eigenvalues, largest first, and eigenvectors of s.
func eigen(s *mat.SymDense) (values []float64, vectors *mat.Dense) {
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("opscope: LAPACK did not find the eigenvalues of a symmetric matrix")
	}
	n := s.SymmetricDim()
	ascending := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	values, vectors = make([]float64, n), mat.NewDense(n, n, nil)
	for j := range n {
		values[j] = ascending[n-1-j]
		for i := range n {
			vectors.Set(i, j, v.At(i, n-1-j))
		}
	}
	return values, vectors
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
