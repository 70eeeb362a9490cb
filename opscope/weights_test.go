package opscope_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// Figures of real matrices, computed in float64 by another program from the eigenvalues
// of the Gram matrix. Rows and columns are those of the tensor as stored, [out, in].
func TestRealWeights(t *testing.T) {
	file, err := weights.Open("../notebooks/data/silero_vad_v5.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tests := []struct {
		name          string
		rows, cols    int
		stableRank    float64
		r90, r99      int        // ranks that hold 90% and 99% of the squared norm
		int8, int4    [3]float64 // per tensor, per row, per column
		trainedWeight bool
	}{
		{"decoder.rnn.weight_ih", 512, 128, 9.8604, 68, 115,
			[3]float64{.019138, .007591, .010536}, [3]float64{.345809, .137875, .190939}, true},
		{"decoder.rnn.weight_hh", 512, 128, 10.8973, 66, 115,
			[3]float64{.020358, .007808, .009325}, [3]float64{.367697, .141409, .169718}, true},
		{"stft.forward_basis_buffer", 130, 128, 40.0875, 60, 87,
			[3]float64{.005030, .004948, .003324}, [3]float64{.088990, .086714, .052295}, false},
	}
	for _, tt := range tests {
		m, err := file.Matrix(tt.name)
		if err != nil {
			t.Error(err)
			continue
		}
		stored, err := m.Load()
		if err != nil {
			t.Error(err)
			continue
		}
		p := probe(t, stored.Matrix, opscope.Options{Name: tt.name})
		if p.Rows != tt.rows || p.Cols != tt.cols {
			t.Errorf("%s: %d x %d, want %d x %d", tt.name, p.Rows, p.Cols, tt.rows, tt.cols)
		}
		near(t, tt.name+" stable rank", p.StableRank, tt.stableRank, 2e-5)
		near(t, tt.name+" stable rank, Lanczos", stableRank(t, stored.Matrix), tt.stableRank, 2e-5)
		if r90, r99 := p.Spectrum.RankFor(math.Sqrt(0.1)), p.Spectrum.RankFor(0.1); r90 != tt.r90 || r99 != tt.r99 {
			t.Errorf("%s: ranks %d and %d, want %d and %d", tt.name, r90, r99, tt.r90, tt.r99)
		}
		for i, g := range granularities {
			near(t, fmt.Sprintf("%s int8 per %s", tt.name, g), p.QuantError(8, g), tt.int8[i], 5e-4)
			near(t, fmt.Sprintf("%s int4 per %s", tt.name, g), p.QuantError(4, g), tt.int4[i], 5e-4)
		}

		// As W[k,n] = [in, out], a stored row is an output channel.
		w := probe(t, stored.AsInOut().Matrix, opscope.Options{})
		near(t, tt.name+" int8 per output channel", w.QuantError(8, opscope.PerColumn), tt.int8[1], 5e-4)
		for _, c := range recommend(t, w, opscope.Budget{}) {
			if tt.trainedWeight && c.Action == opscope.Factored {
				t.Errorf("%s: %v", tt.name, c)
			}
			checkBuild(t, tt.name+" "+string(c.Action), c, stored.AsInOut().Matrix, opscope.DefaultError)
		}
	}
}
