package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/opscope"
)

// modelPlan is a choice for every probed matrix that meets a size. Without a plan, a
// nil one, each matrix has the recommended action.
type modelPlan struct {
	opscope.Plan
	choices map[*probeLine]opscope.Choice
}

// choice is what the report says of a line that has a profile.
func (p *modelPlan) choice(line *probeLine) opscope.Choice {
	if p == nil {
		return line.choice()
	}
	return p.choices[line]
}

// layers lists the probed weights with what there is to choose from.
func (r *probeReport) layers() ([]opscope.Layer, error) {
	var layers []opscope.Layer
	for _, line := range r.probed() {
		menu, err := opscope.Menu(*line.Profile, r.run.budgetFor(line))
		if err != nil {
			return nil, err
		}
		layers = append(layers, opscope.Layer{Name: line.Tensor, Params: line.Elements, Menu: menu})
	}
	return layers, nil
}

// plan meets the size that the flags name, if they do. Of a size in bytes, what is not
// probed takes its part as it is; bits a weight are those of the probed matrices.
func (r *probeReport) plan() (*modelPlan, error) {
	target := r.run.target
	if target == (opscope.SizeBudget{}) {
		return nil, nil
	}
	if len(r.notReached) > 0 {
		return nil, fmt.Errorf("no plan: %s were not reached", plural(len(r.notReached), "tensor"))
	}
	layers, err := r.layers()
	if err != nil {
		return nil, err
	}
	if target.Bytes > 0 {
		rest := r.unprobedBytes()
		if target.Bytes <= rest {
			return nil, fmt.Errorf("--target-size %s: what is not probed takes %s already", bytesize.Decimal(target.Bytes), bytesize.Decimal(rest))
		}
		target.Bytes -= rest
	}
	solved, err := opscope.Solve(layers, target)
	if err != nil {
		return nil, err
	}
	plan := &modelPlan{Plan: solved, choices: map[*probeLine]opscope.Choice{}}
	for i, line := range r.probed() {
		plan.choices[line] = solved.Picks[i].Choice
	}
	return plan, nil
}

// unprobedBytes is the size of the tensors that stay as they are: those of the
// model without a profile, tied ones aside.
func (r *probeReport) unprobedBytes() int64 {
	rest := r.excluded.bytes
	for _, line := range r.lines {
		if line.Profile == nil && line.Status != statusTied {
			rest += line.Bytes
		}
	}
	return rest
}

// words describes the plan.
func (p *modelPlan) words() string {
	best := p.Error * (1 - p.Gap())
	text := fmt.Sprintf("plan: %s of %s allowed, %.4g bits a weight, error %.4g", bytesize.Decimal(p.Bytes), bytesize.Decimal(p.Budget), p.BitsPerWeight, p.Error)
	if p.Gap() == 0 {
		return text + "; no plan of that size has less\n"
	}
	return text + fmt.Sprintf("; no plan of that size has less than %.4g, a gap of %.2g%%\n", best, 100*p.Gap())
}

// paretoPoint is the root mean square error of the best plan found for a size in bits a
// weight.
type paretoPoint struct{ bits, rms float64 }

// pareto solves for sizes from the smallest possible to that of the file.
func (r *probeReport) pareto() ([]paretoPoint, error) {
	layers, err := r.layers()
	if err != nil || len(layers) == 0 {
		return nil, err
	}
	var params, least, most int64
	for _, l := range layers {
		params += l.Params
		small, large := int64(math.MaxInt64), int64(0)
		for _, c := range l.Menu {
			small = min(small, c.Bytes)
			if c.Error == 0 && (large == 0 || c.Bytes < large) {
				large = c.Bytes
			}
		}
		least += small
		most += max(small, large)
	}
	const steps = 40
	var points []paretoPoint
	for i := range steps + 1 {
		bytes := max(1, least+int64(float64(most-least)*float64(i)/steps)) // weights that are all zero take no bytes
		plan, err := opscope.Solve(layers, opscope.SizeBudget{Bytes: bytes})
		if err != nil {
			return nil, err
		}
		point := paretoPoint{bitsPerWeight(plan.Bytes, params), plan.Error}
		if n := len(points); n == 0 || point.bits > points[n-1].bits {
			points = append(points, point)
		}
	}
	return points, nil
}

// countActions counts the matrices that have each action. The actions are in the order in
// which they come first.
func countActions(lines []*probeLine, plan *modelPlan) (actions []string, counts map[string]int) {
	counts = map[string]int{}
	for _, line := range lines {
		name := string(plan.choice(line).Action)
		if counts[name]++; counts[name] == 1 {
			actions = append(actions, name)
		}
	}
	return actions, counts
}

// countedActions lists actions with their counts.
func countedActions(actions []string, counts map[string]int) string {
	var parts []string
	for _, name := range actions {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(parts, ", ")
}
