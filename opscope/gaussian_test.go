package opscope_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func phi(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// cdf is the distribution function of N(0,1).
func cdf(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// simulated fails the test unless the mean of f over seeds is within four
// standard errors of want.
func simulated(t *testing.T, what string, want float64, seeds int, f func(seed uint64) float64) {
	t.Helper()
	var sum, sumSq float64
	for seed := range seeds {
		v := f(uint64(seed))
		sum += v
		sumSq += v * v
	}
	n := float64(seeds)
	mean := sum / n
	se := math.Sqrt(max(0, sumSq/n-mean*mean) / (n - 1))
	// A sample of few values misjudges its standard error, and want has six digits.
	if math.Abs(mean-want) > 4*se+1e-6 || se > 0.02*want {
		t.Errorf("%s: mean %.6f with a standard error of %.2g, want %.6f", what, mean, se, want)
	}
}

// The published values of the formula, and the probes on samples.
func TestQuantErrorOfGaussian(t *testing.T) {
	tests := []struct {
		k, channels int
		want        map[int]float64
	}{
		{32, 1000, map[int]float64{8: .005346, 6: .021901, 4: .097004, 3: .226501}},
		{64, 500, map[int]float64{8: .005930, 6: .024294, 4: .107599, 3: .251197}},
		{128, 300, map[int]float64{8: .006463, 6: .026478, 4: .117268, 3: .273728}},
		{256, 150, map[int]float64{8: .006957, 6: .028500, 4: .126224, 3: .294594}},
		{1024, 64, map[int]float64{8: .007856, 6: .032186, 4: .142543, 3: .332629}},
		{3072, 32, map[int]float64{8: .008507, 6: .034851, 4: .154342, 3: .360141}},
		{4096, 32, map[int]float64{8: .008670, 6: .035519, 4: .157298, 3: .367034}},
	}
	const seeds = 16
	for _, tt := range tests {
		var samples [seeds]opscope.Matrix
		for seed := range samples {
			samples[seed] = opscope.Sample(opscope.Gaussian, tt.k, tt.channels, uint64(seed))
		}
		for bits, want := range tt.want {
			within(t, fmt.Sprintf("formula for k=%d, int%d", tt.k, bits), opscope.GaussianQuantError(tt.k, bits), want, 1e-6)
			simulated(t, fmt.Sprintf("k=%d int%d", tt.k, bits), want, seeds, func(seed uint64) float64 {
				return opscope.QuantError(samples[seed], bits, opscope.PerColumn)
			})
		}
	}
	for _, group := range []int{32, 128} {
		for _, bits := range []int{8, 4} {
			simulated(t, fmt.Sprintf("int%d in groups of %d", bits, group), opscope.GaussianQuantError(group, bits), 16, func(seed uint64) float64 {
				p := probe(t, opscope.Sample(opscope.Gaussian, 256, 200, seed), opscope.Options{SVDLimit: -1, OutIn: seed%2 == 0})
				return p.GroupQuantError(bits, group)
			})
		}
	}
}

// Few elements, and more bits than are integrated cell by cell.
func TestGaussianQuantErrorEnds(t *testing.T) {
	for _, bits := range []int{2, 8, 16} {
		if got := opscope.GaussianQuantError(1, bits); got != 0 {
			t.Errorf("one element, %d bits: %v, want 0", bits, got)
		}
	}
	for _, k := range []int{2, 32} {
		for _, bits := range []int{2, 8, 9, 12} {
			simulated(t, fmt.Sprintf("k=%d int%d", k, bits), opscope.GaussianQuantError(k, bits), 16, func(seed uint64) float64 {
				return opscope.QuantError(opscope.Sample(opscope.Gaussian, k, 20000/k*k, seed), bits, opscope.PerColumn)
			})
		}
	}
	for _, bad := range [][2]int{{0, 8}, {32, 1}, {32, 17}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v does not panic", bad)
				}
			}()
			opscope.GaussianQuantError(bad[0], bad[1])
		}()
	}
}

// The largest of 2^20 magnitudes scatters by 5% from one matrix to the next.
func TestQuantErrorPerTensorOfGaussian(t *testing.T) {
	for bits, want := range map[int]float64{8: .011396, 6: .046687, 4: .206755, 3: .482107} {
		within(t, fmt.Sprintf("formula for int%d", bits), opscope.GaussianQuantError(1<<20, bits), want, 2e-6)
	}
	const seeds = 8
	var mean8, mean4 float64
	for seed := range uint64(seeds) {
		p := probe(t, opscope.Sample(opscope.Gaussian, 1024, 1024, seed), opscope.Options{SVDLimit: -1})
		mean8 += p.QuantError(8, opscope.PerTensor) / seeds
		mean4 += p.QuantError(4, opscope.PerTensor) / seeds
	}
	near(t, "int8 of 2^20", mean8, .011396, 4*0.05/math.Sqrt(seeds))
	near(t, "int4 of 2^20", mean4, .206755, 4*0.05/math.Sqrt(seeds))
}

func TestBestBitsOfGaussian(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 1024, 64, 1)
	for _, tt := range []struct {
		budget float64
		want   int
	}{{0, 8}, {0.02, 8}, {0.05, 6}, {0.15, 4}, {0.35, 3}, {0.066, 6}, {0.072, 5}, {0.005, 0}} {
		if got := probe(t, w, opscope.Options{Budget: tt.budget, SVDLimit: -1}).BestBits; got != tt.want {
			t.Errorf("budget %v: %d bits, want %d", tt.budget, got, tt.want)
		}
	}
}

// nm is the expected error of keeping n of m magnitudes of N(0,1): the sum of
// E of the squares of the others, by integrals over order statistics.
func gaussianNM(n, m int) float64 {
	const high, steps = 9.0, 20000
	h := high / steps
	var sum float64
	for i := 1; i < steps; i++ {
		x := float64(i) * h
		f := math.Erf(x / math.Sqrt2)
		for r := 1; r <= m-n; r++ { // the r-th smallest
			c := float64(r)
			for j := range r {
				c *= float64(m-j) / float64(j+1)
			}
			sum += c * math.Pow(f, float64(r-1)) * math.Pow(1-f, float64(m-r)) * 2 * phi(x) * x * x
		}
	}
	return math.Sqrt(sum * h / float64(m))
}

func TestSparsityOfGaussian(t *testing.T) {
	tests := []struct {
		n, m int
		want float64
	}{
		{2, 4, math.Sqrt(1./2 - 2/(math.Pi*math.Sqrt(3)))},
		{1, 4, math.Sqrt(3./4 - 2/(math.Pi*math.Sqrt(3)))},
		{1, 2, math.Sqrt(1./2 - 1/math.Pi)},
		{3, 4, .173711},
		{4, 8, .321414},
		{8, 16, .296029},
	}
	for _, tt := range tests {
		what := fmt.Sprintf("%d:%d", tt.n, tt.m)
		within(t, "formula for "+what, gaussianNM(tt.n, tt.m), tt.want, 1e-6)
		simulated(t, what, tt.want, 16, func(seed uint64) float64 {
			return opscope.NMError(opscope.Sample(opscope.Gaussian, 256, 200, seed), tt.n, tt.m)
		})
	}
	simulated(t, "2:4 of a profile", tests[0].want, 16, func(seed uint64) float64 {
		return probe(t, opscope.Sample(opscope.Gaussian, 256, 200, seed), opscope.Options{SVDLimit: -1}).Sparse[0].Error
	})
}

func TestTernaryErrorOfGaussian(t *testing.T) {
	at := 0.7 * math.Sqrt(2/math.Pi)
	want := math.Sqrt(1 - 2*phi(at)*phi(at)/cdf(-at))
	within(t, "formula", want, .437750, 1e-6)
	simulated(t, "ternary", want, 16, func(seed uint64) float64 {
		return opscope.TernaryError(opscope.Sample(opscope.Gaussian, 256, 200, seed))
	})
}

func TestMomentsOfSamples(t *testing.T) {
	for d, want := range map[opscope.Dist]float64{opscope.Gaussian: 3, opscope.Uniform: 1.8, opscope.Sparse90: 30} {
		simulated(t, fmt.Sprint(d, " kurtosis"), want, 24, func(seed uint64) float64 {
			return probe(t, opscope.Sample(d, 200, 200, seed), opscope.Options{SVDLimit: -1}).Kurtosis
		})
	}
}

// Uniform on [-1,1], where the largest magnitude tends to 1.
func TestProbesOfUniform(t *testing.T) {
	simulated(t, "2:4", math.Sqrt(.2), 16, func(seed uint64) float64 {
		return opscope.NMError(opscope.Sample(opscope.Uniform, 256, 200, seed), 2, 4)
	})
	simulated(t, "ternary", math.Sqrt(1-3*.65*.675*.675), 16, func(seed uint64) float64 {
		return opscope.TernaryError(opscope.Sample(opscope.Uniform, 256, 200, seed))
	})
	w := opscope.Sample(opscope.Uniform, 512, 512, 1)
	near(t, "int8", opscope.QuantError(w, 8, opscope.PerTensor), 1/(2*127.0), 0.005)
	near(t, "int4", opscope.QuantError(w, 4, opscope.PerTensor), 1/(2*7.0), 0.005)
}

// Laplace: the difference of two exponential variables.
func TestProbesOfLaplace(t *testing.T) {
	laplace := func(seed uint64) opscope.Matrix {
		a, b := opscope.Sample(opscope.Uniform, 256, 400, 2*seed), opscope.Sample(opscope.Uniform, 256, 400, 2*seed+1)
		return build(256, 400, func(i, j int) float64 {
			exponential := func(w opscope.Matrix) float64 { return -math.Log((float64(w.Data[i*400+j])+1)/2 + 1e-12) }
			return exponential(a) - exponential(b)
		})
	}
	simulated(t, "ternary", math.Sqrt(1-math.Exp(-.7)*1.7*1.7/2), 12, func(seed uint64) float64 {
		return opscope.TernaryError(laplace(seed))
	})
	simulated(t, "2:4", math.Sqrt(.0798611), 12, func(seed uint64) float64 { return opscope.NMError(laplace(seed), 2, 4) })
}
