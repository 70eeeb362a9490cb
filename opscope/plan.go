package opscope

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/internal/bytesize"
)

// Layer is one weight of a model and the ways to store it.
type Layer struct {
	Name string `json:"name"`
	// Params is the number of elements, at least 1.
	Params int64 `json:"params"`
	// Menu is what to choose from, as Menu lists it; only Bytes and Error count.
	Menu []Choice `json:"menu"`
}

// SizeBudget bounds the size of a model. Exactly one of the fields is set.
type SizeBudget struct {
	// Bytes is the largest sum of the bytes of the choices.
	Bytes int64
	// BitsPerWeight is the same as 8·Bytes over the elements of all layers.
	BitsPerWeight float64
}

// Pick is the choice that a plan makes for one layer.
type Pick struct {
	Name   string `json:"name"`
	Params int64  `json:"params"`
	Choice Choice `json:"choice"`
}

// Plan is one choice for every layer of a model.
type Plan struct {
	// Picks are in the order of the layers.
	Picks []Pick `json:"picks"`
	// Budget is the largest size allowed, and Bytes the size of the picks.
	Budget int64 `json:"budget"`
	Bytes  int64 `json:"bytes"`
	// BitsPerWeight is 8·Bytes over the elements of all layers.
	BitsPerWeight float64 `json:"bits_per_weight"`
	// Error is the root mean square of the errors of the picks, each counted as
	// often as its layer has elements.
	Error float64 `json:"error"`
	// Objective is what Solve makes small: the sum over the layers of the
	// elements times the squared error of the pick. No choice of picks within the
	// budget has less than Bound.
	Objective float64 `json:"objective"`
	Bound     float64 `json:"bound"`
}

// Gap is how much lower the Error of another plan could be at most, as a fraction
// of Error: 0 if the plan is proven to be the best.
func (p Plan) Gap() float64 {
	if p.Objective == 0 {
		return 0
	}
	return 1 - math.Sqrt(p.Bound/p.Objective)
}

// ErrBudgetTooSmall is what Solve's error is if no plan fits into the budget.
var ErrBudgetTooSmall = errors.New("the size budget is too small")

// Solve makes one choice for every layer, so that the model fits into the budget and
// the sum over the layers of elements·error² is small. That sum is the expected
// squared error of the outputs of all layers together, if each gets independent inputs
// of the same variance and its weights have the same mean square; what a layer means
// to the model it does not know.
//
// It starts from the smallest choice of each layer and takes steps along the lower
// convex hulls of the menus, bytes against error, those first that lower the sum most
// for a byte. These are the choices that minimize the Lagrangian sum + λ·bytes, from
// large λ to small, and the first step that does not fit gives the bound: the value of
// the Lagrangian dual, which is that of the problem in which a layer may be divided
// between two choices (the multiple-choice knapsack problem; Sinha and Zoltners,
// Operations Research 27, 1979). The layers whose steps still fit go on, so that the
// sum exceeds the bound by at most what the first that did not fit would have saved.
// With few layers that can be much, so for up to 256 a better plan is then searched
// for: the best is found where that takes no more than a second, and else a good one.
//
// Of choices alike in bytes and error the first in the menu is taken; of steps alike
// the one of the earlier layer.
//
// If the budget is below the sum of the smallest choices the error is an
// ErrBudgetTooSmall that names that sum. Others are a budget that is not one, and a
// layer without choices, or whose elements, bytes or errors are not numbers that can
// be.
func Solve(layers []Layer, b SizeBudget) (Plan, error) {
	var params, least int64
	for i, l := range layers {
		if err := l.check(); err != nil {
			return Plan{}, fmt.Errorf("opscope: layer %d, %q: %w", i, l.Name, err)
		}
		smallest := slices.MinFunc(l.Menu, bySize).Bytes
		if params > math.MaxInt64-l.Params || least > math.MaxInt64-smallest {
			return Plan{}, fmt.Errorf("opscope: layer %d, %q: the sum over the layers is out of range", i, l.Name)
		}
		params, least = params+l.Params, least+smallest
	}
	budget, err := b.bytes(params)
	if err != nil {
		return Plan{}, err
	}
	if least > budget {
		return Plan{}, fmt.Errorf("opscope: %w: the smallest choices take %d bytes, %.4g bits a weight, and the budget is %d",
			ErrBudgetTooSmall, least, bitsPerWeight(least, params), budget)
	}

	picked := make([]int, len(layers)) // index in the menu
	var steps []step
	for i, l := range layers {
		hull := l.hull()
		picked[i] = hull[0]
		for h := 1; h < len(hull); h++ {
			steps = append(steps, l.step(i, hull[h-1], hull[h]))
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.slope(), a.slope()) })

	left := budget - least
	stopped := make([]bool, len(layers))
	saved, bound, lambda := 0.0, math.NaN(), 0.0 // what the steps taken have saved, and the dual and its λ at the first that did not fit
	for _, s := range steps {
		switch {
		case stopped[s.layer]:
		case s.bytes <= left:
			left -= s.bytes
			picked[s.layer] = s.to
			saved += s.gain
		default:
			stopped[s.layer] = true
			if math.IsNaN(bound) {
				lambda = s.slope()
				bound = saved + lambda*float64(left)
			}
		}
	}
	plan := newPlan(layers, picked, budget, params, bound)
	if better, ok := search(layers, budget, lambda, plan.Objective); ok {
		plan = newPlan(layers, better, budget, params, bound)
	}
	return plan, nil
}

// newPlan sums up the picks. dual is how much less than the smallest choices the best
// plan may have, or NaN if every step was taken.
func newPlan(layers []Layer, picked []int, budget, params int64, dual float64) Plan {
	p := Plan{Budget: budget}
	var start float64
	for i, l := range layers {
		c := l.Menu[picked[i]]
		p.Picks = append(p.Picks, Pick{l.Name, l.Params, c})
		p.Bytes += c.Bytes
		p.Objective += l.cost(c)
		start += l.cost(slices.MinFunc(l.Menu, bySize))
	}
	p.Bound = p.Objective
	if !math.IsNaN(dual) {
		// The sums were rounded; a bound is never above a plan, nor below 0.
		p.Bound = min(max(start-dual, 0), p.Objective)
	}
	if params > 0 {
		p.BitsPerWeight = bitsPerWeight(p.Bytes, params)
		p.Error = math.Sqrt(p.Objective / float64(params))
	}
	return p
}

// A step replaces one choice of a layer by the next one on its hull.
type step struct {
	layer, to int
	bytes     int64
	gain      float64
}

func (s step) slope() float64 { return s.gain / float64(s.bytes) }

func (l Layer) step(layer, from, to int) step {
	a, b := l.Menu[from], l.Menu[to]
	return step{layer, to, b.Bytes - a.Bytes, l.cost(a) - l.cost(b)}
}

func (l Layer) cost(c Choice) float64 { return float64(l.Params) * c.Error * c.Error }

// bySize orders choices by bytes, and by error where these are the same.
func bySize(a, b Choice) int {
	return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Error, b.Error))
}

// hull returns the indices of the choices on the lower convex hull of cost against
// bytes, from the smallest choice to the one of least error.
func (l Layer) hull() []int {
	order := make([]int, len(l.Menu))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bySize(l.Menu[a], l.Menu[b]) })
	var hull []int
	for _, c := range order {
		if len(hull) > 0 && !(l.Menu[c].Error < l.Menu[hull[len(hull)-1]].Error) {
			continue
		}
		// A choice above the line between its neighbours is never worth its bytes.
		for len(hull) > 1 {
			last, before := hull[len(hull)-1], hull[len(hull)-2]
			if l.step(0, before, last).slope() > l.step(0, last, c).slope() {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, c)
	}
	return hull
}

func (l Layer) check() error {
	switch {
	case l.Params < 1:
		return fmt.Errorf("%d elements", l.Params)
	case len(l.Menu) == 0:
		return errors.New("an empty menu")
	}
	for _, c := range l.Menu {
		if c.Bytes < 0 || !(c.Error >= 0) || math.IsInf(c.Error, 0) {
			return fmt.Errorf("%s has %d bytes and an error of %v", c.Action, c.Bytes, c.Error)
		}
	}
	return nil
}

// bytes returns the largest size of a model with that many elements.
func (b SizeBudget) bytes(params int64) (int64, error) {
	switch {
	case (b.Bytes != 0) == (b.BitsPerWeight != 0):
		return 0, errors.New("opscope: a size budget is either in bytes or in bits per weight")
	case b.Bytes < 0:
		return 0, fmt.Errorf("opscope: size budget of %d bytes", b.Bytes)
	case b.Bytes > 0:
		return b.Bytes, nil
	case !(b.BitsPerWeight > 0) || math.IsInf(b.BitsPerWeight, 0):
		return 0, fmt.Errorf("opscope: size budget of %v bits per weight", b.BitsPerWeight)
	}
	if bytes := b.BitsPerWeight / 8 * float64(params); bytes < math.MaxInt64 {
		return int64(bytes), nil
	}
	return math.MaxInt64, nil
}

func bitsPerWeight(bytes, params int64) float64 { return 8 * float64(bytes) / float64(params) }

// String is a line with the totals and one for each action picked, in the order of the
// layers that it is first met in.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s allowed, %.4g bits a weight, error %.3g; another plan has at least %.3g",
		bytesize.Decimal(p.Bytes), bytesize.Decimal(p.Budget), p.BitsPerWeight, p.Error, p.Error*(1-p.Gap()))
	type total struct {
		layers        int
		params, bytes int64
	}
	totals := map[Action]total{}
	var order []Action
	for _, pick := range p.Picks {
		t, ok := totals[pick.Choice.Action]
		if !ok {
			order = append(order, pick.Choice.Action)
		}
		totals[pick.Choice.Action] = total{t.layers + 1, t.params + pick.Params, t.bytes + pick.Choice.Bytes}
	}
	for _, a := range order {
		t := totals[a]
		fmt.Fprintf(&b, "\n  %-18s %4d layers, %d elements, %s", a, t.layers, t.params, bytesize.Decimal(t.bytes))
	}
	return b.String()
}

// Table returns the picks as a table: the names of its columns and a row for each
// layer.
func (p Plan) Table() (columns []string, rows [][]any) {
	columns = []string{"layer", "elements", "action", "bytes", "bits a weight", "error"}
	for _, pick := range p.Picks {
		c := pick.Choice
		rows = append(rows, []any{
			pick.Name, pick.Params, c.Name(), c.Bytes,
			fmt.Sprintf("%.4g", bitsPerWeight(c.Bytes, pick.Params)), fmt.Sprintf("%.3g", c.Error),
		})
	}
	return columns, rows
}
