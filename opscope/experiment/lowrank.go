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

// LowRankOptions changes what LowRank measures. The zero value is for a Gaussian weight
// of 512 x 512, which has no low rank, with 64 rows of x, and takes some seconds.
type LowRankOptions struct {
	// Threads is how many threads a product uses; 0 for kernels.Threads().
	Threads int
	// Weight is W[k,n], and Name what it is called; a Weight without elements is
	// Sample(Dist, K, N, Seed).
	Weight opscope.Matrix
	Name   string
	Dist   opscope.Dist
	// K and N are the shape of a sampled weight; 0 for 512.
	K, N int
	// M is the number of rows of x; 0 for 64.
	M int
	// Ranks are those to measure, in ascending order and at most min(k,n); nil for the
	// powers of two up to that. The break-even rank, and the rank that MaxError needs
	// if it is lower than min(k,n), are added.
	Ranks []int
	// MaxError is the largest relative L2 error of the weight that is allowed; 0 for
	// opscope.DefaultError.
	MaxError float64
	// Seed is that of x and of a sampled weight.
	Seed uint64
	// Quick measures a weight of 96 x 128 with 8 rows of x, in shorter rounds, where
	// fields are 0.
	Quick bool
	// Rounds and RoundTime are those of bench.Plan; 0 for 11 rounds of 10 ms.
	Rounds    int
	RoundTime time.Duration
	// Progress, if not nil, is called as the measurement goes on.
	Progress func(done, of int)
}

func (o *LowRankOptions) setDefaults() {
	setTimes(o.Quick, &o.Threads, &o.Rounds, &o.RoundTime)
	m, k, n := 64, 512, 512
	if o.Quick {
		m, k, n = 8, 96, 128
	}
	if o.M == 0 {
		o.M = m
	}
	if len(o.Weight.Data) > 0 {
		k, n = o.Weight.Rows, o.Weight.Cols
		o.K, o.N = k, n
	}
	if o.K == 0 {
		o.K = k
	}
	if o.N == 0 {
		o.N = n
	}
	if o.MaxError == 0 {
		o.MaxError = opscope.DefaultError
	}
	if o.Ranks == nil {
		for r := 1; r < min(o.K, o.N); r *= 2 {
			o.Ranks = append(o.Ranks, r)
		}
	}
	if o.Name == "" {
		o.Name = o.Dist.String()
		if len(o.Weight.Data) > 0 {
			o.Name = "weight"
		}
	}
}

func (o *LowRankOptions) check() error {
	if err := checkTimes(o.Threads, o.Rounds, o.RoundTime); err != nil {
		return err
	}
	if err := checkShape(o.M, o.K, o.N); err != nil {
		return err
	}
	if err := checkMaxError(o.MaxError); err != nil {
		return err
	}
	if !slices.Contains(opscope.Dists(), o.Dist) {
		return fmt.Errorf("experiment: there is no distribution %d", int(o.Dist))
	}
	for i, r := range o.Ranks {
		if r < 1 || r > min(o.K, o.N) || i > 0 && r <= o.Ranks[i-1] {
			return fmt.Errorf("experiment: the ranks are %v, want numbers from 1 to %d in ascending order", o.Ranks, min(o.K, o.N))
		}
	}
	return nil
}

// LowRank measures whether W[k,n] can be multiplied by faster as a product of factors
// U[k,r] V[r,n], and what that costs in precision.
//
// It finds the singular values, all of them or a sketch of the leading ones (see
// opscope.ProbeSpectrum), the stable rank, and the truncation error of each rank. Then
// it times kernels.LowRank at several ranks, and in the same rounds F32 and Dense, the
// plain loop. The errors of the weights are those of the factors; the errors of the
// products are against float64, with Gaussian x[m,k].
func LowRank(ctx context.Context, o LowRankOptions) (LowRankResult, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return LowRankResult{}, err
	}
	defer withThreads(o.Threads)()
	w := o.Weight
	if len(w.Data) == 0 {
		w = opscope.Sample(o.Dist, o.K, o.N, o.Seed)
	}
	dense, err := denseKernels(w)
	if err != nil {
		return LowRankResult{}, err
	}
	if opscope.Norm(w) == 0 {
		return LowRankResult{}, errors.New("experiment: the weight is zero")
	}
	r := LowRankResult{Name: o.Name, M: o.M, K: o.K, N: o.N, MaxError: o.MaxError, BreakEven: opscope.BreakEvenRank(o.K, o.N)}
	if r.Spectral, err = opscope.ProbeSpectrum(ctx, opscope.MatrixRows(w), opscope.SpectralOptions{}); err != nil {
		return LowRankResult{}, err
	}
	if r.StableRank, err = opscope.StableRank(ctx, w); err != nil {
		return LowRankResult{}, err
	}
	r.Needed = r.Spectral.RankFor(o.MaxError)

	x := normal(rand.New(rand.NewPCG(o.Seed, 2)), o.M, o.K)
	var funcs []bench.Func
	var products []kernels.Multiplier
	var results []kernels.Matrix
	add := func(w kernels.Multiplier) {
		call, y := mulCall(w, x)
		funcs = append(funcs, bench.Func{Name: w.Info().Scheme, Call: call})
		products, results = append(products, w), append(results, y)
	}
	for _, d := range dense {
		add(d)
	}
	bytes := []int64{dense[0].Info().WeightBytes}
	for _, rank := range r.ranks(o.Ranks) {
		if ctx.Err() != nil {
			return LowRankResult{}, ctx.Err()
		}
		u, v, weightErr, err := kernels.Factorize(w, rank)
		if err != nil {
			return LowRankResult{}, err
		}
		factors, err := kernels.NewLowRankFactors(u, v)
		if err != nil {
			return LowRankResult{}, err
		}
		row := LowRankRow{Rank: factors.Rank(), WeightErr: weightErr}
		if n := len(r.Rows); n > 0 && r.Rows[n-1].Rank == row.Rank {
			break // the weight has no higher rank
		}
		r.Rows = append(r.Rows, row)
		add(factors)
		bytes = append(bytes, factors.Info().WeightBytes)
	}
	roofs := bench.NewRoofs(o.Threads, bytes...)
	all := slices.Concat(funcs, roofs.Funcs())
	plan := bench.Plan{Rounds: o.Rounds, RoundTime: o.RoundTime, Progress: steps(o.Progress, len(all)*(1+o.Rounds))}
	times, err := plan.Compare(ctx, all...)
	if err != nil {
		return LowRankResult{}, err
	}
	r.Machine = roofs.Machine(times[len(funcs):])
	exact := headReference(x, w)
	for i, p := range products {
		multiplyAdds := float64(o.M) * float64(o.K) * float64(o.N)
		at := i - len(dense)
		if at >= 0 {
			multiplyAdds = float64(o.M) * float64(r.Rows[at].Rank) * float64(o.K+o.N)
		}
		product := newProduct(p.Info(), times[i].Timing, 2*multiplyAdds, r.Machine)
		product.Err = exact.relErr(results[i])
		if at < 0 {
			r.Dense = append(r.Dense, product)
		} else {
			r.Rows[at].Product = product
		}
	}
	return r, nil
}

// ranks returns the ranks to measure: those asked for, the break-even rank, and the
// one that is needed if it saves anything.
func (r *LowRankResult) ranks(asked []int) []int {
	ranks := slices.Clone(asked)
	if r.BreakEven > 0 {
		ranks = append(ranks, r.BreakEven)
	}
	if needed := r.Needed.Rank; needed > 0 && needed < min(r.K, r.N) && !r.Needed.AtLeast {
		// The factors that the kernel finds may need one or two more; see Factorize.
		ranks = append(ranks, needed)
		if more := needed + needed/50 + 1; more <= min(r.K, r.N) {
			ranks = append(ranks, more)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}
