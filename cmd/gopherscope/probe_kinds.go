package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/rlx-go/gopherscope/internal/bytesize"
)

// weightKind is the weights that have one name but for its numbers.
type weightKind struct {
	name            string
	lines           []*probeLine
	elements, bytes int64
}

// kinds groups the probed weights, those with the most bytes first.
func (r *probeReport) kinds() []*weightKind {
	index := map[string]*weightKind{}
	var kinds []*weightKind
	for _, line := range r.probed() {
		name := kindOf(line.Tensor)
		k := index[name]
		if k == nil {
			k = &weightKind{name: name}
			index[name] = k
			kinds = append(kinds, k)
		}
		k.lines = append(k.lines, line)
		k.elements += line.Elements
		k.bytes += line.Bytes
	}
	for _, k := range kinds {
		if len(k.lines) == 1 {
			k.name = k.lines[0].Tensor
		}
	}
	slices.SortStableFunc(kinds, func(a, b *weightKind) int { return cmp.Compare(b.bytes, a.bytes) })
	return kinds
}

// middleAndMost returns the median and the largest of the numbers that are some, or
// NaN.
func (k *weightKind) middleAndMost(value func(probeFigures) float64) (median, most float64) {
	var values []float64
	for _, line := range k.lines {
		if v := value(figuresOf(line.Profile)); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if values == nil {
		return math.NaN(), math.NaN()
	}
	return middle(values), slices.Max(values)
}

func kindTable(kinds []*weightKind, plan *modelPlan) textTable {
	table := textTable{columns: []textColumn{
		{"kind", false}, {"matrices", true}, {"bytes", true},
		{"int8 median", true}, {"most", true}, {"int4 g32 median", true}, {"most", true}, {"2:4 median", true},
		{"after", true}, {"smaller", true}, {"action", false},
	}}
	for _, k := range kinds {
		var after int64
		for _, line := range k.lines {
			after += plan.choice(line).Bytes
		}
		actions, counts := countActions(k.lines, plan)
		action := actions[0]
		if len(actions) > 1 {
			action = countedActions(actions, counts)
		}
		int8Median, int8Most := k.middleAndMost(func(f probeFigures) float64 { return f.int8 })
		int4Median, int4Most := k.middleAndMost(func(f probeFigures) float64 { return f.int4 })
		sparse, _ := k.middleAndMost(func(f probeFigures) float64 { return f.sparse })
		table.add(shortName(k.name), strconv.Itoa(len(k.lines)), bytesize.Decimal(k.bytes),
			number("%.4f", int8Median), number("%.4f", int8Most), number("%.4f", int4Median), number("%.4f", int4Most), number("%.3f", sparse),
			bytesize.Decimal(after), times(k.bytes, after), action)
	}
	return table
}
