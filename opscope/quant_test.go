package opscope_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

var granularities = []opscope.Granularity{opscope.PerTensor, opscope.PerRow, opscope.PerColumn}

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
