package accel

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestCandidates(t *testing.T) {
	s := source{name: "lib", env: "GOPHERSCOPE_TEST_LIB", files: map[string][]string{runtime.GOOS: {"lib.so.2", "lib.so"}}}
	t.Setenv("CONDA_PREFIX", "")
	if got := s.candidates(); !slices.Equal(got, []string{"lib.so.2", "lib.so"}) {
		t.Errorf("got %v", got)
	}
	prefix := t.TempDir()
	file := filepath.Join(prefix, "lib", "lib.so")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o777), os.WriteFile(file, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONDA_PREFIX", prefix)
	if got := s.candidates(); !slices.Equal(got, []string{file, "lib.so.2", "lib.so"}) {
		t.Errorf("with a conda environment: %v", got)
	}
	t.Setenv("GOPHERSCOPE_TEST_LIB", "/my/lib.so")
	if got := s.candidates(); !slices.Equal(got, []string{"/my/lib.so"}) {
		t.Errorf("with the variable: %v", got)
	}
}

func TestILP64Names(t *testing.T) {
	for name, want := range map[string]bool{
		"libopenblas.so.0":           false,
		"libopenblasp.so.0":          false,
		"libopenblas.0.dylib":        false,
		"libopenblas64_.so.0":        true,
		"libopenblas64.so.0":         true,
		"libopenblasp64_.so":         true,
		"libopenblas_64.so":          true,
		"libopenblas64p-r0.3.21.so":  true,
		"libopenblas64_.0.dylib":     true,
		"/a/x86_64-linux/libblas.so": false,
		"libblas64.so.3":             true,
		"libmkl_intel_ilp64.so.2":    true,
		"libdnnl.so.2":               false,
	} {
		if got := isILP64(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestOpenBLASConfig(t *testing.T) {
	const any = 1<<31 - 1
	for text, want := range map[string]openBLASConfig{
		"OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64": {"0.3.21", false, 64},
		"OpenBLAS 0.3.29 USE64BITINT MAX_THREADS=x":                   {"0.3.29", true, any},
		"something else": {"something else", false, any},
		"":               {"", false, any},
	} {
		if got := readOpenBLASConfig(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestSlots(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, c := range []struct{ threads, limit, want int }{{1, 100, 4}, {1, 3, 3}, {1, 0, 1}, {2, 100, 1}} {
		if got := cap(newSlots(c.threads, c.limit)); got != c.want {
			t.Errorf("%d threads, limit %d: %d callers, want %d", c.threads, c.limit, got, c.want)
		}
	}
}

// Without a library, and of a wrong name.
func TestOpenErrors(t *testing.T) {
	if errLeftOut != nil {
		if _, err := Open("openblas"); !errors.Is(err, errLeftOut) {
			t.Errorf("got %v", err)
		}
		return
	}
	t.Setenv("GOPHERSCOPE_TEST_LIB", "")
	v := vendor{source: source{name: "lib", env: "GOPHERSCOPE_TEST_LIB", hint: "install it"}}
	if _, err := v.open(1); err == nil || !strings.Contains(err.Error(), "GOPHERSCOPE_TEST_LIB names its file (install it)") {
		t.Errorf("no candidates: %v", err)
	}
	t.Setenv("GOPHERSCOPE_TEST_LIB", filepath.Join(t.TempDir(), "absent.so"))
	if _, err := v.open(1); err == nil || !strings.Contains(err.Error(), "absent.so") {
		t.Errorf("an absent file: %v", err)
	}
	t.Setenv("GOPHERSCOPE_TEST_LIB", "libopenblas64_.so.0")
	if _, err := v.open(1); err == nil || !strings.Contains(err.Error(), "libopenblas64_.so.0: built for 64-bit integers") {
		t.Errorf("a library of 64-bit integers: %v", err)
	}
	if _, err := Open("mkl"); err == nil || !strings.Contains(err.Error(), `"mkl", but accelerate, openblas, onednn`) {
		t.Errorf("an unknown library: %v", err)
	}
}

func TestSetThreads(t *testing.T) {
	opened.mu.Lock()
	threads, libraries := opened.threads, opened.libraries
	opened.mu.Unlock()
	defer func() { opened.threads, opened.libraries = threads, libraries }()
	opened.libraries = nil
	if err := SetThreads(0); err == nil || !strings.Contains(err.Error(), "0 threads, want at least 1") {
		t.Errorf("0 threads: %v", err)
	}
	for _, n := range []int{1, 2} {
		if err := SetThreads(n); err != nil {
			t.Error(err)
		}
	}
	opened.libraries = map[string]*Library{"lib": {}}
	if err := SetThreads(2); err != nil {
		t.Errorf("the same number: %v", err)
	}
	if err := SetThreads(1); err == nil || !strings.Contains(err.Error(), "open with 2 threads, which cannot be changed to 1") {
		t.Errorf("another number: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "OPENBLAS_THREAD_TIMEOUT"} {
		t.Setenv(name, "")
	}
	t.Setenv("OPENBLAS_THREAD_TIMEOUT", "26")
	if err := setEnvironment(3); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"OPENBLAS_NUM_THREADS": "3", "OMP_NUM_THREADS": "3", "VECLIB_MAXIMUM_THREADS": "3", "OPENBLAS_THREAD_TIMEOUT": "26"} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	os.Unsetenv("OPENBLAS_THREAD_TIMEOUT")
	if err := setEnvironment(3); err != nil || os.Getenv("OPENBLAS_THREAD_TIMEOUT") != "20" {
		t.Errorf("OPENBLAS_THREAD_TIMEOUT = %q, %v", os.Getenv("OPENBLAS_THREAD_TIMEOUT"), err)
	}
}
