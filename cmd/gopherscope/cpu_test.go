package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
)

func TestCPU(t *testing.T) {
	stdout, stderr, status := command(t, t.Context(), "cpu")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	for _, want := range append([]string{cpu.Name(), "tiers ", " ref", "SCHEME"}, kernels.Schemes()...) {
		if !strings.Contains(stdout, want) {
			t.Errorf("the table lacks %q:\n%s", want, stdout)
		}
	}

	stdout, stderr, status = command(t, t.Context(), "cpu", "--json")
	if status != 0 {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	var got cpuReport
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.CPU != cpu.Name() || got.Cores < 1 || got.Threads < 1 || got.Tiers.Usable[0] != "ref" || len(got.Tiers.All) < len(got.Tiers.Present) {
		t.Errorf("%+v", got)
	}
	var schemes []string
	for _, s := range got.Schemes {
		schemes = append(schemes, s.Scheme)
		if impls := kernels.Implementations(s.Scheme); !slices.Equal(s.Impls, impls) || s.Impl != impls[len(impls)-1] {
			t.Errorf("%+v, want %v of which the last is used", s, impls)
		}
	}
	if !slices.Equal(schemes, kernels.Schemes()) {
		t.Errorf("schemes %v", schemes)
	}
}

func TestCPUReportOfAMask(t *testing.T) {
	var out strings.Builder
	r := cpuReport{
		CPU: "C", Arch: "amd64", Cores: 8, Threads: 4, Mask: "avx2",
		Tiers:   cpuTiers{All: []string{"ref", "avx2", "avx512"}, Present: []string{"ref", "avx2"}, Usable: []string{"ref", "avx2"}},
		Caches:  []cpuCache{{1, "Data", 48 << 10}, {3, "Unified", 36 << 20}},
		Schemes: []schemeImpls{{"f32", "avx2", []string{"ref", "avx2"}}},
	}
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	want := `cpu              C, amd64
cores            8, of which a product may use 4
caches           L1d 48 KiB, L3 36 MiB
tiers            ref avx2
lacks            avx512
GOPHERSCOPE_CPU  avx2: uses ref avx2

SCHEME  USES  CAN ALSO RUN
f32     avx2  ref
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
