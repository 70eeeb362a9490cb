package opscope

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/rlx-go/gopherscope/internal/elementwise"
)

// segmentLength is the number of elements along k that the second pass takes at
// a time: the largest group of the default set.
const segmentLength = 128

// The bits that errors are measured at by default, and the largest codes.
const (
	levels8 = 127
	levels4 = 7
)

func levels(bits int) float64 { return float64(int(1)<<(bits-1) - 1) }

// channelSums is what one channel adds to the results of the second pass. The
// arrays hold sums of squared rounding errors at 8 and 4 bits, as said.
type channelSums struct {
	m2, m4    float64
	dropped24 float64
	kept      int        // of ternary weights
	keptSum   float64    // of their magnitudes
	tensor    [2]float64 // in squares of the step
	channel   [2]float64 // in squares of the step
	cross     [2]float64 // in squares of 1/L
	group32   [2]float64 // in squares of 1/L
	group128  [2]float64 // in squares of 1/L
	bf16, f16 float64
	sought    [3]float64 // at soughtBits, per channel, in squares of the step
}

// bestBits are the widths that Profile.BestBits is one of, and soughtBits those
// that are not measured anyway. No format stores 7 bits.
var (
	bestBits   = [...]int{3, 4, 5, 6, 8}
	soughtBits = [...]int{3, 5, 6}
)

// fusedResult is what the second pass finds. An error is relative.
type fusedResult struct {
	kurtosis    float64
	nm24        float64
	ternary     float64
	cardinality Cardinality
	tensor      [2]float64
	channel     [2]float64
	cross       [2]float64
	group32     [2]float64
	group128    [2]float64
	bf16, f16   float64
	bestBits    int
}

// fused is a second pass: all that needs what stats holds, at once.
type fused struct {
	mean       float64
	threshold  float32 // of ternary weights, rounded down
	tensorInv  float64 // 1 over the largest magnitude, 0 for 0
	channelMax []float32
	crossInv   []float64 // levels8 over the largest magnitude at k, 0 for 0
	crossSq    []float64 // the square of that magnitude
	bound      float64   // of a squared error per channel within the budget
	exceeded   [len(soughtBits)]atomic.Bool
	workers    []fusedWorker
	sums       []channelSums // by slot
	total      fusedTotals
}

// fusedTotals adds up channels. Errors are in squares of the unit of w.
type fusedTotals struct {
	channelSums
	soughtSq [len(soughtBits)]float64
}

type fusedWorker struct {
	values  *distinct
	partial [len(soughtBits)]float64 // squared errors seen so far
}

// fusedPass makes the second pass. budget is the relative error for the best bits.
func fusedPass(ctx context.Context, c channels, s stats, budget float64) (fusedResult, error) {
	if figure, yes := s.degenerate(); yes {
		two := [2]float64{figure, figure}
		r := fusedResult{kurtosis: figure, nm24: figure, ternary: figure, bf16: figure, f16: figure,
			tensor: two, channel: two, cross: two, group32: two, group128: two}
		if figure == 0 && s.elements > 0 {
			r.cardinality.Distinct = 1
			r.bestBits = bestBits[0]
		}
		return r, nil
	}
	channelMax, crossMax := s.colMax, s.rowMax
	if c.areRows {
		channelMax, crossMax = crossMax, channelMax
	}
	p := &fused{
		mean:       s.mean(),
		threshold:  roundDown(ternaryThreshold * s.sumAbs / float64(s.elements)),
		tensorInv:  1 / s.absMax,
		channelMax: channelMax,
		crossInv:   make([]float64, len(crossMax)),
		crossSq:    make([]float64, len(crossMax)),
		bound:      budget * budget * s.sumSq,
		workers:    make([]fusedWorker, workers()),
		sums:       make([]channelSums, c.slots()),
	}
	for k, m := range crossMax {
		if m > 0 {
			p.crossInv[k] = levels8 / float64(m)
			p.crossSq[k] = float64(m) * float64(m)
		}
	}
	for i := range p.workers {
		p.workers[i].values = newDistinct(s)
	}
	if err := c.each(ctx, segmentLength, len(p.workers), p.visit, p.done); err != nil {
		return fusedResult{}, err
	}
	return p.result(s, budget), nil
}

func (p *fused) visit(worker int, seg segment) {
	x, w, sum := seg.x, &p.workers[worker], &p.sums[seg.slot]

	add := func(s *[2]float64, a, b float64) {
		s[0] += a
		s[1] += b
	}
	a, b := elementwise.RoundingErrors(x, levels8*p.tensorInv, levels4*p.tensorInv)
	add(&sum.tensor, a, b)

	a, b = elementwise.WeightedRoundingErrors(x, p.crossInv[seg.k:], p.crossSq[seg.k:], levels4/float64(levels8))
	add(&sum.cross, a, b)

	if m := float64(p.channelMax[seg.channel]); m > 0 {
		a, b = elementwise.RoundingErrors(x, levels8/m, levels4/m)
		add(&sum.channel, a, b)
		p.seek(w, sum, x, m)
	}

	a, b, largest := elementwise.GroupRoundingErrors(x, levels8, levels4)
	add(&sum.group32, a, b)
	if m := float64(largest); m > 0 {
		a, b = elementwise.RoundingErrors(x, levels8/m, levels4/m)
		add(&sum.group128, a*m*m, b*m*m)
	}

	a, b = elementwise.Float16Errors(x)
	sum.bf16 += a
	sum.f16 += b
	sum.dropped24 += elementwise.Dropped24(x)
	kept, keptSum := elementwise.SumAbove(x, p.threshold)
	sum.kept += kept
	sum.keptSum += keptSum
	m2, m4 := elementwise.Moments(x, p.mean)
	sum.m2 += m2
	sum.m4 += m4
	w.values.add(x, float64(largest))
}

// seek adds to the errors at the bits for which they are still within the
// budget. Errors only grow, so what one goroutine has seen can exclude a width
// for all: the result does not depend on when.
func (p *fused) seek(w *fusedWorker, sum *channelSums, x []float32, largest float64) {
	for i, bits := range soughtBits {
		if p.exceeded[i].Load() {
			continue
		}
		l := levels(bits)
		e, _ := elementwise.RoundingErrors(x, l/largest, 0)
		sum.sought[i] += e
		step := largest / l
		if w.partial[i] += e * step * step; w.partial[i] > p.bound*(1+1e-9) {
			p.exceeded[i].Store(true)
		}
	}
}

func (p *fused) done(first, n int) {
	t := &p.total
	for i := range n {
		s := &p.sums[i]
		m := float64(p.channelMax[first+i])
		t.m2 += s.m2
		t.m4 += s.m4
		t.dropped24 += s.dropped24
		t.kept += s.kept
		t.keptSum += s.keptSum
		t.bf16 += s.bf16
		t.f16 += s.f16
		for j := range 2 {
			t.tensor[j] += s.tensor[j]
			t.channel[j] += s.channel[j] * m * m
			t.cross[j] += s.cross[j]
			t.group32[j] += s.group32[j]
			t.group128[j] += s.group128[j]
		}
		for j, bits := range soughtBits {
			step := m / levels(bits)
			t.soughtSq[j] += s.sought[j] * step * step
		}
		*s = channelSums{}
	}
}

func (p *fused) result(s stats, budget float64) fusedResult {
	t := &p.total
	relative := func(sq float64) float64 { return math.Sqrt(sq / s.sumSq) }
	pair := func(sq [2]float64, unit float64) [2]float64 {
		return [2]float64{relative(sq[0]) * unit / levels8, relative(sq[1]) * unit / levels4}
	}
	r := fusedResult{
		nm24:     relative(t.dropped24),
		ternary:  ternaryError(t.kept, t.keptSum, s.sumSq),
		tensor:   pair(t.tensor, s.absMax),
		channel:  pair(t.channel, 1),
		cross:    pair(t.cross, 1),
		group32:  pair(t.group32, 1),
		group128: pair(t.group128, 1),
		bf16:     relative(t.bf16),
		f16:      relative(t.f16),
	}
	if math.IsInf(f16.nearest(s.absMax), 0) {
		r.f16 = math.NaN()
	}
	// The variance of equal elements is what rounding of the mean leaves.
	if n := float64(s.elements); s.min < s.max {
		r.kurtosis = (t.m4 / n) / ((t.m2 / n) * (t.m2 / n))
	}
	sets := make([]*distinct, len(p.workers))
	for i := range sets {
		sets[i] = p.workers[i].values
	}
	r.cardinality = countDistinct(sets)
	r.bestBits = p.bestBits(r, s, budget)
	return r
}

// bestBits is the smallest number of bits whose error per channel is within the
// budget, or 0.
func (p *fused) bestBits(r fusedResult, s stats, budget float64) int {
	for _, bits := range bestBits {
		within := false
		switch i := slices.Index(soughtBits[:], bits); {
		case i >= 0:
			within = !p.exceeded[i].Load() && math.Sqrt(p.total.soughtSq[i]/s.sumSq) <= budget
		case bits == 4:
			within = r.channel[1] <= budget
		case bits == 8:
			within = r.channel[0] <= budget
		}
		if within {
			return bits
		}
	}
	return 0
}
