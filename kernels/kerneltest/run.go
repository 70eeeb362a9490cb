package kerneltest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/rlx-go/gopherscope/internal/guard"
	"github.com/rlx-go/gopherscope/kernels"
)

// Prepare makes the Multiplier under test from a weight w[k,n], finite and of
// any shape, 0 included.
type Prepare func(w kernels.Matrix) (kernels.Multiplier, error)

// Run checks the contract of kernels.Multiplier, one subtest for each part of
// it: shapes from 0 up in every dimension, integer products that must be exact,
// magnitudes, strides and offsets, memory outside the operands, what is refused,
// non-finite activations, concurrent callers, numbers of threads and allocations.
func Run(t *testing.T, prepare Prepare, bound Bound) { RunCodes(t, prepare, bound, 127) }

// RunCodes is Run for a scheme whose weights are codes up to largest, or more: the
// integer products that must be exact are of weights up to that.
func RunCodes(t *testing.T, prepare Prepare, bound Bound, largest int) {
	runChecks(t, prepare, bound, checks(largest))
}

// RunForeign is Run for a library of another language, whose calls allocate in Go
// and whose threads are its own.
func RunForeign(t *testing.T, prepare Prepare, bound Bound) {
	runChecks(t, prepare, bound, slices.DeleteFunc(checks(127), func(c contractCheck) bool {
		return c.name == "Threads" || c.name == "NoAllocations"
	}))
}

func runChecks(t *testing.T, prepare Prepare, bound Bound, list []contractCheck) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			if err := c.check(prepare, bound); err != nil {
				t.Error(err)
			}
		})
	}
}

// A contractCheck returns the first violation that it finds.
type contractCheck struct {
	name  string
	check func(Prepare, Bound) error
}

func checks(largest int) []contractCheck {
	return []contractCheck{
		{"Info", checkInfo},
		{"Shapes", checkShapes},
		{"ExactIntegers", checkExactIntegers(largest)},
		{"Magnitudes", checkMagnitudes},
		{"Layouts", checkLayouts},
		{"GuardPages", checkGuardPages},
		{"BadOperands", checkBadOperands},
		{"InterleavedViews", checkInterleavedViews},
		{"NonFiniteActivations", checkNonFiniteActivations},
		{"WeightIsCopied", checkWeightIsCopied},
		{"Concurrent", checkConcurrent},
		{"Threads", checkThreads},
		{"NoAllocations", checkNoAllocations},
	}
}

// Sizes around the widths of vectors, tiles and blocks, and primes.
var (
	sizes   = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 257}
	batches = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33}
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(20, 26)) }

func checkInfo(prepare Prepare, _ Bound) error {
	const k, n = 7, 5
	m, err := prepare(normal(k, n, newRand()))
	if err != nil {
		return err
	}
	if gotK, gotN := m.Dims(); gotK != k || gotN != n {
		return fmt.Errorf("Dims() = %d, %d, want %d, %d", gotK, gotN, k, n)
	}
	if info := m.Info(); info.Scheme == "" || info.Impl == "" || info.WeightBytes <= 0 {
		return fmt.Errorf("Info() = %+v, want a scheme, an implementation and the bytes of the weight", info)
	}
	return nil
}

func checkShapes(prepare Prepare, bound Bound) error {
	rng := newRand()
	check := func(k, n int, batches ...int) error {
		w := normal(k, n, rng)
		mul, err := prepare(w)
		if err != nil {
			return fmt.Errorf("k=%d n=%d: %w", k, n, err)
		}
		for _, m := range batches {
			x := normal(m, k, rng)
			if err := compare(kernels.Mul(mul, x), w, x, bound); err != nil {
				return fmt.Errorf("m=%d k=%d n=%d: %w", m, k, n, err)
			}
		}
		return nil
	}
	for a, k := range sizes {
		for b, n := range sizes {
			// Each m meets each k and each n, without the full product of three.
			if err := check(k, n, 1, batches[(a+b)%len(batches)]); err != nil {
				return err
			}
		}
	}
	return errors.Join(
		check(1031, 7, 1, 3), check(67, 1031, 3), check(4099, 5, 2), check(5, 3, 257),
		// Several blocks of k, of rows and of columns, and rows a page apart.
		check(2087, 70, 1, 7, 30), check(2048, 140, 1, 13),
	)
}

// checkExactIntegers uses weights that are integers up to largest and activations up
// to 127, with an extreme in every eighth place of a column of w and in every row of
// x, so that the steps of symmetric codes are exactly 1, and sums below 2^24, so that
// float32 is exact in any order.
func checkExactIntegers(largest int) func(Prepare, Bound) error {
	return func(prepare Prepare, _ Bound) error {
		exact := func(w, x kernels.Matrix) []float64 { return make([]float64, x.Rows*w.Cols) }
		rng := newRand()
		for _, k := range []int{1, 2, 5, 16, 33, 129, 1000} {
			for _, n := range []int{1, 3, 16, 33} {
				w, x := kernels.New(k, n), kernels.New(5, k)
				fillMatrix(w, func(int, int) float32 { return float32(rng.IntN(2*largest+1) - largest) })
				fillMatrix(x, func(int, int) float32 { return float32(rng.IntN(255) - 127) })
				for j := range n {
					for p := 0; p < k; p += 8 {
						w.Data[p*n+j] = float32(largest - 2*largest*(j%2))
					}
				}
				for i := range x.Rows {
					x.Data[i*k+rng.IntN(k)] = float32(127 - 254*(i%2))
				}
				mul, err := prepare(w)
				if err != nil {
					return fmt.Errorf("k=%d n=%d: %w", k, n, err)
				}
				if err := compare(kernels.Mul(mul, x), w, x, exact); err != nil {
					return fmt.Errorf("k=%d n=%d: %w", k, n, err)
				}
			}
		}
		return nil
	}
}

func checkMagnitudes(prepare Prepare, bound Bound) error {
	const m, k, n = 9, 37, 19
	spread := []float32{1, 1e-3, 1e3, 0, 1e-6, 1e6, 1}
	rng := newRand()
	for _, c := range []struct {
		name string
		w, x func(v float32, row, col int) float32
	}{
		{"columns of w and rows of x of different size, some zero",
			func(v float32, _, j int) float32 { return v * spread[j%len(spread)] },
			func(v float32, i, _ int) float32 { return v * spread[i%len(spread)] }},
		{"rows of w and columns of x of different size, some zero",
			func(v float32, p, _ int) float32 { return v * spread[p%len(spread)] },
			func(v float32, _, p int) float32 { return v * spread[p%len(spread)] }},
		{"one large value a row of x",
			func(v float32, _, _ int) float32 { return v },
			func(v float32, i, p int) float32 {
				if p == i {
					return 3000 * v
				}
				return v
			}},
		{"zero w",
			func(float32, int, int) float32 { return 0 },
			func(v float32, _, _ int) float32 { return v }},
		{"negative zero x",
			func(v float32, _, _ int) float32 { return v },
			func(float32, int, int) float32 { return float32(math.Copysign(0, -1)) }},
		{"subnormal w",
			func(v float32, _, _ int) float32 { return v * 1e-41 },
			func(v float32, _, _ int) float32 { return v }},
		{"smallest subnormal w",
			func(float32, int, int) float32 { return subnormal },
			func(v float32, _, _ int) float32 { return v }},
		{"subnormal x",
			func(v float32, _, _ int) float32 { return v },
			func(v float32, _, _ int) float32 { return v * 1e-41 }},
		{"large w",
			func(v float32, _, _ int) float32 { return v * 1e30 },
			func(v float32, _, _ int) float32 { return v }},
		{"large x",
			func(v float32, _, _ int) float32 { return v },
			func(v float32, _, _ int) float32 { return v * 1e30 }},
	} {
		w, x := kernels.New(k, n), kernels.New(m, k)
		fillMatrix(w, func(p, j int) float32 { return c.w(float32(rng.NormFloat64()), p, j) })
		fillMatrix(x, func(i, p int) float32 { return c.x(float32(rng.NormFloat64()), i, p) })
		mul, err := prepare(w)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if err := compare(kernels.Mul(mul, x), w, x, bound); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// checkLayouts moves w, x and y through offsets and gaps between rows, starts
// from a y of NaN, and looks at everything around y and at x afterwards.
func checkLayouts(prepare Prepare, bound Bound) error {
	rng := newRand()
	for _, d := range []struct{ m, k, n int }{{1, 1, 1}, {3, 5, 7}, {4, 16, 32}, {5, 33, 17}, {2, 0, 3}} {
		for offset := range 4 {
			for gap := range 3 {
				lw, lx, ly := layout{offset, gap}, layout{3 - offset, 2 * gap}, layout{(offset + 1) % 4, 7 * gap}
				w, _ := newMatrix(d.k, d.n, lw)
				x, xBuf := newMatrix(d.m, d.k, lx)
				y, yBuf := newMatrix(d.m, d.n, ly)
				fillNormal(w, rng)
				fillNormal(x, rng)
				fillMatrix(y, func(int, int) float32 { return nan })
				wBefore, xBefore := slices.Clone(w.Data), slices.Clone(xBuf)

				where := fmt.Sprintf("m=%d k=%d n=%d, layouts of w %+v, x %+v, y %+v", d.m, d.k, d.n, lw, lx, ly)
				mul, err := prepare(w)
				if err != nil {
					return fmt.Errorf("%s: %w", where, err)
				}
				mul.MulTo(y, x)
				switch {
				case !sameBits(xBefore, xBuf):
					return fmt.Errorf("%s: x was written", where)
				case !fencesIntact(y, yBuf, ly):
					return fmt.Errorf("%s: memory around the rows of y was written", where)
				case !sameBits(wBefore, w.Data):
					return fmt.Errorf("%s: w was written", where)
				}
				if err := compare(y, w, x, bound); err != nil {
					return fmt.Errorf("%s: %w", where, err)
				}
			}
		}
	}
	return nil
}

// checkGuardPages puts w, x and y next to memory that faults.
func checkGuardPages(prepare Prepare, bound Bound) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, m := range []int{1, 2, 5, 8, 12, 13} {
		for _, k := range []int{1, 3, 8, 15, 17, 64, 67} {
			for _, n := range []int{1, 3, 8, 17, 31, 33, 64, 67, 127} {
				for _, atEnd := range []bool{true, false} {
					if err := checkGuarded(prepare, bound, m, k, n, atEnd); err != nil {
						return fmt.Errorf("m=%d k=%d n=%d, operands at the end of a page %v: %w", m, k, n, atEnd, err)
					}
				}
			}
		}
	}
	return nil
}

func checkGuarded(prepare Prepare, bound Bound, m, k, n int, atEnd bool) (err error) {
	rng := newRand()
	var operands [3]kernels.Matrix
	for o, d := range [3][2]int{{k, n}, {m, k}, {m, n}} {
		g, guardErr := guard.New[float32](d[0]*d[1], atEnd)
		if guardErr != nil {
			return guardErr
		}
		defer func() { err = errors.Join(err, g.Close()) }()
		operands[o] = kernels.Matrix{Rows: d[0], Cols: d[1], Stride: d[1], Data: g.Data}
	}
	w, x, y := operands[0], operands[1], operands[2]
	fillNormal(w, rng)
	fillNormal(x, rng)

	var mul kernels.Multiplier
	if fault := caught(func() { mul, err = prepare(w) }); fault != nil {
		return fmt.Errorf("preparing the weight: %v", fault)
	}
	if err != nil {
		return err
	}
	if fault := caught(func() { mul.MulTo(y, x) }); fault != nil {
		return fmt.Errorf("MulTo: %v", fault)
	}
	return compare(y, w, x, bound)
}

func checkBadOperands(prepare Prepare, _ Bound) error {
	const m, k, n = 3, 4, 5
	rng := newRand()
	mul, err := prepare(normal(k, n, rng))
	if err != nil {
		return err
	}
	square, err := prepare(normal(k, k, rng))
	if err != nil {
		return err
	}
	x, y := normal(m, k, rng), normal(m, n, rng)
	change := func(a kernels.Matrix, f func(*kernels.Matrix)) kernels.Matrix {
		a = clone(a)
		f(&a)
		return a
	}
	shared := normal(1, 2*m*k, rng).Data
	view := func(start, stride int) kernels.Matrix {
		return kernels.Matrix{Rows: m, Cols: k, Stride: stride, Data: shared[start:]}
	}

	for _, c := range []struct {
		name    string
		mul     kernels.Multiplier
		y, x    kernels.Matrix
		operand string
	}{
		{"y with a row less", mul, normal(m-1, n, rng), x, "y"},
		{"y with a row more", mul, normal(m+1, n, rng), x, "y"},
		{"y with a column less", mul, normal(m, n-1, rng), x, "y"},
		{"y with a column more", mul, normal(m, n+1, rng), x, "y"},
		{"y transposed", mul, normal(n, m, rng), x, "y"},
		{"x with a column less", mul, y, normal(m, k-1, rng), "x"},
		{"x with a column more", mul, y, normal(m, k+1, rng), "x"},
		{"x with negative rows", mul, y, change(x, func(a *kernels.Matrix) { a.Rows = -1 }), "x"},
		{"y with negative columns", mul, change(y, func(a *kernels.Matrix) { a.Cols = -1 }), x, "y"},
		{"x with a stride below its columns", mul, y, change(x, func(a *kernels.Matrix) { a.Stride = k - 1 }), "x"},
		{"y with a stride below its columns", mul, change(y, func(a *kernels.Matrix) { a.Stride = n - 1 }), x, "y"},
		{"x with a negative stride", mul, y, change(x, func(a *kernels.Matrix) { a.Stride = -k }), "x"},
		{"x with a value too few", mul, y, change(x, func(a *kernels.Matrix) { a.Data = a.Data[:m*k-1] }), "x"},
		{"y with a value too few", mul, change(y, func(a *kernels.Matrix) { a.Data = a.Data[:m*n-1] }), x, "y"},
		{"y with a stride too large", mul, change(y, func(a *kernels.Matrix) { a.Stride = n + 1 }), x, "y"},
		{"x whose size overflows", mul, y, change(x, func(a *kernels.Matrix) { a.Stride = math.MaxInt }), "x"},
		{"y without data", mul, change(y, func(a *kernels.Matrix) { a.Data = nil }), x, "y"},
		{"y that is x", square, view(0, k), view(0, k), "y"},
		{"y that shares its first element with x", square, view(m*k-1, k), view(0, k), "y"},
		{"y that shares its last element with x", square, view(0, k), view(m*k-1, k), "y"},
		{"y whose rows run through those of x", square, view(2, 2*k), view(0, 2*k), "y"},
		{"y with another stride than the x that it overlaps", square, view(k, k+1), view(0, 2*k), "y"},
	} {
		before := slices.Clone(c.y.Data)
		refusal := caught(func() { c.mul.MulTo(c.y, c.x) })
		shapeErr, ok := refusal.(*kernels.ShapeError)
		switch {
		case !ok:
			return fmt.Errorf("%s: MulTo panicked with %v, want a *kernels.ShapeError", c.name, refusal)
		case shapeErr.Op == "" || shapeErr.Operand != c.operand || shapeErr.Got == "" || shapeErr.Want == "":
			return fmt.Errorf("%s: MulTo panicked with %+v, want every field set and operand %s", c.name, *shapeErr, c.operand)
		case !sameBits(before, c.y.Data):
			return fmt.Errorf("%s: y was written before MulTo refused", c.name)
		}
	}
	return nil
}

// checkInterleavedViews gives MulTo the left and the right half of one buffer:
// their rows alternate in memory without touching.
func checkInterleavedViews(prepare Prepare, bound Bound) error {
	const m, k, n = 4, 6, 5
	rng := newRand()
	w := normal(k, n, rng)
	mul, err := prepare(w)
	if err != nil {
		return err
	}
	buf := normal(m, k+n, rng)
	x := kernels.Matrix{Rows: m, Cols: k, Stride: k + n, Data: buf.Data}
	y := kernels.Matrix{Rows: m, Cols: n, Stride: k + n, Data: buf.Data[k:]}
	if refusal := caught(func() { mul.MulTo(y, x) }); refusal != nil {
		return fmt.Errorf("MulTo: %v", refusal)
	}
	return compare(y, w, x, bound)
}

// checkNonFiniteActivations wants a row of NaN for a row with a NaN, no finite
// value for a row with an infinity, and the other rows as if nothing were there.
func checkNonFiniteActivations(prepare Prepare, bound Bound) error {
	rng := newRand()
	for _, k := range []int{1, 2, 9, 16, 35} {
		for _, n := range []int{1, 4, 16, 35} {
			w, x := normal(k, n, rng), normal(7, k, rng)
			mul, err := prepare(w)
			if err != nil {
				return fmt.Errorf("k=%d n=%d: %w", k, n, err)
			}
			bad := x
			bad.Data = slices.Clone(x.Data)
			bad.Data[1*k] = nan
			bad.Data[2*k+k/2] = nan
			bad.Data[3*k+k-1] = inf
			bad.Data[5*k+k/2] = -inf
			bad.Data[6*k] = inf
			bad.Data[6*k+k-1] = -inf

			y := kernels.Mul(mul, bad)
			if err := compare(y, w, x, bound, 1, 2, 3, 5, 6); err != nil {
				return fmt.Errorf("k=%d n=%d, beside rows that are not finite: %w", k, n, err)
			}
			for _, i := range []int{1, 2, 3, 5, 6} {
				for j, v := range y.Data[i*n:][:n] {
					switch {
					case i <= 2 && v == v:
						return fmt.Errorf("k=%d n=%d: y[%d,%d] = %v, want NaN as row %d of x holds a NaN", k, n, i, j, v, i)
					case v-v == 0:
						return fmt.Errorf("k=%d n=%d: y[%d,%d] = %v is finite but row %d of x holds an infinity", k, n, i, j, v, i)
					}
				}
			}
		}
	}
	return nil
}

func checkWeightIsCopied(prepare Prepare, bound Bound) error {
	rng := newRand()
	w, x := normal(19, 21, rng), normal(3, 19, rng)
	before := clone(w)
	mul, err := prepare(w)
	if err != nil {
		return err
	}
	fillMatrix(w, func(int, int) float32 { return nan })
	if err := compare(kernels.Mul(mul, x), before, x, bound); err != nil {
		return fmt.Errorf("after w changed: %w", err)
	}
	return nil
}

func checkConcurrent(prepare Prepare, bound Bound) error {
	const callers, calls, k, n = 8, 5, 130, 67
	rng := newRand()
	w := normal(k, n, rng)
	mul, err := prepare(w)
	if err != nil {
		return err
	}
	var inputs [callers]kernels.Matrix
	for c := range inputs {
		inputs[c] = normal(c+1, k, rng)
	}
	var errs [callers]error
	var wg sync.WaitGroup
	for c, x := range inputs {
		wg.Go(func() {
			for range calls {
				errs[c] = errors.Join(errs[c], compare(kernels.Mul(mul, x), w, x, bound))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// checkThreads wants the bits of one thread from any number of them, for one
// caller and for several at once, without an allocation.
func checkThreads(prepare Prepare, _ Bound) error {
	const callers, k, n = 3, 700, 517
	defer kernels.SetThreads(0)
	rng := newRand()
	mul, err := prepare(normal(k, n, rng))
	if err != nil {
		return err
	}
	for _, m := range []int{1, 9} {
		x := normal(m, k, rng)
		kernels.SetThreads(1)
		want := kernels.Mul(mul, x)
		for _, threads := range []int{2, 3} {
			kernels.SetThreads(threads)
			var errs [callers]error
			var wg sync.WaitGroup
			for c := range errs {
				wg.Go(func() {
					for range 2 {
						if got := kernels.Mul(mul, x); !sameBits(got.Data, want.Data) {
							errs[c] = fmt.Errorf("m=%d: %d threads give another result than one", m, threads)
						}
					}
				})
			}
			wg.Wait()
			if err := errors.Join(errs[:]...); err != nil {
				return err
			}
		}
		y := kernels.New(m, n)
		if allocs := testing.AllocsPerRun(3, func() { mul.MulTo(y, x) }); allocs > 0 {
			return fmt.Errorf("m=%d: MulTo on several threads allocates %v times a call after the first", m, allocs)
		}
	}
	return nil
}

func checkNoAllocations(prepare Prepare, _ Bound) error {
	const k, n = 67, 35
	rng := newRand()
	mul, err := prepare(normal(k, n, rng))
	if err != nil {
		return err
	}
	for _, m := range []int{1, 5} {
		x, y := normal(m, k, rng), kernels.New(m, n)
		// AllocsPerRun calls once before it counts.
		if allocs := testing.AllocsPerRun(10, func() { mul.MulTo(y, x) }); allocs > 0 {
			return fmt.Errorf("m=%d: MulTo allocates %v times a call after the first", m, allocs)
		}
	}
	return nil
}
