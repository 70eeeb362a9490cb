package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/rlx-go/gopherscope/accel"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// A WeightShape is that of a weight W[k,n].
type WeightShape struct {
	K int `json:"k"`
	N int `json:"n"`
}

func (s WeightShape) String() string { return fmt.Sprintf("%dx%d", s.K, s.N) }

// MatrixUnitOptions changes what MatrixUnit measures. The zero value is for all
// threads and takes some 20 seconds.
type MatrixUnitOptions struct {
	// Threads is how many threads our products and the libraries use; 0 for
	// kernels.Threads(). A process that has opened a library cannot change it.
	Threads int
	// Shapes are the weights; nil for 1024x1024 and the projections of the
	// feed-forward layers of Qwen3-0.6B, 1024x3072 and 3072x1024.
	Shapes []WeightShape
	// M are the numbers of rows of x, in ascending order; nil for 1, 4, 16, 32, 64,
	// 128, 512.
	M []int
	// Rounds and RoundTime are those of bench.Plan; 0 for 7 rounds of 5 ms.
	Rounds    int
	RoundTime time.Duration
	// Progress, if not nil, is called when a product x[m,k] W[k,n] begins: how many
	// were measured, and of how many.
	Progress func(done, of, m int, s WeightShape)
}

func (o *MatrixUnitOptions) setDefaults() {
	if o.Threads == 0 {
		o.Threads = kernels.Threads()
	}
	if o.Shapes == nil {
		o.Shapes = []WeightShape{{1024, 1024}, {1024, 3072}, {3072, 1024}}
	}
	if o.M == nil {
		o.M = []int{1, 4, 16, 32, 64, 128, 512}
	}
	if o.Rounds == 0 {
		o.Rounds = 7
	}
	if o.RoundTime == 0 {
		o.RoundTime = 5 * time.Millisecond
	}
}

func (o *MatrixUnitOptions) check() error {
	switch {
	case o.Threads < 1:
		return fmt.Errorf("experiment: %d threads, want at least 1", o.Threads)
	case len(o.Shapes) == 0 || len(o.M) == 0:
		return errors.New("experiment: no shapes, or no numbers of rows")
	case !slices.IsSorted(o.M) || o.M[0] < 1 || len(slices.Compact(slices.Clone(o.M))) != len(o.M):
		return fmt.Errorf("experiment: the numbers of rows are %v, want different positive ones in ascending order", o.M)
	}
	for _, s := range o.Shapes {
		if s.K < 1 || s.N < 1 {
			return fmt.Errorf("experiment: a weight of %v, want at least 1x1", s)
		}
	}
	return nil
}

// MatrixUnit compares the products of package kernels with those of the platform's
// own libraries, which reach a matrix unit where there is one, and products in int8
// with those in float32, over the number of rows of x.
//
// For each shape and number of rows it times, in turns: our f32; our w8a8, which
// quantizes x, and w8a8-q, for an x that was quantized before; and every scheme of
// every library that accel opens, the library's call alone. Those in int8 are timed a
// second time under their name with "-whole": with x quantized before the call and
// the scales applied after it, by loops in Go. The limits of the machine are measured
// in the same rounds. Where no library is found our implementations for lower tiers
// are compared in place of it. W and x are normal variates with a fixed seed.
//
// A process can open a library with one number of threads only, so the result has one
// run; Merge joins those of several processes.
func MatrixUnit(ctx context.Context, o MatrixUnitOptions) (MatrixUnitResult, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return MatrixUnitResult{}, err
	}
	if err := accel.SetThreads(o.Threads); err != nil {
		return MatrixUnitResult{}, err
	}
	defer kernels.SetThreads(kernels.Threads())
	kernels.SetThreads(o.Threads)

	run := MatrixUnitRun{Threads: o.Threads}
	var libraries []accel.Library
	for _, l := range accel.Available() {
		described := MatrixUnitLibrary{Name: l.Name, Version: l.Version, Core: l.Core, File: l.File}
		switch {
		case l.Err != nil:
			described.Unused = l.Err.Error()
		case l.Threads != o.Threads:
			described.Unused = fmt.Sprintf("it uses %d threads in place of %d", l.Threads, o.Threads)
		default:
			libraries = append(libraries, l)
			for _, s := range l.Schemes {
				if s.Err != nil {
					described.Refused = append(described.Refused, fmt.Sprintf("%s: %v", s.Name, s.Err))
				}
			}
		}
		run.Libraries = append(run.Libraries, described)
	}
	done := 0
	for _, s := range o.Shapes {
		products, err := run.prepareProducts(s, libraries)
		if err != nil {
			return MatrixUnitResult{}, err
		}
		for _, m := range o.M {
			if o.Progress != nil {
				o.Progress(done, len(o.Shapes)*len(o.M), m, s)
			}
			if err := run.measure(ctx, o, s, m, products); err != nil {
				return MatrixUnitResult{}, err
			}
			done++
		}
	}
	return MatrixUnitResult{Runs: []MatrixUnitRun{run}}, nil
}

// A unitProduct is a weight prepared for a scheme.
type unitProduct struct {
	row  MatrixUnitRow // what is the same for each x
	call func(x kernels.Matrix) func()
}

// refuse notes why a scheme of a library is not measured.
func (run *MatrixUnitRun) refuse(library, scheme string, reason error) {
	for i := range run.Libraries {
		if l := &run.Libraries[i]; l.Name == library {
			l.Refused = append(l.Refused, fmt.Sprintf("%s: %v", scheme, reason))
		}
	}
}

// prepareProducts makes the products of one weight. A library can refuse a weight of
// this shape though it took others.
func (run *MatrixUnitRun) prepareProducts(s WeightShape, libraries []accel.Library) ([]unitProduct, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	w, few := normal(rng, s.K, s.N), normal(rng, 4, s.K)
	reference := newReference(few, w)
	var products []unitProduct
	add := func(scheme, library, class string, m kernels.Multiplier, call func(x kernels.Matrix) func()) {
		info := m.Info()
		products = append(products, unitProduct{
			row: MatrixUnitRow{
				Scheme: scheme, Library: library, Class: class, Impl: info.Impl, K: s.K, N: s.N,
				WeightBytes: info.WeightBytes, Err: reference.relErr(kernels.Mul(m, few)),
			},
			call: call,
		})
	}
	whole := func(m kernels.Multiplier) func(x kernels.Matrix) func() {
		return func(x kernels.Matrix) func() {
			y := kernels.New(x.Rows, s.N)
			return func() { m.MulTo(y, x) }
		}
	}
	// ours adds our products with some implementation each, under these names.
	ours := func(suffix string, options func(scheme string) []kernels.Option) error {
		if o := options(kernels.SchemeF32); o != nil {
			f32, err := kernels.NewF32(w, o...)
			if err != nil {
				return err
			}
			add("f32"+suffix, "", classF32, f32, whole(f32))
		}
		if o := options(kernels.SchemeW8A8); o != nil {
			w8a8, err := kernels.NewW8A8(w, o...)
			if err != nil {
				return err
			}
			add("w8a8"+suffix, "", classInt8, w8a8, whole(w8a8))
			if suffix == "" {
				add(SchemeW8A8Q, "", classInt8, w8a8, func(x kernels.Matrix) func() {
					y, q := kernels.New(x.Rows, s.N), kernels.QuantizeRows(x)
					return func() { w8a8.MulQuantizedTo(y, q) }
				})
			}
		}
		return nil
	}
	if err := ours("", func(string) []kernels.Option { return []kernels.Option{} }); err != nil {
		return nil, err
	}
	for _, l := range libraries {
		for _, scheme := range l.Schemes {
			if scheme.Err != nil {
				continue
			}
			m, err := l.New(scheme.Name, w)
			if err == nil {
				err = accel.Catch(func() {
					class := classOf(scheme.Name)
					add(scheme.Name, l.Name, class, m, m.Call)
					if class == classInt8 {
						add(scheme.Name+wholeSuffix, l.Name, class, m, whole(m))
					}
				})
			}
			if err != nil {
				run.refuse(l.Name, scheme.Name, fmt.Errorf("W %v: %w", s, err))
			}
		}
	}
	if len(libraries) > 0 {
		return products, nil
	}
	for _, tier := range lowerTiers() {
		err := ours("@"+tier, func(scheme string) []kernels.Option {
			if impls := kernels.Implementations(scheme); !slices.Contains(impls[:len(impls)-1], tier) {
				return nil
			}
			return []kernels.Option{kernels.Impl(tier)}
		})
		if err != nil {
			return nil, err
		}
	}
	return products, nil
}

// lowerTiers returns the implementations of f32 and w8a8 other than the best ones.
func lowerTiers() []string {
	var tiers []string
	for _, scheme := range []string{kernels.SchemeF32, kernels.SchemeW8A8} {
		impls := kernels.Implementations(scheme)
		for _, impl := range impls[:len(impls)-1] {
			if !slices.Contains(tiers, impl) {
				tiers = append(tiers, impl)
			}
		}
	}
	return tiers
}

// maxReferenceWork is how many multiply-adds the reference implementation, plain
// loops, makes in about a tenth of a second.
const maxReferenceWork = 1 << 27

// measure times the products for one x of m rows.
func (run *MatrixUnitRun) measure(ctx context.Context, o MatrixUnitOptions, s WeightShape, m int, products []unitProduct) error {
	x := normal(rand.New(rand.NewPCG(3, uint64(m))), m, s.K)
	var funcs []bench.Func
	var rows []MatrixUnitRow
	var bytes []int64
	for _, p := range products {
		if p.row.Impl == kernels.ImplRef && m*s.K*s.N > maxReferenceWork {
			continue
		}
		call := p.call(x)
		if err := accel.Catch(call); err != nil {
			run.refuse(p.row.Library, p.row.Scheme, fmt.Errorf("x of %d rows, W %v: %w", m, s, err))
			continue
		}
		funcs = append(funcs, bench.Func{Name: p.row.Scheme, Call: call})
		rows = append(rows, p.row)
		bytes = append(bytes, p.row.WeightBytes)
	}
	roofs := bench.NewRoofs(o.Threads, bytes...)
	times, err := bench.Plan{Rounds: o.Rounds, RoundTime: o.RoundTime}.Compare(ctx, append(funcs, roofs.Funcs()...)...)
	if err != nil {
		return err
	}
	machine := roofs.Machine(times[len(funcs):])
	run.CPU, run.Tier = machine.CPU, machine.Tier
	for i, row := range rows {
		row.M = m
		row.NS = max(1, times[i].Min().Nanoseconds())
		ops := 2 * float64(m) * float64(s.K) * float64(s.N)
		row.Gops = ops / float64(row.NS)
		row.Peak = map[string]float64{classF32: machine.F32Peak, classBF16: machine.BF16Peak, classInt8: machine.Int8Peak}[row.Class]
		row.Roof = row.Gops / machine.Roof(row.Peak, ops, row.WeightBytes)
		if row.Library != "" && m == o.M[len(o.M)-1] {
			row.Busy = busy(funcs[i].Call)
		}
		run.Rows = append(run.Rows, row)
	}
	return nil
}

// busy returns how many processors a function keeps busy.
func busy(call func()) float64 {
	const long = 20 * time.Millisecond
	start, used := time.Now(), cpuTime()
	for time.Since(start) < long {
		call()
	}
	return float64(cpuTime()-used) / float64(time.Since(start))
}

// classOf returns the arithmetic of a library's scheme.
func classOf(scheme string) string {
	switch {
	case strings.HasSuffix(scheme, "-f32"):
		return classF32
	case strings.HasSuffix(scheme, "-bf16"):
		return classBF16
	}
	return classInt8
}

func normal(rng *rand.Rand, rows, cols int) kernels.Matrix {
	a := kernels.New(rows, cols)
	for i := range a.Data {
		a.Data[i] = float32(rng.NormFloat64())
	}
	return a
}

// reference is a product [m,n], summed in float64.
type reference []float64

func newReference(x, w kernels.Matrix) reference {
	y := make(reference, x.Rows*w.Cols)
	for i := range x.Rows {
		yi := y[i*w.Cols:][:w.Cols]
		for p := range x.Cols {
			xp := float64(x.Data[i*x.Stride+p])
			for j, v := range w.Data[p*w.Stride:][:w.Cols] {
				yi[j] += xp * float64(v)
			}
		}
	}
	return y
}

// relErr returns the relative L2 error of a product without gaps.
func (r reference) relErr(y kernels.Matrix) float64 {
	var diff2, want2 float64
	for i, want := range r {
		d := float64(y.Data[i]) - want
		diff2 += d * d
		want2 += want * want
	}
	return math.Sqrt(diff2 / want2)
}
