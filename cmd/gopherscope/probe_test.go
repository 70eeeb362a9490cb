package main

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

const silero = "../../notebooks/data/silero_vad_v5.safetensors"

// gaussian returns normal random values.
func gaussian(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return values
}

// writeModel writes a safetensors file of the given tensors and returns its path.
func writeModel(t *testing.T, path string, tensors ...weights.Named) string {
	t.Helper()
	if err := weights.WriteSafetensors(path, tensors); err != nil {
		t.Fatal(err)
	}
	return path
}

// named is a tensor of Gaussian values.
func named(name string, dtype weights.DType, seed uint64, shape ...int) weights.Named {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return weights.Named{Name: name, DType: dtype, Shape: shape, Data: gaussian(n, seed)}
}

// probeLines runs the verb with --json and --no-time and returns its lines by name.
func probeLines(t *testing.T, args ...string) map[string]probeLine {
	t.Helper()
	stdout, stderr, status := command(t, t.Context(), append([]string{"probe", "--no-time", "--json"}, args...)...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s", args, status, stderr)
	}
	return parseLines(t, stdout)
}

func parseLines(t *testing.T, text string) map[string]probeLine {
	t.Helper()
	lines := map[string]probeLine{}
	for one := range strings.Lines(text) {
		line, err := parseLine([]byte(one))
		if err != nil {
			t.Fatalf("%v in %.200q", err, one)
		}
		if _, twice := lines[line.Tensor]; twice {
			t.Fatalf("two lines for %s", line.Tensor)
		}
		lines[line.Tensor] = line
	}
	return lines
}

// near tells whether got is within the fraction of want.
func near(got, want, fraction float64) bool { return math.Abs(got-want) <= fraction*math.Abs(want) }

// The reference values were computed in float64 by an independent program.
func TestProbeSilero(t *testing.T) {
	lines := probeLines(t, silero)
	if len(lines) != 14 {
		t.Fatalf("%d lines for 14 tensors", len(lines))
	}
	for _, c := range []struct {
		name                             string
		k, n                             int
		int8Tensor, int8, int4, kurtosis float64
		stableRank                       float64
		action                           opscope.Action
	}{
		{"decoder.rnn.weight_ih", 128, 512, .019138, .007591, .107525, 5.252, 9.8604, opscope.Int8PerChannel},
		{"decoder.rnn.weight_hh", 128, 512, .020358, .007808, .109310, 4.636, 10.8973, opscope.Int8PerChannel},
		{"stft.forward_basis_buffer", 128, 130, .005030, .004948, .069023, 2.962, 40.0875, opscope.Int8PerChannel},
	} {
		line := lines[c.name]
		p := line.Profile
		if p == nil {
			t.Errorf("%s: status %s: %s", c.name, line.Status, line.Reason)
			continue
		}
		if p.Rows != c.k || p.Cols != c.n {
			t.Errorf("%s: %d x %d, want %d x %d", c.name, p.Rows, p.Cols, c.k, c.n)
		}
		for what, pair := range map[string][2]float64{
			"int8 a tensor": {p.QuantError(8, opscope.PerTensor), c.int8Tensor}, "int8 a channel": {p.QuantError(8, opscope.PerColumn), c.int8},
			"int4 a group of 32": {p.GroupQuantError(4, 32), c.int4}, "kurtosis": {p.Kurtosis, c.kurtosis}, "stable rank": {p.StableRank, c.stableRank},
		} {
			if !near(pair[0], pair[1], 0.005) {
				t.Errorf("%s: %s is %v, want %v", c.name, what, pair[0], pair[1])
			}
		}
		if line.Layout != "out,in" || line.LayoutWhy == "" {
			t.Errorf("%s: layout %q, why %q", c.name, line.Layout, line.LayoutWhy)
		}
		// int8 with a scale of four bytes for each output.
		if choice := line.choice(); choice.Action != c.action || choice.Bytes != int64(c.k*c.n+4*c.n) {
			t.Errorf("%s: %s of %d bytes", c.name, choice.Action, choice.Bytes)
		}
	}
	if bias := lines["decoder.rnn.bias_ih"]; bias.Status != statusSkipped || !strings.Contains(bias.Reason, "1-D") || bias.Profile != nil {
		t.Errorf("a bias: %+v", bias)
	}
}

func TestProbeTable(t *testing.T) {
	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", silero)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	rows := strings.Split(stdout, "\n")
	if fields := strings.Fields(rows[0]); fields[0] != "tensor" || fields[len(fields)-1] != "m=32" {
		t.Errorf("head %q", rows[0])
	}
	// The largest first: the two of 512 x 128, then the convolutions.
	var order []string
	for _, row := range rows[1:9] {
		order = append(order, strings.Fields(row)[0])
	}
	if !slices.Equal(order, []string{"decoder.rnn.weight_ih", "decoder.rnn.weight_hh", "encoder.0.reparam_conv.weight",
		"encoder.1.reparam_conv.weight", "encoder.3.reparam_conv.weight", "stft.forward_basis_buffer", "encoder.2.reparam_conv.weight",
		"decoder.decoder.2.weight"}) {
		t.Errorf("order %v", order)
	}
	for _, want := range []string{
		// 234,240 values of 4 bytes, and 1,408 in biases.
		"8 matrices, 234k values: 937 kB, 32 bits each",
		"not probed: 1.41k of 236k values, 0.598%",
		"6 tensors, 5.63 kB: 1-D: a vector, not a matrix: ",
		"encoder.*.reparam_conv.weight         4   346 kB",
		"budget: an error of 0.02 in each matrix",
		"layout [out, in]: ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// A model in parts, in bfloat16, with experts, tied tensors, a value that is none and
// a tensor that is not decoded.
func writeMixedModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	bad := named("model.layers.1.mlp.up.weight", weights.F32, 3, 8, 32)
	bad.Data[3*32+5] = float32(math.NaN())
	bad.Data[7*32] = float32(math.Inf(1))
	embed := named("model.embed_tokens.weight", weights.BF16, 4, 64, 32)
	head := embed
	head.Name = "lm_head.weight"
	writeModel(t, filepath.Join(dir, "model-00001-of-00002.safetensors"),
		embed, named("model.layers.0.mlp.up.weight", weights.BF16, 1, 48, 32), named("model.norm.weight", weights.F32, 2, 32))
	writeModel(t, filepath.Join(dir, "model-00002-of-00002.safetensors"),
		bad, head, named("model.layers.1.mlp.experts.gate", weights.F16, 5, 3, 16, 32))
	index := map[string]any{"metadata": map[string]any{}, "weight_map": map[string]string{
		"model.embed_tokens.weight": "model-00001-of-00002.safetensors", "model.layers.0.mlp.up.weight": "model-00001-of-00002.safetensors",
		"model.norm.weight": "model-00001-of-00002.safetensors", "model.layers.1.mlp.up.weight": "model-00002-of-00002.safetensors",
		"lm_head.weight": "model-00002-of-00002.safetensors", "model.layers.1.mlp.experts.gate": "model-00002-of-00002.safetensors",
	}}
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors.index.json"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestProbeMixedModel(t *testing.T) {
	dir := writeMixedModel(t)
	lines := probeLines(t, dir)
	want := map[string]string{
		"model.embed_tokens.weight": statusProbed, "model.layers.0.mlp.up.weight": statusProbed, "model.layers.1.mlp.up.weight": statusProbed,
		"model.layers.1.mlp.experts.gate[0]": statusProbed, "model.layers.1.mlp.experts.gate[1]": statusProbed,
		"model.layers.1.mlp.experts.gate[2]": statusProbed, "lm_head.weight": statusTied, "model.norm.weight": statusSkipped,
	}
	for name, status := range want {
		if lines[name].Status != status {
			t.Errorf("%s is %q: %s, want %s", name, lines[name].Status, lines[name].Reason, status)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d lines, want %d", len(lines), len(want))
	}
	if tied := lines["lm_head.weight"]; tied.TiedTo != "model.embed_tokens.weight" {
		t.Errorf("tied to %q", tied.TiedTo)
	}
	// The baseline is the file's own dtype: two bytes a value.
	up := lines["model.layers.0.mlp.up.weight"]
	if up.Bytes != 2*48*32 || up.DType != "BF16" {
		t.Errorf("bf16: %d bytes, %s", up.Bytes, up.DType)
	}
	if i := slices.IndexFunc(up.Choices, func(c opscope.Choice) bool { return c.Action == opscope.KeepDense }); i < 0 || up.Choices[i].Bytes != up.Bytes {
		t.Errorf("keep dense: %+v", up.Choices)
	}
	// Non-finite values are counted and placed, in W[k,n], and no error is made up.
	bad := lines["model.layers.1.mlp.up.weight"].Profile
	if bad.NonFinite.Count != 2 || !math.IsNaN(bad.QuantError(8, opscope.PerColumn)) {
		t.Errorf("non-finite: %+v, int8 error %v", bad.NonFinite, bad.QuantError(8, opscope.PerColumn))
	}
	// An expert is [16, 32] = [out, in], and has a third of the stack.
	expert := lines["model.layers.1.mlp.experts.gate[1]"]
	if expert.Profile.Rows != 32 || expert.Profile.Cols != 16 || expert.Elements != 16*32 || expert.Bytes != 2*16*32 {
		t.Errorf("expert: %d x %d, %d values, %d bytes", expert.Profile.Rows, expert.Profile.Cols, expert.Elements, expert.Bytes)
	}

	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", dir)
	if status != 0 {
		t.Fatal(stderr)
	}
	for _, text := range []string{
		"the same bytes as another tensor, counted once: lm_head.weight = model.embed_tokens.weight",
		"2 non-finite values",
		"not probed: 32 of 5.41k values, 0.592%", // 2048 + 1536 + 256 + 1536 + 32 values, 2048 of them once
	} {
		if !strings.Contains(stdout, text) {
			t.Errorf("no %q in\n%s", text, stdout)
		}
	}
}

// The lines of the shards, put together, are those of one run.
func TestProbeShards(t *testing.T) {
	dir := writeMixedModel(t)
	run := func(args ...string) string {
		stdout, stderr, status := command(t, t.Context(), append([]string{"probe", "--no-time", "--json", dir, silero}, args...)...)
		if status != 0 {
			t.Fatal(stderr)
		}
		return stdout
	}
	sorted := func(text string) []string {
		lines := slices.Collect(strings.Lines(text))
		slices.Sort(lines)
		return lines
	}
	whole := sorted(run())
	for _, n := range []int{1, 2, 3, 7, 40} {
		var parts strings.Builder
		for i := range n {
			parts.WriteString(run("--shard", fmt.Sprintf("%d/%d", i, n)))
		}
		if !slices.Equal(sorted(parts.String()), whole) {
			t.Errorf("%d shards differ from the whole", n)
		}
	}
}

func TestProbeShardTable(t *testing.T) {
	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", silero, "--shard", "0/2")
	if status != 0 || !strings.Contains(stdout, "only part 0/2 of the matrices") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}

func TestShardsHaveAboutTheSameWork(t *testing.T) {
	var items []probeItem
	var total, largest int64
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		n := int64(1 + r.IntN(1000))
		total, largest = total+n, max(largest, n)
		items = append(items, probeItem{line: probeLine{Tensor: fmt.Sprint(i), Elements: n, Status: statusProbed}})
	}
	seen := map[string]bool{}
	for i := range 32 {
		var work int64
		part := shard{i, 32}.of(items)
		for _, it := range part {
			if seen[it.line.Tensor] {
				t.Fatalf("%s is in two parts", it.line.Tensor)
			}
			seen[it.line.Tensor] = true
			work += it.line.Elements
		}
		// Graham, 1969: at most 4/3 of the best, which is at least the mean.
		if limit := float64(max(total/32, largest)) * 4 / 3; float64(work) > limit {
			t.Errorf("part %d has %d of %d", i, work, total)
		}
	}
	if len(seen) != len(items) {
		t.Errorf("%d of %d items are in a part", len(seen), len(items))
	}
}

func TestProbeFrom(t *testing.T) {
	dir := t.TempDir()
	path := writeModel(t, filepath.Join(dir, "m.safetensors"), named("a.0.w", "", 1, 64, 48), named("a.1.w", "", 2, 32, 48), named("b", "", 3, 4))
	first, _, _ := command(t, t.Context(), "probe", "--no-time", "--json", path, "--include", "a.0.w")
	done := filepath.Join(dir, "done.jsonl")
	if err := os.WriteFile(done, []byte(first), 0o666); err != nil {
		t.Fatal(err)
	}
	// What is done is not printed again, so that lines can be appended.
	rest, stderr, status := command(t, t.Context(), "probe", "--no-time", "--json", path, "--from", done)
	if status != 0 {
		t.Fatal(stderr)
	}
	if lines := parseLines(t, rest); len(lines) != 2 || lines["a.0.w"].Tensor != "" {
		t.Errorf("%d lines: %s", len(lines), rest)
	}
	if err := os.WriteFile(done, []byte(first+rest), 0o666); err != nil {
		t.Fatal(err)
	}
	// The report of the lines is that of the model, and needs the model no more.
	want, _, _ := command(t, t.Context(), "probe", "--no-time", path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	got, stderr, status := command(t, t.Context(), "probe", "--no-time", "--from", done)
	if status != 0 || got != want {
		t.Errorf("status %d, %s, got\n%s\nwant\n%s", status, stderr, got, want)
	}
	// Gaussian weights need 0.097 for int4 in groups of 32.
	loose, _, _ := command(t, t.Context(), "probe", "--no-time", "--from", done, "--budget", "0.1")
	if !strings.Contains(loose, "actions: 2 int4 group 32") {
		t.Errorf("with a budget of 0.1:\n%s", loose)
	}

	line := func(rest string) string {
		return `{"format":1,"path":"p","file":"f","tensor":"t","dtype":"F32","shape":[2],"elements":2,"bytes":8,` + rest + "}"
	}
	for text, want := range map[string]string{
		`{"format":1`:                         "done.jsonl:1: not a JSON line of gopherscope probe, or one that was cut off",
		"\n[]\n":                              "done.jsonl:2: not a JSON line of gopherscope probe: the value: want an object, got a list",
		`{"format":1,"shape":["x"]}`:          "done.jsonl:1: not a JSON line of gopherscope probe: shape: want a whole number of 64 bits, got a string",
		`{"format":1,"profile":{"mean":"x"}}`: "mean: want a number, got a string",
		`{"format":1,"profile":{"rows":"x"}}`: "rows: want a whole number of 64 bits, got a string",
		`{}`:                                  "not a JSON line of gopherscope probe",
		`{"format":2,"tensor":"x"}`:           "a line of format 2, and this program reads format 1",
		`{"format":1,"tensor":"x"}`:           "done.jsonl:1: path: it is missing",
		line(`"status":""`):                   `status: want one of "probed", "skipped", "tied", "failed", got ""`,
		line(`"status":"probed"`):             "profile: it is missing",
		line(`"status":"tied","reason":"r"`):  "tied_to: it is missing",
		line(`"status":"tied","bytes":-1`):    "bytes: want a whole number of at least 0, got -1",
		line(`"status":"skipped","reason":"r","elements":null`): "elements: want a whole number of at least 0, got null",
		"": "there is no result",
	} {
		if err := os.WriteFile(done, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, stderr, status := command(t, t.Context(), "probe", "--no-time", "--from", done); status != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d, %q, want %q", text, status, stderr, want)
		}
	}
}

// A tensor that has changed is probed again, and so is one that could not be read.
func TestProbeFromChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.safetensors")
	writeModel(t, path, named("w", "", 1, 64, 48))
	out, _, _ := command(t, t.Context(), "probe", "--no-time", "--json", path)
	done := filepath.Join(dir, "done.jsonl")
	for _, c := range []struct {
		name  string
		lines string
		args  []string
		again bool
	}{
		{"the same", out, nil, false},
		{"another shape", out, nil, true},
		{"another layout", out, []string{"--layout", "in,out"}, true},
		{"it failed", `{"format":1,"path":` + quoteJSON(path) + `,"file":"m.safetensors","tensor":"w","dtype":"F32","shape":[64,48],"elements":3072,"bytes":12288,"layout":"out,in","status":"failed","reason":"x"}`, nil, true},
	} {
		writeModel(t, path, named("w", "", 1, 64, 48))
		if c.name == "another shape" {
			writeModel(t, path, named("w", "", 1, 64, 49))
		}
		if err := os.WriteFile(done, []byte(c.lines), 0o666); err != nil {
			t.Fatal(err)
		}
		got := probeLines(t, append([]string{path, "--from", done}, c.args...)...)
		if (len(got) == 1) != c.again {
			t.Errorf("%s: %d lines", c.name, len(got))
		}
	}
}

func quoteJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// An F64 value beyond float32 makes its tensor fail and no other.
func TestProbeFailure(t *testing.T) {
	data := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1))
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(1e300))
	for range 2 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(1))
	}
	header := `{"bad\u001b[31m":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},"good":{"dtype":"F32","shape":[1,2],"data_offsets":[16,24]}}`
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := os.WriteFile(path, append(file, data...), 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", "--json", path)
	lines := parseLines(t, stdout)
	if status != 1 || lines["bad\x1b[31m"].Status != statusFailed || lines["good"].Status != statusProbed {
		t.Errorf("status %d: %s", status, stdout)
	}
	for _, want := range []string{"beyond the range of float32", path, "1 matrix could not be read"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %q", want, stderr)
		}
	}
	table, stderr, status := command(t, t.Context(), "probe", "--no-time", path)
	if status != 1 || !strings.Contains(table, "not probed: 2 of 4 values, 50%") || strings.Contains(table+stderr, "\x1b") {
		t.Errorf("status %d: %q %q", status, table, stderr)
	}
}

func TestProbePlan(t *testing.T) {
	dir := t.TempDir()
	path := writeModel(t, filepath.Join(dir, "m.safetensors"),
		named("a", weights.BF16, 1, 256, 256), named("b", weights.BF16, 2, 128, 256), named("norm", weights.F32, 3, 250))
	const values = 256*256 + 128*256
	read := func(args ...string) (bytes int64, text string) {
		t.Helper()
		text, stderr, status := command(t, t.Context(), append([]string{"probe", "--no-time", "--csv", path}, args...)...)
		if status != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(rows[0], "bytes_after")
		for _, row := range rows[1:] {
			if row[at] != "" {
				var n int64
				fmt.Sscan(row[at], &n)
				bytes += n
			}
		}
		return bytes, text
	}
	for _, bits := range []float64{4.6, 8.5, 12} {
		if got, text := read("--target-bpw", fmt.Sprint(bits)); float64(got) > bits/8*values || float64(got) < bits/8*values/2 {
			t.Errorf("%v bits: %d bytes for %d values\n%s", bits, got, values, text)
		}
	}
	// The norm stays as it is and takes 1000 bytes of the size.
	if got, _ := read("--target-size", "60kB"); got > 59000 || got < 50000 {
		t.Errorf("60 kB: %d bytes and 1000", got)
	}
	for _, c := range []struct{ size, want string }{
		{"1kB", "what is not probed takes 1.00 kB already"},
		{"2kB", "the size budget is too small"},
	} {
		stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", path, "--target-size", c.size)
		if status != 1 || !strings.Contains(stderr, c.want) || !strings.Contains(stdout, "int8 per channel") {
			t.Errorf("%s: status %d, %q\n%s", c.size, status, stderr, stdout)
		}
	}
}

func TestProbeActivation(t *testing.T) {
	x := kernels.New(64, 100)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x.Data {
		if i%10 == 0 {
			x.Data[i] = float32(r.NormFloat64())
		}
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := weights.WriteNPY(path, x); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", "--role", "activation", path)
	if status != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"64 x 100", "90.0%", "skip zeros", "0.10", "tokens x channels"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "layout") {
		t.Errorf("an activation has no layout:\n%s", stdout)
	}
}

func TestProbeLayout(t *testing.T) {
	path := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"), named("x", "", 1, 12, 34))
	for layout, want := range map[string][2]int{"in,out": {12, 34}, "out,in": {34, 12}} {
		line := probeLines(t, path, "--layout", layout)["x"]
		if got := [2]int{line.Profile.Rows, line.Profile.Cols}; got != want || line.Layout != layout || line.LayoutWhy != "" {
			t.Errorf("%s: %v, want %v; %q, %q", layout, got, want, line.Layout, line.LayoutWhy)
		}
	}
	if table, _, _ := command(t, t.Context(), "probe", "--no-time", path, "--layout", "in,out"); !strings.Contains(table, "layout [in, out]: by --layout: all matrices") {
		t.Error(table)
	}
}

func TestProbeStack(t *testing.T) {
	path := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"), named("heads[x]", "", 1, 3, 8, 16), named("conv", "", 2, 4, 8, 3))
	if lines := probeLines(t, path); lines["heads[x]"].Profile == nil || lines["heads[x]"].Profile.Cols != 3 {
		t.Errorf("without --stack a tensor of three axes is one matrix: %v", lines)
	}
	lines := probeLines(t, path, "--stack", "heads*")
	if len(lines) != 4 || lines["heads[x][2]"].Profile == nil || lines["heads[x][2]"].Profile.Cols != 8 {
		t.Errorf("%d lines with --stack", len(lines))
	}
}

func TestProbeFlagErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no PATH: name a model file or folder"},
		{[]string{"no-such-file"}, "no-such-file"},
		{[]string{silero, "--budget", "0"}, "--budget 0: want an error above 0 and below 1"},
		{[]string{silero, "--budget", "2"}, "--budget 2: "},
		{[]string{silero, "--budget", "NaN"}, "--budget NaN: "},
		{[]string{silero, "--target-bpw", "-1"}, "--target-bpw -1: "},
		{[]string{silero, "--target-bpw", "0"}, "--target-bpw 0: "},
		{[]string{silero, "--target-size", ""}, "--target-size: the value is empty"},
		{[]string{silero, "--target-size", "big"}, `--target-size: "big" is not a size`},
		{[]string{silero, "--target-size", "1MB", "--target-bpw", "4"}, "give one of them"},
		{[]string{silero, "--target-size", "1MB", "--shard", "0/2"}, "need all matrices"},
		{[]string{silero, "--target-size", "1MB", "--json"}, "plan with --from"},
		{[]string{silero, "--target-bpw", "4", "--role", "activation"}, "are for weights"},
		{[]string{silero, "--json", "--csv"}, "--json and --csv"},
		{[]string{silero, "--role", "bias"}, `--role: "bias" is not weight or activation`},
		{[]string{silero, "--mem", "0"}, `--mem: "0" is not a size`},
		{[]string{silero, "--layout", "out"}, `--layout: "out" is not auto, in,out or out,in`},
		{[]string{silero, "--extra", "bits,all of it"}, `--extra: "all of it" is not one of bits, `},
		{[]string{silero, "--sketch", "-1"}, "--sketch -1"},
		{[]string{silero, "--shard", "3"}, `--shard: "3" is not I/N`},
		{[]string{silero, "--shard", "3/3"}, "the parts are 0/3 to 2/3"},
		{[]string{silero, "--shard", "-1/3"}, "the parts are 0/3 to 2/3"},
		{[]string{silero, "--shard", "0/0"}, "is not I/N"},
		{[]string{silero, "--include", "rnn"}, "leave none of the tensors; a pattern matches a whole name"},
		{[]string{silero, "--include", "a["}, `--include "a[": a set has no end`},
		{[]string{silero, "--stack", "x*"}, "--stack matches no tensor with three axes"},
		{[]string{silero, "--spectra", "*"}, "--spectra chooses what --html shows"},
		{[]string{silero, "--from", "no-such-file"}, "no-such-file"},
	} {
		stdout, stderr, status := command(t, t.Context(), append([]string{"probe", "--no-time"}, c.args...)...)
		if status == statusOK || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, stdout %.100q, stderr %q, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
}

// One sentence says by what the layouts of all are known that are known alike.
func TestProbeLayoutsThatAreKnownAlike(t *testing.T) {
	path := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"),
		named("l.0.weight", "", 1, 8, 12), named("l.0.bias", "", 2, 8), named("l.1.weight", "", 3, 9, 12), named("l.1.bias", "", 4, 9))
	stdout, stderr, _ := command(t, t.Context(), "probe", "--no-time", path)
	if want := `layout [out, in]: "l.1.bias" has 9 values, and the others alike: all matrices` + "\n"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in %s%s", want, stdout, stderr)
	}
}

// Times that other programs disturbed are said to be.
func TestProbeNoteOfDisturbedTimes(t *testing.T) {
	for _, c := range []struct {
		calibration *opscope.Calibration
		want        string
	}{
		{nil, ""}, {&opscope.Calibration{Disturbance: 0.1}, ""},
		{&opscope.Calibration{Disturbance: 0.4}, "whose median round took 1.40 times the fastest"},
	} {
		var b strings.Builder
		report := probeReport{run: &probeRun{calibration: c.calibration}}
		report.printNotes(&b)
		if got := b.String(); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c.calibration, got, c.want)
		}
	}
}
