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

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// QuantizationOptions changes what Quantization measures. The zero value is for the
// projections of Qwen3-0.6B with 1 and 32 rows of x, and takes about 20 seconds.
type QuantizationOptions struct {
	// Threads is how many threads a product uses; 0 for kernels.Threads().
	Threads int
	// Shapes are the weights; nil for 1024x1024, 1024x3072 and 3072x1024. The errors
	// over the bits are of weights of the first shape.
	Shapes []WeightShape
	// M are the numbers of rows of x; nil for 1 and 32.
	M []int
	// Schemes are those of QuantizationSchemes to time; nil for all. f32, which the others
	// are compared with, is always timed.
	Schemes []string
	// MaxError is the largest relative L2 error of a product that is allowed; 0 for
	// opscope.DefaultError.
	MaxError float64
	// OutlierFactor is how many times as large one channel is; 0 for 30.
	OutlierFactor float64
	// Samples is over how many weights the errors are averaged; 0 for 5.
	Samples int
	// Seed is that of x and W.
	Seed uint64
	// Quick measures a weight of 256 x 256 in shorter rounds, where fields are 0.
	Quick bool
	// Rounds and RoundTime are those of bench.Plan; 0 for 11 rounds of 10 ms.
	Rounds    int
	RoundTime time.Duration
	// Progress, if not nil, is called as the measurement goes on.
	Progress func(done, of int)
}

func (o *QuantizationOptions) setDefaults() {
	setTimes(o.Quick, &o.Threads, &o.Rounds, &o.RoundTime)
	if o.Shapes == nil {
		o.Shapes = []WeightShape{{1024, 1024}, {1024, 3072}, {3072, 1024}}
		if o.Quick {
			o.Shapes = []WeightShape{{256, 256}}
		}
	}
	if o.M == nil {
		o.M = []int{1, 32}
	}
	if o.Schemes == nil {
		o.Schemes = QuantizationSchemes()
	}
	if o.MaxError == 0 {
		o.MaxError = opscope.DefaultError
	}
	if o.OutlierFactor == 0 {
		o.OutlierFactor = 30
	}
	if o.Samples == 0 {
		o.Samples = 5
	}
}

func (o *QuantizationOptions) check() error {
	if err := checkTimes(o.Threads, o.Rounds, o.RoundTime); err != nil {
		return err
	}
	if len(o.Shapes) == 0 {
		return errors.New("experiment: no shapes")
	}
	if len(o.M) == 0 {
		return errNoRows
	}
	for _, s := range o.Shapes {
		for _, m := range o.M {
			if err := checkShape(m, s.K, s.N); err != nil {
				return err
			}
		}
	}
	for _, name := range o.Schemes {
		if !slices.Contains(QuantizationSchemes(), name) {
			return fmt.Errorf("experiment: no scheme %q, want %s", name, strings.Join(QuantizationSchemes(), " "))
		}
	}
	if err := checkMaxError(o.MaxError); err != nil {
		return err
	}
	switch {
	case !(o.OutlierFactor >= 1 && o.OutlierFactor <= 1e6):
		return fmt.Errorf("experiment: an outlier of %v times, want 1 to 1e6", o.OutlierFactor)
	case o.Samples < 1:
		return fmt.Errorf("experiment: %d samples, want at least 1", o.Samples)
	}
	return nil
}

// A quantizedScheme is a way to store W and to multiply by it.
type quantizedScheme struct {
	name string
	make func(w kernels.Matrix) (kernels.Multiplier, error)
	// theory is the relative L2 error of the product of Gaussian operands.
	theory func(k int, impl string) float64
	// quantized says that x is quantized before the call.
	quantized bool
}

var quantizedSchemes = []quantizedScheme{
	{name: "f32", make: construct(kernels.NewF32), theory: func(int, string) float64 { return 0 }},
	{name: "bf16", make: construct(kernels.NewBF16), theory: func(_ int, impl string) float64 {
		if impl == "bf16" { // which rounds x too
			return math.Sqrt2 * gaussianBF16Error()
		}
		return gaussianBF16Error()
	}},
	{name: "w8a16", make: construct(kernels.NewW8A16), theory: func(k int, _ string) float64 { return opscope.GaussianQuantError(k, 8) }},
	{name: "w8a8", make: construct(kernels.NewW8A8), theory: w8a8Theory},
	{name: SchemeW8A8Q, make: construct(kernels.NewW8A8), theory: w8a8Theory, quantized: true},
	{name: "w4a16", make: construct(kernels.NewW4A16), theory: func(k int, _ string) float64 { return opscope.GaussianQuantError(min(k, 32), 4) }},
	{name: "w4a16-g128", make: construct(kernels.NewW4A16, kernels.GroupSize(128)), theory: func(k int, _ string) float64 { return opscope.GaussianQuantError(min(k, 128), 4) }},
}

// w8a8Theory adds the errors of the weight and of the activations, which are
// independent and of the same size.
func w8a8Theory(k int, _ string) float64 { return math.Sqrt2 * opscope.GaussianQuantError(k, 8) }

func construct[T kernels.Multiplier](f func(kernels.Matrix, ...kernels.Option) (T, error), options ...kernels.Option) func(kernels.Matrix) (kernels.Multiplier, error) {
	return func(w kernels.Matrix) (kernels.Multiplier, error) { return f(w, options...) }
}

// QuantizationSchemes returns the names of the schemes that Quantization times, of which
// "w4a16-g128" has groups of 128.
func QuantizationSchemes() []string {
	var names []string
	for _, s := range quantizedSchemes {
		names = append(names, s.name)
	}
	return names
}

// Quantization measures what fewer bits a weight cost in precision and gain in time and
// bytes.
//
// It takes the errors of symmetric absmax quantization of Gaussian weights to 3 to 8
// bits with a step per tensor, output channel and group, beside what theory says; the
// same with one channel that is larger than the others; and the times and errors of the
// kernels for each shape and number of rows of x, in the same rounds as f32 and the
// limits of the machine. x and W are Gaussian.
func Quantization(ctx context.Context, o QuantizationOptions) (QuantizationResult, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return QuantizationResult{}, err
	}
	defer withThreads(o.Threads)()
	r := QuantizationResult{ErrorShape: o.Shapes[0], Samples: o.Samples, OutlierFactor: o.OutlierFactor, MaxError: o.MaxError}
	done, of := 0, 1+len(o.Shapes)*len(o.M)
	progress := func() {
		done++
		if o.Progress != nil {
			o.Progress(done, of)
		}
	}
	if err := r.measureErrors(ctx, o); err != nil {
		return QuantizationResult{}, err
	}
	progress()
	for i, s := range o.Shapes {
		w := normal(rand.New(rand.NewPCG(o.Seed, 1000+uint64(i))), s.K, s.N)
		var schemes []quantizedScheme
		var weights []kernels.Multiplier
		for _, scheme := range quantizedSchemes {
			if scheme.name != "f32" && !slices.Contains(o.Schemes, scheme.name) {
				continue
			}
			m, err := scheme.make(w)
			if err != nil {
				return QuantizationResult{}, err
			}
			schemes, weights = append(schemes, scheme), append(weights, m)
		}
		for _, m := range o.M {
			c, err := measureCase(ctx, o, w, m, schemes, weights)
			if err != nil {
				return QuantizationResult{}, err
			}
			r.Cases = append(r.Cases, c)
			progress()
		}
	}
	return r, nil
}

// measureCase times the products with one x.
func measureCase(ctx context.Context, o QuantizationOptions, w kernels.Matrix, m int, schemes []quantizedScheme, weights []kernels.Multiplier) (QuantizationCase, error) {
	c := QuantizationCase{M: m, K: w.Rows, N: w.Cols}
	x := normal(rand.New(rand.NewPCG(o.Seed, 2000+uint64(m))), m, w.Rows)
	var funcs []bench.Func
	var results []kernels.Matrix
	var bytes []int64
	for i, weight := range weights {
		call, y := mulCall(weight, x)
		if w8a8, ok := weight.(*kernels.W8A8); ok && schemes[i].quantized {
			codes := kernels.QuantizeRows(x)
			call = func() { w8a8.MulQuantizedTo(y, codes) }
		}
		funcs, results = append(funcs, bench.Func{Name: schemes[i].name, Call: call}), append(results, y)
		bytes = append(bytes, weight.Info().WeightBytes)
	}
	roofs := bench.NewRoofs(o.Threads, bytes...)
	times, err := bench.Plan{Rounds: o.Rounds, RoundTime: o.RoundTime}.Compare(ctx, slices.Concat(funcs, roofs.Funcs())...)
	if err != nil {
		return c, err
	}
	c.Machine = roofs.Machine(times[len(funcs):])
	exact := headReference(x, w)
	for i, weight := range weights {
		info := weight.Info()
		row := QuantizationRow{Theory: schemes[i].theory(w.Rows, info.Impl)}
		row.Product = newProduct(info, times[i].Timing, 2*float64(m)*float64(w.Rows)*float64(w.Cols), c.Machine)
		row.Scheme, row.Err = schemes[i].name, exact.relErr(results[i])
		c.Rows = append(c.Rows, row)
	}
	c.markPareto()
	return c, nil
}

// markPareto marks the rows that no other row beats. Those whose x was quantized before
// the call are not whole products.
func (c *QuantizationCase) markPareto() {
	for i := range c.Rows {
		row := &c.Rows[i]
		row.Pareto = row.Scheme != SchemeW8A8Q && !slices.ContainsFunc(c.Rows, func(other QuantizationRow) bool {
			better := other.Bytes < row.Bytes || other.NS < row.NS || other.Err < row.Err
			return other.Scheme != SchemeW8A8Q && better && other.Bytes <= row.Bytes && other.NS <= row.NS && other.Err <= row.Err
		})
	}
}
