package opscope

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/rlx-go/gopherscope/kernels"
)

// Dist is a distribution of matrix elements for [Sample]. Each has one
// structure that a probe finds, or none.
type Dist int

const (
	// Gaussian: independent N(0,1). No structure.
	Gaussian Dist = iota
	// Uniform: independent, uniform on [-1,1].
	Uniform
	// Sparse90: each element is 0 with probability 0.9 and N(0,1) otherwise.
	Sparse90
	// LowRank: half the product of a [rows,4] and a [4,cols] Gaussian matrix;
	// elements have variance 1. Rounding to float32 leaves a remainder of
	// about 3e-8 of the norm beyond rank 4.
	LowRank
	// Outlier: N(0,1), and with probability 0.01, element by element, 30 times
	// that.
	Outlier
	// Quantized: N(0,1) rounded to the nearest multiple of 0.5.
	Quantized
	// Coherent: a random walk down each column. Row 0 is N(0,1), and every
	// other row is the row above plus 0.15 N(0,1).
	Coherent
)

var distNames = [...]string{"gaussian", "uniform", "sparse90", "lowrank", "outlier", "quantized", "coherent"}

// Dists returns every distribution, in the order of their declaration.
func Dists() []Dist {
	ds := make([]Dist, len(distNames))
	for i := range ds {
		ds[i] = Dist(i)
	}
	return ds
}

// String returns the name that ParseDist reads.
func (d Dist) String() string {
	if d < 0 || int(d) >= len(distNames) {
		return fmt.Sprintf("Dist(%d)", int(d))
	}
	return distNames[d]
}

// ParseDist returns the distribution of that name, such as "sparse90".
func ParseDist(name string) (Dist, error) {
	for i, n := range distNames {
		if n == name {
			return Dist(i), nil
		}
	}
	return 0, fmt.Errorf("opscope: no distribution %q; there are %q", name, distNames)
}

// Sample draws a matrix. The same arguments give the same bits on every
// platform. It panics on a size that kernels.New refuses and on a Dist that
// is none of the constants.
//
// Two matrices of one distribution need two seeds: with the same seed the
// smaller repeats values of the larger.
func Sample(d Dist, rows, cols int, seed uint64) Matrix {
	w := kernels.New(rows, cols)
	s := newSource(seed, uint64(d))
	switch d {
	case Gaussian:
		for i := range w.Data {
			w.Data[i] = float32(s.normal())
		}
	case Uniform:
		for i := range w.Data {
			w.Data[i] = float32(2*s.Float64() - 1)
		}
	case Sparse90:
		for i := range w.Data {
			if s.Float64() >= 0.9 {
				w.Data[i] = float32(s.normal())
			}
		}
	case LowRank:
		sampleLowRank(w, s)
	case Outlier:
		for i := range w.Data {
			v := s.normal()
			if s.Float64() < 0.01 {
				v *= 30
			}
			w.Data[i] = float32(v)
		}
	case Quantized:
		for i := range w.Data {
			w.Data[i] = float32(math.RoundToEven(2*s.normal()) / 2)
		}
	case Coherent:
		above := make([]float64, cols)
		for i := range w.Data {
			v := s.normal()
			if i >= cols {
				v = above[i%cols] + float64(0.15*v)
			}
			above[i%cols] = v
			w.Data[i] = float32(v)
		}
	default:
		panic("opscope: sample of " + d.String())
	}
	return w
}

func sampleLowRank(w Matrix, s source) {
	const rank = 4
	u := make([][rank]float64, w.Rows)
	v := make([][rank]float64, w.Cols)
	for _, factor := range [][][rank]float64{u, v} {
		for i := range factor {
			for r := range rank {
				factor[i][r] = s.normal()
			}
		}
	}
	for i := range u {
		for j := range v {
			var sum float64
			for r := range rank {
				// The conversion forbids a fused multiply-add, which would round
				// differently from one processor to the next.
				sum += float64(u[i][r] * v[j][r])
			}
			w.Data[i*w.Stride+j] = float32(sum / 2)
		}
	}
}

// source is a stream of random numbers that is the same on every platform.
type source struct{ *rand.Rand }

func newSource(seed, stream uint64) source {
	// Both words of the generator's state depend on the seed: with one word
	// shared, so would be half the state of every later step.
	return source{rand.New(rand.NewPCG(seed, seed*0x9e3779b97f4a7c15+stream))}
}

// normal draws from N(0,1) by the ratio of uniforms (Kinderman and Monahan,
// ACM TOMS 3, 1977). Unlike the standard library's method, which takes the tail
// from math.Log, it makes the value by divisions alone, which IEEE 754 rounds
// the same everywhere; the logarithm only decides whether to keep it.
func (s source) normal() float64 {
	const (
		width = 1.7155277699214135 // sqrt(8/e)
		slope = 5.136101666750966  // 4 exp(1/4)
	)
	for {
		u := 1 - s.Float64() // in (0,1], so the quotient is finite
		x := width * (s.Float64() - 0.5) / u
		// The line lies inside the region and saves most logarithms.
		if xx := x * x; xx <= 5-slope*u || xx <= -4*math.Log(u) {
			return x
		}
	}
}
