//go:build linux && !noaccel

package accel

import (
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/rlx-go/gopherscope/internal/testreq"
	"github.com/rlx-go/gopherscope/kernels"
)

// buildVendor compiles testdata/vendor.c with some macros defined.
func buildVendor(t testing.TB, macros ...string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		testreq.Skip(t, "gcc is missing")
	}
	file := filepath.Join(t.TempDir(), "vendor.so")
	args := []string{"-std=gnu11", "-Wall", "-Wno-unused-function", "-O1", "-shared", "-fPIC", "-o", file, filepath.Join("testdata", "vendor.c")}
	for _, macro := range macros {
		args = append(args, "-D"+macro)
	}
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return file
}

// openVendor opens such a library in place of an installed one.
func openVendor(t testing.TB, v vendor, threads int, macros ...string) (*Library, error) {
	t.Helper()
	for _, name := range []string{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} {
		t.Setenv(name, "1") // so that the test puts it back
	}
	t.Setenv(v.env, buildVendor(t, macros...))
	return v.open(threads)
}

var accelerate, openBLAS = vendors[0], vendors[1]

// The calls of Accelerate and BNNS are what the library checks for, and the products
// are right.
func TestAccelerate(t *testing.T) {
	for _, threads := range []int{1, 2} {
		l, err := openVendor(t, accelerate, threads)
		if err != nil {
			t.Fatal(err)
		}
		if l.Threads != threads {
			t.Errorf("%d threads, want %d", l.Threads, threads)
		}
		var complaint func() string
		handle, err := load(l.File)
		if err == nil {
			err = bindAll(handle, symbol{"vendor_complaint", &complaint})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Schemes {
			if s.Err != nil {
				t.Errorf("%s: %v: %s", s.Name, s.Err, complaint())
			}
		}
		if threads == 1 {
			conform(t, l)
		}
		if text := complaint(); text != "" {
			t.Error(text)
		}
	}
}

func TestFiltersAreDestroyed(t *testing.T) {
	l, err := openVendor(t, accelerate, 1)
	if err != nil {
		t.Fatal(err)
	}
	handle, err := load(l.File)
	if err != nil {
		t.Fatal(err)
	}
	var filters func() int32
	if err := bindAll(handle, symbol{"vendor_filters", &filters}); err != nil {
		t.Fatal(err)
	}
	m, err := l.New("bnns-i8", kernels.New(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // of the verification
		runtime.GC()
	}
	if n := filters(); n < 1 {
		t.Errorf("%d filters while one is in use", n)
	}
	runtime.KeepAlive(m)
	for range 100 {
		runtime.GC()
		if filters() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d filters are left", filters())
}

// A layer that BNNS does not make, or does not apply, is an error of New.
func TestBNNSRefusals(t *testing.T) {
	l, err := openVendor(t, accelerate, 1, "BNNS_NO_INT8")
	if err != nil {
		t.Fatal(err)
	}
	if s := l.Schemes[2]; s.Name != "bnns-i8" || s.Err == nil || !strings.Contains(s.Err.Error(), "returned NULL") {
		t.Errorf("%+v, want that NULL was returned", s)
	}
	if _, err := l.New("bnns-i8", kernels.New(3, 4)); err == nil || !strings.Contains(err.Error(), "returned NULL") {
		t.Errorf("got %v", err)
	}
	if l.Schemes[0].Err != nil || l.Schemes[1].Err != nil {
		t.Errorf("%+v: float32 is refused too", l.Schemes)
	}

	l, err = openVendor(t, accelerate, 1, "BNNS_APPLY_FAILS")
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.New("bnns-i8", kernels.New(257, 4))
	var failed *CallError
	if !errors.As(err, &failed) || *failed != (CallError{"BNNSFilterApplyBatch", -1}) {
		t.Errorf("got %v, want the status -1 of BNNSFilterApplyBatch", err)
	}

	l, err = openVendor(t, accelerate, 1, "BNNS_NO_MATMUL")
	if err != nil {
		t.Fatal(err)
	}
	if s := l.Schemes[1]; s.Name != "bnns-f32" || s.Err == nil || !strings.Contains(s.Err.Error(), "BNNSMatMul returned -1") || l.Schemes[2].Err != nil {
		t.Errorf("%+v, want that BNNSMatMul, and nothing else, returned -1", l.Schemes)
	}

	l, err = openVendor(t, accelerate, 1, "NO_BNNS")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "it has no function BNNSMatMul", "it has no function BNNSFilterCreateLayerFullyConnected"} {
		if err := l.Schemes[i].Err; (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", l.Schemes[i].Name, err, want)
		}
	}
}

// A failure after New panics with a *CallError.
func TestLaterFailurePanics(t *testing.T) {
	l := &Library{Name: "lib", callers: make(slots, 1)}
	fail := false
	l.offer("float", nil, float32Scheme(func(y, x, w kernels.Matrix) error {
		if fail {
			return status("f", 5)
		}
		return nil
	}))
	m, err := l.New("float", kernels.New(2, 2))
	if err != nil {
		t.Fatal(err)
	}
	fail = true
	for range 2 { // the second would wait for ever if the first had kept its slot
		for _, f := range []func(){func() { kernels.Mul(m, kernels.New(1, 2)) }, m.Call(kernels.New(1, 2))} {
			if e, ok := Catch(f).(*CallError); !ok || *e != (CallError{"f", 5}) || e.Error() != "accel: f returned 5" {
				t.Errorf("panicked with %v", e)
			}
		}
	}
	fail = false
	if kernels.Mul(m, kernels.New(1, 2)); len(m.callers) != 0 {
		t.Error("a slot is still taken")
	}
}

func TestBadLibraries(t *testing.T) {
	for macro, want := range map[string]string{
		"NO_SGEMV":          "vendor.so: it has no function cblas_sgemv",
		"THREADS=0":         "vendor.so: it says that it has 0 threads",
		"ILP64":             "vendor.so: built for 64-bit integers (ILP64)",
		"GARBAGE":           "openblas-f32: [1,13] times [13,7]: wrong products, with a relative error of 1",
		"GARBAGE_ABOVE=100": "openblas-f32: [1,149] times [149,103]: wrong products",
	} {
		if _, err := openVendor(t, openBLAS, 1, macro); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", macro, err, want)
		}
	}
	l, err := openVendor(t, openBLAS, 2)
	if err != nil {
		t.Fatal(err)
	}
	if l.Version != "9.8.7" || l.Core != "Fake" || l.Threads != 2 || cap(l.callers) != 1 {
		t.Errorf("%+v", l)
	}
}

// The sizes and offsets are those that a C compiler computes from the same
// declarations.
func TestLayoutInC(t *testing.T) {
	handle, err := load(buildVendor(t))
	if err != nil {
		t.Fatal(err)
	}
	var layout func() *[64]uintptr
	if err := bindAll(handle, symbol{"vendor_layout", &layout}); err != nil {
		t.Fatal(err)
	}
	fields := bnnsLayout()
	for i, c := range layout()[:len(fields)+1] {
		if i == len(fields) {
			if c != 0 {
				t.Error("the C library has more fields")
			}
		} else if fields[i].got != c {
			t.Errorf("%s: %d, in C %d", fields[i].name, fields[i].got, c)
		}
	}
}

// However many goroutines multiply, the library has as many callers as it can take.
func TestConcurrentCallers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for _, c := range []struct{ threads, callers int }{{1, 3}, {2, 1}} { // it has buffers for three
		l, err := openVendor(t, openBLAS, c.threads)
		if err != nil {
			t.Fatal(err)
		}
		handle, err := load(l.File)
		if err != nil {
			t.Fatal(err)
		}
		var most func() int32
		if err := bindAll(handle, symbol{"vendor_most_callers", &most}); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		w, x := normal(rng, 64, 64), normal(rng, 9, 64)
		m, err := l.New("openblas-f32", w)
		if err != nil {
			t.Fatal(err)
		}
		want := kernels.Mul(m, x)
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				for range 5 {
					if y := kernels.Mul(m, x); !slices.Equal(y.Data, want.Data) {
						t.Error("concurrent callers get different products")
					}
				}
			})
		}
		wg.Wait()
		if n := int(most()); n > c.callers {
			t.Errorf("%d threads: %d callers at a time, want at most %d", c.threads, n, c.callers)
		}
	}
}

// far returns a matrix of two rows that are further apart than an int32 says. Memory
// that is not written to takes no space.
func far(t *testing.T, cols int, values ...float32) kernels.Matrix {
	t.Helper()
	const stride = 1<<31 + 1
	memory, err := syscall.Mmap(-1, 0, 4*(stride+cols), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		testreq.Skip(t, err.Error())
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	a := kernels.Matrix{Rows: 2, Cols: cols, Stride: stride, Data: unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), stride+cols)}
	copy(a.Data, values[:cols])
	copy(a.Data[stride:], values[cols:])
	return a
}

func TestRowsFarApart(t *testing.T) {
	fake, err := openVendor(t, accelerate, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := kernels.Matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float32{127, -127}}
	x := far(t, 2, 127, 1, 3, 127)
	for _, l := range []*Library{fake, openForTest(t, "openblas"), openForTest(t, "onednn")} {
		for _, s := range l.Schemes {
			m, err := l.New(s.Name, w)
			if err != nil {
				t.Fatal(err)
			}
			y := far(t, 1, 0, 0)
			m.MulTo(y, x)
			for i, want := range []float32{127 * 126, -127 * 124} {
				if got := y.Data[i*y.Stride]; got < want-1 || got > want+1 {
					t.Errorf("%s: row %d is %v, want %v", s.Name, i, got, want)
				}
			}
		}
	}
}
