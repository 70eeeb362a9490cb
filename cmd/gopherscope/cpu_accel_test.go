package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// buildVendor compiles the library of accel's tests with macros that spoil it.
func buildVendor(t *testing.T, macros string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOOS != "linux" {
		testreq.Skip(t, "gcc on Linux is missing")
	}
	file := filepath.Join(t.TempDir(), "vendor.so")
	source := filepath.Join("..", "..", "accel", "testdata", "vendor.c")
	args := []string{"-O1", "-shared", "-fPIC", "-o", file, source}
	for macro := range strings.SplitSeq(macros, ",") {
		args = append(args, "-D"+macro)
	}
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
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

// A library that cannot be used is refused with the reason.
func TestBadLibrariesAreRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		testreq.Skip(t, "the library is built for Linux")
	}
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("not a library\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe.so")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const ended = "it ended the process that tried it: "
	for _, c := range []struct{ name, file, want string }{
		{"missing", filepath.Join(dir, "missing.so"), "missing.so: cannot open shared object file"},
		{"a missing file on a relative path", "missing/lib.so", "missing/lib.so: cannot open shared object file"},
		{"like a flag", "-missing.so", "-missing.so: cannot open shared object file"},
		{"with an unprintable name", "a\x1b[31m\nb.so", "cannot open shared object file"},
		{"a directory", dir, "it is not a regular file"},
		{"a pipe", pipe, "it is not a regular file"},
		{"a text file", text, "file too short"},
		{"without a function", buildVendor(t, "NO_SGEMV"), "it has no function cblas_sgemv"},
		{"garbage", buildVendor(t, "GARBAGE"), "wrong products"},
		{"garbage with large matrices", buildVendor(t, "GARBAGE_ABOVE=100"), "wrong products"},
		{"no threads", buildVendor(t, "THREADS=-7"), "it says that it has -7 threads"},
		{"aborts at load", buildVendor(t, "AT_LOAD=die"), ended + "vendor: this processor is not supported; SIGABRT: abort"},
		{"aborts in a call", buildVendor(t, "IN_CALL=die"), ended + "vendor: this processor is not supported; SIGABRT: abort"},
		{"crashes at load", buildVendor(t, "AT_LOAD=crash"), ended + "SIGSEGV: segmentation violation"},
		{"crashes in a call", buildVendor(t, "IN_CALL=crash"), ended + "SIGSEGV: segmentation violation"},
		{"exits at load", buildVendor(t, "AT_LOAD=quit"), ended + "exit status 0"},
		{"exits in a call", buildVendor(t, "IN_CALL=quit"), ended + "exit status 0"},
		{"leaves a process", buildVendor(t, "AT_LOAD=leave_a_process"), "it started a process that goes on"},
		{"64-bit integers", buildVendor(t, "ILP64"), "built for 64-bit integers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := tryInChild("openblas", c.file, 1); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// The program goes on to the other libraries.
func TestBadLibraryIsNotTheEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		testreq.Skip(t, "the library is built for Linux")
	}
	for macro, want := range map[string]string{
		"NO_SGEMV":      "it has no function cblas_sgemv",
		"GARBAGE":       "wrong products",
		"AT_LOAD=die":   "it ended the process that tried it: vendor: this processor is not supported",
		"AT_LOAD=quit":  "it ended the process that tried it: exit status 0",
		"IN_CALL=crash": "it ended the process that tried it: SIGSEGV",
	} {
		t.Run(macro, func(t *testing.T) {
			t.Parallel()
			libraries := accelOf(t, "GOPHERSCOPE_OPENBLAS="+buildVendor(t, macro))
			if got := libraries["openblas"].Error; len(libraries) != 3 || !strings.Contains(got, want) {
				t.Errorf("got %+v, want %q", libraries, want)
			}
			if l := libraries["onednn"]; l.Error != "" && os.Getenv("GOPHERSCOPE_REQUIRE") == "all" {
				t.Errorf("oneDNN is not opened either: %s", l.Error)
			}
		})
	}
}

func TestGoodLibraries(t *testing.T) {
	if runtime.GOOS != "linux" {
		testreq.Skip(t, "the library is built for Linux")
	}
	fine := buildVendor(t, "FINE")
	l := accelOf(t, "GOPHERSCOPE_OPENBLAS="+fine)["openblas"]
	if l.Error != "" || l.Version != "9.8.7" || l.Core != "Fake" || len(l.Schemes) != 1 || l.File != fine {
		t.Errorf("a library that works: %+v", l)
	}

	// One that does not say its version, in an environment whose path has a space.
	prefix := filepath.Join(t.TempDir(), "my env")
	file := filepath.Join(prefix, "lib", "libopenblas.so.0")
	content, err := os.ReadFile(buildVendor(t, "NO_VERSION"))
	if err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, content, 0o777)); err != nil {
		t.Fatal(err)
	}
	if l := accelOf(t, "GOPHERSCOPE_OPENBLAS=", "CONDA_PREFIX="+prefix)["openblas"]; l.Error != "" || l.File != file {
		t.Errorf("in a conda environment: %+v", l)
	}

	// A program that is loaded reads a path as every other does.
	if err := os.Symlink(fine, filepath.Join(prefix, "a.so")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(prefix)
	if l := accelOf(t, "GOPHERSCOPE_OPENBLAS=./a.so")["openblas"]; l.Error != "" {
		t.Errorf("a relative path: %+v", l)
	}
	if l := accelOf(t, "GOPHERSCOPE_ONEDNN="+fine)["onednn"]; l.Error != "" || l.Version != "9.8.7" || len(l.Schemes) != 4 || l.Schemes[0].Error != "" || !strings.Contains(l.Schemes[2].Error, "dnnl_gemm_s8s8s32") {
		t.Errorf("oneDNN with float32 alone: %+v", l)
	}
	if l := accelOf(t, "GOPHERSCOPE_ONEDNN="+file)["onednn"]; !strings.Contains(l.Error, "dnnl_version returned NULL") {
		t.Errorf("oneDNN without a version: %+v", l)
	}
}

// What a library prints is neither taken for the reason nor kept.
func TestLibraryThatPrints(t *testing.T) {
	if err := tryInChild("openblas", buildVendor(t, "AT_LOAD=print"), 1); err != nil {
		t.Errorf("one that works: %.100q", err.Error())
	}
	bad := buildVendor(t, "AT_LOAD=print,IN_CALL=die")
	if err := tryInChild("openblas", bad, 1); err == nil || len(err.Error()) > 2000 || !strings.Contains(err.Error(), "SIGABRT") {
		t.Errorf("one that fails: %.3000v", err)
	}
}

func TestLibraryThatHangs(t *testing.T) {
	defer func(before time.Duration) { tryTime = before }(tryTime)
	tryTime = 2 * time.Second
	for _, macro := range []string{"AT_LOAD=hang", "IN_CALL=hang"} {
		if err := tryInChild("openblas", buildVendor(t, macro), 1); err == nil || !strings.Contains(err.Error(), "was not done after 2s") {
			t.Errorf("%s: got %v", macro, err)
		}
	}
}

func TestLastWords(t *testing.T) {
	for stderr, want := range map[string]string{
		"": "exit status 3",
		"lib: no AVX\nSIGABRT: abort\nPC=0x7f m=0\n\ngoroutine 1": "lib: no AVX; SIGABRT: abort",
		"\n a \x1b[31m\nb\nc\nd\n":                                `b; c; d`,
		"\n a \x1b[31m\n":                                         `a \x1b[31m`,
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

// A library that prints without an end takes no more memory.
func TestTailIsBounded(t *testing.T) {
	var out tail
	pipe := struct{ io.Reader }{strings.NewReader(strings.Repeat("x", 4*maxTail) + "end")}
	if _, err := io.Copy(&out, pipe); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); len(got) != maxTail || !strings.HasSuffix(got, "xend") {
		t.Errorf("%d bytes are kept, the last are %q", len(got), got[max(0, len(got)-4):])
	}
}
