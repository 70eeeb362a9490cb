package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// diffLine is a line of --json with its nulls.
type diffLine struct {
	Tensor      string
	Changed     int64
	Max         float64  `json:"max_abs"`
	MaxRow      int      `json:"max_row"`
	MaxCol      int      `json:"max_col"`
	RMS         *float64 `json:"rms"`
	Error       *float64 `json:"error"`
	SQNR        *float64 `json:"sqnr_db"`
	NonFinite   int64    `json:"non_finite"`
	Row         int      `json:"non_finite_row"`
	Col         int      `json:"non_finite_col"`
	NotCompared string   `json:"not_compared"`
}

func diffLines(t *testing.T, args ...string) (map[string]diffLine, int) {
	t.Helper()
	stdout, stderr, status := command(t, t.Context(), append([]string{"diff", "--json"}, args...)...)
	lines := map[string]diffLine{}
	for text := range strings.Lines(stdout) {
		var line diffLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %q, stderr %q", err, text, stderr)
		}
		lines[line.Tensor] = line
	}
	return lines, status
}

// with returns a copy with one value changed.
func with(n weights.Named, at int, value float32) weights.Named {
	n.Data = slices.Clone(n.Data)
	n.Data[at] = value
	return n
}

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	ones := weights.Named{Name: "ones", Shape: []int{30, 40}, Data: slices.Repeat([]float32{1}, 1200)}
	same := named("same", "", 1, 20, 30)
	masked := with(with(named("masked", "", 2, 4, 4), 3, -inf), 7, nan)
	broken := named("broken", "", 3, 5, 6)
	bias := named("bias", "", 4, 9)
	zero := weights.Named{Name: "zero", Shape: []int{2, 2}, Data: make([]float32, 4)}
	a := writeModel(t, filepath.Join(dir, "a.safetensors"), ones, same, masked, broken, bias, zero,
		named("shape", "", 6, 2, 3), named("gone", "", 7, 2, 2))
	b := writeModel(t, filepath.Join(dir, "b.safetensors"), with(with(ones, 2*40+5, 4), 7, 0), same, masked, with(with(broken, 8, nan), 20, inf), bias,
		with(zero, 3, 1), named("shape", "", 6, 3, 2), named("new", "", 9, 2, 2))
	lines, status := diffLines(t, a, b)
	if status != 0 {
		t.Errorf("status %d", status)
	}
	// 3 and 1 off in 1200 ones: the squares add up to 10, over 1200.
	got := lines["ones"]
	if got.Changed != 2 || got.Max != 3 || got.MaxRow != 2 || got.MaxCol != 5 ||
		!near(*got.Error, math.Sqrt(10.0/1200), 1e-12) || !near(*got.RMS, math.Sqrt(10.0/1200), 1e-12) || !near(*got.SQNR, 10*math.Log10(120), 1e-12) {
		t.Errorf("ones: %+v", got)
	}
	for _, name := range []string{"same", "masked", "bias"} { // the infinity and the NaN are the same on both sides
		if got := lines[name]; got.Changed != 0 || *got.Error != 0 || got.NonFinite != 0 || got.SQNR != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := lines["broken"]; got.NonFinite != 2 || got.Row != 1 || got.Col != 2 || got.Error != nil || got.RMS != nil {
		t.Errorf("broken: %+v", got)
	}
	if got := lines["zero"]; got.Changed != 1 || got.Max != 1 || got.Error != nil { // infinite
		t.Errorf("zero: %+v", got)
	}
	for name, want := range map[string]string{
		"shape": "shape 2 x 3 in A, 3 x 2 in B", "gone": "only in A", "new": "only in B",
	} {
		if got := lines[name].NotCompared; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}

	stdout, stderr, status := command(t, t.Context(), "diff", a, b)
	if status != 0 || stderr != "" {
		t.Errorf("status %d: %s", status, stderr)
	}
	for _, want := range []string{
		"ones    F32     0.167%    3  [2, 5]  0.0913  0.0913  20.8 dB\n",
		"6 tensors compared: 3 differ, 3 equal\n",
		"broken: 2 places where only one of A and B is infinite or no number, or they are in different ways; the first is at row 1, column 2\n",
		"not compared, shape 2 x 3 in A, 3 x 2 in B: 1 tensor: shape\n",
		"only in A: 1 tensor: gone\n", "only in B: 1 tensor: new\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// Of tensors that are no matrices the values are compared too, whatever their dtypes.
func TestDiffVectors(t *testing.T) {
	dir := t.TempDir()
	norm := weights.Named{Name: "norm", Shape: []int{4}, Data: []float32{1, 2, 3, 4}}
	changed := with(norm, 3, 6)
	changed.DType = weights.BF16
	scalar := weights.Named{Name: "scalar", Shape: []int{}, Data: []float32{2}}
	cube := named("cube", "", 1, 2, 1, 2, 1, 3)
	long := weights.Named{Name: "long", Shape: []int{3 << 20}, Data: make([]float32, 3<<20)}
	a := writeModel(t, filepath.Join(dir, "a.safetensors"), norm, scalar, cube, long, named("short", "", 2, 5))
	b := writeModel(t, filepath.Join(dir, "b.safetensors"), changed, with(scalar, 0, 1), with(cube, 11, cube.Data[11]+8),
		with(with(long, 1<<20+1, 1), 2<<20+7, -3), named("short", "", 2, 6))
	lines, _ := diffLines(t, a, b)
	for name, want := range map[string]struct {
		max       float64
		row       int
		different int64
	}{"norm": {2, 3, 1}, "scalar": {1, 0, 1}, "cube": {8, 11, 1}, "long": {3, 2<<20 + 7, 2}} {
		got := lines[name]
		if !near(got.Max, want.max, 1e-6) || got.MaxRow != want.row || got.MaxCol != 0 || got.Changed != want.different {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if got := lines["norm"]; !near(*got.Error, 2/math.Sqrt(30), 1e-12) || !near(*got.SQNR, 10*math.Log10(30.0/4), 1e-12) {
		t.Errorf("norm: error %v, SQNR %v", *got.Error, *got.SQNR)
	}
	if got := lines["short"].NotCompared; got != "shape 5 in A, 6 in B" {
		t.Errorf("short: %q", got)
	}
}

// Of tensors that are not decoded the bytes are compared.
func TestDiffNotDecoded(t *testing.T) {
	model := func(name string, last byte) string {
		header := `{"ids":{"dtype":"I8","shape":[3],"data_offsets":[0,3]},"mask":{"dtype":"BOOL","shape":[2,1],"data_offsets":[3,5]}}`
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, append(file, 1, 2, 3, 1, last), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := model("a.safetensors", 0), model("b.safetensors", 1)
	lines, _ := diffLines(t, a, b)
	if got := lines["mask"].NotCompared; !strings.Contains(got, "the bytes differ, and the values are not compared: ") || len(lines) != 1 {
		t.Errorf("%+v", lines)
	}
	stdout, _, _ := command(t, t.Context(), "diff", a, b)
	if !strings.Contains(stdout, "not decoded, with equal bytes: 1\n") {
		t.Error(stdout)
	}
}

// Blocks of rows are compared one by one; places and sums are those of the whole.
func TestDiffManyBlocks(t *testing.T) {
	dir := t.TempDir()
	const rows, cols = 3000, 1000 // three blocks
	w := weights.Named{Name: "w", Shape: []int{rows, cols}, Data: slices.Repeat([]float32{2}, rows*cols)}
	a := writeModel(t, filepath.Join(dir, "a.safetensors"), w)
	b := writeModel(t, filepath.Join(dir, "b.safetensors"), with(with(w, 2999*cols+999, 8), 1500*cols+3, 4))
	lines, _ := diffLines(t, a, b)
	got := lines["w"]
	if got.Changed != 2 || got.Max != 6 || got.MaxRow != 2999 || got.MaxCol != 999 || !near(*got.Error, math.Sqrt(40.0/(4*rows*cols)), 1e-12) {
		t.Errorf("%+v, error %v", got, *got.Error)
	}
}

// bfloat16 keeps 8 bits of a value: rounding is at most 2^-8 of it, and uniform errors
// of half a step in a binade add up to a relative error of about 0.0017.
func TestDiffAcrossTypes(t *testing.T) {
	dir := t.TempDir()
	a := writeModel(t, filepath.Join(dir, "a.safetensors"), named("w", weights.F32, 1, 300, 200))
	b := writeModel(t, filepath.Join(dir, "b.safetensors"), named("w", weights.BF16, 1, 300, 200))
	lines, _ := diffLines(t, a, b)
	if e := *lines["w"].Error; e < 0.0012 || e > 0.0022 {
		t.Errorf("error %v", e)
	}
	// A model does not differ from itself.
	if stdout, _, status := command(t, t.Context(), "diff", a, a, "--max-error", "0"); status != 0 || !strings.Contains(stdout, "1 tensor compared: 0 differ, 1 equal") {
		t.Errorf("status %d: %s", status, stdout)
	}
	_, stderr, status := command(t, t.Context(), "diff", a, b, "--max-error", "1e-4")
	if status != 1 || !strings.Contains(stderr, "tensors: 1 above the error of 0.0001") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if _, stderr, status := command(t, t.Context(), "diff", a, b, "--max-error", "0.01"); status != 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// Of a dtype that is not known the length does not follow from the shape: a file that
// begins as the other is not equal to it.
func TestDiffOfUnknownDTypes(t *testing.T) {
	write := func(bytes int) string {
		header := fmt.Sprintf(`{"x":{"dtype":"X9","shape":[4],"data_offsets":[0,%d]}}`, bytes)
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := os.WriteFile(path, append(file, make([]byte, bytes)...), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	short, long, none := write(4), write(8), write(0)
	for _, c := range []struct {
		a, b  string
		equal bool
	}{{short, short, true}, {none, none, true}, {short, long, false}, {none, short, false}} {
		lines, status := diffLines(t, c.a, c.b)
		if equal := lines["x"].NotCompared == ""; status != 0 || equal != c.equal {
			t.Errorf("%s and %s: status %d, %+v", c.a, c.b, status, lines)
		}
	}
}

func TestDiffErrors(t *testing.T) {
	other := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"), named("other", "", 1, 2, 2))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{silero}, "want two files or folders, A and B, got 1"},
		{[]string{silero, "not-there"}, "not-there"},
		{[]string{silero, other}, "no tensor has the same name in both"},
		{[]string{silero, silero, "--max-error", "-1"}, "--max-error -1"},
		{[]string{silero, silero, "--include", "x"}, "leave none"},
	} {
		_, stderr, status := command(t, t.Context(), append([]string{"diff"}, c.args...)...)
		if status == statusOK || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, stderr %q, want %q", c.args, status, stderr, c.want)
		}
	}
}

func TestDiffInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stdout, stderr, status := command(t, ctx, "diff", silero, silero)
	if status != 1 || !strings.Contains(stderr, "interrupted") || !strings.Contains(stdout, "not reached: 14 tensors") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// A tensor that was not compared has no figures, for a script must not take it as equal.
func TestDiffJSONOfNotCompared(t *testing.T) {
	dir := t.TempDir()
	a := writeModel(t, filepath.Join(dir, "a.safetensors"), named("both", "", 1, 3, 3), named("vector", "", 1, 5), named("turned", "", 1, 2, 3), named("one", "", 1, 2, 2))
	b := writeModel(t, filepath.Join(dir, "b.safetensors"), named("both", "", 1, 3, 3), named("vector", "", 2, 6), named("turned", "", 1, 3, 2))
	stdout, stderr, status := command(t, t.Context(), "diff", "--json", a, b)
	if status != 0 {
		t.Fatal(stderr)
	}
	notCompared := 0
	for text := range strings.Lines(stdout) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line["not_compared"] == nil {
			continue
		}
		notCompared++
		for _, figure := range []string{"changed", "max_abs", "rms", "error", "sqnr_db", "non_finite"} {
			if _, given := line[figure]; given {
				t.Errorf("%s is given: %s", figure, text)
			}
		}
	}
	if notCompared != 3 {
		t.Errorf("%d lines are of tensors that were not compared, want 3:\n%s", notCompared, stdout)
	}
}

func TestDiffHelpOfMaxError(t *testing.T) {
	stdout, _, _ := command(t, t.Context(), "diff", "--help")
	if !strings.Contains(stdout, "is above this (default: whatever it is)\n") {
		t.Error(stdout)
	}
}
