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

func TestProbeUnwritablePage(t *testing.T) {
	html := filepath.Join(t.TempDir(), "not-there", "page.html")
	stdout, stderr, status := command(t, t.Context(), "probe", "--no-time", silero, "--html", html)
	if status != 1 || !strings.Contains(stderr, "cannot write "+html) || !strings.Contains(stdout, "8 matrices") {
		t.Errorf("status %d, %q", status, stderr)
	}
	if _, err := os.Stat(html); err == nil {
		t.Error("there is a page")
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
		layer      int
		numbered   bool
	}{
		{"model.layers.12.mlp.up_proj.weight", "model.layers.*.mlp.up_proj.weight", 12, true},
		{"blk.3.ffn_down_exps.weight[7]", "blk.*.ffn_down_exps.weight[*]", 3, true},
		{"conv2d_180.w_0", "conv2d_*.w_*", 180, true},
		{"layers_4/attention/query/kernel", "layers_*/attention/query/kernel", 4, true},
		{"fc1.weight", "fc1.weight", 0, false},
		{"lm_head.weight", "lm_head.weight", 0, false},
		{"x.99999999999999999999.w", "x.99999999999999999999.w", 0, false},
	} {
		kind, layer, numbered := splitLayer(c.name)
		if kind != c.kind || layer != c.layer || numbered != c.numbered {
			t.Errorf("%s: %s, layer %d, %v", c.name, kind, layer, numbered)
		}
	}
}
