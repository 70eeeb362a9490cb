package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/experiment"
)

func TestReportFlagErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file.json")
	for text, want := range map[string]string{
		"{}":                      "it has format 0, want 1",
		`{"format":1}`:            "provenance: it is missing",
		"[":                       "line 1, column 1: not JSON: unexpected end",
		"{\n  \"é\": x\n}":        "line 2, column 8: not JSON: invalid character 'x'",
		`{"format":1,"sparse":3}`: "line 1, column 22: sparse: want an object, got a number",
		"[]":                      "line 1, column 1: the value: want an object, got a list",
		"{\"format\":1,\n\"low_rank\":[{\"rows\":[{\"ns\":\"fast\"}]}]}": "line 2, column 33: low_rank.rows.ns: want a whole number of 64 bits, got a string",
		`{"format":1.5}`:                         "format: want a whole number of 64 bits, got 1.5",
		`{"format":1,"features":[{"impls":{}}]}`: "features.impls: want a list, got an object",
		`{"provenance":{"quick":"yes"}}`:         "provenance.quick: want true or false, got a string",
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, flag := range []string{"--from", "--compare"} {
			_, stderr, status := command(t, t.Context(), "report", flag, file, "--out", dir)
			if status != 1 || !strings.Contains(stderr, flag+" "+file+": ") || !strings.Contains(stderr, want) || strings.Contains(stderr, "Go ") {
				t.Errorf("%s of %s: status %d, %q, want %q", flag, text, status, stderr, want)
			}
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"report", "--threads", "0"}, "--threads 0: want 1 to "},
		{[]string{"report", "--error", "1"}, "--error 1: want a number between 0 and 1"},
		{[]string{"report", "--error", "NaN"}, "want a number between"},
		{[]string{"report", "--from", "a", "--quick"}, "--from and --quick: want one of them"},
		{[]string{"report", "--from", filepath.Join(dir, "missing")}, "--from " + filepath.Join(dir, "missing") + ": "},
		{[]string{"report", "--out", file}, "--out " + file + ": it is not a folder"},
		{[]string{"report", "--out", filepath.Join(file, "x")}, "cannot write to the folder " + filepath.Join(file, "x")},
		{[]string{"report", "--json", filepath.Join(dir, "missing", "x.json")}, "cannot write to the folder " + filepath.Join(dir, "missing")},
		{[]string{"report", "--from", dir}, "it is not a regular file"},
		{[]string{"bench", "amx", "--out", filepath.Join(dir, "missing", "x")}, "cannot write to the folder " + filepath.Join(dir, "missing")},
		{[]string{"bench", "amx", "--chart", filepath.Join(dir, "x.foo")}, `the extension ".foo" is not .png, .svg or .html`},
		{[]string{"report", "extra"}, "extra"},
		{[]string{"bench", "all", "--threads", "1000000"}, "the number of cores"},
		{[]string{"bench", "all", "--error", "0"}, "--error 0: want"},
		{[]string{"bench", "all", "extra"}, "extra"},
	} {
		stdout, stderr, status := command(t, t.Context(), c.args...)
		if status == statusOK || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
}

// quickResults are those of one quick run, measured once for all tests.
var quickResults = sync.OnceValue(func() (out struct {
	stderr string
	status int
	text   []byte
	dir    string
}) {
	// Which is removed at the end.
	os.MkdirAll(limitsDir(), 0o777)
	out.dir, _ = os.MkdirTemp(limitsDir(), "report")
	stderr, _ := os.Create(filepath.Join(out.dir, "stderr"))
	stdout, _ := os.Create(filepath.Join(out.dir, "stdout"))
	defer stderr.Close()
	defer stdout.Close()
	out.status = execute(context.Background(), []string{"report", "--quick", "--out", out.dir, "--json", filepath.Join(out.dir, "r.json")}, stdout, stderr)
	text, _ := os.ReadFile(stderr.Name())
	out.stderr = string(text)
	out.text, _ = os.ReadFile(filepath.Join(out.dir, "r.json"))
	return out
})

// withoutLibraries keeps vendors' libraries out of a test, some of which are wrong on some
// processors.
func withoutLibraries(t *testing.T) {
	t.Helper()
	missing := filepath.Join(t.TempDir(), "missing")
	for _, name := range []string{"GOPHERSCOPE_ACCELERATE", "GOPHERSCOPE_OPENBLAS", "GOPHERSCOPE_ONEDNN"} {
		t.Setenv(name, missing)
	}
}

// measuredReport makes a quick report, or returns that of another test.
func measuredReport(t *testing.T) (r *reportResult, dir string) {
	t.Helper()
	withoutLibraries(t)
	out := quickResults()
	if out.status != 0 {
		t.Fatalf("status %d: %s", out.status, out.stderr)
	}
	r = new(reportResult)
	decoder := json.NewDecoder(strings.NewReader(string(out.text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(r); err != nil {
		t.Fatal(err)
	}
	return r, out.dir
}

func TestReport(t *testing.T) {
	r, dir := measuredReport(t)
	text, err := os.ReadFile(filepath.Join(dir, "quant-kernels.md"))
	if err != nil {
		t.Fatal(err)
	}
	document := string(text)
	for _, want := range []string{
		"# Quantized and structured kernels on ", "## Where the figures come from", "| command | `gopherscope report --quick` |",
		"## Which kernels there are", "| w8a16 | ", "## Precision and speed of the schemes", "## Sparse activations",
		"## Low-rank weights: lowrank", "## Low-rank weights: gaussian", "## The matrix unit", "## Cache against DRAM",
		"## Errors over the layers of a model", "## Threads", "## What to do on this machine", "## Caveats",
		"This was a quick run", "\n### Verdict\n", "so nothing is timed.",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	if regexp.MustCompile(`NaN|Inf\b|%!|<nil>`).MatchString(document) {
		t.Error("the document has a number or text that is none")
	}
	// Every picture that is shown is there, and no other.
	entries, err := os.ReadDir(filepath.Join(dir, "images"))
	if err != nil {
		t.Fatal(err)
	}
	var there, shown []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	for _, m := range regexp.MustCompile(`\]\(images/([^)]+)\)`).FindAllStringSubmatch(document, -1) {
		shown = append(shown, m[1])
	}
	slices.Sort(shown)
	if !slices.Equal(there, shown) || len(shown) < 15 {
		t.Errorf("pictures %v, shown %v", there, shown)
	}
	for _, file := range there {
		png, err := os.ReadFile(filepath.Join(dir, "images", file))
		if err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, table := range regexp.MustCompile(`(?m)(?:^\|.*\n)+`).FindAllString(document, -1) {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		for _, line := range lines {
			if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n > strings.Count(lines[0], "|") {
				t.Errorf("a row with more cells than %q: %q", lines[0], line)
			}
		}
	}
	if r.Provenance.Seconds < 0 || r.Provenance.Go != runtime.Version() || r.Provenance.Threads != 1 || !r.Provenance.Quick {
		t.Errorf("%+v", r.Provenance)
	}
	for _, run := range r.MatrixUnit.Runs {
		for _, l := range run.Libraries {
			if strings.ContainsAny(l.File, `/\`) && l.File != "/" {
				t.Errorf("the folder of a library: %q", l.File)
			}
		}
	}

	// The same results make the same document, and differ from themselves in nothing.
	again := t.TempDir()
	results := filepath.Join(dir, "r.json")
	stdout, stderr, status := command(t, t.Context(), "report", "--from", results, "--out", again)
	second, err := os.ReadFile(filepath.Join(again, "quant-kernels.md"))
	if status != 0 || err != nil || string(second) != document || !strings.Contains(stdout, "wrote "+again) {
		t.Errorf("status %d, %v, %s%s", status, err, stdout, stderr)
	}
	stdout, stderr, status = command(t, t.Context(), "report", "--from", results, "--compare", results, "--out", again)
	if status != 0 || !strings.Contains(stdout, "the circumstances are the same\nnone of the ") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	second, err = os.ReadFile(filepath.Join(again, "quant-kernels.md"))
	if err != nil || !strings.Contains(string(second), "## What changed\n\n- the circumstances are the same\n") {
		t.Errorf("%v, the document says nothing of changes", err)
	}
}

func TestBenchAll(t *testing.T) {
	withoutLibraries(t)
	results := filepath.Join(t.TempDir(), "all.json")
	stdout, stderr, status := command(t, t.Context(), "bench", "all", "--quick", "--json", results)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	at := 0
	for _, want := range []string{
		"STRUCTURE: WHAT THE PROBES RECOMMEND\n====", "activation gaussian (density 100%): keep dense is recommended, so nothing is timed.",
		"SPARSE ACTIVATIONS\n", "LOW-RANK WEIGHTS\n", "QUANTIZATION: SPEED AND PRECISION\n", "w4a16 is not timed: its error of ",
		"MATRIX UNIT AND THREADS\n", "CACHE AGAINST DRAM\n", "ERROR OVER THE LAYERS\n", "WHAT TO DO HERE\n", "CAVEATS\n",
	} {
		i := strings.Index(stdout[at:], want)
		if i < 0 {
			t.Fatalf("the report lacks %q, or has it elsewhere:\n%s", want, stdout)
		}
		at += i
	}
	if !strings.Contains(stderr, "measuring sparse activations (3 of 8), about ") {
		t.Errorf("progress:\n%s", stderr)
	}
	r, err := readReport(results)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Quantization.Cases {
		for _, row := range c.Rows {
			if strings.HasPrefix(row.Scheme, "w4a16") {
				t.Errorf("%s was timed", row.Scheme)
			}
		}
	}
	for _, row := range r.CacheVsDRAM.Rows {
		if row.Scheme == "w4a16" {
			t.Errorf("%s was timed", row.Scheme)
		}
	}
	if r.Provenance.Command != "gopherscope bench all --quick" || len(r.NotTimed) != 2 {
		t.Errorf("%q, not timed %v", r.Provenance.Command, r.NotTimed)
	}
}

// A run that ends early writes no file.
func TestReportInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"report", "--out", filepath.Join(dir, "out")}, {"bench", "all"}} {
		_, stderr, status := command(t, ctx, append(args, "--quick", "--json", filepath.Join(dir, "r.json"))...)
		if status != 1 || !strings.Contains(stderr, "interrupted") {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestRecommendedSchemes(t *testing.T) {
	for maxError, want := range map[float64][]string{
		0.02: {"bf16", "w8a16", "w8a8", "w8a8-q"}, 0.009: {"bf16", "w8a16"}, 0.001: {}, 0.5: {"bf16", "w8a16", "w8a8", "w8a8-q", "w4a16", "w4a16-g128"},
	} {
		got, others, err := recommendedSchemes(t.Context(), maxError, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("within %v: %v, want %v", maxError, got, want)
		}
		for _, o := range others {
			if slices.Contains(got, o.Scheme) || !strings.Contains(o.Reason, "not recommended") {
				t.Errorf("within %v: %+v", maxError, o)
			}
		}
	}
}

func TestWithoutFolders(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil || len(home) < 2 {
		testreq.Skip(t, "this user has no home folder")
	}
	l := []experiment.MatrixUnitLibrary{{File: filepath.Join(home, "lib", "a.so"), Unused: "no " + home + "/b.so"}}
	withoutFolders(l)
	if l[0].File != "a.so" || l[0].Unused != "no ~/b.so" {
		t.Errorf("%+v", l[0])
	}
}

func TestReportCommand(t *testing.T) {
	f := reportFlags{threads: 2, seed: 7, maxError: 0.1, quick: true}
	if got := f.command(); got != "gopherscope report --quick --threads 2 --seed 7 --error 0.1" {
		t.Error(got)
	}
	f = reportFlags{threads: 1, maxError: opscope.DefaultError, gated: true}
	if got := f.command(); got != "gopherscope bench all" {
		t.Error(got)
	}
}
