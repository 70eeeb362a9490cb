package opscope

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rlx-go/gopherscope/internal/skinny"
	"github.com/rlx-go/gopherscope/kernels"
)

// newVectors returns count vectors of n components, the rows of a matrix, with memory for
// the vectors and the components up to the multiples that package skinny takes. A few
// vectors do not have their components at the same places of a cache.
func newVectors(count, n int) Matrix {
	const period, offset = 4096 / 4, 2048/4 + skinny.Columns // in float32
	stride := (skinny.Pad(n)+period-1-offset)/period*period + offset
	data := make([]float32, wholeVectors(count)*stride)
	return Matrix{Rows: count, Cols: n, Stride: stride, Data: data}
}

// newCoefficients returns a matrix with, in each row, a coefficient of each of count vectors.
func newCoefficients(rows, count int) Matrix { return kernels.New(rows, wholeVectors(count)) }

func wholeVectors(count int) int {
	return (count + skinny.Vectors - 1) / skinny.Vectors * skinny.Vectors
}

// wholeBlock is a with all of the memory that it has beyond its vectors and components.
func wholeBlock(a Matrix) Matrix {
	a.Rows = wholeVectors(a.Rows)
	return a
}

// components is components from to to of all vectors of a.
func components(a Matrix, from, to int) Matrix {
	a.Cols, a.Data = to-from, a.Data[from:]
	return a
}

// vectorChunk is how many components of the vectors are handled at a time.
const vectorChunk = 512

// chunks calls f for the chunks of n components. All but the last are a multiple of
// skinny.Columns.
func chunks(n int, f func(i, from, to int)) {
	parallel(chunkCount(n), func(_, i int) { f(i, i*vectorChunk, min((i+1)*vectorChunk, n)) })
}

func chunkCount(n int) int { return (n + vectorChunk - 1) / vectorChunk }

// randomBlock makes vectors of standard normals, others for each stream.
func randomBlock(count, n, stream int) Matrix {
	const perSource = 256
	block := newVectors(count, n)
	parallel((n+perSource-1)/perSource, func(_, i int) {
		rng := newSource(1+uint64(stream), uint64(i))
		for j := i * perSource; j < min((i+1)*perSource, n); j++ {
			for c := range count {
				block.Data[c*block.Stride+j] = float32(rng.normal())
			}
		}
	})
	return block
}

// gram returns the products of the vectors of b with each other.
func gram(b Matrix) *mat.SymDense {
	partial := make([]*mat.SymDense, chunkCount(b.Cols))
	chunks(b.Cols, func(i, from, to int) {
		rows := make([][]float64, b.Rows)
		sums := mat.NewSymDense(b.Rows, nil)
		for c := range rows {
			rows[c] = make([]float64, to-from)
			for j, v := range b.Data[c*b.Stride+from:][:to-from] {
				rows[c][j] = float64(v)
			}
			for d := range c + 1 {
				sums.SetSym(d, c, floats.Dot(rows[d], rows[c]))
			}
		}
		partial[i] = sums
	})
	total := partial[0]
	for _, p := range partial[1:] {
		total.AddSym(total, p)
	}
	return total
}

// orthonormal returns an orthonormal basis Q of the vectors of b, whose gram is given,
// without those directions that are not longer than floor, and the factor R of
// b ≈ QR, each with vectors as columns.
func orthonormal(b Matrix, products *mat.SymDense, floor float64) (q Matrix, r *mat.Dense) {
	values, vectors := eigen(products)
	n := len(values)
	// A direction shorter than this is lost in the squares.
	floor = max(floor, 1e-7*math.Sqrt(max(0, values[0])))
	keep := 0
	for keep < n && values[keep] > floor*floor {
		keep++
	}
	if keep == 0 {
		return Matrix{Cols: b.Cols}, nil
	}
	weight := newCoefficients(n, keep)
	r = mat.NewDense(keep, n, nil)
	for j := range keep {
		length := math.Sqrt(values[j])
		for i := range n {
			weight.Data[i*weight.Stride+j] = float32(vectors.At(i, j) / length)
			r.Set(j, i, vectors.At(i, j)*length)
		}
	}
	q = newVectors(keep, b.Cols)
	chunks(b.Cols, func(_, from, to int) {
		skinny.AddCombinations(components(wholeBlock(q), from, to), weight, components(b, from, to))
	})
	return q, r
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
