package experiment

import (
	"math"
	"testing"
)

func TestGaussianBF16Error(t *testing.T) {
	// 0.17% was measured of standard normal weights; see kernels.BF16.
	if got := gaussianBF16Error(); math.Abs(got-0.0017) > 0.00005 {
		t.Errorf("%v", got)
	}
}
