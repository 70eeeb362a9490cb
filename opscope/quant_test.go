package opscope_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

var granularities = []opscope.Granularity{opscope.PerTensor, opscope.PerRow, opscope.PerColumn}

// E of the relative error of N(0,1) in groups of k, by quadrature over the
// distribution of the largest magnitude of k.
func TestQuantErrorOfGaussian(t *testing.T) {
	tests := []struct {
		k, groups              int
		int8, int6, int4, int3 float64
	}{
		{32, 20000, .005346, .021901, .097004, .226501},
		{128, 6000, .006463, .026478, .117268, .273728},
		{1024, 1024, .007856, .032186, .142543, .332629},
		{3072, 256, .008507, .034851, .154342, .360141},
	}
	for _, tt := range tests {
		w := opscope.Sample(opscope.Gaussian, tt.k, tt.groups, 11)
		for bits, want := range map[int]float64{8: tt.int8, 6: tt.int6, 4: tt.int4, 3: tt.int3} {
			near(t, fmt.Sprintf("k=%d int%d", tt.k, bits), opscope.QuantError(w, bits, opscope.PerColumn), want, 0.02)
		}
	}
}

// One tensor has one largest magnitude A, which scatters; given A the error is
// that of rounding to a grid of step A/L, step/sqrt(12) for a standard deviation of 1.
func TestQuantErrorPerTensor(t *testing.T) {
	const seeds = 8
	var mean8, mean4 float64
	for seed := range uint64(seeds) {
		w := opscope.Sample(opscope.Gaussian, 1024, 1024, seed)
		var a float64
		for _, v := range w.Data {
			a = max(a, math.Abs(float64(v)))
		}
		e8, e4 := opscope.QuantError(w, 8, opscope.PerTensor), opscope.QuantError(w, 4, opscope.PerTensor)
		near(t, "int8 per tensor", e8, a/127/math.Sqrt(12), 0.005)
		near(t, "int4 per tensor", e4, a/7/math.Sqrt(12), 0.01)
		mean8 += e8 / seeds
		mean4 += e4 / seeds
	}
	// The relative standard deviation of A is 5% for 2^20 elements.
	near(t, "mean int8 of 2^20", mean8, .011396, 4*0.05/math.Sqrt(seeds))
	near(t, "mean int4 of 2^20", mean4, .206755, 4*0.05/math.Sqrt(seeds))
}

// A -> 1 as the groups grow, and the error to 1/(2L).
func TestQuantErrorOfUniform(t *testing.T) {
	w := opscope.Sample(opscope.Uniform, 512, 512, 1)
	near(t, "int8", opscope.QuantError(w, 8, opscope.PerTensor), 1/(2*127.0), 0.005)
	near(t, "int4", opscope.QuantError(w, 4, opscope.PerTensor), 1/(2*7.0), 0.005)
}

func TestQuantErrorExact(t *testing.T) {
	rowScaled := build(4, 6, func(i, j int) float64 { return math.Pow(10, float64(i)) * float64(1-2*(j%2)) })
	tests := []struct {
		name             string
		w                opscope.Matrix
		bits             int
		tensor, row, col float64
	}{
		{"signs", hadamard(16), 2, 0, 0, 0},
		{"signs", hadamard(16), 8, 0, 0, 0},
		{"empty", build(0, 4, nil), 8, 0, 0, 0},
		{"no columns", build(4, 0, nil), 8, 0, 0, 0},
		{"zero", build(3, 4, func(i, j int) float64 { return 0 }), 8, 0, 0, 0},
		{"smallest numbers", build(3, 4, func(i, j int) float64 { return math.SmallestNonzeroFloat32 }), 8, 0, 0, 0},
		{"largest numbers", build(3, 4, func(i, j int) float64 { return -math.MaxFloat32 }), 8, 0, 0, 0},
		// The grid of 3 bits is -3 to 3.
		{"integers", build(1, 7, func(i, j int) float64 { return float64(j - 3) }), 3, 0, 0, 0},
		// The step is 4/3: the codes of 1, 2, 3, 4 are 1, 2 (1.5 to even), 2, 3.
		{"off the grid", build(1, 4, func(i, j int) float64 { return float64(j + 1) }), 3,
			math.Sqrt((1./9 + 4./9 + 1./9) / 30), math.Sqrt((1./9 + 4./9 + 1./9) / 30), 0},
		// Rows of ±1, ±10, ±100, ±1000: a row is its own grid; on one of step
		// 1000/7 only the last row is left. A column is a geometric sequence.
		{"rows of different size", rowScaled, 4,
			math.Sqrt((1 + 100 + math.Pow(1000./7-100, 2)) / 1010101), 0,
			math.Sqrt((1 + 100 + math.Pow(1000./7-100, 2)) / 1010101)},
	}
	for _, tt := range tests {
		for g, want := range map[opscope.Granularity]float64{
			opscope.PerTensor: tt.tensor, opscope.PerRow: tt.row, opscope.PerColumn: tt.col,
		} {
			for _, gap := range []int{0, 5} {
				got := opscope.QuantError(strided(tt.w, gap), tt.bits, g)
				within(t, fmt.Sprintf("%s, int%d per %s, gap %d", tt.name, tt.bits, g, gap), got, want, 1e-12)
			}
		}
	}
}

// The formula of the definition, one group at a time.
func TestQuantErrorAgainstDefinition(t *testing.T) {
	for _, d := range opscope.Dists() {
		w := opscope.Sample(d, 37, 23, 9)
		groupOf := map[opscope.Granularity]func(i, j int) int{
			opscope.PerTensor: func(i, j int) int { return 0 },
			opscope.PerRow:    func(i, j int) int { return i },
			opscope.PerColumn: func(i, j int) int { return j },
		}
		for _, bits := range []int{2, 3, 4, 8, 16} {
			for _, g := range granularities {
				groups := map[int][]float64{}
				var sumSq, errSq float64
				for i := range w.Rows {
					for j := range w.Cols {
						x := float64(w.Data[i*w.Stride+j])
						groups[groupOf[g](i, j)] = append(groups[groupOf[g](i, j)], x)
						sumSq += x * x
					}
				}
				for _, group := range groups {
					var a float64
					for _, x := range group {
						a = math.Max(a, math.Abs(x))
					}
					if a == 0 {
						continue
					}
					step := a / (math.Pow(2, float64(bits-1)) - 1)
					for _, x := range group {
						e := math.Round(x/step)*step - x
						errSq += e * e
					}
				}
				near(t, fmt.Sprintf("%v int%d per %s", d, bits, g), opscope.QuantError(w, bits, g), math.Sqrt(errSq/sumSq), 1e-9)
			}
		}
	}
}

func TestQuantErrorAxes(t *testing.T) {
	w := opscope.Sample(opscope.Outlier, 40, 90, 2)
	if r, c := opscope.QuantError(w, 8, opscope.PerRow), opscope.QuantError(transpose(w), 8, opscope.PerColumn); math.Abs(r-c) > 1e-15 {
		t.Errorf("per row %v, per column of the transpose %v", r, c)
	}
}

func TestQuantErrorRefuses(t *testing.T) {
	w := hadamard(2)
	for _, bits := range []int{-1, 0, 1, 17, 33, 64} {
		if !panics(func() { opscope.QuantError(w, bits, opscope.PerTensor) }) {
			t.Errorf("%d bits: no panic", bits)
		}
	}
	if !panics(func() { opscope.QuantError(w, 8, "channel") }) {
		t.Error("unknown granularity: no panic")
	}
}
