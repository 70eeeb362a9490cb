package experiment

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/opscope"
)

func TestStructureOptions(t *testing.T) {
	for want, o := range map[string]StructureOptions{
		"-1 threads":              {Threads: -1},
		"a product -1x512x512":    {M: -1},
		"no inputs":               {Inputs: []StructureInput{}},
		`no input "" of`:          {Inputs: []StructureInput{{}}},
		"of distribution 77":      {Inputs: []StructureInput{{opscope.Weight, 77}}},
		"an error of at most 1.5": {MaxError: 1.5},
	} {
		if _, err := Structure(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestStructure(t *testing.T) {
	var progress []int
	r, err := Structure(t.Context(), StructureOptions{
		Threads: 1, M: 4, K: 96, N: 64, Seed: 5, Rounds: 3, RoundTime: 100 * time.Microsecond,
		Progress: func(done, of int) { progress = append(progress, done, of) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 5, 2, 5, 3, 5, 4, 5, 5, 5}; !slices.Equal(progress, want) {
		t.Errorf("progress %v", progress)
	}
	timed := map[string]string{}
	for _, row := range r.Rows {
		timed[string(row.Role)+" "+row.Input] = row.Timed
		if (row.Kernel == nil) != (row.Timed == "") || row.Recommended == "" || row.Why == "" {
			t.Errorf("%+v", row)
		}
		if row.Kernel == nil {
			continue
		}
		// The error of the product is about that of the weight.
		if most := 2*row.Predicted + 1e-6; row.Kernel.Err > most || row.Kernel.NS <= 0 || len(row.Dense) != 2 {
			t.Errorf("%s: %+v, want an error of at most %v", row.Input, row.Kernel, most)
		}
	}
	for input, want := range map[string]string{
		"activation sparse90": "skip zeros", "activation gaussian": "", "weight lowrank": "low-rank factored, rank 4",
	} {
		if !strings.HasPrefix(timed[input], strings.Split(want, ",")[0]) || want == "" && timed[input] != "" {
			t.Errorf("%s: %q is timed, want %q", input, timed[input], want)
		}
	}
	if !strings.HasPrefix(timed["weight gaussian"], "int8") {
		t.Errorf("a Gaussian weight: %q", timed["weight gaussian"])
	}
	checkJSON(t, r)
	checkShown(t, r, "# What the probes recommend", "| activation | gaussian | density 100% | keep dense | nothing |")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Structure(cancelled, StructureOptions{Quick: true}); err != context.Canceled {
		t.Errorf("a context that is cancelled: %v", err)
	}
}

func TestStructureVerdict(t *testing.T) {
	row := func(role opscope.Role, kernel, bytes int64) StructureResult {
		return StructureResult{M: 1, K: 2, N: 3, MaxError: 0.02, Rows: []StructureRow{{
			Input: "made up", Role: role, Density: 0.1, StableRank: 5, RankNeeded: "9", Int8: 0.008,
			Recommended: "this", Timed: "this", Kernel: &Product{NS: kernel, Bytes: bytes, Err: 0.01},
			Dense: []Product{{Scheme: "f32", NS: 100, Bytes: 400}, {Scheme: "dense", NS: 1000, Bytes: 400}},
		}}}
	}
	kept := row(opscope.Activation, 50, 400)
	kept.Rows[0].Kernel = nil
	other := row(opscope.Weight, 50, 100)
	other.Rows[0].Recommended = "lookup table"
	for name, c := range map[string]struct {
		r    StructureResult
		want string
	}{
		"it pays":          {row(opscope.Activation, 50, 400), "activation made up (density 10%): this is recommended. Its kernel is 2 times as fast as f32 and has 20 times the speed of the plain loop and an error of 1.0e-02: it pays in time."},
		"it does not":      {row(opscope.Activation, 200, 400), "Its kernel takes 2 times as long as f32 and has 5 times the speed of the plain loop and an error of 1.0e-02: it does not pay here."},
		"memory":           {row(opscope.Weight, 200, 100), "weight made up (stable rank 5, rank needed 9, int8 0.8%): this is recommended. Its kernel takes 2 times as long as f32 and has 5 times the speed of the plain loop, with 4 times fewer bytes and an error of 1.0e-02: it pays in memory, not in time."},
		"not even that":    {row(opscope.Weight, 200, 500), "it does not pay here."},
		"nothing is timed": {kept, "this is recommended, so nothing is timed."},
		"no kernel":        {other, "lookup table is recommended, for which there is no kernel; the next is this. Its kernel is"},
		"nothing":          {StructureResult{}, "Nothing was measured."},
	} {
		if verdict := c.r.Verdict(); !strings.Contains(verdict, c.want) {
			t.Errorf("%s: the verdict lacks %q:\n%s", name, c.want, verdict)
		}
	}
}
