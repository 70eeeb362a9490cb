package opscope_test

import (
	"math"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func TestDensity(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	tests := []struct {
		name string
		w    opscope.Matrix
		want float64
	}{
		{"empty", opscope.Matrix{}, 0},
		{"no columns", build(3, 0, nil), 0},
		{"zero", build(3, 5, func(i, j int) float64 { return 0 }), 0},
		{"negative zero", build(3, 5, func(i, j int) float64 { return negativeZero }), 0},
		{"smallest number", build(1, 1, func(i, j int) float64 { return math.SmallestNonzeroFloat32 }), 1},
		{"identity", diagonal(8, func(int) float64 { return 1 }), 1.0 / 8},
		{"full", hadamard(8), 1},
	}
	for _, tt := range tests {
		for _, gap := range []int{0, 3} {
			if got := opscope.Density(strided(tt.w, gap)); got != tt.want {
				t.Errorf("%s, gap %d: density %v, want %v", tt.name, gap, got, tt.want)
			}
		}
	}
}

// One large square followed by 2^16 ones: in float32 the sum never leaves 2^24.
func TestNormSumsInFloat64(t *testing.T) {
	w := build(1, 1<<16+1, func(i, j int) float64 {
		if j == 0 {
			return 1 << 12
		}
		return 1
	})
	if got, want := opscope.Norm(w), math.Sqrt(1<<24+1<<16); got != want {
		t.Errorf("norm %v, want %v", got, want)
	}
	if got := opscope.Norm(build(2, 2, func(i, j int) float64 { return math.MaxFloat32 })); got != 2*math.MaxFloat32 {
		t.Errorf("norm of the largest numbers: %v", got)
	}
}

func TestNonFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, bad := range []float64{nan, inf, -inf} {
		w := hadamard(8)
		w.Data[3*8+5] = float32(bad)
		w.Data[6*8+1] = float32(nan)
		w = strided(w, 2)
		n := opscope.CountNonFinite(w)
		if n != (opscope.NonFinite{Count: 2, Row: 3, Col: 5}) {
			t.Errorf("%v: got %+v", bad, n)
		}
		if !strings.Contains(n.String(), "row 3, column 5") {
			t.Errorf("text %q does not name the place", n)
		}
		stable, err := opscope.StableRank(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]float64{
			"density": opscope.Density(w), "norm": opscope.Norm(w), "stable rank": stable,
			"per tensor": opscope.QuantError(w, 8, opscope.PerTensor),
			"per row":    opscope.QuantError(w, 8, opscope.PerRow),
			"per column": opscope.QuantError(w, 8, opscope.PerColumn),
		} {
			if !math.IsNaN(v) {
				t.Errorf("%v: %s is %v, want NaN", bad, name, v)
			}
		}
		if _, err := opscope.SingularValues(t.Context(), w); err == nil || !strings.Contains(err.Error(), "row 3, column 5") {
			t.Errorf("SingularValues: got %v, want an error that names the place", err)
		}
	}
	if n := opscope.CountNonFinite(hadamard(4)); n != (opscope.NonFinite{Count: 0, Row: -1, Col: -1}) {
		t.Errorf("finite matrix: %+v", n)
	}
}

func TestMalformedMatrix(t *testing.T) {
	bad := map[string]opscope.Matrix{
		"negative rows":  {Rows: -1, Cols: 2, Stride: 2},
		"negative cols":  {Rows: 1, Cols: -2, Stride: 2},
		"short stride":   {Rows: 2, Cols: 3, Stride: 2, Data: make([]float32, 6)},
		"short data":     {Rows: 2, Cols: 3, Stride: 3, Data: make([]float32, 5)},
		"no data":        {Rows: 1, Cols: 1, Stride: 1},
		"huge and empty": {Rows: math.MaxInt, Cols: 3, Stride: math.MaxInt, Data: make([]float32, 3)},
	}
	for name, w := range bad {
		if _, err := opscope.Probe(t.Context(), w, opscope.Options{}); err == nil {
			t.Errorf("%s: Probe gave no error", name)
		}
		if _, err := opscope.SingularValues(t.Context(), w); err == nil {
			t.Errorf("%s: SingularValues gave no error", name)
		}
		if _, err := opscope.StableRank(t.Context(), w); err == nil {
			t.Errorf("%s: StableRank gave no error", name)
		}
		if !panics(func() { opscope.Density(w) }) || !panics(func() { opscope.QuantError(w, 8, opscope.PerRow) }) {
			t.Errorf("%s: no panic", name)
		}
	}
}
