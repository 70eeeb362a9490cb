package charts

import (
	"math"
	"slices"
)

// bins is a checked histogram.
type bins struct {
	x, y      Axis
	xs, ys    scale
	total     int
	quartiles [5]float64
	edges     []float64 // one more than counts
	counts    []int
	style     Style
}

// quantile returns the q-quantile of sorted values, between the two nearest.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	t := at - float64(i)
	return (1-t)*sorted[i] + t*sorted[i+1]
}

// divide makes the bins and counts the sorted values.
func (b *bins) divide(sorted []float64, count int) error {
	lo, hi := sorted[0], sorted[len(sorted)-1]
	along, end, whole := func(v float64) float64 { return v }, hi, areWhole(sorted)
	if b.x.Log {
		along = math.Log
	} else if whole {
		end++ // the largest number has a bin of its own
	}
	var err error
	if b.xs, err = newScale(b.x, lo, end, 8, whole); err != nil {
		return err
	}
	if count == 0 {
		spread := along(quantile(sorted, 0.75)) - along(quantile(sorted, 0.25))
		width := 2 * spread / math.Cbrt(float64(len(sorted)))
		count = defaultBins
		if n := (along(b.xs.max) - along(b.xs.min)) / width; n < defaultBins { // not when the width is 0
			count = max(5, int(math.Ceil(n)))
		}
	}
	if b.x.Log {
		b.edges = logEdges(b.xs, count)
	} else {
		b.edges = linearEdges(b.xs, count, whole)
	}
	b.counts = make([]int, len(b.edges)-1)
	for _, v := range sorted {
		i, exact := slices.BinarySearch(b.edges, v)
		if !exact {
			i--
		}
		b.counts[min(max(i, 0), len(b.counts)-1)]++
	}
	return nil
}

// linearEdges divides every step of a linear axis alike, so that there are at
// most count bins, or one a step; into whole parts if whole is set.
func linearEdges(s scale, count int, whole bool) []float64 {
	parts := 1
	for _, n := range []int{2, 5, 10, 20, 50, 100} {
		if n*(len(s.ticks)-1) <= count && !(whole && math.Mod(s.step, float64(n)) != 0) {
			parts = n
		}
	}
	edges := []float64{s.min}
	for _, t := range s.ticks[:len(s.ticks)-1] {
		for j := 1; j < parts; j++ {
			edges = append(edges, t.value+s.step*float64(j)/float64(parts))
		}
		edges = append(edges, t.value+s.step)
	}
	for i := range s.ticks {
		edges[i*parts] = s.ticks[i].value
	}
	return edges
}

// logEdges divides a log axis into count parts of equal ratio. Edges at ticks
// are exact.
func logEdges(s scale, count int) []float64 {
	edges := make([]float64, count+1)
	for i := range edges {
		edges[i] = s.min * math.Pow(s.max/s.min, float64(i)/float64(count))
		for _, t := range s.ticks {
			if math.Abs(edges[i]-t.value) <= 1e-12*t.value {
				edges[i] = t.value
			}
		}
	}
	return edges
}
