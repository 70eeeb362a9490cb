package opscope

import (
	"cmp"
	"slices"
)

// What search undertakes takes a second at most.
const (
	maxSearchLayers = 256
	maxPartials     = 4096 // partial plans kept after a layer
)

// A partial plan has choices for some first layers.
type partial struct {
	bytes  int64
	cost   float64
	least  float64  // no whole plan that begins so costs less
	before *partial // nil before the first layer
	choice int      // in the menu of the last of these layers
}

// search looks for a plan within the budget whose sum is below upper, that of a plan
// which is known, and returns false if it finds none. It goes through the layers, the
// largest first, and keeps the partial plans that no other beats in both bytes and sum
// (Nemhauser and Ullmann, Management Science 15, 1969), without those that cannot end
// below upper: what the layers to come add is at least their least Lagrangian, sum +
// λ·bytes, less λ times the bytes left. If the plans kept are never more than
// maxPartials the plan found is the best; of more it follows the most promising.
func search(layers []Layer, budget int64, lambda, upper float64) ([]int, bool) {
	if len(layers) > maxSearchLayers {
		return nil, false
	}
	order := make([]int, len(layers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(layers[b].Params, layers[a].Params) })

	// What the layers from the i-th on take at least, in Lagrangian and in bytes.
	restLagrangian := make([]float64, len(layers)+1)
	restBytes := make([]int64, len(layers)+1)
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[order[i]]
		lagrangian := func(c Choice) float64 { return l.cost(c) + lambda*float64(c.Bytes) }
		best := slices.MinFunc(l.Menu, func(a, b Choice) int { return cmp.Compare(lagrangian(a), lagrangian(b)) })
		restLagrangian[i] = restLagrangian[i+1] + lagrangian(best)
		restBytes[i] = restBytes[i+1] + slices.MinFunc(l.Menu, bySize).Bytes
	}

	plans := []*partial{{}}
	for i, l := range order {
		var next []*partial
		for _, p := range plans {
			for j, c := range layers[l].Menu {
				q := &partial{bytes: p.bytes + c.Bytes, cost: p.cost + layers[l].cost(c), before: p, choice: j}
				left := budget - q.bytes
				q.least = q.cost + max(0, restLagrangian[i+1]-lambda*float64(left))
				if left >= restBytes[i+1] && q.least < upper {
					next = append(next, q)
				}
			}
		}
		slices.SortStableFunc(next, func(a, b *partial) int {
			return cmp.Or(cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.cost, b.cost))
		})
		plans = plans[:0]
		for _, q := range next {
			if len(plans) == 0 || q.cost < plans[len(plans)-1].cost {
				plans = append(plans, q)
			}
		}
		if len(plans) > maxPartials {
			slices.SortStableFunc(plans, func(a, b *partial) int { return cmp.Compare(a.least, b.least) })
			plans = plans[:maxPartials]
		}
	}
	if len(plans) == 0 {
		return nil, false
	}
	p := slices.MinFunc(plans, func(a, b *partial) int { return cmp.Compare(a.cost, b.cost) })
	picked := make([]int, len(layers))
	for _, l := range slices.Backward(order) {
		picked[l], p = p.choice, p.before
	}
	return picked, true
}
