package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

func TestLs(t *testing.T) {
	stdout, stderr, status := command(t, t.Context(), "ls", silero, "--include", "decoder.*")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	const want = `: safetensors

tensor                    dtype  bits    bytes  shape        seen as
decoder.rnn.weight_ih     F32      32   262 kB  512 x 128    [out, in] = 512 x 128
decoder.rnn.weight_hh     F32      32   262 kB  512 x 128    [out, in] = 512 x 128
decoder.rnn.bias_ih       F32      32  2.05 kB  512          (1-D: a vector, not a matrix)
decoder.rnn.bias_hh       F32      32  2.05 kB  512          (1-D: a vector, not a matrix)
decoder.decoder.2.weight  F32      32    512 B  1 x 128 x 1  [out, in] = 1 x 128

dtype  tensors  values   bytes  bits
F32          5    132k  529 kB    32
not listed for --include and --exclude: 9 tensors, 414 kB
`
	if stdout != silero+want {
		t.Errorf("got\n%s\nwant\n%s", stdout, silero+want)
	}
}

func TestLsSort(t *testing.T) {
	path := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"), named("b", "", 1, 2, 3), named("c", "", 1, 4, 5), named("a", "", 1, 3, 3))
	for order, want := range map[string]string{"file": "bca", "name": "abc", "bytes": "cab"} {
		stdout, stderr, status := command(t, t.Context(), "ls", path, "--json", "--sort", order)
		if status != 0 {
			t.Fatal(stderr)
		}
		got := ""
		for text := range strings.Lines(stdout) {
			var line tensorLine
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
			got += line.Tensor
		}
		if got != want {
			t.Errorf("--sort %s: %s, want %s", order, got, want)
		}
	}
}

func TestLsJSON(t *testing.T) {
	dir := writeMixedModel(t)
	stdout, stderr, status := command(t, t.Context(), "ls", "--json", dir)
	if status != 0 {
		t.Fatal(stderr)
	}
	lines := map[string]map[string]any{}
	for text := range strings.Lines(stdout) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		lines[line["tensor"].(string)] = line
	}
	for name, want := range map[string]string{
		"model.layers.1.mlp.experts.gate": "dtype=F16 matrices=3 rows=16 cols=32 elements=1536 bytes=3072 bits_per_weight=16 skipped=<nil>",
		"model.norm.weight":               "dtype=F32 matrices=0 rows=<nil> cols=<nil> elements=32 bytes=128 bits_per_weight=32 skipped=1-D: a vector, not a matrix",
	} {
		line := lines[name]
		var got []string
		for _, key := range []string{"dtype", "matrices", "rows", "cols", "elements", "bytes", "bits_per_weight", "skipped"} {
			got = append(got, fmt.Sprintf("%s=%v", key, line[key]))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
		if file := line["file"]; line["path"] != dir || filepath.Dir(file.(string)) != dir {
			t.Errorf("%s: path %v, file %v", name, line["path"], file)
		}
	}
	table, _, _ := command(t, t.Context(), "ls", dir)
	// 7456 values: 5632 of 2 bytes, 1536 of 2, 288 of 4.
	for _, want := range []string{"3 experts, each [out, in] = 16 x 32", "all          6   7.46k  15.5 kB  16.62"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

// A name cannot write to the terminal.
func TestLsHostileName(t *testing.T) {
	path := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"), named("\x1b[2Jx", "", 1, 2, 2))
	stdout, _, status := command(t, t.Context(), "ls", path)
	if status != 0 || strings.Contains(stdout, "\x1b") || !strings.Contains(stdout, `\x1b[2Jx`) {
		t.Errorf("status %d: %q", status, stdout)
	}
}

// A name with a line end makes no line of its own, and a very long one does not make
// every line as long.
func TestHostileNamesInReports(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("long", 100_000)
	names := []string{"a\nforged  F32", long, "-2+3", "=1\x1b"}
	var tensors []weights.Named
	for i, name := range names {
		tensors = append(tensors, named(name, "", uint64(i), 4, 4), named(name+".1d", "", 1, 4))
	}
	path := writeModel(t, filepath.Join(dir, "m.safetensors"), tensors...)
	other := writeModel(t, filepath.Join(dir, "other.safetensors"), named(names[0], "", 9, 4, 4), named(long, "", 9, 4, 4))
	html := filepath.Join(dir, "page.html")
	for _, args := range [][]string{{"ls", path}, {"probe", "--no-time", path, "--html", html}, {"diff", path, other}, {"diff", other, path}} {
		stdout, stderr, status := command(t, t.Context(), args...)
		if status != 0 || strings.Contains(stdout, "\nforged") || len(stdout) > 20_000 || !strings.Contains(stdout, `a\nforged`) {
			t.Errorf("%v: status %d, %q, %d bytes: %.500q", args, status, stderr, len(stdout), stdout)
		}
	}
	if page := read(t, html); strings.Contains(page, "\nforged") || strings.Contains(page, long) {
		t.Error("the page has a forged line or a very long name")
	}
	stdout, _, _ := command(t, t.Context(), "probe", "--no-time", path, "--csv")
	for _, bad := range []string{"\nforged", ",-2+3", ",=1", "\x1b"} {
		if strings.Contains(stdout, bad) {
			t.Errorf("--csv prints %q", bad)
		}
	}
	if !strings.Contains(stdout, ",'-2+3,") || !strings.Contains(stdout, long) {
		t.Error("--csv lacks a name")
	}
}

func TestLsErrors(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.safetensors")
	if err := os.WriteFile(bad, []byte("\xff\xff\xff\xff\xff\xff\xff\x00{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	good := writeModel(t, filepath.Join(dir, "good.safetensors"), weights.Named{Name: "x", Shape: []int{1}, Data: []float32{1}})
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no PATH"},
		{[]string{bad}, bad},
		{[]string{good, bad, "not-there"}, "not-there"}, // all that is wrong
		{[]string{good, bad, "not-there"}, bad},
		{[]string{empty}, empty},
		{[]string{good, "--sort", "size"}, `--sort: "size" is not file, name or bytes`},
		{[]string{good, "--exclude", "*"}, "leave none"},
	} {
		stdout, stderr, status := command(t, t.Context(), append([]string{"ls"}, c.args...)...)
		if status == statusOK || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
}
