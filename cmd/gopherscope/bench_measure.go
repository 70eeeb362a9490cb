package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// shapeResult is what was measured of a shape.
type shapeResult struct {
	shape   benchShape
	machine bench.Machine // its limits, measured in the same rounds
	rows    []benchRow
	notes   []string
}

// benchRow is a scheme at a shape.
type benchRow struct {
	Scheme  string `json:"scheme"`
	Impl    string `json:"impl"`
	M       int    `json:"m"`
	K       int    `json:"k"`
	N       int    `json:"n"`
	Threads int    `json:"threads"`
	// Cold rows are of calls that find the caches full of other data.
	Cold    bool    `json:"cold"`
	Density float64 `json:"density"` // the share of nonzeros in x
	Rank    int     `json:"rank"`    // of the factors, 0 if there are none
	Group   int     `json:"group"`   // of inputs that share a scale, 0 if none do
	NS      int64   `json:"ns"`      // a call, in the fastest round
	Gops    float64 `json:"gops"`    // GFLOP/s or GOP/s
	GBps    float64 `json:"gbps"`    // of bytes of the weight
	Roof    float64 `json:"roof"`    // the fraction of the roof that is reached
	// TimesF32 is how many times faster than the row of f32.
	TimesF32 float64 `json:"times_f32"`
	Err      float64 `json:"err"` // relative L2 error against float64
}

// name returns the name of the row in tables and notes.
func (r benchRow) name() string {
	if r.Cold {
		return r.Scheme + ", cold"
	}
	return r.Scheme
}

// sweepDensities are where skipzeros is measured to find where it stops paying.
var sweepDensities = []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1}

// measure times the schemes of one shape.
func (b *kernelsBench) measure(ctx context.Context, c benchCases, peers *benchPeers, progress *benchProgress) (shapeResult, error) {
	// The operands of the last shape make room for these.
	debug.FreeOSMemory()
	shape := c.shapes[0]
	result := shapeResult{shape: shape}
	in := newBenchInputs(shape, peers)

	var schemes []benchScheme
	var products []*benchProduct
	bytes := []int64{}
	for _, s := range c.schemes {
		if ctx.Err() != nil {
			return result, ctx.Err()
		}
		p, err := s.prepare(in)
		var reason notMeasured
		switch {
		case errors.As(err, &reason):
			if reason != errNotOpen {
				result.notes = append(result.notes, fmt.Sprintf("%v: %s is left out: %s", shape, s.name, reason))
			}
			continue
		case err != nil:
			return result, fmt.Errorf("%v: %s: %w", shape, s.name, err)
		}
		schemes, products = append(schemes, s), append(products, p)
		bytes = append(bytes, p.info.WeightBytes)
	}
	sweep, err := densitySweep(in, schemes)
	if err != nil {
		return result, err
	}
	cold := b.cold && shape.m == 1 && shape.weightBytes() > int64(cpu.LastLevelCache())
	roofs := bench.NewRoofs(b.threads, bytes...)
	calls := functions(schemes, products)
	all := slices.Concat(calls, sweep.funcs(), roofs.Funcs())
	var coldAll []bench.Func
	var coldRoofs *bench.Roofs
	if cold {
		coldRoofs = bench.NewColdRoofs(b.threads, bytes...)
		coldAll = slices.Concat(calls, coldRoofs.Funcs())
	}
	progress.expect((len(all) + len(coldAll)) * (1 + b.rounds))

	plan := bench.Plan{Rounds: b.rounds, Progress: progress.step}
	times, err := plan.Compare(ctx, all...)
	if err != nil {
		return result, err
	}
	result.machine = roofs.Machine(times[len(calls)+len(sweep):])
	if note, ok := sweep.breakEven(times[0].Min(), times[len(calls):]); ok {
		result.notes = append(result.notes, fmt.Sprintf("%v: %s", shape, note))
	}
	errs, err := relativeErrors(&result, schemes, products)
	if err != nil {
		return result, err
	}
	result.rows = b.rows(shape, schemes, products, times, errs, result.machine, false)
	if cold {
		plan.Before = bench.Evictor(b.threads)
		if times, err = plan.Compare(ctx, coldAll...); err != nil {
			return result, err
		}
		m := result.machine
		m.Read = coldRoofs.Machine(times[len(calls):]).Read
		result.rows = append(result.rows, b.rows(shape, schemes, products, times, errs, m, true)...)
	}
	if note, ok := aboveRoof(result.rows); ok {
		result.notes = append(result.notes, fmt.Sprintf("%v: %s", shape, note))
	}
	return result, nil
}

// roofTolerance is more of its roof than a product reaches in a quiet run, in which the
// two times scatter by some percent.
const roofTolerance = 1.1

// aboveRoof names the rows that are so far above their roof that the roof is wrong.
func aboveRoof(rows []benchRow) (note string, ok bool) {
	var above []string
	for _, row := range rows {
		if row.Roof > roofTolerance {
			above = append(above, row.name())
		}
	}
	return "above the roof, so the measurement of the limits was disturbed: " + strings.Join(above, "; "), len(above) > 0
}

func functions(schemes []benchScheme, products []*benchProduct) []bench.Func {
	var funcs []bench.Func
	for i, p := range products {
		funcs = append(funcs, bench.Func{Name: schemes[i].name, Call: p.call})
	}
	return funcs
}

// rows makes the rows of a shape out of its timings.
func (b *kernelsBench) rows(shape benchShape, schemes []benchScheme, products []*benchProduct, times bench.Comparison, errs []float64, m bench.Machine, cold bool) []benchRow {
	var rows []benchRow
	for i, p := range products {
		ns := max(1, times[i].Min().Nanoseconds())
		gops, weight := p.ops/float64(ns), p.info.WeightBytes
		roof := m.Roof(schemes[i].peak(m), p.ops, weight)
		rows = append(rows, benchRow{
			Scheme: schemes[i].name, Impl: p.info.Impl, M: shape.m, K: shape.k, N: shape.n, Threads: b.threads, Cold: cold,
			Density: rounded(p.density, 4), Rank: p.rank, Group: p.group,
			NS: ns, Gops: rounded(gops, 2), GBps: rounded(float64(weight)/float64(ns), 2),
			Roof: rounded(gops/roof, 4), TimesF32: rounded(float64(times[0].Min().Nanoseconds())/float64(ns), 3), Err: errs[i],
		})
	}
	return rows
}

func rounded(v float64, digits int) float64 {
	unit := math.Pow10(digits)
	return math.Round(v*unit) / unit
}

// A density is skipzeros with a share of nonzero activations.
type density struct {
	share float64
	call  func()
}

type densities []density

// densitySweep returns nothing unless skipzeros is among the schemes.
func densitySweep(in *benchInputs, schemes []benchScheme) (densities, error) {
	if !slices.ContainsFunc(schemes, func(s benchScheme) bool { return s.name == "skipzeros" }) {
		return nil, nil
	}
	w, err := kernels.NewSkipZeros(in.w)
	if err != nil {
		return nil, err
	}
	var sweep densities
	for _, share := range sweepDensities {
		p := in.skipZeros(w, share)
		sweep = append(sweep, density{p.density, p.call})
	}
	return sweep, nil
}

func (d densities) funcs() []bench.Func {
	var funcs []bench.Func
	for _, one := range d {
		funcs = append(funcs, bench.Func{Name: fmt.Sprintf("skipzeros at %.2f", one.share), Call: one.call})
	}
	return funcs
}

// breakEven says at which density skipzeros takes as long as f32, on the straight
// line between two that were measured. times starts with those of d.
func (d densities) breakEven(f32 time.Duration, times bench.Comparison) (string, bool) {
	if len(d) == 0 {
		return "", false
	}
	if first := times[0].Min(); first >= f32 {
		return fmt.Sprintf("skipzeros does not pay: at a density of %.2f it takes %.2f times as long as f32", d[0].share, float64(first)/float64(f32)), true
	}
	for i := 1; i < len(d); i++ {
		if low, high := times[i-1].Min(), times[i].Min(); high >= f32 {
			t := float64(f32-low) / float64(high-low)
			return fmt.Sprintf("skipzeros stops paying at a density of %.2f", d[i-1].share+t*(d[i].share-d[i-1].share)), true
		}
	}
	return "skipzeros pays at every density", true
}

// maxReference bounds the multiply-adds of a reference in float64, which take about
// a second then.
const maxReference = 1 << 28

// relativeErrors compares the result of each product with float64.
func relativeErrors(result *shapeResult, schemes []benchScheme, products []*benchProduct) ([]float64, error) {
	type operands struct{ x, w *float32 }
	references := map[operands]reference{}
	var errs []float64
	for i, p := range products {
		of := operands{&p.x.Data[0], &p.w.Data[0]}
		r, ok := references[of]
		if !ok {
			r = newReference(p.x, p.w, maxReference)
			references[of] = r
		}
		p.call()
		e := r.relErr(p.y())
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return nil, fmt.Errorf("%v: %s: the result is not finite", result.shape, schemes[i].name)
		}
		errs = append(errs, e)
		if n := len(r.columns); i == 0 && n < p.w.Cols {
			result.notes = append(result.notes, fmt.Sprintf("%v: errors are of %d of the %d columns", result.shape, n, p.w.Cols))
		}
	}
	return errs, nil
}

// A reference is some columns of a product, summed in float64.
type reference struct {
	columns []int
	y       []float64 // [m, len(columns)]
}

// newReference computes as many columns of x[m,k] w[k,n], evenly spaced, as limit
// multiply-adds allow.
func newReference(x, w kernels.Matrix, limit int) reference {
	step := max(1, (x.Rows*w.Rows*w.Cols+limit-1)/limit)
	var r reference
	for j := 0; j < w.Cols; j += step {
		r.columns = append(r.columns, j)
	}
	r.y = make([]float64, x.Rows*len(r.columns))
	for i := range x.Rows {
		yi := r.y[i*len(r.columns):][:len(r.columns)]
		for p := range x.Cols {
			xp, wp := float64(x.Data[i*x.Stride+p]), w.Data[p*w.Stride:]
			for c, j := range r.columns {
				yi[c] += xp * float64(wp[j])
			}
		}
	}
	return r
}

// relErr returns the relative L2 error of those columns of y.
func (r reference) relErr(y kernels.Matrix) float64 {
	var diff2, want2 float64
	for i := range y.Rows {
		for c, j := range r.columns {
			want := r.y[i*len(r.columns)+c]
			d := float64(y.Data[i*y.Stride+j]) - want
			diff2 += d * d
			want2 += want * want
		}
	}
	if diff2 == 0 {
		return 0
	}
	return math.Sqrt(diff2 / want2)
}
