package opscope_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func probeSpectrum(t *testing.T, r opscope.RowReader, o opscope.SpectralOptions) opscope.Spectral {
	t.Helper()
	s, err := opscope.ProbeSpectrum(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reflected is a matrix with the singular values s, which it makes of the
// diagonal matrix by random reflections I - 2vvᵀ from both sides. right is a vector
// that the last of its right singular vectors is parallel to, or nil.
func reflected(rows, cols int, s []float64, right []float64) opscope.Matrix {
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	unit := func(v []float64) []float64 {
		var sum float64
		for _, x := range v {
			sum += x * x
		}
		for i := range v {
			v[i] /= math.Sqrt(sum)
		}
		return v
	}
	random := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return unit(v)
	}
	a := make([][]float64, rows)
	for i := range a {
		a[i] = make([]float64, cols)
		if i < len(s) {
			a[i][i] = s[i]
		}
	}
	fromRight := func(v []float64) {
		for _, row := range a {
			var dot float64
			for j, x := range row {
				dot += x * v[j]
			}
			for j := range row {
				row[j] -= 2 * dot * v[j]
			}
		}
	}
	for range 2 {
		v := random(rows)
		dots := make([]float64, cols)
		for i, row := range a {
			for j, x := range row {
				dots[j] += v[i] * x
			}
		}
		for i, row := range a {
			for j := range row {
				row[j] -= 2 * v[i] * dots[j]
			}
		}
	}
	if right == nil {
		fromRight(random(cols))
		fromRight(random(cols))
	} else {
		// The reflection that exchanges the last axis and the vector.
		v := unit(slices.Clone(right))
		for j := range v {
			v[j] = -v[j]
		}
		v[cols-1]++
		fromRight(unit(v))
	}
	return build(rows, cols, func(i, j int) float64 { return a[i][j] })
}

// values makes n values.
func values(n int, f func(i int) float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

func ones(n int) []float64 { return values(n, func(int) float64 { return 1 }) }

// The singular values of these matrices are known because they were made of
// them. Every bound has to hold for every one.
func TestSketchBounds(t *testing.T) {
	step := func(levels ...[2]float64) func(i int) float64 {
		return func(i int) float64 {
			for _, l := range levels {
				if i -= int(l[0]); i < 0 {
					return l[1]
				}
			}
			return 0
		}
	}
	tests := []struct {
		name       string
		rows, cols int
		s          func(i int) float64
		right      []float64 // where the last value's vector should lie
		sharp      int       // so many values are found to 1e-4, and said to be
		rank10     int       // said exactly, if not 0
	}{
		{name: "slow decay", rows: 700, cols: 600, s: func(i int) float64 { return math.Pow(float64(i+1), -0.2) }},
		{name: "slower decay", rows: 600, cols: 700, s: func(i int) float64 { return 1 - 1e-4*float64(i) }},
		{name: "linear", rows: 600, cols: 600, s: func(i int) float64 { return float64(600 - i) }},
		{name: "fast decay", rows: 800, cols: 600, s: func(i int) float64 { return math.Pow(0.7, float64(i)) }, sharp: 10, rank10: 7},
		{name: "moderate decay", rows: 600, cols: 800, s: func(i int) float64 { return 1 / float64(i+1) }},
		{name: "equal", rows: 600, cols: 600, s: step([2]float64{600, 3}), sharp: 1},
		{name: "cluster smaller than the block", rows: 650, cols: 600, s: step([2]float64{5, 10}, [2]float64{595, 1}), sharp: 5},
		{name: "two close clusters", rows: 650, cols: 600, s: step([2]float64{4, 10}, [2]float64{4, 9.99}, [2]float64{592, 1}), sharp: 8},
		{name: "cluster larger than the block", rows: 600, cols: 650, s: step([2]float64{40, 10}, [2]float64{560, 1})},
		{name: "cluster larger than the sketch", rows: 600, cols: 650, s: step([2]float64{300, 10}, [2]float64{300, 1})},
		{name: "one large value", rows: 600, cols: 600, s: step([2]float64{1, 1000}, [2]float64{599, 1}), sharp: 1, rank10: 1},
		{name: "signals in noise", rows: 900, cols: 700, s: func(i int) float64 {
			if i < 12 {
				return 50 - float64(i)
			}
			return 2 - float64(i)/700
		}, sharp: 8},
		{name: "rank 1", rows: 600, cols: 700, s: step([2]float64{1, 5}), sharp: 1, rank10: 1},
		{name: "rank 3", rows: 600, cols: 700, s: step([2]float64{2, 5}, [2]float64{1, 4}), sharp: 3, rank10: 3},
		{name: "rank 16", rows: 600, cols: 600, s: step([2]float64{16, 5}), sharp: 16, rank10: 16},
		{name: "rank 100", rows: 600, cols: 700, s: func(i int) float64 { return max(0, 5-float64(i)/20) }, sharp: 95},
		{name: "rank 100 in two levels", rows: 600, cols: 700, s: step([2]float64{50, 5}, [2]float64{50, 4}), sharp: 20},
		{name: "rank 599", rows: 600, cols: 600, s: step([2]float64{599, 1}), sharp: 1},
		{name: "zero row sums", rows: 600, cols: 650, s: step([2]float64{3, 4}, [2]float64{597, 1}), right: ones(650), sharp: 3},
		{name: "zero row sums and rank deficient", rows: 700, cols: 600, s: step([2]float64{599, 1}), right: ones(600)},
		{name: "wide", rows: 520, cols: 3000, s: func(i int) float64 { return 1 / math.Sqrt(float64(i+1)) }},
		{name: "tall", rows: 3000, cols: 520, s: func(i int) float64 { return 1 / math.Sqrt(float64(i+1)) }},
		{name: "tiny", rows: 600, cols: 600, s: step([2]float64{3, 4e-36}, [2]float64{597, 1e-36}), sharp: 3},
		{name: "huge", rows: 600, cols: 600, s: step([2]float64{3, 1e38}, [2]float64{597, 3e37}), sharp: 3},
		{name: "wide range", rows: 600, cols: 600, s: func(i int) float64 { return math.Pow(10, -float64(i)/20) }},
	}
	for _, tt := range tests {
		want := values(min(tt.rows, tt.cols), tt.s)
		w := reflected(tt.rows, tt.cols, want, tt.right)
		s := probeSpectrum(t, opscope.MatrixRows(w), opscope.SpectralOptions{})
		checkSketch(t, tt.name, s, want, tt.sharp)
		if tt.rank10 > 0 && (s.Rank10.AtLeast || s.Rank10.Rank != tt.rank10) {
			t.Errorf("%s: rank for 10%%: %v, want %d", tt.name, s.Rank10, tt.rank10)
		}
	}
}

// checkSketch compares a sketch with the singular values.
func checkSketch(t *testing.T, name string, s opscope.Spectral, want opscope.Spectrum, sharp int) {
	t.Helper()
	if s.Exact || s.Sketch != len(s.Values) || len(s.Values) != len(s.Upper) || len(s.Values) == 0 {
		t.Errorf("%s: exact %v, sketch %d, %d values, %d bounds", name, s.Exact, s.Sketch, len(s.Values), len(s.Upper))
		return
	}
	// The elements are rounded to float32.
	slack := 2e-7 * want[0]
	for i, v := range s.Values {
		low := math.Sqrt(max(0, v*v-s.Rounding*s.Rounding))
		if !(low <= want[i]+slack && want[i] <= s.Upper[i]+slack) {
			t.Errorf("%s: value %d is %v, not within [%v, %v]", name, i+1, want[i], low, s.Upper[i])
		}
		if i < sharp {
			within(t, fmt.Sprintf("%s: value %d", name, i+1), v, want[i], 1e-4*want[0])
			within(t, fmt.Sprintf("%s: bound of value %d", name, i+1), s.Upper[i], want[i], 1e-4*want[0])
		}
		if i > 0 && (v > s.Values[i-1] || s.Upper[i] > s.Upper[i-1]) {
			t.Errorf("%s: values or bounds rise at %d", name, i+1)
		}
	}
	for r := 0; r <= len(want); r++ {
		low, high := s.TruncationError(r)
		if e := want.TruncationError(r); !(low <= e+1e-6 && e <= high+1e-6) || low > high {
			t.Errorf("%s: truncation error at rank %d is %v, not within [%v, %v]", name, r, e, low, high)
			break
		}
	}
	for _, relErr := range []float64{0.9, 0.5, 0.1, 0.01} {
		e := s.RankFor(relErr)
		// Which rank meets an error exactly is up to rounding.
		least, most := want.RankFor(relErr+1e-6), want.RankFor(relErr-1e-6)
		if e.Low > most || !e.AtLeast && e.Rank < least || e.AtLeast && e.Rank != e.Low {
			t.Errorf("%s: rank for %v: %+v, true %d", name, relErr, e, want.RankFor(relErr))
		}
	}
}

// Up to ExactSide on the smaller side all values are exact, long sides included.
func TestProbeSpectrumExact(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 5000}, {5000, 1}, {3, 7}, {200, 100}, {30, 2000}, {512, 520}} {
		want := values(min(shape[0], shape[1]), func(i int) float64 { return 7 / float64(i+1) })
		w := reflected(shape[0], shape[1], want, nil)
		s := probeSpectrum(t, opscope.MatrixRows(strided(w, 3)), opscope.SpectralOptions{})
		if !s.Exact || s.Sketch != 0 || s.Upper != nil || len(s.Values) != len(want) {
			t.Errorf("%v: %+v", shape, s)
			continue
		}
		for i := range want {
			within(t, fmt.Sprintf("%v: value %d", shape, i+1), s.Values[i], want[i], 1e-6*want[0])
		}
		truth := opscope.Spectrum(want)
		near(t, fmt.Sprintf("%v: stable rank", shape), s.StableRank(), truth.StableRank(), 1e-6)
		curve := s.TruncationCurve()
		for r := range len(want) + 1 {
			low, high := s.TruncationError(r)
			if low != high || (opscope.TruncationPoint{Rank: r, Low: low, High: high}) != curve[r] {
				t.Errorf("%v: truncation error at %d: %v, %v, curve %v", shape, r, low, high, curve[r])
			}
			within(t, fmt.Sprintf("%v: truncation error at %d", shape, r), low, truth.TruncationError(r), 1e-6)
		}
		if r := truth.RankFor(0.1); s.Rank10 != (opscope.RankEstimate{Rank: r, Low: r}) {
			t.Errorf("%v: rank %+v, want %d", shape, s.Rank10, r)
		}
	}
}

func TestProbeSpectrumDegenerate(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {4, 3}, {600, 700}} {
		zero := probeSpectrum(t, opscope.MatrixRows(build(shape[0], shape[1], func(i, j int) float64 { return 0 })), opscope.SpectralOptions{})
		if !zero.Exact || zero.StableRank() != 0 || zero.Rank1 != (opscope.RankEstimate{}) || zero.MarchenkoPastur() != (opscope.NoiseBulk{}) || len(zero.Values) != min(shape[0], shape[1]) {
			t.Errorf("zero %v: %+v", shape, zero)
		}
		if low, high := zero.TruncationError(0); low != 0 || high != 0 {
			t.Errorf("zero %v: truncation error %v, %v", shape, low, high)
		}
	}
	for _, n := range []int{3, 600} {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			w := build(n, n, func(i, j int) float64 { return 1 })
			w.Data[n+2] = float32(bad)
			s := probeSpectrum(t, opscope.MatrixRows(w), opscope.SpectralOptions{})
			low, high := s.TruncationError(1)
			for _, v := range []float64{s.Norm, s.StableRank(), low, high, s.MarchenkoPastur().Edge} {
				if !math.IsNaN(v) {
					t.Errorf("a matrix with %v has a figure that is %v, not NaN", bad, v)
				}
			}
			if s.Values != nil || s.TruncationCurve() != nil || s.Rank1 != (opscope.RankEstimate{AtLeast: true}) {
				t.Errorf("a matrix with %v: %+v", bad, s)
			}
		}
	}
}

// The largest singular value of a Gaussian matrix has a known law (Johnstone,
// 2001), and its spectrum has no gap at all.
func TestSketchOfGaussian(t *testing.T) {
	for _, tt := range []struct {
		k, n        int
		mean, fourS float64
	}{
		{1024, 1024, 258.06, 4}, {1024, 3072, 413.75, 8.8},
	} {
		name := fmt.Sprintf("%d x %d", tt.k, tt.n)
		w := opscope.Sample(opscope.Gaussian, tt.k, tt.n, 3)
		s := probeSpectrum(t, opscope.MatrixRows(w), opscope.SpectralOptions{})
		within(t, name, s.StableRank(), tt.mean, tt.fourS)
		if s.Upper[0] > 1.1*s.Values[0] {
			t.Errorf("%s: bound %v of %v", name, s.Upper[0], s.Values[0])
		}
		// Each singular value takes at most its share of the norm.
		if r := s.Rank1; !r.AtLeast || float64(r.Low) < 0.8*tt.mean || r.Low > tt.k {
			t.Errorf("%s: rank for 1%%: %v", name, r)
		}
	}
}

// reader counts what is read, and fails from a row on if fail is set.
type reader struct {
	opscope.RowReader
	fail error
	from int
}

func (r reader) ReadRows(dst []float32, first int) error {
	_, cols := r.Dims()
	if r.fail != nil && first+len(dst)/cols > r.from {
		return r.fail
	}
	return r.RowReader.ReadRows(dst, first)
}

// The result is the same bits from memory or read by blocks, with any stride
// and on any number of processors.
func TestProbeSpectrumSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, shape := range [][2]int{{600, 1700}, {1700, 600}, {300, 1000}, {40000, 30}} {
		w := opscope.Sample(opscope.Outlier, shape[0], shape[1], 9)
		var first opscope.Spectral
		for i, procs := range []int{2, 1, 3, 8} {
			runtime.GOMAXPROCS(procs)
			for _, r := range []opscope.RowReader{opscope.MatrixRows(w), opscope.MatrixRows(strided(w, 5)), reader{RowReader: opscope.MatrixRows(w)}} {
				s := probeSpectrum(t, r, opscope.SpectralOptions{Sketch: 48})
				if i == 0 && first.Values == nil {
					first = s
				}
				if !slices.Equal(s.Values, first.Values) || !slices.Equal(s.Upper, first.Upper) {
					t.Errorf("%v: other values on %d processors by %T", shape, procs, r)
				}
			}
			// Too little memory for the matrix: it is read by blocks.
			if shape[0] > opscope.ExactSide && shape[1] > opscope.ExactSide {
				s := probeSpectrum(t, reader{RowReader: opscope.MatrixRows(w)}, opscope.SpectralOptions{Sketch: 48, Memory: 6 << 20, Norm: first.Norm})
				if !slices.Equal(s.Values, first.Values) || !slices.Equal(s.Upper, first.Upper) {
					t.Errorf("%v: other values on %d processors in little memory", shape, procs)
				}
			}
		}
	}
}

// A wide matrix that does not fit is read for each block of its columns.
func TestExactInLittleMemory(t *testing.T) {
	for _, shape := range [][2]int{{60, 40000}, {40000, 60}} {
		want := values(60, func(i int) float64 { return float64(100 - i) })
		s := probeSpectrum(t, reader{RowReader: opscope.MatrixRows(reflected(shape[0], shape[1], want, nil))}, opscope.SpectralOptions{Memory: 12 << 20})
		for i := range want {
			within(t, fmt.Sprintf("%v: value %d", shape, i+1), s.Values[i], want[i], 1e-4)
		}
	}
}

func TestProbeSpectrumErrors(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 700, 800, 1)
	failure := errors.New("disk on fire")
	for _, o := range []opscope.SpectralOptions{{}, {Norm: 1}, {Memory: 1 << 20, Norm: 1}} {
		for _, from := range []int{0, 699} {
			if _, err := opscope.ProbeSpectrum(t.Context(), reader{opscope.MatrixRows(w), failure, from}, o); !errors.Is(err, failure) {
				t.Errorf("%+v from row %d: got %v", o, from, err)
			}
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range []opscope.SpectralOptions{{}, {Norm: 1}} {
		for _, m := range []opscope.Matrix{w, {Rows: 5, Cols: 800, Stride: 800, Data: w.Data}} {
			if _, err := opscope.ProbeSpectrum(cancelled, opscope.MatrixRows(m), o); !errors.Is(err, context.Canceled) {
				t.Errorf("%+v: got %v, want context.Canceled", o, err)
			}
		}
	}
	for _, n := range []int{30, 700} {
		bad := opscope.Sample(opscope.Gaussian, n, n, 1)
		bad.Data[n] = float32(math.NaN())
		if _, err := opscope.ProbeSpectrum(t.Context(), opscope.MatrixRows(bad), opscope.SpectralOptions{Norm: 1}); err == nil {
			t.Errorf("no error for a norm given of a matrix with a NaN of %d rows", n)
		}
	}
	malformed := opscope.Matrix{Rows: 600, Cols: 600, Stride: 600, Data: make([]float32, 10)}
	if _, err := opscope.ProbeSpectrum(t.Context(), opscope.MatrixRows(malformed), opscope.SpectralOptions{}); err == nil {
		t.Error("no error for a malformed matrix")
	}
}

func TestSketchSize(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 600, 520, 1)
	for _, tt := range []struct{ ask, want int }{{0, opscope.DefaultSketch}, {1, 16}, {17, 32}, {256, 256}} {
		if s := probeSpectrum(t, opscope.MatrixRows(w), opscope.SpectralOptions{Sketch: tt.ask}); s.Sketch != tt.want || len(s.Values) != tt.want {
			t.Errorf("asked for %d: sketch %d with %d values, want %d", tt.ask, s.Sketch, len(s.Values), tt.want)
		}
	}
	// A larger sketch bounds more closely.
	small := probeSpectrum(t, opscope.MatrixRows(w), opscope.SpectralOptions{Sketch: 64})
	large := probeSpectrum(t, opscope.MatrixRows(w), opscope.SpectralOptions{Sketch: 256})
	if large.Upper[0] >= small.Upper[0] || large.Values[0] < small.Values[0] {
		t.Errorf("sketch 64: [%v, %v], 256: [%v, %v]", small.Values[0], small.Upper[0], large.Values[0], large.Upper[0])
	}
	checkSketch(t, "Gaussian", large, spectrum(t, w), 0)
}

// A power of two does not change what is found, from the subnormal numbers, where its
// inverse is beyond float32, to the largest.
func TestSketchOfEveryScale(t *testing.T) {
	const rows, cols, row, col = 520, 530, 17, 400
	w := build(rows, cols, func(i, j int) float64 {
		if i == row && j == col {
			return 64
		}
		return float64((i*7+j*13)%5 - 2)
	})
	find := func(exponent int) opscope.Spectral {
		scaled := build(rows, cols, func(i, j int) float64 { return math.Ldexp(float64(w.Data[i*w.Stride+j]), exponent) })
		s, err := opscope.ProbeSpectrum(t.Context(), opscope.MatrixRows(scaled), opscope.SpectralOptions{})
		if err != nil {
			t.Fatalf("times 2^%d: %v", exponent, err)
		}
		return s
	}
	want := find(0)
	for _, exponent := range []int{-149, -140, -100, 60, 121} {
		got := find(exponent)
		for i, v := range got.Values {
			within(t, fmt.Sprintf("times 2^%d: value %d", exponent, i), math.Ldexp(v, -exponent), want.Values[i], 1e-9*want.Values[0])
		}
		if got.Rank1 != want.Rank1 || got.Rank10 != want.Rank10 {
			t.Errorf("times 2^%d: ranks %v and %v, want %v and %v", exponent, got.Rank1, got.Rank10, want.Rank1, want.Rank10)
		}
	}
}
