package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// CacheVsDRAMOptions changes what CacheVsDRAM measures. The zero value sweeps from 32
// KiB to 512 MiB of float32 where there is the memory, and takes about a minute.
type CacheVsDRAMOptions struct {
	// Threads is how many threads a product uses; 0 for kernels.Threads().
	Threads int
	// Schemes are those of CacheSchemes to measure; nil for all. f32, which the others
	// are compared with, is always measured.
	Schemes []string
	// MaxWeights is the number of weights of the largest model; 0 for 2^27.
	MaxWeights int64
	// MaxMemory bounds the bytes that all prepared weights take together, and the sweep
	// ends before they would take more; 0 for 2 GiB. In any case it is no more than half
	// of the memory that is available, where the system says how much that is.
	MaxMemory int64
	// Seed is that of x and W.
	Seed uint64
	// Quick measures up to 2^20 weights in shorter rounds, where fields are 0.
	Quick bool
	// Rounds and RoundTime are those of bench.Plan; 0 for 11 rounds of 10 ms.
	Rounds    int
	RoundTime time.Duration
	// Progress, if not nil, is called as the measurement goes on.
	Progress func(done, of int)
}

func (o *CacheVsDRAMOptions) setDefaults() {
	setTimes(o.Quick, &o.Threads, &o.Rounds, &o.RoundTime)
	if o.MaxWeights == 0 {
		o.MaxWeights = 1 << 27
		if o.Quick {
			o.MaxWeights = 1 << 20
		}
	}
	if o.Schemes == nil {
		o.Schemes = CacheSchemes()
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = 2 << 30
	}
	if available := availableMemory(); available > 0 {
		o.MaxMemory = min(o.MaxMemory, available/2)
	}
}

func (o *CacheVsDRAMOptions) check() error {
	if err := checkTimes(o.Threads, o.Rounds, o.RoundTime); err != nil {
		return err
	}
	for _, name := range o.Schemes {
		if !slices.Contains(CacheSchemes(), name) {
			return fmt.Errorf("experiment: no scheme %q, want %s", name, strings.Join(CacheSchemes(), " "))
		}
	}
	smallest := sweptModels[0]
	switch {
	case o.MaxWeights < int64(smallest.K*smallest.N):
		return fmt.Errorf("experiment: a model of at most %d weights, want at least %d", o.MaxWeights, smallest.K*smallest.N)
	case o.MaxMemory < 1<<20:
		return fmt.Errorf("experiment: %d bytes of memory, want at least 1 MiB", o.MaxMemory)
	}
	return nil
}

// sweptModels are models of one weight; larger ones are of several of the last shape.
var sweptModels = []WeightShape{{64, 128}, {128, 128}, {128, 256}, {256, 256}, {256, 512}, {512, 512}, {512, 1024}, {1024, 1024}}

// CacheSchemes returns the names of the schemes that CacheVsDRAM measures.
func CacheSchemes() []string { return []string{"f32", "bf16", "w8a16", "w8a8", "w4a16"} }

// CacheVsDRAM measures from which size of a model on the fewer bytes of a scheme are
// more speed.
//
// A model is one weight, or from 4 MiB of float32 on several different ones of 1024 x
// 1024. A call multiplies one row of x by each weight of the model once, as in decoding a
// token, so that the working set of a scheme is what the model takes in it. The model
// doubles from 2^13 weights on until it has MaxWeights or its bytes, in all schemes
// together, would exceed the memory allowed. All schemes take turns with reading as many
// bytes as each of them has, which is the bandwidth that each is compared with.
func CacheVsDRAM(ctx context.Context, o CacheVsDRAMOptions) (CacheVsDRAMResult, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return CacheVsDRAMResult{}, err
	}
	defer withThreads(o.Threads)()
	r := CacheVsDRAMResult{LastLevelCache: int64(cpu.LastLevelCache())}
	for _, c := range cpu.Caches() {
		if c.Type != "Instruction" {
			r.Caches = append(r.Caches, CacheLevel{c.Level, int64(c.Bytes)})
		}
	}
	var schemes []quantizedScheme
	for _, s := range quantizedSchemes {
		if s.name == "f32" || slices.Contains(o.Schemes, s.name) {
			schemes = append(schemes, s)
		}
	}
	sizes := sweep(o.MaxWeights)
	models := make([][]kernels.Multiplier, len(schemes))
	rng := rand.New(rand.NewPCG(o.Seed, 3))
	var shape WeightShape
	for i, s := range sizes {
		if s.shape != shape {
			models, shape = make([][]kernels.Multiplier, len(schemes)), s.shape
		}
		enough, err := grow(ctx, models, schemes, s, rng, o.MaxMemory)
		if err != nil {
			return CacheVsDRAMResult{}, err
		}
		if !enough {
			r.Stopped = fmt.Sprintf("a model of 2^%d weights would take more than the %s of memory allowed", s.log2, bytesize.Binary(o.MaxMemory))
			break
		}
		rows, machine, err := measureModel(ctx, o, s, schemes, models)
		if err != nil {
			return CacheVsDRAMResult{}, err
		}
		machine.Read = bestReads(r.Machine.Read, machine.Read)
		r.Rows, r.Machine = append(r.Rows, rows...), machine
		if o.Progress != nil {
			o.Progress(i+1, len(sizes))
		}
	}
	if len(r.Rows) == 0 {
		return CacheVsDRAMResult{}, errors.New("experiment: there is not enough memory for the smallest model")
	}
	return r, nil
}

// bestReads joins bandwidths of some sizes in ascending order, the higher of two of one
// size: what other programs disturbed is lower.
func bestReads(a, b []bench.Bandwidth) []bench.Bandwidth {
	all := slices.Clone(a)
	for _, read := range b {
		i, found := slices.BinarySearchFunc(all, read.Bytes, func(r bench.Bandwidth, bytes int64) int { return cmp.Compare(r.Bytes, bytes) })
		if found {
			all[i].GBps = max(all[i].GBps, read.GBps)
		} else {
			all = slices.Insert(all, i, read)
		}
	}
	return all
}

// A modelSize is that of a model of some weights of one shape.
type modelSize struct {
	shape  WeightShape
	copies int
	log2   int // of the number of weights in all
}

func sweep(most int64) []modelSize {
	var sizes []modelSize
	log2 := 13
	for _, s := range sweptModels {
		sizes = append(sizes, modelSize{s, 1, log2})
		log2++
	}
	for copies := 2; copies <= 1<<12; copies *= 2 {
		sizes = append(sizes, modelSize{sweptModels[len(sweptModels)-1], copies, log2})
		log2++
	}
	return slices.DeleteFunc(sizes, func(s modelSize) bool { return int64(1)<<s.log2 > most })
}

// grow adds weights to the models until they have as many as the size says. It
// reports whether there is the memory.
func grow(ctx context.Context, models [][]kernels.Multiplier, schemes []quantizedScheme, s modelSize, rng *rand.Rand, memory int64) (bool, error) {
	for len(models[0]) < s.copies {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		w := normal(rng, s.shape.K, s.shape.N)
		for i, scheme := range schemes {
			m, err := scheme.make(w)
			if err != nil {
				return false, err
			}
			models[i] = append(models[i], m)
		}
		// Known from the first weight on, before the memory is filled.
		var one int64
		for _, model := range models {
			one += model[0].Info().WeightBytes
		}
		if one*int64(s.copies) > memory {
			return false, nil
		}
	}
	return true, nil
}

func measureModel(ctx context.Context, o CacheVsDRAMOptions, s modelSize, schemes []quantizedScheme, models [][]kernels.Multiplier) ([]CacheRow, bench.Machine, error) {
	x := normal(rand.New(rand.NewPCG(o.Seed, 4)), 1, s.shape.K)
	y := kernels.New(1, s.shape.N)
	var funcs []bench.Func
	var bytes []int64
	for i, model := range models {
		funcs = append(funcs, bench.Func{Name: schemes[i].name, Call: func() {
			for _, w := range model {
				w.MulTo(y, x)
			}
		}})
		bytes = append(bytes, model[0].Info().WeightBytes*int64(len(model)))
	}
	roofs := bench.NewRoofs(o.Threads, bytes...)
	times, err := bench.Plan{Rounds: o.Rounds, RoundTime: o.RoundTime}.Compare(ctx, slices.Concat(funcs, roofs.Funcs())...)
	if err != nil {
		return nil, bench.Machine{}, err
	}
	machine := roofs.Machine(times[len(funcs):])
	var rows []CacheRow
	for i, model := range models {
		row := CacheRow{
			Scheme: schemes[i].name, Impl: model[0].Info().Impl, Weights: int64(1) << s.log2, Copies: s.copies, K: s.shape.K, N: s.shape.N,
			Bytes: bytes[i], NS: max(1, times[i].Min().Nanoseconds()), MedianNS: max(1, times[i].Median().Nanoseconds()), ReadGBps: machine.ReadAt(bytes[i]),
		}
		row.GBps = float64(row.Bytes) / float64(row.NS)
		rows = append(rows, row)
	}
	return rows, machine, nil
}
