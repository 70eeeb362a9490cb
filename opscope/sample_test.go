package opscope_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

// The bits of a sample are the same on every platform and in every release:
// results that people publish name only a distribution and a seed.
func TestSampleBits(t *testing.T) {
	golden := map[opscope.Dist]string{
		opscope.Gaussian:  "b39501d9012d4211",
		opscope.Uniform:   "dbfa572b942b4b77",
		opscope.Sparse90:  "81d686f3c703591e",
		opscope.LowRank:   "8cf6d8deb00f39b0",
		opscope.Outlier:   "0591db7ebd809017",
		opscope.Quantized: "17635ed6c56396b7",
		opscope.Coherent:  "4659a12f12bb6862",
	}
	for _, d := range opscope.Dists() {
		w := opscope.Sample(d, 61, 67, 42)
		h := sha256.New()
		binary.Write(h, binary.LittleEndian, w.Data)
		if got := hex.EncodeToString(h.Sum(nil)[:8]); got != golden[d] {
			t.Errorf("%v: hash %s, want %s", d, got, golden[d])
		}
	}
}

func TestSampleSeeds(t *testing.T) {
	const n = 300
	for _, d := range opscope.Dists() {
		a, b, c := opscope.Sample(d, n, n, 7), opscope.Sample(d, n, n, 7), opscope.Sample(d, n, n, 8)
		if !slices.Equal(a.Data, b.Data) {
			t.Errorf("%v: the same seed gave another matrix", d)
		}
		// Of independent samples, elements differ in sign half of the time.
		var dot, aa, cc float64
		for i := range a.Data {
			dot += float64(a.Data[i]) * float64(c.Data[i])
			aa += float64(a.Data[i]) * float64(a.Data[i])
			cc += float64(c.Data[i]) * float64(c.Data[i])
		}
		limit := 4.5 / n // 4.5 standard errors for independent elements
		switch d {
		case opscope.LowRank:
			limit = 4.5 / 4.0 / math.Sqrt(n) // of which there are only 8n numbers
		case opscope.Coherent:
			limit = 4.5 / math.Sqrt(n) // a column's elements move together
		case opscope.Outlier:
			limit *= math.Sqrt2
		}
		if r := dot / math.Sqrt(aa*cc); math.Abs(r) > limit {
			t.Errorf("%v: seeds 7 and 8 correlate by %.4f", d, r)
		}
	}
}

// The largest distance between the empirical and the exact distribution
// function is below 1.95/sqrt(N) in 99.9% of samples (Kolmogorov).
func TestSampleDistribution(t *testing.T) {
	normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	tests := []struct {
		dist opscope.Dist
		cdf  func(x float64) float64
	}{
		{opscope.Gaussian, normal},
		{opscope.Uniform, func(x float64) float64 { return (x + 1) / 2 }},
		{opscope.Outlier, func(x float64) float64 { return 0.99*normal(x) + 0.01*normal(x/30) }},
	}
	for _, tt := range tests {
		v := opscope.Sample(tt.dist, 400, 500, 3).Data
		slices.Sort(v)
		var worst float64
		for i, x := range v {
			f := tt.cdf(float64(x))
			worst = max(worst, f-float64(i)/float64(len(v)), float64(i+1)/float64(len(v))-f)
		}
		if limit := 1.95 / math.Sqrt(float64(len(v))); worst > limit {
			t.Errorf("%v: distance %.5f from its distribution, limit %.5f", tt.dist, worst, limit)
		}
	}
}

func TestSampleStructure(t *testing.T) {
	const n = 500
	// Standard error of a density p over n*n elements: sqrt(p(1-p))/n.
	within(t, "sparse90 density", opscope.Density(opscope.Sample(opscope.Sparse90, n, n, 1)), 0.1, 4*0.3/n)
	// |x| < 1/4 rounds to 0.
	zero := math.Erf(0.25 / math.Sqrt2)
	q := opscope.Sample(opscope.Quantized, n, n, 1)
	within(t, "quantized density", opscope.Density(q), 1-zero, 4*math.Sqrt(zero*(1-zero))/n)
	for _, v := range q.Data {
		if v*2 != float32(math.Trunc(float64(v*2))) {
			t.Fatalf("quantized: %v is no multiple of 0.5", v)
		}
	}

	c := opscope.Sample(opscope.Coherent, n, n, 1)
	var step, first float64
	for j := range n {
		first += float64(c.Data[j]) * float64(c.Data[j]) / n
		for i := 1; i < n; i++ {
			d := float64(c.Data[i*n+j]) - float64(c.Data[(i-1)*n+j])
			step += d * d / (n * (n - 1))
		}
	}
	near(t, "coherent step", math.Sqrt(step), 0.15, 4/math.Sqrt(2*n*n))
	near(t, "coherent first row", math.Sqrt(first), 1, 4/math.Sqrt(2*n))

	s, err := opscope.SingularValues(t.Context(), opscope.Sample(opscope.LowRank, 300, 200, 1))
	if err != nil {
		t.Fatal(err)
	}
	if e := s.TruncationError(4); e > 1e-7 || s.TruncationError(3) < 0.1 {
		t.Errorf("lowrank: truncation error %.2g at rank 4, %.2g at rank 3", e, s.TruncationError(3))
	}
}

func TestParseDist(t *testing.T) {
	names := []string{"gaussian", "uniform", "sparse90", "lowrank", "outlier", "quantized", "coherent"}
	for i, d := range opscope.Dists() {
		if d.String() != names[i] {
			t.Errorf("%d is %q, want %q", i, d, names[i])
		}
		if got, err := opscope.ParseDist(names[i]); err != nil || got != d {
			t.Errorf("ParseDist(%q) = %v, %v", names[i], got, err)
		}
	}
	if len(opscope.Dists()) != len(names) {
		t.Errorf("%d distributions, want %d", len(opscope.Dists()), len(names))
	}
	for _, bad := range []string{"", "Gaussian", "normal"} {
		if _, err := opscope.ParseDist(bad); err == nil {
			t.Errorf("ParseDist(%q): no error", bad)
		}
	}
	if got := opscope.Dist(99).String(); got != "Dist(99)" {
		t.Errorf("unknown distribution prints %q", got)
	}
}

func TestSampleShapes(t *testing.T) {
	for _, d := range opscope.Dists() {
		for _, s := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 5}, {5, 1}} {
			w := opscope.Sample(d, s[0], s[1], 1)
			if w.Rows != s[0] || w.Cols != s[1] || len(w.Data) != s[0]*s[1] || w.Stride < max(1, w.Cols) {
				t.Errorf("%v of %v: %d x %d, stride %d, %d values", d, s, w.Rows, w.Cols, w.Stride, len(w.Data))
			}
		}
	}
	if !panics(func() { opscope.Sample(opscope.Gaussian, -1, 3, 1) }) {
		t.Error("a negative size did not panic")
	}
	if !panics(func() { opscope.Sample(opscope.Dist(99), 1, 1, 1) }) {
		t.Error("an unknown distribution did not panic")
	}
}

func TestSampleRefusesSizesThatOverflow(t *testing.T) {
	for _, size := range [][2]int{{-1, 2}, {2, -1}, {1 << 32, 1 << 32}, {1<<62 + 1, 4}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a sample of %d x %d did not panic", size[0], size[1])
				}
			}()
			opscope.Sample(opscope.Gaussian, size[0], size[1], 1)
		}()
	}
}
