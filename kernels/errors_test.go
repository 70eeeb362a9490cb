package kernels_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

func TestConstructorsRefuseMalformedWeights(t *testing.T) {
	good := normal(3, 4, 1)
	for _, c := range []struct {
		name   string
		change func(*kernels.Matrix)
		want   string
	}{
		{"negative rows", func(w *kernels.Matrix) { w.Rows = -1 }, "[-1,4]"},
		{"negative columns", func(w *kernels.Matrix) { w.Cols = -2 }, "[3,-2]"},
		{"stride below columns", func(w *kernels.Matrix) { w.Stride = 3 }, "stride 3"},
		{"stride below columns of one row", func(w *kernels.Matrix) { w.Rows, w.Stride = 1, 0 }, "stride 0"},
		{"short data", func(w *kernels.Matrix) { w.Data = w.Data[:11] }, "11 values"},
		{"no data", func(w *kernels.Matrix) { w.Data = nil }, "0 values"},
		{"size that overflows", func(w *kernels.Matrix) { w.Rows, w.Stride = math.MaxInt, math.MaxInt }, "12 values"},
	} {
		for _, s := range schemes {
			w := good
			c.change(&w)
			_, err := s.prepare(w)
			var shapeErr *kernels.ShapeError
			if !errors.As(err, &shapeErr) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(shapeErr.Op, "New") {
				t.Errorf("%s: %s: got error %v, want a *ShapeError of the constructor that says %q", c.name, s, err, c.want)
			}
		}
	}
}

func TestConstructorsNameTheFirstNonFiniteValue(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		w := normal(3, 4, 1)
		w.Data[1*4+3], w.Data[2*4+0] = bad, bad
		for _, s := range schemes {
			_, err := s.prepare(w)
			if !s.finite {
				if err != nil {
					t.Errorf("%s: %v", s, err)
				}
				continue
			}
			var nonFinite *kernels.NonFiniteError
			if !errors.As(err, &nonFinite) {
				t.Errorf("%s: got error %v, want a *NonFiniteError", s, err)
			} else if nonFinite.Row != 1 || nonFinite.Col != 3 || !strings.Contains(err.Error(), "[1,3]") {
				t.Errorf("%s: got %q, want element [1,3] named", s, err)
			}
		}
	}
}

func TestFiniteWeightMayHaveNaNBetweenRows(t *testing.T) {
	w := kernels.Matrix{Rows: 2, Cols: 1, Stride: 2, Data: []float32{1, float32(math.NaN()), 2}}
	for _, s := range schemes {
		if _, err := s.prepare(w); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestOptionsThatDoNotApplyAreRefused(t *testing.T) {
	w := normal(2, 2, 1)
	for name, construct := range map[string]func(...kernels.Option) error{
		"NewDense":          func(o ...kernels.Option) error { _, err := kernels.NewDense(w, o...); return err },
		"NewF32":            func(o ...kernels.Option) error { _, err := kernels.NewF32(w, o...); return err },
		"NewBF16":           func(o ...kernels.Option) error { _, err := kernels.NewBF16(w, o...); return err },
		"NewW4A16":          func(o ...kernels.Option) error { _, err := kernels.NewW4A16(w, o...); return err },
		"NewSkipZeros":      func(o ...kernels.Option) error { _, err := kernels.NewSkipZeros(w, o...); return err },
		"NewInt8PerChannel": func(o ...kernels.Option) error { _, err := kernels.NewInt8PerChannel(w, o...); return err },
		"NewW8A16":          func(o ...kernels.Option) error { _, err := kernels.NewW8A16(w, o...); return err },
		"NewW8A8":           func(o ...kernels.Option) error { _, err := kernels.NewW8A8(w, o...); return err },
	} {
		err := construct(kernels.Rank(1))
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "Rank") {
			t.Errorf("%s with Rank: got error %v, want one that names both", name, err)
		}
	}
	if _, err := kernels.NewLowRank(w, kernels.Rank(1), kernels.Option{}); err == nil {
		t.Error("NewLowRank accepts the zero Option")
	}
}

func TestNewRefusesImpossibleShapes(t *testing.T) {
	for _, c := range [][2]int{{-1, 2}, {2, -1}, {math.MaxInt, 2}, {math.MaxInt/2 + 1, 2}} {
		if _, ok := panicked(func() { kernels.New(c[0], c[1]) }).(*kernels.ShapeError); !ok {
			t.Errorf("New(%d, %d) does not panic with a *ShapeError", c[0], c[1])
		}
	}
	if a := kernels.New(math.MaxInt, 0); a.Rows != math.MaxInt || len(a.Data) != 0 {
		t.Errorf("New(MaxInt, 0) = %d rows, %d values", a.Rows, len(a.Data))
	}
}

func TestMulRefusesWrongX(t *testing.T) {
	mul := mustPrepare(t, prepare(kernels.NewDense)(), normal(3, 4, 1))
	for _, x := range []kernels.Matrix{normal(2, 4, 1), {Rows: -1, Cols: 3, Stride: 3}} {
		err, ok := panicked(func() { kernels.Mul(mul, x) }).(*kernels.ShapeError)
		if !ok || err.Op != "Mul" || err.Operand != "x" {
			t.Errorf("Mul with x %dx%d panics with %v, want a *ShapeError of Mul about x", x.Rows, x.Cols, err)
		}
	}
}

func TestErrorText(t *testing.T) {
	mul := mustPrepare(t, prepare(kernels.NewF32)(), normal(3, 4, 1))
	got := panicked(func() { mul.MulTo(kernels.New(2, 4), kernels.New(2, 5)) }).(error).Error()
	if want := "kernels: F32.MulTo: x: got [2,5], want [m,3]"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	x := kernels.New(3, 3)
	square := mustPrepare(t, prepare(kernels.NewF32)(), normal(3, 3, 1))
	got = panicked(func() { square.MulTo(x, x) }).(error).Error()
	if want := "kernels: F32.MulTo: y: got memory that overlaps x, want memory of its own"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	_, err := kernels.NewW8A8(kernels.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: []float32{float32(math.Inf(-1))}})
	if want := "kernels: NewW8A8: w[0,0] is -Inf, want a finite value"; err.Error() != want {
		t.Errorf("got  %q\nwant %q", err, want)
	}
}

// panicked runs f and returns what it panicked with, or nil.
func panicked(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
