package accel

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// missing skips a test for want of a library, or fails it where everything must run.
func missing(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("GOPHERSCOPE_REQUIRE") == "all" {
		t.Fatal(err)
	}
	t.Skip(err)
}

func mustOpenBLAS(t *testing.T) *OpenBLAS {
	t.Helper()
	l, err := OpenOpenBLAS(1)
	if err != nil {
		missing(t, err)
	}
	return l
}

func mustOneDNN(t *testing.T) *OneDNN {
	t.Helper()
	l, err := OpenOneDNN(1)
	if err != nil {
		missing(t, err)
	}
	return l
}

func TestOpenBLAS(t *testing.T) {
	l := mustOpenBLAS(t)
	t.Logf("%+v", l.Library)
	if l.File == "" || l.Version == "" || l.Core == "" || l.Threads != 1 {
		t.Errorf("%+v lacks a file, a version, a core, or the one thread asked for", l.Library)
	}
	kerneltest.RunForeign(t, func(w kernels.Matrix) (kernels.Multiplier, error) { return l.NewF32(w) }, kerneltest.Float32Bound)
}

func TestOneDNN(t *testing.T) {
	l := mustOneDNN(t)
	t.Logf("%+v", l.Library)
	if l.File == "" || strings.Count(l.Version, ".") != 2 || l.Threads != 1 {
		t.Errorf("%+v lacks a file, a version, or the one thread asked for", l.Library)
	}
	t.Run("f32", func(t *testing.T) {
		kerneltest.RunForeign(t, func(w kernels.Matrix) (kernels.Multiplier, error) { return l.NewF32(w) }, kerneltest.Float32Bound)
	})
	t.Run("u8s8", func(t *testing.T) {
		if l.u8s8Err != nil {
			missing(t, l.u8s8Err)
		}
		kerneltest.RunForeign(t, func(w kernels.Matrix) (kernels.Multiplier, error) { return l.NewU8S8(w) }, kerneltest.Int8Bound)
	})
}

// The codes and scales are those of W8A8, and integer sums are exact.
func TestU8S8IsW8A8(t *testing.T) {
	l := mustOneDNN(t)
	rng := rand.New(rand.NewPCG(1, 2))
	w, x := kernels.New(129, 37), kernels.New(5, 129)
	for _, a := range []kernels.Matrix{w, x} {
		for i := range a.Data {
			a.Data[i] = float32(rng.NormFloat64())
		}
	}
	ours, err := kernels.NewW8A8(w)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := l.NewU8S8(w)
	if err != nil {
		missing(t, err)
	}
	if got, want := kernels.Mul(theirs, x), kernels.Mul(ours, x); !slices.Equal(got.Data, want.Data) {
		t.Errorf("relative error %v against W8A8, want the same values", kernels.RelErr(got, want))
	}

	codes := make([]uint8, 3*129)
	for i := range codes {
		codes[i] = uint8(rng.Uint32())
	}
	sums := make([]int32, 3*37)
	theirs.MulCodesTo(sums, codes)
	for i := range 3 {
		for j := range 37 {
			var want int32
			for p := range 129 {
				want += int32(codes[i*129+p]) * int32(theirs.codes[j*129+p])
			}
			if got := sums[i*37+j]; got != want {
				t.Fatalf("sum [%d,%d] = %d, want %d", i, j, got, want)
			}
		}
	}
	for _, c := range []struct{ sums, codes int }{{3 * 37, 3*129 - 1}, {3*37 - 1, 3 * 129}, {37, 2 * 129}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d sums and %d codes were taken", c.sums, c.codes)
				}
			}()
			theirs.MulCodesTo(make([]int32, c.sums), make([]uint8, c.codes))
		}()
	}
}

func TestBadWeights(t *testing.T) {
	var l OpenBLAS
	var d OneDNN
	for name, w := range map[string]kernels.Matrix{
		"negative":           {Rows: -1, Cols: 1, Stride: 1},
		"stride below width": {Rows: 1, Cols: 2, Stride: 1, Data: make([]float32, 2)},
		"too little data":    {Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 3)},
		"size overflows":     {Rows: 2, Cols: 1, Stride: 1 << 62, Data: make([]float32, 3)},
		"beyond an int32":    {Rows: 1 << 31, Cols: 0, Stride: 1},
	} {
		for constructor, err := range map[string]error{
			"OpenBLAS.NewF32": second(l.NewF32(w)), "OneDNN.NewF32": second(d.NewF32(w)), "OneDNN.NewU8S8": second(d.NewU8S8(w)),
		} {
			var shape *kernels.ShapeError
			if !errors.As(err, &shape) || shape.Op != constructor || shape.Operand != "w" {
				t.Errorf("%s of a weight that is %s: %v, want a *ShapeError of w", constructor, name, err)
			}
		}
	}
	var shape *kernels.ShapeError
	if _, err := d.NewU8S8(kernels.New(66312, 1)); !errors.As(err, &shape) {
		t.Errorf("a weight whose sums may overflow: %v, want a *ShapeError", err)
	}
	w := kernels.New(2, 3)
	w.Data[4] = float32(1) / w.Data[0]
	var nonFinite *kernels.NonFiniteError
	if _, err := d.NewU8S8(w); !errors.As(err, &nonFinite) || nonFinite.Row != 1 || nonFinite.Col != 1 {
		t.Errorf("an infinity at [1,1]: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestThreadsAreFixed(t *testing.T) {
	mustOpenBLAS(t)
	if _, err := OpenOpenBLAS(2); err == nil || !strings.Contains(err.Error(), "is open with 1 threads") {
		t.Errorf("another number of threads: %v", err)
	}
	if _, err := OpenOneDNN(0); err == nil || !strings.Contains(err.Error(), "0 threads, want at least 1") {
		t.Errorf("no threads: %v", err)
	}
}

func TestCandidates(t *testing.T) {
	s := source{name: "Lib", env: "GOPHERSCOPE_TEST_LIB", files: map[string][]string{runtime.GOOS: {"lib.so.2", "lib.so"}}}
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

func TestWhyALibraryIsNotUsed(t *testing.T) {
	notLibrary := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(notLibrary, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := source{name: "Lib", env: "GOPHERSCOPE_TEST_LIB", hint: "install it"}
	for _, c := range []struct{ name, file, want string }{
		{"absent", filepath.Join(t.TempDir(), "absent.so"), "absent.so"},
		{"no library", notLibrary, "text.so"},
		{"unknown system", "", "GOPHERSCOPE_TEST_LIB"},
	} {
		t.Setenv("GOPHERSCOPE_TEST_LIB", c.file)
		_, _, err := s.open(nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "install it") {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// plain multiplies and then changes the result.
type plain struct {
	*kernels.Dense
	change func(y kernels.Matrix)
}

func (p plain) MulTo(y, x kernels.Matrix) {
	p.Dense.MulTo(y, x)
	p.change(y)
}

func TestVerifyRefusesWrongProducts(t *testing.T) {
	for name, change := range map[string]func(y kernels.Matrix){
		"zeros":               func(y kernels.Matrix) { clear(y.Data) },
		"off by a few":        func(y kernels.Matrix) { y.Data[0] += 3 },
		"a NaN":               func(y kernels.Matrix) { y.Data[len(y.Data)-1] = float32(math.NaN()) },
		"wrong for more rows": func(y kernels.Matrix) { y.Data[len(y.Data)-1] += float32(y.Rows - 1) },
	} {
		err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) {
			d, err := kernels.NewDense(w)
			return plain{d, change}, err
		})
		if err == nil {
			t.Errorf("a product that is %s passes", name)
		}
	}
	if err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewDense(w) }); err != nil {
		t.Errorf("the right product: %v", err)
	}
	if err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewW8A8(w) }); err != nil {
		t.Errorf("the product by int8 codes: %v", err)
	}
}

func TestOpenBLASVersion(t *testing.T) {
	for config, want := range map[string]string{
		"OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64": "0.3.21",
		"something else": "something else",
		"":               "",
	} {
		if got := openBLASVersion(config); got != want {
			t.Errorf("%q: %q, want %q", config, got, want)
		}
	}
}
