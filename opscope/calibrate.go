package opscope

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// CalibrateOptions changes what Calibrate does.
type CalibrateOptions struct {
	// Fresh measures anew, whatever the cache holds.
	Fresh bool
	// Progress, if not nil, is called as the measurement goes on, and not at all if
	// the cache answers.
	Progress func(done, total int)
}

const (
	calibrationFormat    = 2
	calibrationRounds    = 7
	calibrationRoundTime = 10 * time.Millisecond
	// disturbedFor is how long a calibration that was disturbed is used.
	disturbedFor = time.Hour
)

// outdated reports whether it is time to calibrate again.
func (c *Calibration) outdated(now time.Time) bool {
	return c.Disturbed() && now.Sub(c.Made).Abs() > disturbedFor
}

// calibratedSides are those of the square weights that are multiplied by.
var calibratedSides = []int{64, 128, 256, 512, 1024, 2048}

// Calibrate times the kernels on this machine, as many threads together as
// kernels.Threads says: every scheme that an Action has, and W4A16 with groups of 32
// and 128, by square weights of 64 to 2048 inputs, with activations of 1 and 32 rows.
// The schemes take turns, as bench.Compare lets them, and the time of a call is that
// of the fastest round. It takes about 20 seconds and 200 MiB of memory the first time;
// the result is kept in the user's cache directory and used again as long as the
// processor, its tier, the number of cores, the Go release and the number of threads
// are the same. A cache that cannot be read or written is no error.
//
// A calibration made while other programs run is off by what they took. One that is
// Disturbed is used for an hour; then the kernels are timed again, and the less disturbed
// of the two is kept. The error is the context's own.
func Calibrate(ctx context.Context, o CalibrateOptions) (*Calibration, error) {
	cache := bench.Cache{Name: "calibration", Format: calibrationFormat, Threads: kernels.Threads()}
	var kept Calibration
	have := !o.Fresh && cache.Load(&kept) && kept.complete(calibratedSides)
	if have && !kept.outdated(time.Now()) {
		return &kept, nil
	}
	c, err := calibrate(ctx, calibratedSides, calibrationRounds, o.Progress)
	if err != nil {
		return nil, err
	}
	if have && kept.Disturbance <= c.Disturbance {
		kept.Made = c.Made
		c = &kept
	}
	// A cache is a convenience: without it the next call measures again.
	_ = cache.Save(c)
	return c, nil
}

// calibratedCalls lists what is timed at one side.
func calibratedCalls(side int) []Call {
	var calls []Call
	for _, m := range CalibratedRows() {
		at := func(scheme string) Call { return Call{Scheme: scheme, M: m, K: side, N: side} }
		for _, s := range []string{kernels.SchemeF32, kernels.SchemeBF16, kernels.SchemeW8A16, kernels.SchemeW8A8} {
			calls = append(calls, at(s))
		}
		for _, group := range []int{32, 128} {
			call := at(kernels.SchemeW4A16)
			call.Group = group
			calls = append(calls, call)
		}
		lowRank := at(kernels.SchemeLowRank)
		lowRank.Rank = side / 8
		calls = append(calls, lowRank)
		for _, d := range calibratedDensities {
			call := at(kernels.SchemeSkipZeros)
			call.Density = d
			calls = append(calls, call)
		}
	}
	return calls
}

// complete reports whether c has a time for all that Calibrate times.
func (c *Calibration) complete(sides []int) bool {
	i := 0
	for _, side := range sides {
		for _, call := range calibratedCalls(side) {
			if i == len(c.Points) || c.Points[i].Call != call || c.Points[i].Bytes != call.bytes() || c.Points[i].Time <= 0 {
				return false
			}
			i++
		}
	}
	return i == len(c.Points) && c.MemoryGBps > 0 && c.LastLevelCache >= 0 && c.Threads > 0 && c.Disturbance >= 0
}

func calibrate(ctx context.Context, sides []int, rounds int, progress func(done, total int)) (*Calibration, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // before memory is filled
	}
	c := &Calibration{LastLevelCache: int64(cpu.LastLevelCache()), Threads: kernels.Threads()}
	memory := bench.NewRoofs(c.Threads, 4*c.LastLevelCache)
	done, total := 0, len(memory.Funcs())*(1+rounds)
	for _, side := range sides {
		total += len(calibratedCalls(side)) * (1 + rounds)
	}
	plan := bench.Plan{Rounds: rounds, RoundTime: calibrationRoundTime, Progress: func() {
		done++
		if progress != nil {
			progress(done, total)
		}
	}}
	times, err := plan.Compare(ctx, memory.Funcs()...)
	if err != nil {
		return nil, err
	}
	read := memory.Machine(times).Read
	c.MemoryGBps = read[len(read)-1].GBps
	memory = nil // room for the weights

	var all bench.Comparison
	for _, side := range sides {
		points, times, err := calibrateSide(ctx, plan, side)
		if err != nil {
			return nil, err
		}
		c.Points, all = append(c.Points, points...), append(all, times...)
	}
	c.Disturbance, c.Made = disturbance(all), time.Now().UTC().Truncate(time.Second)
	return c, nil
}

// disturbance is Calibration.Disturbance for the timings of its calls.
func disturbance(times bench.Comparison) float64 {
	var slower []float64
	for _, t := range times {
		slower = append(slower, float64(t.Median())/float64(max(1, t.Min()))-1)
	}
	slices.Sort(slower)
	return max(0, slower[len(slower)/2])
}

func calibrateSide(ctx context.Context, plan bench.Plan, side int) ([]CalibrationPoint, bench.Comparison, error) {
	weights, err := calibrationWeights(ctx, side)
	if err != nil {
		return nil, nil, err
	}
	var points []CalibrationPoint
	var funcs []bench.Func
	for i, call := range calibratedCalls(side) {
		w := weights[call.weight()]
		x, y := calibrationInput(call, uint64(i)), kernels.New(call.M, call.N)
		points = append(points, CalibrationPoint{Call: call, Bytes: w.Info().WeightBytes})
		funcs = append(funcs, bench.Func{Name: call.Scheme, Call: func() { w.MulTo(y, x) }})
	}
	times, err := plan.Compare(ctx, funcs...)
	if err != nil {
		return nil, nil, err
	}
	for i := range points {
		points[i].Time = max(1, times[i].Min())
	}
	return points, times, nil
}

// weight is the call without its activations: calls alike in that share a weight.
func (c Call) weight() Call {
	c.M, c.Density = 0, 0
	return c
}

// calibrationWeights prepares a Gaussian weight for the calls of one side.
func calibrationWeights(ctx context.Context, side int) (map[Call]kernels.Multiplier, error) {
	w := Sample(Gaussian, side, side, 1)
	weights := map[Call]kernels.Multiplier{}
	for _, call := range calibratedCalls(side) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if weights[call.weight()] != nil {
			continue
		}
		m, err := call.prepare(w)
		if err != nil {
			return nil, fmt.Errorf("opscope: calibration with %s: %w", call.Scheme, err)
		}
		weights[call.weight()] = m
	}
	return weights, nil
}

func (c Call) prepare(w Matrix) (kernels.Multiplier, error) {
	if c.Scheme == kernels.SchemeLowRank {
		// Any factors of that rank take the same time.
		return multiplier(kernels.NewLowRankFactors(Sample(Gaussian, c.K, c.Rank, 2), Sample(Gaussian, c.Rank, c.N, 3)))
	}
	return newKernel(c.Scheme, w, c.Group)
}

// calibrationInput makes Gaussian activations, with zeros spread evenly at random for
// SkipZeros.
func calibrationInput(c Call, seed uint64) Matrix {
	x := Sample(Gaussian, c.M, c.K, seed)
	if c.Scheme == kernels.SchemeSkipZeros {
		uniform := Sample(Uniform, c.M, c.K, seed+1000)
		for i, u := range uniform.Data { // uniform in [-1,1)
			if float64(u+1)/2 >= c.Density {
				x.Data[i] = 0
			}
		}
	}
	return x
}
