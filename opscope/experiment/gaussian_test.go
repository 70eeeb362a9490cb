package experiment

import (
	"math"
	"testing"
)

// Values that were computed by quadrature in another program, and confirmed by
// simulation.
func TestGaussianQuantError(t *testing.T) {
	for _, c := range []struct {
		group                  int
		int8, int6, int4, int3 float64
	}{
		{32, .005346, .021901, .097004, .226501},
		{64, .005930, .024294, .107599, .251197},
		{128, .006463, .026478, .117268, .273728},
		{256, .006957, .028500, .126224, .294594},
		{1024, .007856, .032186, .142543, .332629},
		{3072, .008507, .034851, .154342, .360141},
		{4096, .008670, .035519, .157298, .367034},
		{1 << 20, .011396, .046687, .206755, .482107},
	} {
		for bits, want := range map[int]float64{8: c.int8, 6: c.int6, 4: c.int4, 3: c.int3} {
			if got := GaussianQuantError(bits, c.group); math.Abs(got/want-1) > 2e-4 {
				t.Errorf("%d bits, groups of %d: %v, want %v", bits, c.group, got, want)
			}
		}
	}
	// One element is its own largest.
	if got := GaussianQuantError(4, 1); got != 0 {
		t.Errorf("groups of 1: %v", got)
	}
	for _, c := range [][2]int{{1, 32}, {17, 32}, {8, 0}} {
		if got := GaussianQuantError(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", c, got)
		}
	}
}

func TestGaussianBF16Error(t *testing.T) {
	// 0.17% was measured of standard normal weights; see kernels.BF16.
	if got := gaussianBF16Error(); math.Abs(got-0.0017) > 0.00005 {
		t.Errorf("%v", got)
	}
}
