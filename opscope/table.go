package opscope

import (
	"context"
	"fmt"
	"math"
)

// TableError is the least relative L2 error of replacing each element of w by
// one of so many values, the best for w: k-means in one dimension, solved for the
// whole matrix by dynamic programming over the elements in order (Wu, J. Algorithms
// 12, 1991). Elements that agree in sign, exponent and the first 7 bits of the
// mantissa get the same value.
//
// For 16 values and Gaussian elements it is 0.0975 (Max, IRE Trans. Inf. Theory 6,
// 1960). NaN if w has non-finite elements, 0 if it is zero or empty. It panics on a
// malformed matrix and on less than 1 or more than 256 values.
func TableError(w Matrix, values int) float64 {
	mustCheck(w)
	if values < 1 || values > 256 {
		panic(fmt.Sprintf("opscope: a table of %d values, want 1 to 256", values))
	}
	ctx := context.Background()
	s, _ := gather(ctx, w)
	e, _ := tablePass(ctx, memoryInput(w), s, values)
	return e
}

// histogram counts elements by the upper half of their bits. The moments of the
// lower half are integers, so that their order does not matter.
type histogram struct {
	count, low, lowSq [1 << 16]uint64
}

// tablePass returns the error of the best table of so many values.
func tablePass(ctx context.Context, in *input, s stats, values int) (float64, error) {
	if figure, yes := s.degenerate(); yes {
		return figure, nil
	}
	perWorker := make([]*histogram, workers())
	for i := range perWorker {
		perWorker[i] = new(histogram)
	}
	err := in.scan(ctx, 1, func(_ int, block Matrix) error {
		parallelRows(len(perWorker), block, func(worker, _ int, row []float32) {
			h := perWorker[worker]
			for _, v := range row {
				b := math.Float32bits(v)
				low := uint64(b & 0xffff)
				h.count[b>>16]++
				h.low[b>>16] += low
				h.lowSq[b>>16] += low * low
			}
		})
		return nil
	})
	if err != nil {
		return 0, err
	}
	h := perWorker[0]
	for _, other := range perWorker[1:] {
		for i := range h.count {
			h.count[i] += other.count[i]
			h.low[i] += other.low[i]
			h.lowSq[i] += other.lowSq[i]
		}
	}
	return math.Sqrt(h.cluster(s.absMax).leastSquares(values) / s.sumSq * s.absMax * s.absMax), nil
}

// clusters holds, for the first i of some cells in order of their values, the
// number of elements, their sum and the sum of their squares.
type clusters struct{ n, sum, sumSq []float64 }

// cluster lists the cells that are not empty in the order of their values, in
// units of scale.
func (h *histogram) cluster(scale float64) clusters {
	c := clusters{[]float64{0}, []float64{0}, []float64{0}}
	for i := range h.count {
		key := i
		if i < 1<<15 {
			key = 1<<16 - 1 - i // negative values, the largest magnitude first
		} else {
			key = i - 1<<15
		}
		if h.count[key] == 0 {
			continue
		}
		// An element is base + low·ulp.
		base := float64(math.Float32frombits(uint32(key)<<16)) / scale
		ulp := float64(math.Float32frombits(uint32(key)<<16|1))/scale - base
		n, low, lowSq := float64(h.count[key]), float64(h.low[key]), float64(h.lowSq[key])
		last := len(c.n) - 1
		c.n = append(c.n, c.n[last]+n)
		c.sum = append(c.sum, c.sum[last]+n*base+low*ulp)
		c.sumSq = append(c.sumSq, c.sumSq[last]+n*base*base+2*base*ulp*low+ulp*ulp*lowSq)
	}
	return c
}

// cost is the sum of the squared distances of cells from to to-1 to their mean.
func (c clusters) cost(from, to int) float64 {
	n, sum := c.n[to]-c.n[from], c.sum[to]-c.sum[from]
	return max(0, c.sumSq[to]-c.sumSq[from]-sum*sum/n)
}

// leastSquares is the least sum of costs of at most so many runs of cells. The
// best first cell of the last run does not fall as the cells grow, so that halving
// finds it for all of them.
func (c clusters) leastSquares(runs int) float64 {
	cells := len(c.n) - 1
	best := make([]float64, cells+1)
	for to := 1; to <= cells; to++ {
		best[to] = c.cost(0, to)
	}
	for range min(runs, cells) - 1 {
		next := make([]float64, cells+1)
		var halve func(lo, hi, from, to int)
		halve = func(lo, hi, from, to int) {
			if lo > hi {
				return
			}
			mid := (lo + hi) / 2
			least, at := math.Inf(1), from
			for i := from; i <= min(to, mid-1); i++ {
				if v := best[i] + c.cost(i, mid); v < least {
					least, at = v, i
				}
			}
			next[mid] = least
			halve(lo, mid-1, from, at)
			halve(mid+1, hi, at, to)
		}
		halve(1, cells, 0, cells-1)
		best = next
	}
	return best[cells]
}
