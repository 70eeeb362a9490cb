package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// buildVendor compiles the library of accel's tests, with a macro that spoils it.
func buildVendor(t *testing.T, macro string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOOS != "linux" {
		testreq.Skip(t, "gcc on Linux is missing")
	}
	file := filepath.Join(t.TempDir(), "vendor.so")
	source := filepath.Join("..", "..", "accel", "testdata", "vendor.c")
	if out, err := exec.Command(gcc, "-O1", "-shared", "-fPIC", "-D"+macro, "-o", file, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return file
}

// accelOf runs "cpu --accel" in a process of its own, in which nothing is open.
func accelOf(t *testing.T, env ...string) map[string]accelLibrary {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "cpu", "--accel", "--json")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var report cpuReport
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	libraries := map[string]accelLibrary{}
	for _, l := range report.Accel {
		libraries[l.Name] = l
	}
	return libraries
}

// A library that cannot be used is refused with the reason, and the program goes on
// to the others.
func TestBadLibrariesAreRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		testreq.Skip(t, "the library is built for Linux")
	}
	missing := filepath.Join(t.TempDir(), "missing.so")
	for _, c := range []struct{ name, file, want string }{
		{"missing", missing, "missing.so"},
		{"without a function", buildVendor(t, "NO_SGEMV"), "it has no function cblas_sgemv"},
		{"garbage", buildVendor(t, "GARBAGE"), "wrong products"},
		{"aborts at load", buildVendor(t, "ABORT_AT_LOAD"), "it ended the process that tried it: vendor: this processor is not supported; SIGABRT: abort"},
		{"aborts in a call", buildVendor(t, "ABORT_IN_CALL"), "it ended the process that tried it: vendor: illegal instruction; SIGABRT: abort"},
		{"64-bit integers", buildVendor(t, "ILP64"), "built for 64-bit integers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			libraries := accelOf(t, "GOPHERSCOPE_OPENBLAS="+c.file)
			if len(libraries) != 3 || !strings.Contains(libraries["openblas"].Error, c.want) {
				t.Errorf("got %+v, want %q", libraries, c.want)
			}
			if l := libraries["onednn"]; l.Error != "" && os.Getenv("GOPHERSCOPE_REQUIRE") == "all" {
				t.Errorf("oneDNN is not opened either: %s", l.Error)
			}
		})
	}
	if l := accelOf(t, "GOPHERSCOPE_OPENBLAS="+buildVendor(t, "FINE"))["openblas"]; l.Error != "" || l.Version != "9.8.7" || l.Core != "Fake" || len(l.Schemes) != 1 {
		t.Errorf("a library that works: %+v", l)
	}
}

func TestLibraryThatHangs(t *testing.T) {
	defer func(before time.Duration) { tryTime = before }(tryTime)
	tryTime = 2 * time.Second
	if err := tryInChild("openblas", buildVendor(t, "HANG_AT_LOAD")); err == nil || !strings.Contains(err.Error(), "was not done after 2s") {
		t.Errorf("got %v", err)
	}
}

func TestLastWords(t *testing.T) {
	for stderr, want := range map[string]string{
		"": "exit status 3",
		"lib: no AVX\nSIGABRT: abort\nPC=0x7f m=0\n\ngoroutine 1": "lib: no AVX; SIGABRT: abort",
		"\n a \x1b[31m\nb\nc\nd\n":                                `a \x1b[31m; b; c`,
	} {
		if got := lastWords(stderr, "exit status 3"); got != want {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}

func TestAccelTable(t *testing.T) {
	var out strings.Builder
	r := cpuReport{CPU: "C", Arch: "arm64", Accel: []accelLibrary{
		{Name: "accelerate", File: "/A", Version: "macOS 15.1", Threads: 4, Schemes: []accelScheme{{"accelerate-f32", ""}, {"bnns-f32", ""}, {"bnns-i8", "returned NULL"}}},
		{Name: "openblas", Error: "accel: openblas: a.so: not found\nb.so: not found (install it)"},
	}}
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "\nLIBRARY")
	want := `     VERSION     CODE FOR  THREADS  FILE
accelerate  macOS 15.1  -         4        /A
accelerate: accelerate-f32 bnns-f32
bnns-i8 is not used: returned NULL
openblas is not used: a.so: not found
  b.so: not found (install it)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
