package opscope_test

import (
	"math"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// sileroWeights returns the matrices of a trained network as W[k,n], in the order of
// the file, and their profiles.
func sileroWeights(t *testing.T) (ws []opscope.Matrix, profiles []opscope.Profile) {
	t.Helper()
	file, err := weights.Open("../notebooks/data/silero_vad_v5.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, m := range file.Matrices() {
		stored, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		w := stored.AsInOut().Matrix
		ws = append(ws, w)
		profiles = append(profiles, probe(t, w, opscope.Options{Name: m.Name()}))
	}
	return ws, profiles
}

// Matrices of a low stable rank, 3 to 11 of 64 to 128, which factors of that rank miss
// by two thirds: they are not low-rank.
func TestTrainedWeightsAreNotLowRank(t *testing.T) {
	ws, profiles := sileroWeights(t)
	trained := 0
	for i, p := range profiles {
		// The first is a fixed transform, the last has one column.
		if strings.HasPrefix(p.Name, "stft.") || p.Cols == 1 {
			continue
		}
		trained++
		side := min(p.Rows, p.Cols)
		if p.StableRank > float64(side)/8 {
			t.Errorf("%s: stable rank %v of %d", p.Name, p.StableRank, side)
		}
		if e := p.Spectrum.TruncationError(int(math.Round(p.StableRank))); e < 0.65 || e > 0.85 {
			t.Errorf("%s: at the stable rank the error is %v", p.Name, e)
		}
		for _, budget := range []float64{0.005, 0.02} {
			choices := recommend(t, p, opscope.Budget{Error: budget})
			for _, c := range choices {
				checkBuild(t, p.Name+" "+c.Name(), c, ws[i], budget)
			}
			if c, ok := find(choices, opscope.Factored); ok {
				t.Errorf("%s, budget %v: %v", p.Name, budget, c)
			}
			keep, _ := find(choices, opscope.KeepDense)
			if !strings.Contains(keep.Why, "low-rank factored (needs rank ") {
				t.Errorf("%s, budget %v: %s", p.Name, budget, keep.Why)
			}
		}
		if c, ok := find(recommend(t, p, opscope.Budget{}), opscope.LookupTable); ok {
			t.Errorf("%s: %v", p.Name, c)
		}
	}
	if trained != 6 {
		t.Errorf("%d trained matrices, want 6", trained)
	}
}

// A plan for the whole network keeps what its menus promise.
func TestPlanOfANetwork(t *testing.T) {
	ws, profiles := sileroWeights(t)
	var layers []opscope.Layer
	for i, p := range profiles {
		layers = append(layers, opscope.Layer{
			Name: p.Name, Params: int64(ws[i].Rows) * int64(ws[i].Cols),
			Menu: menuOf(t, p, opscope.Budget{Baseline: "BF16"}),
		})
	}
	last := math.Inf(1)
	for _, bits := range []float64{4.4, 5, 6, 8, 8.3, 12, 16} {
		plan, err := opscope.Solve(layers, opscope.SizeBudget{BitsPerWeight: bits})
		if err != nil {
			t.Fatal(err)
		}
		if plan.BitsPerWeight > bits || plan.Error > last || plan.Gap() < 0 || plan.Gap() > 0.5 {
			t.Errorf("%v bits: %v, gap %v", bits, plan, plan.Gap())
		}
		last = plan.Error
		for i, pick := range plan.Picks {
			if !pick.Choice.HasKernel {
				continue
			}
			m, err := pick.Choice.Build(ws[i])
			if err != nil || m.Info().WeightBytes != pick.Choice.Bytes {
				t.Errorf("%v bits: %s: %v, %v", bits, pick.Name, pick.Choice, err)
			}
		}
	}
	if last != 0 {
		t.Errorf("with room for all of it the error is %v", last)
	}
}
