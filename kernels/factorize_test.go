package kernels_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

// hadamard returns entry (i, j) of the Sylvester-Hadamard matrix, +1 or -1. Of
// order n, a power of two, it is sqrt(n) times an orthogonal matrix.
func hadamard(i, j int) float64 { return float64(1 - 2*(bits.OnesCount(uint(i&j))%2)) }

// withSingularValues returns a matrix [k,n], both powers of two, that has the
// given singular values, no more than min(k, n) of them.
func withSingularValues(k, n int, s []float64) kernels.Matrix {
	norm := math.Sqrt(float64(k) * float64(n))
	return build(k, n, func(i, j int) float32 {
		var sum float64
		for c, sigma := range s {
			sum += hadamard(i, c) * sigma * hadamard(n-1-c, j)
		}
		return float32(sum / norm)
	})
}

// truncation is the error of the best approximation of rank r, by the theorem of
// Eckart and Young.
func truncation(s []float64, r int) float64 {
	var kept, lost float64
	for c, sigma := range s {
		if c < r {
			kept += sigma * sigma
		} else {
			lost += sigma * sigma
		}
	}
	return math.Sqrt(lost / (kept + lost))
}

func TestFactorizeIsCloseToTheBestApproximation(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
		sigma func(c int) float64
	}{
		{"all equal", 128, func(int) float64 { return 1 }},
		{"1/sqrt(c)", 128, func(c int) float64 { return 1 / math.Sqrt(float64(c+1)) }},
		{"1/c", 128, func(c int) float64 { return 1 / float64(c+1) }},
		{"0.8^c", 64, func(c int) float64 { return math.Pow(0.8, float64(c)) }},
		{"five, then a floor", 128, func(c int) float64 {
			if c < 5 {
				return 100
			}
			return 1
		}},
	} {
		s := make([]float64, c.count)
		for i := range s {
			s[i] = c.sigma(i)
		}
		for _, shape := range [][2]int{{128, 256}, {256, 128}} {
			w := withSingularValues(shape[0], shape[1], s)
			for _, rank := range []int{1, 5, 16, 40} {
				u, v, relErr, err := kernels.Factorize(w, rank)
				if err != nil {
					t.Fatal(err)
				}
				where := fmt.Sprintf("singular values %s, %v, rank %d", c.name, shape, rank)
				if u.Rows != shape[0] || u.Cols != rank || v.Rows != rank || v.Cols != shape[1] {
					t.Fatalf("%s: factors %dx%d and %dx%d", where, u.Rows, u.Cols, v.Rows, v.Cols)
				}
				best := truncation(s, rank)
				if relErr < best*(1-1e-4)-1e-7 || relErr > best*1.005+1e-6 {
					t.Errorf("%s: error %.6g, best possible %.6g", where, relErr, best)
				}
				if measured := kernels.RelErr(float64Product(v, u), w); math.Abs(measured-relErr) > 1e-4*relErr+1e-7 {
					t.Errorf("%s: reported error %.6g, the factors have %.6g", where, relErr, measured)
				}
			}
		}
	}
}

// The quarter-circle law gives the best approximation of a large square Gaussian
// at a quarter of its rank an error of 0.6141.
func TestFactorizeGaussian(t *testing.T) {
	_, _, relErr, err := kernels.Factorize(normal(256, 256, 20), 64)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(relErr/0.6141-1) > 0.01 {
		t.Errorf("error %.4f, want 0.6141 within 1%%", relErr)
	}
}

func TestFactorizeWithin(t *testing.T) {
	slow := make([]float64, 128)
	fast := make([]float64, 64)
	for c := range slow {
		slow[c] = 1 / math.Sqrt(float64(c+1))
	}
	for c := range fast {
		fast[c] = math.Pow(0.8, float64(c))
	}
	for _, c := range []struct {
		name   string
		s      []float64
		maxErr float64
	}{
		{"1/sqrt(c)", slow, 0.9}, {"1/sqrt(c)", slow, 0.5}, {"1/sqrt(c)", slow, 0.1},
		{"0.8^c", fast, 0.3}, {"0.8^c", fast, 0.01}, {"0.8^c", fast, 1e-5},
	} {
		least := 0
		for truncation(c.s, least) > c.maxErr {
			least++
		}
		for _, shape := range [][2]int{{128, 256}, {256, 128}} {
			w := withSingularValues(shape[0], shape[1], c.s)
			where := fmt.Sprintf("singular values %s, %v, error %v", c.name, shape, c.maxErr)
			u, v, relErr, err := kernels.FactorizeWithin(w, c.maxErr, 128)
			if err != nil {
				t.Errorf("%s: %v", where, err)
				continue
			}
			if u.Cols < least || u.Cols > least+1+least/50 || v.Rows != u.Cols {
				t.Errorf("%s: rank %d, the least is %d", where, u.Cols, least)
			}
			if relErr > c.maxErr {
				t.Errorf("%s: error %v", where, relErr)
			}
			if measured := kernels.RelErr(float64Product(v, u), w); math.Abs(measured-relErr) > 1e-4*relErr+1e-7 {
				t.Errorf("%s: reported error %.6g, the factors have %.6g", where, relErr, measured)
			}
			if _, _, _, err := kernels.FactorizeWithin(w, c.maxErr, least-1); err == nil {
				t.Errorf("%s: a rank below %d reaches it", where, least)
			}
		}
	}
}

// The rank of a product is found whatever the error, above that of float32; a lower
// one is refused at once.
func TestFactorizeWithinFindsTheRank(t *testing.T) {
	w := float64Product(normal(4, 300, 52), normal(200, 4, 51))
	for _, maxErr := range []float64{1e-2, 1e-5} {
		if u, _, _, err := kernels.FactorizeWithin(w, maxErr, 200); err != nil || u.Cols != 4 {
			t.Errorf("error %v: rank %d and error %v, want rank 4", maxErr, u.Cols, err)
		}
	}
	if _, _, _, err := kernels.FactorizeWithin(w, 1e-9, 200); err == nil || !strings.Contains(err.Error(), "rank 4") {
		t.Errorf("error 1e-9: got error %v, want one that names rank 4", err)
	}
	if u, v, relErr, err := kernels.FactorizeWithin(kernels.New(5, 6), 0.1, 3); err != nil || u.Cols != 0 || v.Rows != 0 || relErr != 0 {
		t.Errorf("zero matrix: rank %d, error %v, %v", u.Cols, relErr, err)
	}
	if u, _, relErr, err := kernels.FactorizeWithin(w, 1, 3); err != nil || u.Cols != 0 || relErr != 1 {
		t.Errorf("error 1: rank %d, error %v, %v, want rank 0 with error 1", u.Cols, relErr, err)
	}
}

func TestNewLowRankWithin(t *testing.T) {
	w := normal(64, 64, 53)
	// The quarter-circle law gives rank 16 an error of 0.61, and rank 32, beyond which
	// factors are larger than w, 0.31.
	l, err := kernels.NewLowRank(w, kernels.MaxError(0.65))
	if err != nil {
		t.Fatal(err)
	}
	y := kernels.Mul(l, identity(64))
	if err := kernels.RelErr(y, w); err > 0.65 || l.Rank() < 12 || l.Rank() > 16 {
		t.Errorf("rank %d with error %v", l.Rank(), err)
	}
	if _, err := kernels.NewLowRank(w, kernels.MaxError(0.1)); err == nil || !strings.Contains(err.Error(), "rank 32") {
		t.Errorf("error 0.1: got error %v, want one that names rank 32", err)
	}
	if _, err := kernels.NewLowRank(w, kernels.MaxError(0.65), kernels.Rank(8)); err == nil || !strings.Contains(err.Error(), "rank 8") {
		t.Errorf("error 0.65 with rank 8: got error %v, want one that names rank 8", err)
	}
	if l, err := kernels.NewLowRank(w, kernels.MaxError(0.1), kernels.Rank(64)); err != nil || l.Rank() < 45 {
		t.Errorf("error 0.1 with rank 64: got %v and error %v", l, err)
	}
	for _, shape := range [][2]int{{0, 0}, {0, 3}, {3, 0}} {
		if l, err := kernels.NewLowRank(kernels.New(shape[0], shape[1]), kernels.MaxError(0.1)); err != nil || l.Rank() != 0 {
			t.Errorf("%v: got %v and error %v", shape, l, err)
		}
	}
}

func TestFactorizeRecoversLowRank(t *testing.T) {
	product := func(k, r, n int) kernels.Matrix { return float64Product(normal(r, n, 22), normal(k, r, 21)) }
	stripes := build(30, 20, func(_, j int) float32 { return float32(1 + j%2) })
	for _, c := range []struct {
		name       string
		w          kernels.Matrix
		rank, want int
	}{
		{"product of rank 4 at 4", product(200, 4, 150), 4, 4},
		{"product of rank 4 at 8", product(150, 4, 200), 8, 4},
		{"equal rows", stripes, 5, 1},
		{"one row", normal(1, 50, 23), 3, 1},
		{"one column", normal(50, 1, 24), 3, 1},
		{"one value", normal(1, 1, 25), 1, 1},
		{"full rank", normal(12, 9, 26), 100, 9},
		{"identity", identity(17), 17, 17},
		{"one value of many", build(20, 20, func(i, j int) float32 {
			if i == 3 && j == 7 {
				return -5
			}
			return 0
		}), 4, 1},
		{"zero", kernels.New(6, 8), 3, 0},
		{"no rows", kernels.New(0, 8), 3, 0},
		{"no columns", kernels.New(8, 0), 3, 0},
		{"near the largest float32", build(20, 30, func(i, j int) float32 { return 3e38 }), 2, 1},
		{"subnormal", build(20, 30, func(i, j int) float32 { return 1e-40 }), 2, 1},
	} {
		u, v, relErr, err := kernels.Factorize(c.w, c.rank)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if u.Cols != c.want || v.Rows != c.want || u.Rows != c.w.Rows || v.Cols != c.w.Cols {
			t.Errorf("%s: factors %dx%d and %dx%d, want rank %d", c.name, u.Rows, u.Cols, v.Rows, v.Cols, c.want)
		}
		if measured := kernels.RelErr(float64Product(v, u), c.w); !(relErr < 1e-5) || !(measured < 1e-5) {
			t.Errorf("%s: reported error %v, measured %v, want below 1e-5", c.name, relErr, measured)
		}
	}
}

func TestNewLowRank(t *testing.T) {
	const m, k, n, rank = 5, 64, 128, 6
	w := float64Product(normal(rank, n, 31), normal(k, rank, 30))
	x := normal(m, k, 32)
	l, err := kernels.NewLowRank(w, kernels.Rank(rank))
	if err != nil {
		t.Fatal(err)
	}
	if err := kernels.RelErr(kernels.Mul(l, x), float64Product(w, x)); err > 1e-5 {
		t.Errorf("product of a matrix of rank %d: error %v, want at most 1e-5", rank, err)
	}
	if got, want := l.Info().WeightBytes, int64(4*rank*(k+n)); got != want || l.Rank() != rank {
		t.Errorf("rank %d with %d bytes, want %d with %d", l.Rank(), got, rank, want)
	}
	again, err := kernels.NewLowRank(w, kernels.Rank(rank))
	if err != nil {
		t.Fatal(err)
	}
	if !equalBits(kernels.Mul(l, x).Data, kernels.Mul(again, x).Data) {
		t.Error("two factorizations of one weight differ")
	}
}

func TestNewLowRankOfZeroWeight(t *testing.T) {
	l, err := kernels.NewLowRank(kernels.New(3, 2), kernels.Rank(1))
	if err != nil {
		t.Fatal(err)
	}
	x := normal(2, 3, 1)
	x.Data[3] = float32(math.Inf(1))
	y := kernels.Mul(l, x)
	if y.Data[0] != 0 || y.Data[1] != 0 || y.Data[2] == y.Data[2] || y.Data[3] == y.Data[3] {
		t.Errorf("y = %v, want a row of 0 and a row of NaN", y.Data)
	}
}

func TestNewLowRankFactors(t *testing.T) {
	u := build(3, 2, func(i, j int) float32 { return float32(i - j) })
	v := build(2, 4, func(i, j int) float32 { return float32(2*i + j) })
	l, err := kernels.NewLowRankFactors(u, v)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kernels.Mul(l, identity(3)), float64Product(v, u); !equalBits(got.Data, want.Data) {
		t.Errorf("UV = %v, want %v", got.Data, want.Data)
	}
	var shapeErr *kernels.ShapeError
	if _, err := kernels.NewLowRankFactors(u, kernels.New(3, 4)); !errors.As(err, &shapeErr) || shapeErr.Operand != "v" {
		t.Errorf("factors of different rank: got error %v, want a *ShapeError about v", err)
	}
	v.Data[5] = float32(math.NaN())
	var nonFinite *kernels.NonFiniteError
	if _, err := kernels.NewLowRankFactors(u, v); !errors.As(err, &nonFinite) || nonFinite.Operand != "v" || nonFinite.Row != 1 || nonFinite.Col != 1 {
		t.Errorf("NaN in v: got error %v, want a *NonFiniteError about v[1,1]", err)
	}
}

func TestFactorizeRefuses(t *testing.T) {
	w := normal(3, 4, 1)
	for _, rank := range []int{0, -1} {
		if _, _, _, err := kernels.Factorize(w, rank); err == nil || !strings.Contains(err.Error(), "rank") {
			t.Errorf("rank %d: got error %v, want one that names the rank", rank, err)
		}
	}
	for _, maxErr := range []float64{0, -1, math.NaN()} {
		if _, err := kernels.NewLowRank(w, kernels.MaxError(maxErr)); err == nil || !strings.Contains(err.Error(), "more than 0") {
			t.Errorf("error %v: got error %v", maxErr, err)
		}
	}
	if _, err := kernels.NewLowRank(w); err == nil || !strings.Contains(err.Error(), "NewLowRank") {
		t.Errorf("NewLowRank without a rank: got error %v", err)
	}
	w.Data[5] = float32(math.Inf(1))
	var nonFinite *kernels.NonFiniteError
	if _, err := kernels.NewLowRank(w, kernels.Rank(2)); !errors.As(err, &nonFinite) || nonFinite.Op != "NewLowRank" || nonFinite.Row != 1 || nonFinite.Col != 1 {
		t.Errorf("infinity in w: got error %v, want a *NonFiniteError about w[1,1]", err)
	}
	w.Data = w.Data[:2]
	var shapeErr *kernels.ShapeError
	if _, _, _, err := kernels.Factorize(w, 2); !errors.As(err, &shapeErr) {
		t.Errorf("short data: got error %v, want a *ShapeError", err)
	}
}
