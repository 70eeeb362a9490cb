package opscope

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// NMError is the relative L2 error of N:M sparsity of the weight W[k,n]: of each
// m consecutive elements along k of an output channel, that is, down a column,
// the n of the largest magnitude stay and the others become zero. The last group
// of a column may be shorter. Hardware for 2:4 sparsity wants the groups along k.
//
// The result is in [0,1]: 0.3639 for 2:4 and 0.6184 for 1:4 of Gaussian
// elements. NaN if w has non-finite elements, 0 if it is zero or empty. It
// panics on a malformed matrix and unless 0 < n <= m.
func NMError(w Matrix, n, m int) float64 {
	mustCheck(w)
	if n < 1 || m < n {
		panic(fmt.Sprintf("opscope: %d:%d sparsity", n, m))
	}
	ctx := context.Background()
	s, _ := gather(ctx, w)
	errs, _ := sparsePass(ctx, channels{memoryInput(w), false}, s, []NM{{N: n, M: m}}, m*max(1, schemeLength/m))
	return errs[0].Error
}

// sparsePass sets the errors of patterns, in segments of a length that is a
// multiple of each M.
func sparsePass(ctx context.Context, c channels, s stats, patterns []NM, length int) ([]NM, error) {
	if figure, yes := s.degenerate(); yes {
		for i := range patterns {
			patterns[i].Error = figure
		}
		return patterns, nil
	}
	n := len(patterns)
	perWorker := make([][]float64, workers())
	for i := range perWorker {
		perWorker[i] = make([]float64, length)
	}
	sums, totals := make([]float64, c.slots()*n), make([]float64, n)
	err := c.each(ctx, length, len(perWorker), func(worker int, seg segment) {
		squares := perWorker[worker]
		for p, pattern := range patterns {
			for from := 0; from < len(seg.x); from += pattern.M {
				group := squares[:min(pattern.M, len(seg.x)-from)]
				for i := range group {
					v := float64(seg.x[from+i])
					group[i] = v * v
				}
				slices.Sort(group)
				for _, v := range group[:max(0, len(group)-pattern.N)] {
					sums[seg.slot*n+p] += v
				}
			}
		}
	}, func(_, channels int) { addRows(totals, sums[:channels*n]) })
	for i := range patterns {
		patterns[i].Error = math.Sqrt(totals[i] / s.sumSq)
	}
	return patterns, err
}
