package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

func TestProbePage(t *testing.T) {
	dir := t.TempDir()
	var tensors []weights.Named
	for i, layer := range []string{"0", "1", "2"} {
		tensors = append(tensors, named("layers."+layer+".<b>up</b>.weight", weights.BF16, uint64(i), 64, 96), named("layers."+layer+".down.weight", weights.BF16, uint64(i+10), 96, 64))
	}
	tensors = append(tensors, named("head.weight", "", 20, 100, 64), named("norm", "", 21, 64))
	path := writeModel(t, filepath.Join(dir, "m.safetensors"), tensors...)
	html := filepath.Join(dir, "page.html")
	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", path, "--html", html, "--target-bpw", "8.5")
	if status != 0 {
		t.Fatal(stderr)
	}
	page := read(t, html)
	for _, want := range []string{"<!DOCTYPE html>", "Error by layer and kind", "Size against error", "layers.*.down.weight", "head.weight",
		"prefers-color-scheme: dark", "not probed: 64 of", "plan: "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<b>up") {
		t.Error("a tensor's name is markup")
	}
	// It loads nothing: no element names a file or another host.
	if found := regexp.MustCompile(`(?i)<(script|link|img|iframe)[^>]*\s(src|href)=["']?[^d"'][^"'>]*`).FindString(page); found != "" {
		t.Errorf("the page loads %s", found)
	}
	if !strings.Contains(page, "default-src 'none'") {
		t.Error("the page has no policy")
	}
	if stdout == "" {
		t.Error("no table beside the page")
	}
}

// A page is made whatever the names are.
func TestProbePageOfLongNames(t *testing.T) {
	dir := t.TempDir()
	var tensors []weights.Named
	for i, long := range []string{strings.Repeat("W", 300), strings.Repeat("層", 80), "model.language_model." + strings.Repeat("block.", 20), strings.Repeat("\x1b", 60)} {
		for _, layer := range []string{".0.w", ".1.w", ".v"} {
			tensors = append(tensors, named(long+layer, "", uint64(i), 20, 30))
		}
	}
	html := filepath.Join(dir, "page.html")
	_, stderr, status := command(t, t.Context(), "probe", "--no-time", writeModel(t, filepath.Join(dir, "m.safetensors"), tensors...), "--html", html)
	if status != 0 {
		t.Fatal(stderr)
	}
	if !strings.Contains(read(t, html), "Error by layer and kind") {
		t.Error("the page has no charts")
	}
}

// What a chart cannot show is said in its place.
func TestProbePageOfDegenerateWeights(t *testing.T) {
	for _, value := range []float32{0, 3e38} {
		html := filepath.Join(t.TempDir(), "page.html")
		path := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"),
			weights.Named{Name: "w", Shape: []int{4, 4}, Data: slices.Repeat([]float32{value}, 16)})
		if _, stderr, status := command(t, t.Context(), "probe", "--no-time", path, "--html", html); status != 0 {
			t.Errorf("all %g: %s", value, stderr)
		} else if page := read(t, html); value > 0 && !strings.Contains(page, "Not drawn: ") {
			t.Errorf("all %g: the page does not say what it lacks", value)
		}
	}
}

func TestProbePageOfActivations(t *testing.T) {
	dir := t.TempDir()
	path := writeModel(t, filepath.Join(dir, "m.safetensors"), named("x", "", 1, 8, 9))
	html := filepath.Join(dir, "page.html")
	if _, stderr, status := command(t, t.Context(), "probe", "--no-time", "--role", "activation", path, "--html", html); status != 0 {
		t.Fatal(stderr)
	}
	if page := read(t, html); !strings.Contains(page, "tokens x channels") {
		t.Error("no table of activations")
	}
}

// What is wrong with the page is said before the work, and no input is replaced by it.
func TestProbeUnwritablePage(t *testing.T) {
	dir := t.TempDir()
	model := writeModel(t, filepath.Join(dir, "m.safetensors"), named("x", "", 1, 8, 9))
	link := filepath.Join(dir, "link.html")
	if err := os.Link(model, link); err != nil {
		t.Fatal(err)
	}
	lines := filepath.Join(dir, "m.jsonl")
	stdout, _, _ := command(t, t.Context(), "probe", "--no-time", "--json", model)
	write(t, lines, stdout)
	for _, c := range []struct {
		html string
		args []string
		want string
	}{
		{filepath.Join(dir, "not-there", "page.html"), []string{model}, "not-there"},
		{filepath.Join(model, "page.html"), []string{model}, "page.html"},
		{dir, []string{model}, "is not a regular file"},
		{os.DevNull, []string{model}, "is not a regular file"},
		{model, []string{model}, "is one of the files to read"},
		{link, []string{model}, "is one of the files to read"},
		{lines, []string{"--from", lines}, "is one of the files to read"},
	} {
		before := list(t, dir)
		stdout, stderr, status := command(t, t.Context(), append([]string{"probe", "--no-time", "--html", c.html}, c.args...)...)
		if status != 1 || stdout != "" || !strings.Contains(stderr, "--html: cannot write "+c.html) || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, stdout %.100q, stderr %q, want %q", c.html, status, stdout, stderr, c.want)
		}
		if after := list(t, dir); after != before {
			t.Errorf("%s: files %s, then %s", c.html, before, after)
		}
	}
	if _, stderr, status := command(t, t.Context(), "ls", model); status != 0 {
		t.Error(stderr)
	}
}

func TestProbeCSV(t *testing.T) {
	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", "--csv", writeMixedModel(t))
	if status != 0 {
		t.Fatal(stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 9 || !slices.Equal(rows[0], csvColumns) {
		t.Fatalf("%d rows, columns %v", len(rows), rows[0])
	}
	cell := func(tensor, column string) string {
		for _, row := range rows {
			if row[1] == tensor {
				return row[slices.Index(csvColumns, column)]
			}
		}
		return "no row"
	}
	for _, c := range []struct{ tensor, column, want string }{
		{"model.embed_tokens.weight", "k", "32"}, {"model.embed_tokens.weight", "n", "64"}, {"model.embed_tokens.weight", "bytes", "4096"},
		{"model.embed_tokens.weight", "bits_per_weight", "16"}, {"model.embed_tokens.weight", "speedup_m1", ""},
		{"model.layers.1.mlp.up.weight", "non_finite", "2"}, {"model.layers.1.mlp.up.weight", "int8_channel", ""},
		{"model.layers.1.mlp.up.weight", "zeros", ""}, {"model.layers.1.mlp.up.weight", "best_bits", ""},
		{"model.layers.1.mlp.up.weight", "distinct", ""}, {"model.layers.1.mlp.up.weight", "outlier_inputs", ""},
		{"model.embed_tokens.weight", "zeros", "0"}, {"model.embed_tokens.weight", "best_bits", "8"},
		{"lm_head.weight", "status", "tied"}, {"lm_head.weight", "action", ""},
		{"model.norm.weight", "reason", "1-D: a vector, not a matrix"},
	} {
		if got := cell(c.tensor, c.column); got != c.want {
			t.Errorf("%s of %s is %q, want %q", c.column, c.tensor, got, c.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		number     int
		counts     string
	}{
		{"model.layers.12.mlp.up_proj.weight", "model.layers.*.mlp.up_proj.weight", 12, "layer"},
		{"blk.3.ffn_down_exps.weight[7]", "blk.*.ffn_down_exps.weight[*]", 3, "layer"},
		{"model.layers.4.mlp.experts.9.w1", "model.layers.*.mlp.experts.*.w1", 4, "layer"},
		{"experts.9.blocks.4.w1", "experts.*.blocks.*.w1", 4, "layer"},
		{"mlp.experts.w1[6]", "mlp.experts.w1[*]", 6, "expert"},
		{"experts/8/w", "experts/*/w", 8, "expert"},
		{"conv2d_180.w_0", "conv2d_*.w_*", 180, "layer"},
		{"layers_4/attention/query/kernel", "layers_*/attention/query/kernel", 4, "layer"},
		{"fc1.weight", "fc1.weight", 0, ""},
		{"lm_head.weight", "lm_head.weight", 0, ""},
		{"x.99999999999999999999.w", "x.99999999999999999999.w", 0, ""},
	} {
		kind, number, counts := splitLayer(c.name)
		if kind != c.kind || number != c.number || counts != c.counts {
			t.Errorf("%s: %s, number %d of a %q", c.name, kind, number, counts)
		}
	}
}

// The experts of a stack that is in no layer are drawn over experts, not over layers.
func TestProbePageOfExperts(t *testing.T) {
	dir := t.TempDir()
	path := writeModel(t, filepath.Join(dir, "m.safetensors"), named("mlp.experts.w1", "", 1, 3, 20, 30))
	html := filepath.Join(dir, "page.html")
	if _, stderr, status := command(t, t.Context(), "probe", "--no-time", path, "--html", html); status != 0 {
		t.Fatal(stderr)
	}
	page := read(t, html)
	if !strings.Contains(page, "Lines over experts") || strings.Contains(page, "Lines over layers") || !strings.Contains(page, `"expert"`) {
		t.Error("the errors are not drawn over experts")
	}
}
