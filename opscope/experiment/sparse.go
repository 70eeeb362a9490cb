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

// SparseOptions changes what Sparse measures. The zero value is for x[64,512] and
// W[512,512] and takes some seconds.
type SparseOptions struct {
	// Threads is how many threads a product uses; 0 for kernels.Threads().
	Threads int
	// M, K and N are the shape of the product; 0 for 64, 512 and 512.
	M, K, N int
	// Densities are the shares of x that are not zero, in ascending order, above 0 and
	// up to 1; nil for ten from 2% to 100%.
	Densities []float64
	// Calibration is what the recommendation may use; nil for none, by which zeros are
	// skipped up to a density of 50%.
	Calibration *opscope.Calibration
	// Seed is that of x and W.
	Seed uint64
	// Quick measures 16x128x128, at fewer densities and in shorter rounds, where fields
	// are 0.
	Quick bool
	// Rounds and RoundTime are those of bench.Plan; 0 for 11 rounds of 10 ms.
	Rounds    int
	RoundTime time.Duration
	// Progress, if not nil, is called as the measurement goes on.
	Progress func(done, of int)
}

func (o *SparseOptions) setDefaults() {
	setTimes(o.Quick, &o.Threads, &o.Rounds, &o.RoundTime)
	m, side := 64, 512
	densities := []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1}
	if o.Quick {
		m, side = 16, 128
		densities = []float64{0.05, 0.2, 0.5, 1}
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
	if o.Densities == nil {
		o.Densities = densities
	}
}

func (o *SparseOptions) check() error {
	if err := checkTimes(o.Threads, o.Rounds, o.RoundTime); err != nil {
		return err
	}
	if err := checkShape(o.M, o.K, o.N); err != nil {
		return err
	}
	for i, d := range o.Densities {
		if !(d > 0 && d <= 1) || i > 0 && d <= o.Densities[i-1] {
			return fmt.Errorf("experiment: the densities are %v, want numbers above 0 and up to 1 in ascending order", o.Densities)
		}
	}
	if len(o.Densities) == 0 {
		return errors.New("experiment: no densities")
	}
	return nil
}

// Sparse measures from which density of the activations on skipping their zeros pays.
//
// It multiplies x[m,k] of each density by one Gaussian W[k,n] with kernels.SkipZeros,
// and in the same rounds with the dense kernels, which take the same time for every
// x: F32, and Dense, the plain loop. Places of the nonzeros are chosen at random; their
// values are Gaussian. Each x is probed too, and Recommend asked whether to skip its
// zeros. Errors are of the first rows of y against float64.
func Sparse(ctx context.Context, o SparseOptions) (SparseResult, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return SparseResult{}, err
	}
	defer withThreads(o.Threads)()
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	w := normal(rng, o.K, o.N)
	skip, err := kernels.NewSkipZeros(w)
	if err != nil {
		return SparseResult{}, err
	}
	dense, err := denseKernels(w)
	if err != nil {
		return SparseResult{}, err
	}
	r := SparseResult{M: o.M, K: o.K, N: o.N}
	ops := 2 * float64(o.M) * float64(o.K) * float64(o.N)

	var funcs []bench.Func
	var results []kernels.Matrix
	full := normal(rng, o.M, o.K)
	for _, d := range dense {
		call, y := mulCall(d, full)
		funcs, results = append(funcs, bench.Func{Name: d.Info().Scheme, Call: call}), append(results, y)
	}
	fullReference := headReference(full, w)
	var references []reference
	var bytes []int64
	for _, density := range o.Densities {
		x, nonzeros := withNonzeros(rng, o.M, o.K, density)
		row := SparseRow{Density: float64(nonzeros) / float64(len(x.Data))}
		if row.Probed, row.Recommended, err = recommendsSkipping(ctx, x, o.N, o.Calibration); err != nil {
			return SparseResult{}, err
		}
		r.Rows = append(r.Rows, row)
		call, y := mulCall(skip, x)
		funcs, results = append(funcs, bench.Func{Name: kernels.SchemeSkipZeros, Call: call}), append(results, y)
		references = append(references, headReference(x, w))
		bytes = append(bytes, bytesMet(x, o.N))
	}
	roofs := bench.NewRoofs(o.Threads, append(bytes, skip.Info().WeightBytes)...)
	all := slices.Concat(funcs, roofs.Funcs())
	plan := bench.Plan{Rounds: o.Rounds, RoundTime: o.RoundTime, Progress: steps(o.Progress, len(all)*(1+o.Rounds))}
	times, err := plan.Compare(ctx, all...)
	if err != nil {
		return SparseResult{}, err
	}
	r.Machine = roofs.Machine(times[len(funcs):])
	for i, d := range dense {
		p := newProduct(d.Info(), times[i].Timing, ops, r.Machine)
		p.Err = fullReference.relErr(results[i])
		r.Dense = append(r.Dense, p)
	}
	for i := range r.Rows {
		at := len(dense) + i
		row := &r.Rows[i]
		info := skip.Info()
		info.WeightBytes = bytes[i]
		row.Product = newProduct(info, times[at].Timing, ops*row.Density, r.Machine)
		row.Err = references[i].relErr(results[at])
	}
	return r, nil
}

// denseKernels are those that compute the float32 product of any operands.
func denseKernels(w kernels.Matrix) ([]kernels.Multiplier, error) {
	f32, err := kernels.NewF32(w)
	if err != nil {
		return nil, err
	}
	loop, err := kernels.NewDense(w)
	if err != nil {
		return nil, err
	}
	return []kernels.Multiplier{f32, loop}, nil
}

// withNonzeros returns a matrix with as many nonzeros as the density says, at least 1,
// at places chosen at random.
func withNonzeros(rng *rand.Rand, rows, cols int, density float64) (x kernels.Matrix, nonzeros int) {
	x = normal(rng, rows, cols)
	nonzeros = max(1, int(density*float64(len(x.Data))+0.5))
	for i, place := range rng.Perm(len(x.Data)) {
		switch {
		case i >= nonzeros:
			x.Data[place] = 0
		case x.Data[place] == 0:
			x.Data[place] = 1
		}
	}
	return x, nonzeros
}

// bytesMet is the size of the rows of a float32 W[k,n] that meet a nonzero in any row
// of x.
func bytesMet(x kernels.Matrix, n int) int64 {
	met := int64(0)
	for p := range x.Cols {
		for i := range x.Rows {
			if x.Data[i*x.Stride+p] != 0 {
				met++
				break
			}
		}
	}
	return 4 * met * int64(n)
}

// recommendsSkipping returns the density that the probe finds, and whether skipping
// zeros is what is recommended first.
func recommendsSkipping(ctx context.Context, x kernels.Matrix, n int, c *opscope.Calibration) (density float64, recommended bool, err error) {
	profile, err := opscope.Probe(ctx, x, opscope.Options{Role: opscope.Activation})
	if err != nil {
		return 0, false, err
	}
	choices, err := opscope.Recommend(ctx, profile, opscope.Budget{Calibration: c, Outputs: n})
	if err != nil {
		return 0, false, err
	}
	return profile.Density, choices[0].Action == opscope.SkipZeros, nil
}

// steps makes of a progress the one of bench.Plan, for so many steps.
func steps(progress func(done, of int), of int) func() {
	if progress == nil {
		return nil
	}
	done := 0
	return func() {
		done++
		progress(min(done, of), of)
	}
}
