//go:build !noaccel

package accel

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// openForTest opens an installed library with one thread.
func openForTest(t testing.TB, name string) *Library {
	t.Helper()
	if err := SetThreads(1); err != nil {
		t.Fatal(err)
	}
	l, err := Open(name)
	if err != nil {
		testreq.Skip(t, err.Error())
	}
	return l
}

// bounds are those of kerneltest for the schemes.
var bounds = map[string]kerneltest.Bound{
	"accelerate-f32": kerneltest.Float32Bound,
	"bnns-f32":       kerneltest.Float32Bound,
	"bnns-i8":        perTensorBound,
	"openblas-f32":   kerneltest.Float32Bound,
	"onednn-f32":     kerneltest.Float32Bound,
	"onednn-bf16":    kerneltest.BF16Bound,
	"onednn-s8s8":    kerneltest.Int8Bound,
	"onednn-u8s8":    kerneltest.Int8Bound,
}

// perTensorBound is kerneltest.Int8Bound for a weight with one scale: that of a column
// cannot exceed it, so each column gets a row more, with the largest value of all,
// which activations of zero multiply.
func perTensorBound(w, x kernels.Matrix) []float64 {
	var largest float32
	if w.Rows == 0 || w.Cols == 0 {
		return make([]float64, x.Rows*w.Cols)
	}
	for p := range w.Rows {
		for _, v := range w.Data[p*w.Stride:][:w.Cols] {
			largest = max(largest, v, -v)
		}
	}
	wider := func(a kernels.Matrix, rows, cols int, value float32) kernels.Matrix {
		b := kernels.New(rows, cols)
		for i := range b.Data {
			b.Data[i] = value
		}
		for i := range a.Rows {
			copy(b.Data[i*b.Stride:], a.Data[i*a.Stride:][:a.Cols])
		}
		return b
	}
	return kerneltest.Int8Bound(wider(w, w.Rows+1, w.Cols, largest), wider(x, x.Rows, x.Cols+1, 0))
}

// conform runs the suite on the schemes of a library.
func conform(t *testing.T, l *Library) {
	for _, s := range l.Schemes {
		t.Run(s.Name, func(t *testing.T) {
			if s.Err != nil {
				testreq.Skip(t, s.Err.Error())
			}
			kerneltest.RunForeign(t, func(w kernels.Matrix) (kernels.Multiplier, error) { return l.New(s.Name, w) }, bounds[s.Name])
		})
	}
}

func TestInstalledLibraries(t *testing.T) {
	names := []string{"openblas", "onednn"}
	if runtime.GOOS == "darwin" {
		names = append(names, "accelerate")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			l := openForTest(t, name)
			t.Logf("%s %s %s (%s)", l.Name, l.Version, l.Core, l.File)
			if l.Name != name || !filepath.IsAbs(l.File) || !strings.Contains(l.Version, ".") || l.Threads != 1 || l.Err != nil {
				t.Errorf("%+v lacks a file, a version, or the one thread asked for", l)
			}
			if l.Core == "" && name != "accelerate" {
				t.Errorf("%+v lacks a core", l)
			}
			conform(t, l)
		})
	}
}

// The codes and scales are those of W8A8, and integer sums are exact.
func TestInt8IsW8A8(t *testing.T) {
	l := openForTest(t, "onednn")
	rng := rand.New(rand.NewPCG(1, 2))
	w, x := normal(rng, 129, 37), normal(rng, 5, 129)
	ours, err := kernels.NewW8A8(w)
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"onednn-s8s8", "onednn-u8s8"} {
		theirs, err := l.New(scheme, w)
		if err != nil {
			testreq.Skip(t, err.Error())
		}
		if got, want := kernels.Mul(theirs, x), kernels.Mul(ours, x); !slices.Equal(got.Data, want.Data) {
			t.Errorf("%s: relative error %v against W8A8, want the same values", scheme, kernels.RelErr(got, want))
		}
	}
}

// A NaN in a column of W makes that column of y NaN, and no other.
func TestNaNInWeight(t *testing.T) {
	for _, c := range []struct{ library, scheme string }{{"openblas", "openblas-f32"}, {"onednn", "onednn-f32"}, {"onednn", "onednn-bf16"}} {
		l := openForTest(t, c.library)
		rng := rand.New(rand.NewPCG(3, 4))
		w := normal(rng, 33, 17)
		w.Data[5*17+3] = float32(math.NaN())
		m, err := l.New(c.scheme, w)
		if err != nil {
			testreq.Skip(t, err.Error())
		}
		for _, rows := range []int{1, 6} {
			y := kernels.Mul(m, normal(rng, rows, 33))
			for i, v := range y.Data {
				if isNaN, want := v != v, i%17 == 3; isNaN != want {
					t.Errorf("%s: y[%d,%d] = %v with a NaN in column 3 of W", c.scheme, i/17, i%17, v)
				}
			}
		}
	}
}

func TestCallPanicsOnWrongShape(t *testing.T) {
	l := openForTest(t, "onednn")
	for _, s := range l.Schemes {
		m, err := l.New(s.Name, kernels.New(3, 2))
		if err != nil {
			testreq.Skip(t, err.Error())
		}
		func() {
			defer func() {
				if _, ok := recover().(*kernels.ShapeError); !ok {
					t.Errorf("%s: an x with 4 columns is taken for a weight of 3 rows", s.Name)
				}
			}()
			m.Call(kernels.New(1, 4))
		}()
		m.Call(kernels.New(0, 3))() // nothing to do
	}
}

// The allocations of purego for the call itself are all there is: MulTo has no more
// than the function that Call returns.
func TestMulToAllocatesNoMoreThanTheCall(t *testing.T) {
	for _, name := range []string{"openblas", "onednn"} {
		l := openForTest(t, name)
		for _, s := range l.Schemes {
			rng := rand.New(rand.NewPCG(5, 6))
			m, err := l.New(s.Name, normal(rng, 64, 64))
			if err != nil {
				testreq.Skip(t, err.Error())
			}
			x, y := normal(rng, 1, 64), kernels.New(1, 64)
			call := m.Call(x)
			bare := testing.AllocsPerRun(50, call)
			if whole := testing.AllocsPerRun(50, func() { m.MulTo(y, x) }); whole > bare {
				t.Errorf("%s: MulTo allocates %v times, the call alone %v", s.Name, whole, bare)
			}
		}
	}
}

func normal(rng *rand.Rand, rows, cols int) kernels.Matrix {
	a := kernels.New(rows, cols)
	for i := range a.Data {
		a.Data[i] = float32(rng.NormFloat64())
	}
	return a
}
