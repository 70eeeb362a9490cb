package opscope_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func spectrum(t *testing.T, w opscope.Matrix) opscope.Spectrum {
	t.Helper()
	s, err := opscope.SingularValues(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stableRank(t *testing.T, w opscope.Matrix) float64 {
	t.Helper()
	r, err := opscope.StableRank(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// householder is the reflection I - 2vvᵀ/vᵀv with v = (1, 1/2, ..., 1/n).
func householder(n int) func(i, j int) float64 {
	var vv float64
	for i := range n {
		vv += 1 / float64((i+1)*(i+1))
	}
	return func(i, j int) float64 {
		h := -2 / float64((i+1)*(j+1)) / vv
		if i == j {
			h++
		}
		return h
	}
}

// withSpectrum is H diag(s) H' padded with zeros, whose singular values are s.
func withSpectrum(rows, cols int, s []float64) opscope.Matrix {
	left, right := householder(rows), householder(cols)
	return build(rows, cols, func(i, j int) float64 {
		var sum float64
		for r, v := range s {
			sum += left(i, r) * v * right(r, j)
		}
		return sum
	})
}

func TestSingularValues(t *testing.T) {
	shapes := [][2]int{
		{1, 1}, {1, 7}, {7, 1}, {20, 20}, {13, 30}, {30, 13},
		// Several blocks of rows, the last one full, short, or a single row.
		{600, 20}, {20, 600}, {512, 5}, {5, 513}, {1, 2000}, {2000, 1}, {700, 200},
	}
	for _, shape := range shapes {
		n := min(shape[0], shape[1])
		want := make([]float64, n)
		for i := range want {
			want[i] = float64(n-i) * 3
		}
		s := spectrum(t, strided(withSpectrum(shape[0], shape[1], want), 3))
		if len(s) != n {
			t.Errorf("%v: %d values, want %d", shape, len(s), n)
			continue
		}
		for i := range s {
			// The elements are rounded to float32.
			within(t, fmt.Sprintf("%v: value %d", shape, i), s[i], want[i], 1e-6*want[0])
		}
	}
	for _, shape := range [][2]int{{0, 0}, {0, 5}, {5, 0}} {
		s := spectrum(t, build(shape[0], shape[1], nil))
		if len(s) != 0 || s.StableRank() != 0 || s.TruncationError(0) != 0 || s.RankFor(0) != 0 {
			t.Errorf("%v: %v", shape, s)
		}
	}
}

func TestStableRankExact(t *testing.T) {
	const n = 40
	signs := func(i int) float64 { return float64(1 - 2*(i%2)) }
	gaussian := opscope.Sample(opscope.Gaussian, 90, 60, 5)
	centred := build(90, 60, func(i, j int) float64 {
		// Each pair of columns cancels, so every row sums to zero.
		return signs(j) * float64(gaussian.Data[i*60+j/2])
	})
	tests := []struct {
		name string
		w    opscope.Matrix
		want float64
	}{
		{"identity", diagonal(n, func(int) float64 { return 1 }), n},
		{"reflection", build(n, n, householder(n)), n},
		{"hadamard 1", hadamard(1), 1},
		{"hadamard 64", hadamard(64), 64},
		{"hadamard 512, beyond the step limit", hadamard(512), 512},
		{"diag(1..n)", diagonal(n, func(i int) float64 { return float64(i + 1) }), (n + 1) * (2*n + 1) / (6.0 * n)},
		{"diag(1..n), n = 400", diagonal(400, func(i int) float64 { return float64(i + 1) }), 401 * 801 / 2400.0},
		{"row sums zero, rank 1", build(32, 48, func(i, j int) float64 { return signs(i/3) * signs(j) }), 1},
		{"row sums zero, rank 30", centred, spectrum(t, gaussianHalf(gaussian)).StableRank()},
		{"constant", build(20, 30, func(i, j int) float64 { return 3 }), 1},
		{"single element", build(1, 1, func(i, j int) float64 { return -7 }), 1},
		{"row", opscope.Sample(opscope.Gaussian, 1, 500, 1), 1},
		{"column", opscope.Sample(opscope.Gaussian, 500, 1, 1), 1},
		{"zero", build(5, 4, func(i, j int) float64 { return 0 }), 0},
		{"empty", build(0, 4, nil), 0},
		{"tiny", diagonal(n, func(int) float64 { return 1e-38 }), n},
		{"huge", diagonal(n, func(int) float64 { return 3e38 }), n},
		{"one row in use", build(30, 30, func(i, j int) float64 {
			if i == 7 {
				return float64(j)
			}
			return 0
		}), 1},
	}
	for _, tt := range tests {
		within(t, tt.name+", Lanczos", stableRank(t, strided(tt.w, 2)), tt.want, 1e-6*tt.want)
		within(t, tt.name+", all values", spectrum(t, tt.w).StableRank(), tt.want, 1e-6*tt.want)
	}
}

// gaussianHalf is the first 30 columns of w: doubling each into a pair of
// opposite sign multiplies all singular values by sqrt(2).
func gaussianHalf(w opscope.Matrix) opscope.Matrix {
	w.Cols = 30
	return w
}

// The largest eigenvalue of a Gaussian's Gram matrix has a known law
// (Johnstone, 2001): mean and standard deviation of the stable rank follow.
func TestStableRankOfGaussian(t *testing.T) {
	for _, tt := range []struct {
		k, n        int
		mean, fourS float64
	}{
		{128, 128, 33.12, 4.4},
		{256, 256, 65.36, 5.2},
		{512, 128, 58.02, 4.4},
		{1024, 1024, 258.06, 4},
	} {
		within(t, fmt.Sprintf("%d x %d", tt.k, tt.n), stableRank(t, opscope.Sample(opscope.Gaussian, tt.k, tt.n, 3)), tt.mean, tt.fourS)
	}
}

// The two largest singular values lie close together, as in every large random
// matrix: a few steps of power iteration would not do.
func TestStableRankOfClusteredValues(t *testing.T) {
	const n = 600
	w := diagonal(n, func(i int) float64 { return 1 - 1e-4*float64(i) })
	var sum float64
	for i := range n {
		sum += math.Pow(1-1e-4*float64(i), 2)
	}
	near(t, "stable rank", stableRank(t, w), sum, 1e-4)
}

func TestTruncationError(t *testing.T) {
	const n = 64
	s := spectrum(t, hadamard(n))
	for r := -1; r <= n+1; r++ {
		want := math.Sqrt(1 - float64(min(max(r, 0), n))/n)
		within(t, fmt.Sprintf("hadamard rank %d", r), s.TruncationError(r), want, 1e-7)
	}
	for relErr, want := range map[float64]int{0.1: n, 0.5: 48, 0.7: 33, 0.99: 2, 1: 0, 2: 0} {
		// 0.5² is met by exactly 48 equal values, which rounding may put on either side.
		if got := s.RankFor(relErr + 1e-9); got != want {
			t.Errorf("hadamard: rank %d for %v, want %d", got, relErr, want)
		}
	}
	for _, relErr := range []float64{0, -1, math.NaN()} {
		if got := s.RankFor(relErr); got != n {
			t.Errorf("hadamard: rank %d for %v, want %d", got, relErr, n)
		}
	}

	for _, seed := range []uint64{1, 2, 3} {
		s := spectrum(t, opscope.Sample(opscope.LowRank, 256, 200, seed))
		if e := s.TruncationError(4); e > 1e-5 {
			t.Errorf("rank-4 product, seed %d: truncation error %v at rank 4", seed, e)
		}
		if r := s.RankFor(1e-5); r != 4 {
			t.Errorf("rank-4 product, seed %d: rank %d for 1e-5", seed, r)
		}
	}

	if s := (opscope.Spectrum{4, 3, 0}); s.TruncationError(1) != 0.6 || s.RankFor(0.6) != 1 || s.RankFor(0.59) != 2 || s.RankFor(0) != 2 {
		t.Errorf("values 4, 3, 0: %v, %d, %d, %d", s.TruncationError(1), s.RankFor(0.6), s.RankFor(0.59), s.RankFor(0))
	}
	if s := (opscope.Spectrum{0, 0}); s.StableRank() != 0 || s.TruncationError(0) != 0 || s.RankFor(0) != 0 {
		t.Error("a zero spectrum is not defined as 0")
	}
}

// The quarter-circle law gives the best low-rank error of a square Gaussian.
func TestTruncationErrorOfGaussian(t *testing.T) {
	const n = 400
	s := spectrum(t, opscope.Sample(opscope.Gaussian, n, n, 6))
	for fraction, want := range map[float64]float64{.05: .9099, .10: .8285, .125: .7900, .25: .6141, .50: .3260} {
		near(t, fmt.Sprintf("rank %v n", fraction), s.TruncationError(int(fraction*n)), want, 0.01)
	}
}

func TestBreakEvenRank(t *testing.T) {
	for _, tt := range []struct{ k, n, want int }{
		{512, 512, 255}, {1024, 3072, 767}, {3, 6, 1}, {1, 1, 0}, {1, 1000, 0}, {2, 2, 0}, {3, 3, 1}, {0, 5, 0}, {5, 0, 0},
	} {
		got := opscope.BreakEvenRank(tt.k, tt.n)
		if got != tt.want {
			t.Errorf("%d x %d: %d, want %d", tt.k, tt.n, got, tt.want)
		}
		if tt.k*tt.n > 0 && (got*(tt.k+tt.n) >= tt.k*tt.n || (got+1)*(tt.k+tt.n) < tt.k*tt.n) {
			t.Errorf("%d x %d: %d is not the largest rank below break-even", tt.k, tt.n, got)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := opscope.Sample(opscope.Gaussian, 8, 8, 1)
	_, svd := opscope.SingularValues(ctx, w)
	_, rank := opscope.StableRank(ctx, w)
	_, probe := opscope.Probe(ctx, w, opscope.Options{})
	_, recommend := opscope.Recommend(ctx, opscope.Profile{Role: opscope.Weight}, opscope.Budget{})
	for name, err := range map[string]error{"SingularValues": svd, "StableRank": rank, "Probe": probe, "Recommend": recommend} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
}
