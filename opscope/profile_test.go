package opscope_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

func probe(t *testing.T, w opscope.Matrix, o opscope.Options) opscope.Profile {
	t.Helper()
	p, err := opscope.Probe(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A profile holds what the single probes answer.
func TestProbeAgreesWithProbes(t *testing.T) {
	for _, d := range opscope.Dists() {
		w := opscope.Sample(d, 70, 50, 4)
		for _, role := range []opscope.Role{opscope.Weight, opscope.Activation} {
			p := probe(t, strided(w, 7), opscope.Options{Role: role, Name: "x"})
			if p.Name != "x" || p.Role != role || p.Rows != 70 || p.Cols != 50 || len(p.Notes) != 0 {
				t.Errorf("%v: header %q %q %d x %d, notes %q", d, p.Name, p.Role, p.Rows, p.Cols, p.Notes)
			}
			if p.Density != opscope.Density(w) || p.Norm != opscope.Norm(w) || p.NonFinite != opscope.CountNonFinite(w) {
				t.Errorf("%v: density %v, norm %v, %v", d, p.Density, p.Norm, p.NonFinite)
			}
			for _, bits := range []int{8, 4} {
				for _, g := range granularities {
					near(t, fmt.Sprintf("%v: int%d per %s", d, bits, g), p.QuantError(bits, g), opscope.QuantError(w, bits, g), 1e-9)
				}
			}
			near(t, d.String()+" stable rank", p.StableRank, stableRank(t, w), 1e-9)
			if role == opscope.Activation && p.Spectrum != nil {
				t.Errorf("%v: an activation has a spectrum", d)
			}
			if role == opscope.Weight && !slices.Equal(p.Spectrum, spectrum(t, w)) {
				t.Errorf("%v: another spectrum than SingularValues", d)
			}
		}
	}
	p := probe(t, hadamard(4), opscope.Options{})
	if p.Role != opscope.Weight {
		t.Errorf("default role %q", p.Role)
	}
	if !math.IsNaN(p.QuantError(5, opscope.PerTensor)) {
		t.Error("an error that was not measured is not NaN")
	}
}

// Rows of one 1 each: the columns are orthogonal, and their norms are the roots of how
// often each is met.
func TestProbeOfOneHotRows(t *testing.T) {
	const rows, cols = 60, 10
	w := build(rows, cols, func(i, j int) float64 {
		if at := max(0, i-23) % cols; at == j {
			return 1
		}
		return 0
	})
	counts := make([]float64, cols)
	for i := range rows {
		for j := range cols {
			counts[j] += float64(w.Data[i*cols+j])
		}
	}
	slices.Sort(counts)
	p := probe(t, w, opscope.Options{})
	const density = 1.0 / cols
	within(t, "density", p.Density, density, 1e-12)
	within(t, "kurtosis", p.Kurtosis, (1-3*density*(1-density))/(density*(1-density)), 1e-9)
	within(t, "stable rank", p.StableRank, rows/counts[cols-1], 1e-6)
	within(t, "truncation error", p.Spectrum.TruncationError(cols-2), math.Sqrt((counts[0]+counts[1])/rows), 1e-6)
	within(t, "int4", p.QuantError(4, opscope.PerTensor), 0, 1e-9)
	within(t, "ternary", p.Ternary, 0, 1e-6)
	if p.Cardinality != (opscope.Cardinality{Distinct: 2}) || p.BestBits != 3 || p.Zeros != rows*(cols-1) {
		t.Errorf("%v", p)
	}
}

func TestProbeSaysWhatItDidNotLookAt(t *testing.T) {
	w := opscope.Sample(opscope.Gaussian, 60, 40, 1)
	const cost = 60 * 40 * 40
	for _, tt := range []struct {
		limit int64
		looks bool
	}{{0, true}, {cost, true}, {cost - 1, false}, {-1, false}} {
		p := probe(t, w, opscope.Options{SVDLimit: tt.limit})
		if (p.Spectrum != nil) != tt.looks {
			t.Errorf("limit %d: spectrum of %d values", tt.limit, len(p.Spectrum))
		}
		if note := strings.Join(p.Notes, "\n"); tt.looks != (note == "") || !tt.looks && !strings.Contains(note, "low rank was not looked at") {
			t.Errorf("limit %d: notes %q", tt.limit, p.Notes)
		}
		near(t, "stable rank without singular values", p.StableRank, stableRank(t, w), 1e-9)
	}
}

func TestProbeOfNonFinite(t *testing.T) {
	w := hadamard(8)
	w.Data[20] = float32(math.Inf(-1))
	p := probe(t, w, opscope.Options{})
	if p.NonFinite.Count != 1 || p.NonFinite.Row != 2 || p.NonFinite.Col != 4 {
		t.Errorf("%+v", p.NonFinite)
	}
	figures := []float64{p.Density, p.Norm, p.StableRank}
	for _, q := range p.Quant {
		figures = append(figures, q.Error)
	}
	for i, v := range figures {
		if !math.IsNaN(v) {
			t.Errorf("figure %d is %v, want NaN", i, v)
		}
	}
	if p.Spectrum != nil {
		t.Error("there is a spectrum")
	}
	if s := p.String(); !strings.Contains(s, "1 non-finite value, at row 2, column 4") {
		t.Errorf("the text does not name the place:\n%s", s)
	}
}

func TestProbeOfNothing(t *testing.T) {
	for name, w := range map[string]opscope.Matrix{
		"empty": {}, "no columns": {Rows: 3}, "no rows": {Cols: 3, Stride: 3}, "zero": build(4, 3, func(i, j int) float64 { return 0 }),
	} {
		for _, role := range []opscope.Role{opscope.Weight, opscope.Activation} {
			p := probe(t, w, opscope.Options{Role: role})
			sum := p.Density + p.Norm + p.StableRank
			for _, q := range p.Quant {
				sum += q.Error
			}
			if sum != 0 {
				t.Errorf("%s %s: the figures are not 0: %v", name, role, p)
			}
			if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "by definition") {
				t.Errorf("%s %s: notes %q", name, role, p.Notes)
			}
		}
	}
}

func TestProbeRefusesUnknownRole(t *testing.T) {
	if _, err := opscope.Probe(t.Context(), hadamard(2), opscope.Options{Role: "bias"}); err == nil || !strings.Contains(err.Error(), `"bias"`) {
		t.Errorf("got %v, want an error that names the role", err)
	}
}

func TestProfileString(t *testing.T) {
	want := strings.Join([]string{
		"weight 4 x 4  h",
		"  density                   1",
		"  norm                      4",
		"  range, mean               -1 to 1, 0.25",
		"  kurtosis                  1.267",
		"  distinct values           2",
		"  outliers: input channels  0, the largest 1 times the median",
		"  outliers: output channels 0, the largest 1 times the median",
		"  stable rank               4 of at most 4",
		"  rank for 10%, 1% error    4, 4; factors pay up to 1",
		"  int8 per tensor           0",
		"  int8 per input channel    0",
		"  int8 per output channel   0",
		"  int8 group 32             0",
		"  int8 group 128            0",
		"  int4 per tensor           0",
		"  int4 per input channel    0",
		"  int4 per output channel   0",
		"  int4 group 32             0",
		"  int4 group 128            0",
		"  BF16                      0",
		"  F16                       0",
		"  2:4 sparse                0.7071",
		"  ternary                   0",
	}, "\n")
	if got := probe(t, hadamard(4), opscope.Options{Name: "h"}).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	act := probe(t, hadamard(4), opscope.Options{Role: opscope.Activation}).String()
	for _, s := range []string{"activation 4 x 4", "int8 per token", "int8 per input channel"} {
		if !strings.Contains(act, s) {
			t.Errorf("no %q in\n%s", s, act)
		}
	}
}

func TestProfileJSON(t *testing.T) {
	bad := hadamard(4)
	bad.Data[0] = float32(math.NaN())
	for name, w := range map[string]opscope.Matrix{"gaussian": opscope.Sample(opscope.Gaussian, 9, 5, 1), "NaN": bad, "empty": {}} {
		p := probe(t, w, opscope.Options{Name: name, SVDLimit: 1000})
		text, err := json.Marshal(p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var back opscope.Profile
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(text) {
			t.Errorf("%s: %v; written again:\n%s\n%s", name, err, text, again)
		}
		if name == "gaussian" && !reflect.DeepEqual(p, back) {
			t.Errorf("read back as\n%v\nwas\n%v", back, p)
		}
		if name == "NaN" {
			if !math.IsNaN(back.Density) || !math.IsNaN(back.Quant[0].Error) || back.NonFinite != p.NonFinite {
				t.Errorf("read back as\n%v", back)
			}
			var fields map[string]any
			if err := json.Unmarshal(text, &fields); err != nil || fields["density"] != nil || fields["rows"] != 4.0 {
				t.Errorf("%v: %s", err, text)
			}
		}
	}
}

// FuzzProbe checks, for any shape, stride and content, what holds for all.
func FuzzProbe(f *testing.F) {
	f.Add(uint8(3), uint8(5), uint8(0), []byte("some bytes as float32 numbers: 0123456789"))
	f.Add(uint8(1), uint8(1), uint8(9), []byte{0, 0, 0x80, 0x7f})    // +Inf
	f.Add(uint8(4), uint8(2), uint8(1), []byte{1, 0, 0, 0})          // the smallest number
	f.Add(uint8(2), uint8(4), uint8(1), []byte{0xff, 0xff, 0x7f, 0}) // near the smallest normal one
	f.Add(uint8(2), uint8(9), uint8(1), []byte{0xff, 0xff, 0x7f, 0x7f, 0xff, 0xff, 0x7f, 0xff})
	f.Add(uint8(24), uint8(115), uint8(8), []byte("1")) // numbers that binary16 rounds to 0
	f.Add(uint8(0), uint8(7), uint8(1), []byte{})
	f.Add(uint8(7), uint8(0), uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, rows, cols, gap uint8, data []byte) {
		r, c := int(rows%40), int(cols%40)
		finite := true
		w := build(r, c, func(i, j int) float64 {
			var bits uint32
			for b := range 4 {
				if len(data) > 0 {
					bits |= uint32(data[((i*c+j)*4+b)%len(data)]) << (8 * b)
				}
			}
			v := float64(math.Float32frombits(bits))
			finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
			return v
		})
		p := probe(t, w, opscope.Options{})
		s := probe(t, strided(w, int(gap%9)), opscope.Options{})
		compact, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if wide, err := json.Marshal(s); err != nil || string(compact) != string(wide) {
			t.Fatalf("%v; the stride changes the profile:\n%s\n%s", err, compact, wide)
		}
		if finite != (p.NonFinite.Count == 0) || finite == math.IsNaN(p.Density) {
			t.Fatalf("finite %v, but\n%v", finite, p)
		}
		choices, err := opscope.Recommend(t.Context(), p, opscope.Budget{})
		if err != nil || !slices.ContainsFunc(choices, func(c opscope.Choice) bool { return c.Action == opscope.KeepDense }) {
			t.Fatalf("%v, %v", choices, err)
		}
		if !finite || p.Norm == 0 {
			return
		}
		side := float64(min(r, c))
		if p.Density <= 0 || p.Density > 1 || p.StableRank < 1-1e-9 || p.StableRank > side*(1+1e-9) {
			t.Errorf("density %v, stable rank %v of a %d x %d matrix", p.Density, p.StableRank, r, c)
		}
		near(t, "stable rank by Lanczos", stableRank(t, w), p.StableRank, 1e-5)
		for _, q := range p.Quant {
			// Numbers can be too small and too large for a format without steps.
			if !(q.Error >= 0 && q.Error < 1) && !(q.Error >= 1 && q.Error < 1+1e-9 && q.Format != "") && !(math.IsNaN(q.Error) && q.Format == "F16") {
				t.Errorf("%+v", q)
			}
		}
		var energy float64
		for i, v := range p.Spectrum {
			if v < 0 || i > 0 && v > p.Spectrum[i-1] {
				t.Errorf("spectrum %v", p.Spectrum)
			}
			energy += v * v
		}
		near(t, "norm of the spectrum", math.Sqrt(energy), p.Norm, 1e-9)
	})
}

// A sketch without a bound for each value is no profile to read figures from.
func TestProfileJSONOfBrokenSketch(t *testing.T) {
	for _, sketch := range []string{`{}`, `{"values": [2, 1]}`, `{"values": [2, 1], "upper": [3]}`, `{"upper": [3]}`} {
		var p opscope.Profile
		err := json.Unmarshal([]byte(`{"rows": 600, "cols": 600, "norm": 3, "spectral": `+sketch+`}`), &p)
		if err == nil || !strings.Contains(err.Error(), "sketch") {
			t.Errorf("%s: %v", sketch, err)
		}
	}
}
