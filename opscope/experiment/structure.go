package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// StructureOptions changes what Structure measures. The zero value is for x[64,512] and
// W[512,512] and takes some seconds.
type StructureOptions struct {
	// Threads is how many threads a product uses; 0 for kernels.Threads().
	Threads int
	// M, K and N are the shape of the products; 0 for 64, 512 and 512.
	M, K, N int
	// Inputs are the matrices to probe; nil for those that StructureInputs returns.
	Inputs []StructureInput
	// MaxError is the error that a recommendation may have; 0 for opscope.DefaultError.
	MaxError float64
	// Calibration is what the recommendations may use; nil for none.
	Calibration *opscope.Calibration
	// Seed is that of all matrices.
	Seed uint64
	// Quick measures 16x128x128 in shorter rounds, where fields are 0.
	Quick bool
	// Rounds and RoundTime are those of bench.Plan; 0 for 11 rounds of 10 ms.
	Rounds    int
	RoundTime time.Duration
	// Progress, if not nil, is called as the measurement goes on.
	Progress func(done, of int)
}

// A StructureInput is a matrix that is probed: x[m,k] if it is an activation, W[k,n] if
// it is a weight. The other operand is Gaussian.
type StructureInput struct {
	Role opscope.Role
	Dist opscope.Dist
}

// StructureInputs returns those that Structure looks at by itself: activations with and
// without zeros, and weights of low rank, of few values, and of none of these.
func StructureInputs() []StructureInput {
	return []StructureInput{
		{opscope.Activation, opscope.Sparse90}, {opscope.Activation, opscope.Gaussian},
		{opscope.Weight, opscope.LowRank}, {opscope.Weight, opscope.Gaussian}, {opscope.Weight, opscope.Quantized},
	}
}

func (o *StructureOptions) setDefaults() {
	setTimes(o.Quick, &o.Threads, &o.Rounds, &o.RoundTime)
	m, side := 64, 512
	if o.Quick {
		m, side = 16, 128
	}
	if o.M == 0 {
		o.M = m
	}
	if o.K == 0 {
		o.K = side
	}
	if o.N == 0 {
		o.N = side
	}
	if o.Inputs == nil {
		o.Inputs = StructureInputs()
	}
	if o.MaxError == 0 {
		o.MaxError = opscope.DefaultError
	}
}

func (o *StructureOptions) check() error {
	if err := checkTimes(o.Threads, o.Rounds, o.RoundTime); err != nil {
		return err
	}
	if err := checkShape(o.M, o.K, o.N); err != nil {
		return err
	}
	if len(o.Inputs) == 0 {
		return errors.New("experiment: no inputs")
	}
	for _, in := range o.Inputs {
		if in.Role != opscope.Weight && in.Role != opscope.Activation || !slices.Contains(opscope.Dists(), in.Dist) {
			return fmt.Errorf("experiment: no input %q of distribution %d", in.Role, int(in.Dist))
		}
	}
	return checkMaxError(o.MaxError)
}

// Structure probes matrices, asks opscope.Recommend what to do with them, and times what
// is recommended, and only that, against F32 and Dense, the plain loop. Of several
// recommendations the first that has a kernel is timed: the one that takes the fewest
// bytes of a weight, or the fewest operations with an activation.
func Structure(ctx context.Context, o StructureOptions) (StructureResult, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return StructureResult{}, err
	}
	defer withThreads(o.Threads)()
	r := StructureResult{M: o.M, K: o.K, N: o.N, MaxError: o.MaxError}
	for i, in := range o.Inputs {
		row, machine, err := measureStructure(ctx, o, in, uint64(i))
		if err != nil {
			return StructureResult{}, err
		}
		r.Rows = append(r.Rows, row)
		if machine != nil {
			r.Machine = *machine
		}
		if o.Progress != nil {
			o.Progress(i+1, len(o.Inputs))
		}
	}
	return r, nil
}

func measureStructure(ctx context.Context, o StructureOptions, in StructureInput, index uint64) (StructureRow, *bench.Machine, error) {
	row := StructureRow{Input: in.Dist.String(), Role: in.Role}
	rng := rand.New(rand.NewPCG(o.Seed, 5000+index))
	x, w := normal(rng, o.M, o.K), normal(rng, o.K, o.N)
	budget := opscope.Budget{Error: o.MaxError, Calibration: o.Calibration, Outputs: o.N}
	probed := &w
	if in.Role == opscope.Activation {
		x = opscope.Sample(in.Dist, o.M, o.K, o.Seed+index)
		probed = &x
	} else {
		w = opscope.Sample(in.Dist, o.K, o.N, o.Seed+index)
		budget.ActivationError = opscope.QuantError(x, 8, opscope.PerRow)
	}
	profile, err := opscope.Probe(ctx, *probed, opscope.Options{Role: in.Role, Budget: o.MaxError})
	if err != nil {
		return row, nil, err
	}
	row.Density, row.StableRank, row.Int8 = profile.Density, profile.StableRank, profile.QuantError(8, opscope.PerColumn)
	if in.Role == opscope.Activation {
		row.Int8 = profile.QuantError(8, opscope.PerRow)
	}
	if profile.Spectral != nil {
		row.RankNeeded = profile.Spectral.RankFor(o.MaxError).String()
	}
	choices, err := opscope.Recommend(ctx, profile, budget)
	if err != nil {
		return row, nil, err
	}
	row.Recommended, row.Why = choices[0].Name(), choices[0].Why
	at := slices.IndexFunc(choices, func(c opscope.Choice) bool { return c.HasKernel })
	if at < 0 || choices[at].Action == opscope.KeepDense {
		return row, nil, nil
	}
	row.Timed = choices[at].Name()
	row.Predicted = choices[at].Error
	kernel, err := choices[at].Build(w)
	if err != nil {
		return row, nil, err
	}
	dense, err := denseKernels(w)
	if err != nil {
		return row, nil, err
	}
	products := append(dense, kernel)
	var funcs []bench.Func
	var results []kernels.Matrix
	for _, p := range products {
		call, y := mulCall(p, x)
		funcs, results = append(funcs, bench.Func{Name: p.Info().Scheme, Call: call}), append(results, y)
	}
	roofs := bench.NewRoofs(o.Threads, kernel.Info().WeightBytes, dense[0].Info().WeightBytes)
	times, err := bench.Plan{Rounds: o.Rounds, RoundTime: o.RoundTime}.Compare(ctx, slices.Concat(funcs, roofs.Funcs())...)
	if err != nil {
		return row, nil, err
	}
	machine := roofs.Machine(times[len(funcs):])
	exact := headReference(x, w)
	whole := 2 * float64(o.M) * float64(o.K) * float64(o.N)
	for i, p := range products {
		ops := whole
		if i == len(dense) {
			ops *= choices[at].Work
		}
		info := p.Info()
		if info.Scheme == kernels.SchemeSkipZeros {
			info.WeightBytes = bytesMet(x, o.N)
		}
		product := newProduct(info, times[i].Timing, ops, machine)
		product.Err = exact.relErr(results[i])
		if i < len(dense) {
			row.Dense = append(row.Dense, product)
		} else {
			row.Kernel = &product
		}
	}
	return row, &machine, nil
}
