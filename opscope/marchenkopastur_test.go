package opscope_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

// spiked is noise of standard deviation 1 plus signals of the given strengths, in
// units of (kn)^(1/4), each along a vector of equal elements of a sign pattern of
// its own.
func spiked(k, n int, strengths ...float64) opscope.Matrix {
	w := opscope.Sample(opscope.Gaussian, k, n, 4)
	sign := func(i, pattern int) float64 { return float64(1 - 2*(i>>pattern&1)) }
	for s, strength := range strengths {
		size := strength * math.Pow(float64(k)*float64(n), 0.25) / math.Sqrt(float64(k)*float64(n))
		for i := range k {
			for j := range n {
				w.Data[i*n+j] += float32(size * sign(i, s) * sign(j, s))
			}
		}
	}
	return w
}

// A signal of t(kn)^(1/4), t > 1, in unit noise shows as a singular value of
// sqrt((t² + b)(t² + 1/b)) (kn)^(1/4), b = sqrt(k/n) (Benaych-Georges and
// Nadakuditi, 2012); a weaker one does not show.
func TestMarchenkoPastur(t *testing.T) {
	for _, tt := range []struct {
		k, n      int
		strengths []float64
		spikes    int
	}{
		{512, 512, nil, 0},
		{256, 1024, nil, 0},
		{1024, 256, []float64{0.5}, 0},
		{512, 512, []float64{2}, 1},
		{256, 1024, []float64{3, 2}, 2},
		{1024, 256, []float64{20, 3, 2, 0.6}, 3},
		{640, 768, []float64{4, 3, 2}, 3}, // a sketch
	} {
		name := fmt.Sprintf("%d x %d with signals %v", tt.k, tt.n, tt.strengths)
		s := probeSpectrum(t, opscope.MatrixRows(spiked(tt.k, tt.n, tt.strengths...)), opscope.SpectralOptions{})
		bulk := s.MarchenkoPastur()
		if bulk.Spikes != tt.spikes || bulk.AtLeast && s.Exact {
			t.Errorf("%s: %+v, want %d spikes", name, bulk, tt.spikes)
		}
		near(t, name+": noise", bulk.Noise, 1, 0.01)
		k, n := float64(tt.k), float64(tt.n)
		near(t, name+": edge", bulk.Edge, math.Sqrt(k)+math.Sqrt(n), 0.02)
		unit, b := math.Pow(k*n, 0.25), math.Sqrt(k/n)
		for i, strength := range tt.strengths[:tt.spikes] {
			sq := strength * strength
			want := math.Sqrt((sq+b)*(sq+1/b)) / strength * unit
			near(t, fmt.Sprintf("%s: value %d", name, i+1), s.Values[i], want, 0.05)
		}
	}
}

func TestMarchenkoPasturExtremes(t *testing.T) {
	// Every value of the sketch is a signal.
	want := values(600, func(i int) float64 {
		if i < 60 {
			return 1000
		}
		return 1
	})
	s := probeSpectrum(t, opscope.MatrixRows(reflected(600, 600, want, nil)), opscope.SpectralOptions{Sketch: 32})
	if bulk := s.MarchenkoPastur(); bulk.Spikes == 0 || bulk.Spikes > 32 || !bulk.AtLeast {
		t.Errorf("a sketch of 32 with 60 large values: %+v", bulk)
	}
	// Low rank without noise, and a single element.
	rank2 := opscope.Spectral{Rows: 40, Cols: 50, Exact: true, Norm: 5, Values: append(opscope.Spectrum{4, 3}, make(opscope.Spectrum, 38)...)}
	if bulk := rank2.MarchenkoPastur(); bulk.Spikes != 2 || bulk.Noise > 1e-6 {
		t.Errorf("rank 2: %+v", bulk)
	}
	one := opscope.Spectral{Rows: 1, Cols: 1, Exact: true, Norm: 5, Values: opscope.Spectrum{5}}
	if bulk := one.MarchenkoPastur(); bulk.Spikes != 0 {
		t.Errorf("one element: %+v", bulk)
	}
}

func TestEffectiveRank(t *testing.T) {
	for _, tt := range []struct {
		s    opscope.Spectrum
		want float64
	}{
		{nil, 0}, {opscope.Spectrum{0, 0}, 0}, {opscope.Spectrum{7}, 1}, {opscope.Spectrum{3, 3, 3, 3, 0}, 4},
		{opscope.Spectrum{1e-300, 1e-300}, 2}, {opscope.Spectrum{1e300, 1e300, 1e300}, 3},
		// Shares 1/2, 1/4, 1/4 have an entropy of 1.5 bits.
		{opscope.Spectrum{2, 1, 1}, math.Pow(2, 1.5)},
	} {
		within(t, fmt.Sprint(tt.s), tt.s.EffectiveRank(), tt.want, 1e-12)
	}
	// A geometric spectrum of ratio q has the entropy of the geometric law.
	const q = 0.8
	s := opscope.Spectrum(values(300, func(i int) float64 { return math.Pow(q, float64(i)) }))
	entropy := -(q*math.Log(q) + (1-q)*math.Log(1-q)) / (1 - q)
	near(t, "geometric", s.EffectiveRank(), math.Exp(entropy), 1e-12)
}
