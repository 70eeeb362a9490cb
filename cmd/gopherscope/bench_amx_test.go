package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
	"github.com/rlx-go/gopherscope/opscope/experiment"
)

func TestAMXFlagErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--threads", "0"}, "--threads 0: want numbers from 1 to"},
		{[]string{"--threads", "1,1"}, "--threads 1,1: want numbers"},
		{[]string{"--threads", "many"}, "--threads many: want numbers"},
		{[]string{"--m", "4,1"}, "--m 4,1: want numbers from 1 to 1048576 in ascending order"},
		{[]string{"--shapes", "3"}, `--shapes: "3" is not KxN`},
		{[]string{"--rounds", "2"}, "--rounds 2: want at least 3"},
		{[]string{"--json", "--markdown"}, "want one of them"},
		{[]string{"extra"}, "unknown command"},
	} {
		_, stderr, status := command(t, t.Context(), append([]string{"bench", "amx"}, c.args...)...)
		if status != statusUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %q, want %q", c.args, status, stderr, c.want)
		}
	}
}

// Each number of threads is measured in a process of its own, and the results are
// put together.
func TestAMX(t *testing.T) {
	dir := t.TempDir()
	// Libraries that fail, at once and with larger weights, are left out.
	crashes, refuses := filepath.Join(dir, "missing"), filepath.Join(dir, "missing")
	if runtime.GOOS == "linux" {
		crashes, refuses = buildVendor(t, "IN_CALL=crash"), buildVendor(t, "BNNS_APPLY_FAILS")
	}
	t.Setenv("GOPHERSCOPE_OPENBLAS", crashes)
	t.Setenv("GOPHERSCOPE_ACCELERATE", refuses)
	chart, out := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.md")
	if runtime.NumCPU() == 1 {
		testreq.Skip(t, "with one processor no other process is needed")
	}
	small := []string{"bench", "amx", "--threads", "1,2", "--shapes", "300x32,32x16", "--m", "1,3", "--rounds", "3"}
	stdout, stderr, status := command(t, t.Context(), append(small, "--json", "--chart", chart)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var result experiment.MatrixUnitResult
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&result); err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, run := range result.Runs {
		got = append(got, run.Threads)
		for name, want := range map[string]string{
			"openblas":   "it ended the process that tried it: SIGSEGV",
			"accelerate": "bnns-i8: W 300x32: accel: BNNSFilterApplyBatch returned -1",
		} {
			i := slices.IndexFunc(run.Libraries, func(l experiment.MatrixUnitLibrary) bool { return l.Name == name })
			got := run.Libraries[i]
			if runtime.GOOS == "linux" && !strings.Contains(got.Unused+strings.Join(got.Refused, " "), want) {
				t.Errorf("%+v, want %q", got, want)
			}
		}
		if len(run.Rows) < 3*4 || run.Rows[0].Scheme != "f32" || run.Rows[0].K != 300 {
			t.Errorf("%+v", run)
		}
	}
	if !slices.Equal(got, []int{1, 2}) {
		t.Errorf("runs of %v threads, want 1 and 2", got)
	}
	if !strings.Contains(stderr, "threads 1: measuring m=3, W 32x16 (4 of 4)") {
		t.Errorf("progress:\n%s", stderr)
	}
	if svg, err := os.ReadFile(chart); err != nil || !strings.Contains(string(svg), "<svg") {
		t.Errorf("the chart: %v", err)
	}

	_, stderr, status = command(t, t.Context(), append(small, "--markdown", "--out", out)...)
	if text, err := os.ReadFile(out); status != 0 || err != nil || !strings.HasPrefix(string(text), "# The matrix unit as the yardstick\n\n## Verdict\n") {
		t.Errorf("status %d, stderr %s, file %v:\n%s", status, stderr, err, text)
	}
	// The processes take the defaults of flags that were not given.
	_, stderr, status = command(t, t.Context(), "bench", "amx", "--shapes", "32x16", "--rounds", "3")
	if !strings.Contains(stderr, "threads 1: measuring m=512, W 32x16 (7 of 7)") || status != 0 {
		t.Errorf("status %d without --m, progress:\n%s", status, stderr)
	}
}
