package opscope_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope"
)

// option is a choice as Solve sees it.
func option(action opscope.Action, bytes int64, err float64) opscope.Choice {
	return opscope.Choice{Action: action, Bytes: bytes, Error: err}
}

func solve(t *testing.T, layers []opscope.Layer, bytes int64) opscope.Plan {
	t.Helper()
	p, err := opscope.Solve(layers, opscope.SizeBudget{Bytes: bytes})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// picks writes the actions picked in order.
func picks(p opscope.Plan) string {
	var names []string
	for _, pick := range p.Picks {
		names = append(names, string(pick.Choice.Action))
	}
	return strings.Join(names, " ")
}

// Two layers of 100 and 10 elements. In bytes against elements·error², large has
// 400→0, 100→1, 50→4 and small 40→0, 10→2.5, 5→3.6. The steps of large save 3 for 50
// bytes (0.06) and 1 for 300 (0.0033), those of small 1.1 for 5 (0.22) and 2.5 for 30
// (0.083): small first, both of its steps, and then large.
func TestSolveByHand(t *testing.T) {
	layers := []opscope.Layer{
		{Name: "large", Params: 100, Menu: []opscope.Choice{option("keep", 400, 0), option("8", 100, 0.1), option("4", 50, 0.2)}},
		{Name: "small", Params: 10, Menu: []opscope.Choice{option("keep", 40, 0), option("8", 10, 0.5), option("4", 5, 0.6)}},
	}
	tests := []struct {
		bytes     int64
		picks     string
		size      int64
		objective float64
		bound     float64
	}{
		{55, "4 4", 55, 4 + 3.6, 7.6},
		{59, "4 4", 55, 7.6, 7.6 - 4*1.1/5},
		{60, "4 8", 60, 4 + 2.5, 6.5},
		{75, "4 8", 60, 6.5, 6.5 - 15*2.5/30},
		{90, "4 keep", 90, 4, 4},
		// Half of the step of large would fit; all of it does without the last of small.
		{115, "8 8", 110, 1 + 2.5, 4 - 25*3.0/50},
		{140, "8 keep", 140, 1, 1},
		{439, "8 keep", 140, 1, 1.0 / 300},
		{440, "keep keep", 440, 0, 0},
		{1 << 40, "keep keep", 440, 0, 0},
	}
	for _, tt := range tests {
		p := solve(t, layers, tt.bytes)
		name := fmt.Sprintf("%d bytes", tt.bytes)
		if got := picks(p); got != tt.picks || p.Bytes != tt.size || p.Budget != tt.bytes {
			t.Errorf("%s: %s of %d bytes for %d, want %s of %d", name, got, p.Bytes, p.Budget, tt.picks, tt.size)
		}
		within(t, name+": objective", p.Objective, tt.objective, 1e-12)
		within(t, name+": bound", p.Bound, tt.bound, 1e-12)
		within(t, name+": error", p.Error, math.Sqrt(tt.objective/110), 1e-12)
		within(t, name+": bits", p.BitsPerWeight, 8*float64(tt.size)/110, 1e-12)
		wantGap := 0.0
		if tt.objective > 0 {
			wantGap = 1 - math.Sqrt(tt.bound/tt.objective)
		}
		within(t, name+": gap", p.Gap(), wantGap, 1e-9)
	}
}

// A choice above the line between two others is on no hull, but it is the best where
// the step to the end of the line does not fit.
func TestSolveSkipsWhatDoesNotFit(t *testing.T) {
	layers := []opscope.Layer{
		{Name: "a", Params: 1, Menu: []opscope.Choice{option("2", 2, 10), option("dear", 90, 9.9), option("100", 100, 0)}},
		{Name: "b", Params: 1, Menu: []opscope.Choice{option("1", 1, 1), option("2", 2, 0.5)}},
	}
	if got := picks(solve(t, layers, 102)); got != "100 2" {
		t.Errorf("with room for all: %s", got)
	}
	p := solve(t, layers, 95)
	if got := picks(p); got != "dear 2" {
		t.Errorf("without room for the first step: %s", got)
	}
	// The relaxed problem takes 92 of the 98 bytes of the first step, which saves 100.
	within(t, "bound", p.Bound, 101-92.0/98*100, 1e-9)
}

// bruteForce returns the least objective of all plans within the budget.
func bruteForce(layers []opscope.Layer, budget int64) (best float64, found bool) {
	if len(layers) == 0 {
		return 0, budget >= 0
	}
	best = math.Inf(1)
	for _, c := range layers[0].Menu {
		rest, ok := bruteForce(layers[1:], budget-c.Bytes)
		if ok {
			best, found = min(best, rest+float64(layers[0].Params)*c.Error*c.Error), true
		}
	}
	return best, found
}

func TestSolveAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cases := 0
	for range 400 {
		var layers []opscope.Layer
		var least, most int64
		for range 1 + rng.IntN(5) {
			l := opscope.Layer{Name: "l", Params: 1 + rng.Int64N(1000)}
			for range 1 + rng.IntN(5) {
				// Few values, so that there are ties.
				l.Menu = append(l.Menu, option("a", rng.Int64N(20), float64(rng.IntN(8))/8))
			}
			least += slices.MinFunc(l.Menu, func(a, b opscope.Choice) int { return int(a.Bytes - b.Bytes) }).Bytes
			most += slices.MaxFunc(l.Menu, func(a, b opscope.Choice) int { return int(a.Bytes - b.Bytes) }).Bytes
			layers = append(layers, l)
		}
		for budget := max(1, least-1); budget <= most+1; budget++ {
			best, feasible := bruteForce(layers, budget)
			p, err := opscope.Solve(layers, opscope.SizeBudget{Bytes: budget})
			if !feasible {
				if !errors.Is(err, opscope.ErrBudgetTooSmall) || !strings.Contains(err.Error(), fmt.Sprintf(" %d bytes", least)) {
					t.Fatalf("%d bytes, of which %d are needed: %v", budget, least, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			cases++
			var bytes int64
			var objective float64
			for i, pick := range p.Picks {
				if !slices.ContainsFunc(layers[i].Menu, func(c opscope.Choice) bool { return reflect.DeepEqual(c, pick.Choice) }) {
					t.Fatalf("%+v is not on the menu", pick)
				}
				bytes += pick.Choice.Bytes
				objective += float64(pick.Params) * pick.Choice.Error * pick.Choice.Error
			}
			const rounding = 1e-9
			switch {
			case len(p.Picks) != len(layers) || bytes != p.Bytes || bytes > budget:
				t.Fatalf("%d picks of %d bytes, said to be %d of %d", len(p.Picks), bytes, p.Bytes, budget)
			case math.Abs(objective-p.Objective) > rounding:
				t.Fatalf("objective %v, said to be %v", objective, p.Objective)
			case math.Abs(p.Objective-best) > rounding:
				t.Fatalf("objective %v, the best is %v", p.Objective, best)
			case p.Bound > best+rounding:
				t.Fatalf("bound %v is above the best, %v: budget %d, %+v", p.Bound, best, budget, layers)
			case p.Gap() < 0 || p.Gap() > 1:
				t.Fatalf("gap %v", p.Gap())
			}
		}
	}
	if cases < 1000 {
		t.Errorf("%d cases", cases)
	}
}

// With many layers, each a small part of the whole, the gap closes.
func TestGapOfALargeModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var layers []opscope.Layer
	for range 3000 {
		params := 1000 + rng.Int64N(100000)
		e := 0.1 * rng.Float64()
		layers = append(layers, opscope.Layer{Params: params, Menu: []opscope.Choice{
			option("keep", 2*params, 0), option("8", params+100, e/18), option("4", params/2+200, e),
		}})
	}
	for _, bits := range []float64{4.5, 5, 6, 8.1, 12} {
		p, err := opscope.Solve(layers, opscope.SizeBudget{BitsPerWeight: bits})
		if err != nil {
			t.Fatal(err)
		}
		if p.Gap() > 1e-3 || p.BitsPerWeight > bits || p.BitsPerWeight < bits-0.01 {
			t.Errorf("%v bits: got %v and a gap of %v", bits, p.BitsPerWeight, p.Gap())
		}
	}
}

func TestSolveTies(t *testing.T) {
	same := []opscope.Choice{option("worse", 4, 0.3), option("first", 4, 0.2), option("second", 4, 0.2), option("keep", 8, 0), option("waste", 9, 0)}
	layers := []opscope.Layer{{Name: "a", Params: 5, Menu: same}, {Name: "b", Params: 5, Menu: same}, {Name: "c", Params: 5, Menu: same}}
	for bytes, want := range map[int64]string{
		12: "first first first", 15: "first first first", 16: "keep first first", 20: "keep keep first", 24: "keep keep keep", 99: "keep keep keep",
	} {
		if got := picks(solve(t, layers, bytes)); got != want {
			t.Errorf("%d bytes: %s, want %s", bytes, got, want)
		}
	}
}

func TestSolveWithoutLayers(t *testing.T) {
	p := solve(t, nil, 10)
	if len(p.Picks) != 0 || p.Bytes != 0 || p.Error != 0 || p.BitsPerWeight != 0 || p.Gap() != 0 {
		t.Errorf("%+v", p)
	}
}

func TestSolveRefuses(t *testing.T) {
	good := opscope.Layer{Name: "good", Params: 1, Menu: []opscope.Choice{option("keep", 4, 0)}}
	bad := map[string]opscope.Layer{
		"0 elements":             {Name: "bad", Menu: good.Menu},
		"an empty menu":          {Name: "bad", Params: 1},
		"an error of NaN":        {Name: "bad", Params: 1, Menu: []opscope.Choice{option("x", 4, math.NaN())}},
		"an error of -1":         {Name: "bad", Params: 1, Menu: []opscope.Choice{option("x", 4, -1)}},
		"an error of +Inf":       {Name: "bad", Params: 1, Menu: []opscope.Choice{option("x", 4, math.Inf(1))}},
		"x has -4 bytes":         {Name: "bad", Params: 1, Menu: []opscope.Choice{option("x", -4, 0)}},
		"the layers is out of r": {Name: "bad", Params: math.MaxInt64, Menu: good.Menu},
		"over the layers is out": {Name: "bad", Params: 1, Menu: []opscope.Choice{option("x", math.MaxInt64, 0)}},
	}
	for why, layer := range bad {
		_, err := opscope.Solve([]opscope.Layer{good, layer}, opscope.SizeBudget{Bytes: 100})
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), `layer 1, "bad"`) {
			t.Errorf("want an error with %q, got %v", why, err)
		}
	}
	for _, b := range []opscope.SizeBudget{
		{}, {Bytes: -1}, {Bytes: 4, BitsPerWeight: 4}, {BitsPerWeight: -1}, {BitsPerWeight: math.NaN()}, {BitsPerWeight: math.Inf(1)},
	} {
		if _, err := opscope.Solve([]opscope.Layer{good}, b); err == nil || errors.Is(err, opscope.ErrBudgetTooSmall) {
			t.Errorf("%+v: %v", b, err)
		}
	}
	if _, err := opscope.Solve([]opscope.Layer{good}, opscope.SizeBudget{BitsPerWeight: 31.9}); !errors.Is(err, opscope.ErrBudgetTooSmall) ||
		!strings.Contains(err.Error(), "32 bits a weight") {
		t.Errorf("31.9 bits for float32 alone: %v", err)
	}
	if p, err := opscope.Solve([]opscope.Layer{good}, opscope.SizeBudget{BitsPerWeight: 1e300}); err != nil || p.Budget != math.MaxInt64 {
		t.Errorf("1e300 bits: %v, %v", p.Budget, err)
	}
}

func TestPlanText(t *testing.T) {
	layers := []opscope.Layer{
		{Name: "a", Params: 1000, Menu: []opscope.Choice{option(opscope.Int8PerChannel, 1040, 0.01)}},
		{Name: "b", Params: 500, Menu: []opscope.Choice{{Action: opscope.KeepDense, DType: "BF16", Bytes: 1000}}},
		{Name: "c", Params: 2000, Menu: []opscope.Choice{option(opscope.Int8PerChannel, 2080, 0.02)}},
	}
	p := solve(t, layers, 5000)
	want := `4.12 kB of 5.00 kB allowed, 9.417 bits a weight, error 0.016; another plan has at least 0.016
  int8 per channel      2 layers, 3000 elements, 3.12 kB
  keep dense            1 layers, 500 elements, 1.00 kB`
	if got := p.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	columns, rows := p.Table()
	if len(rows) != 3 || len(rows[0]) != len(columns) || fmt.Sprint(rows[1]) != "[b 500 keep dense, BF16 1000 16 0]" {
		t.Errorf("%v %v", columns, rows)
	}
}

// As many layers as a model of middle size has, in the formats of a menu: a plan is
// never worse than one format for all.
func TestSolveBeatsOneFormatForAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	bits := []float64{32, 16, 8.03, 4.5, 4.14, 2.5}
	for range 20 {
		var layers []opscope.Layer
		sizes, objectives := make([]int64, len(bits)), make([]float64, len(bits))
		for range 5 + rng.IntN(30) {
			l := opscope.Layer{Params: 1000 + rng.Int64N(1000)<<rng.IntN(10)}
			scale := 0.5 + rng.Float64()
			for i, b := range bits {
				c := option("a", int64(b*float64(l.Params)/8), scale*math.Exp2(-b))
				l.Menu = append(l.Menu, c)
				sizes[i] += c.Bytes
				objectives[i] += float64(l.Params) * c.Error * c.Error
			}
			layers = append(layers, l)
		}
		for i, bytes := range sizes {
			if p := solve(t, layers, bytes); p.Objective > objectives[i]*(1+1e-9) {
				t.Errorf("%d layers, %g bits: %g, and %g with this format for all", len(layers), bits[i], p.Objective, objectives[i])
			}
		}
	}
}
