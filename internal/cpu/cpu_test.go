package cpu

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMask(t *testing.T) {
	steps := []step{{Ref, true}, {AVX2, true}, {AVX512, true}, {VNNI, false}, {BF16, true}}
	for _, c := range []struct {
		mask string
		want []Tier
	}{
		{"", []Tier{Ref, AVX2, AVX512}},
		{"ref", []Tier{Ref}},
		{"avx2", []Tier{Ref, AVX2}},
		{"avx512", []Tier{Ref, AVX2, AVX512}},
		{"vnni", []Tier{Ref, AVX2, AVX512}},
		{"bf16", []Tier{Ref, AVX2, AVX512}}, // its own bit is set, but vnni is missing
	} {
		got, err := masked(steps, c.mask)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("mask %q: got %v, %v, want %v", c.mask, got, err, c.want)
		}
	}
	for _, mask := range []string{"AVX2", "neon", "avx2 ", "max"} {
		if _, err := masked(steps, mask); err == nil || !strings.Contains(err.Error(), "ref avx2 avx512 vnni bf16") {
			t.Errorf("mask %q: got error %v, want one that lists the tiers", mask, err)
		}
	}
}

func TestTiersAreOrderedFromRef(t *testing.T) {
	all, usable := All(), Usable()
	if all[0] != Ref || len(usable) > len(all) || !slices.Equal(usable, all[:len(usable)]) {
		t.Errorf("usable %v is not the start of %v", usable, all)
	}
	if !slices.IsSorted(all) {
		t.Errorf("%v is not in the order of the constants", all)
	}
	if present := Present(); len(usable) > len(present) || !slices.Equal(usable, present[:len(usable)]) {
		t.Errorf("usable %v is not the start of those present, %v", usable, present)
	}
	if best := usable[len(usable)-1]; Best() != best || !Has(best) || !Has(Ref) {
		t.Errorf("Best() = %v, Has(%v) = %v, Has(ref) = %v", Best(), best, Has(best), Has(Ref))
	}
	t.Logf("tiers: %v; %s; last-level cache %d KiB", usable, Name(), LastLevelCache()>>10)
}

// A leg of the check that means to test a tier fails where it would test another.
func TestBestIsTheOneAskedFor(t *testing.T) {
	if mask := os.Getenv(EnvMask); mask != "" && Best().String() != mask {
		t.Errorf("%s=%s, but the best usable tier is %v", EnvMask, mask, Best())
	}
}

func TestNameFromCPUInfo(t *testing.T) {
	for info, want := range map[string]string{
		"processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n\nprocessor\t: 1\nmodel name\t: Other\n": "Some CPU @ 2 GHz",
		"processor\t: 0\nBogoMIPS\t: 50.00\n":                                                     "",
		"":                                                                                        "",
	} {
		if got := nameFromCPUInfo([]byte(info)); got != want {
			t.Errorf("%q: got %q, want %q", info, got, want)
		}
	}
	arm := "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n"
	if got := nameFromCPUInfo([]byte(arm)); !strings.HasSuffix(got, " implementer 0x41 part 0xd0b") {
		t.Errorf("arm64: got %q", got)
	}
	if Name() == "" {
		t.Error("Name is empty")
	}
}

func TestCaches(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, c := range []struct {
		dir     fstest.MapFS
		want    []Cache
		largest int
	}{
		{fstest.MapFS{
			"index0/size": file("32K\n"), "index0/level": file("1\n"), "index0/type": file("Data\n"),
			"index2/size": file("1024K\n"), "index2/level": file("2\n"), "index2/type": file("Unified\n"),
			"index3/size": file("32768K\n"), "index3/level": file("3\n"), "index3/type": file("Unified\n"),
		}, []Cache{{1, "Data", 32 << 10}, {2, "Unified", 1 << 20}, {3, "Unified", 32 << 20}}, 32 << 20},
		{fstest.MapFS{"index0/size": file("2M\n")}, []Cache{{0, "", 2 << 20}}, 2 << 20},
		{fstest.MapFS{"index0/size": file("4096\n")}, []Cache{{0, "", 4096}}, 4096},
		{fstest.MapFS{"index0/size": file("many\n"), "index1/level": file("1\n")}, nil, 0},
		{fstest.MapFS{}, nil, 0},
	} {
		got := readCaches(c.dir)
		if !slices.Equal(got, c.want) || largestOf(got) != c.largest {
			t.Errorf("%v: got %v, largest %d, want %v, %d", c.dir, got, largestOf(got), c.want, c.largest)
		}
	}
	if LastLevelCache() <= 0 {
		t.Errorf("LastLevelCache() = %d", LastLevelCache())
	}
}
