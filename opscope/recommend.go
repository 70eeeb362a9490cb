package opscope

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/kernels"
)

// Action is one way to multiply by a weight.
type Action string

const (
	// KeepDense multiplies by the float32 weight as it is.
	KeepDense Action = "keep dense"
	// SkipZeros leaves out the products with zeros of the activation; exact.
	SkipZeros Action = "skip zeros"
	// Factored multiplies by U[k,r] and then V[r,n], W ≈ UV.
	Factored Action = "low-rank factored"
	// Int8PerChannel holds the weight as int8 with one float32 scale an output
	// channel.
	Int8PerChannel Action = "int8 per channel"
	// Int4PerChannel holds it as int4, two to a byte, with the same scales.
	Int4PerChannel Action = "int4 per channel"
)

// DefaultError is the error that a Budget allows if it names none.
const DefaultError = 0.02

// skipDensity is the density of an activation up to which skipping zeros is
// offered. It is a rule of thumb: the loop that skips takes the rows of W one by
// one and cannot be blocked as a dense one can, so it has to save half the work
// to be worth a trial.
const skipDensity = 0.5

// kernels.Factorize comes within factorSlack of the truncation error, and rounds
// the factors to float32.
const (
	factorSlack    = 1.01
	factorRounding = 0x1p-23
)

// Budget bounds what a recommendation may cost.
type Budget struct {
	// Error is the largest relative L2 error of the weight, ‖Ŵ-W‖/‖W‖, that an
	// action may have; 0 stands for DefaultError.
	Error float64
}

// ErrNoKernel is what Choice.Build returns for an action that package kernels
// cannot run yet.
var ErrNoKernel = errors.New("no kernel")

// Choice is one action and what it costs.
type Choice struct {
	Action Action `json:"action"`
	// Rank is the rank of the factors, for Factored only.
	Rank int `json:"rank,omitempty"`
	// Error is the relative L2 error of the weight that the probe measured, 0
	// for an exact action. For Factored it is the truncation error; the factors
	// that Build makes come within 1% of it and keep the budget.
	Error float64 `json:"error"`
	// Bytes is what one call reads of the weight, scales included and every
	// byte once; 0 if the profile is an activation's, which has no weight.
	Bytes int64 `json:"bytes,omitempty"`
	// Work is the number of multiply-adds over that of the dense product.
	Work float64 `json:"work"`
	// HasKernel tells whether Build can make it.
	HasKernel bool `json:"has_kernel"`
	// Why gives the reason, with the figures it rests on.
	Why string `json:"why"`
	// K and N are the shape [k,n] of the weights that the choice is for; N is 0
	// if the profile is an activation's, which leaves n open.
	K int `json:"k"`
	N int `json:"n,omitempty"`
}

// String describes the choice in two lines: what it costs, and why.
func (c Choice) String() string {
	s := string(c.Action)
	if c.Rank > 0 {
		s += fmt.Sprintf(", rank %d", c.Rank)
	}
	s += fmt.Sprintf(": error %.2g", c.Error)
	if c.Bytes > 0 {
		s += ", " + byteCount(c.Bytes)
	}
	s += fmt.Sprintf(", %.3g of the multiply-adds", c.Work)
	if !c.HasKernel {
		s += ", no kernel yet"
	}
	return s + "\n  " + c.Why
}

// Recommend lists the actions whose error is within the budget, cheapest
// first. KeepDense is always among them.
//
// For a weight the cheapest action is the one that reads the fewest bytes a
// call, which is what a product with few rows of x costs when the weight does
// not fit in a cache. Low rank is judged by the truncation error alone, never by
// the stable rank, and offered only below the break-even rank. For an
// activation the cheapest is the one with the fewest multiply-adds, and the only
// action beside KeepDense is SkipZeros, at a density of at most 0.5. Ties go to
// the smaller error.
//
// A profile with non-finite elements gets KeepDense alone. The errors are a
// budget that is negative, infinite or NaN, a profile of an unknown role, and the
// context's own.
func Recommend(ctx context.Context, p Profile, b Budget) ([]Choice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !(b.Error >= 0) || math.IsInf(b.Error, 0) {
		return nil, fmt.Errorf("opscope: error budget %v, want a number of at least 0", b.Error)
	}
	if b.Error == 0 {
		b.Error = DefaultError
	}
	switch p.Role {
	case Weight:
		return recommendForWeight(p, b.Error), nil
	case Activation:
		return recommendForActivation(p), nil
	}
	return nil, fmt.Errorf("opscope: profile of unknown role %q", string(p.Role))
}

func recommendForActivation(p Profile) []Choice {
	dense := Choice{Action: KeepDense, Work: 1, HasKernel: true, K: p.Cols, Why: "Exact."}
	if p.NonFinite.Count > 0 {
		dense.Why += fmt.Sprintf(" The activation has %v.", p.NonFinite)
	}
	if p.NonFinite.Count > 0 || p.Rows == 0 || p.Cols == 0 {
		return []Choice{dense}
	}
	dense.Why += fmt.Sprintf(" %.1f%% of the activation is zero; skipping is worth a trial from %.0f%%.",
		100*(1-p.Density), 100*(1-skipDensity))
	if p.Density > skipDensity {
		return []Choice{dense}
	}
	skip := Choice{Action: SkipZeros, Work: p.Density, HasKernel: true, K: p.Cols}
	skip.Why = fmt.Sprintf("Exact. %.1f%% of the activation is zero, which leaves %.1f%% of the multiply-adds.",
		100*(1-p.Density), 100*p.Density)
	return []Choice{skip, dense}
}

func recommendForWeight(p Profile, budget float64) []Choice {
	k, n := int64(p.Rows), int64(p.Cols)
	dense := Choice{Action: KeepDense, Bytes: 4 * k * n, Work: 1, HasKernel: true, K: p.Rows, N: p.Cols, Why: "Exact."}
	if p.NonFinite.Count > 0 {
		dense.Why += fmt.Sprintf(" The weight has %v, so no error can be given for anything else.", p.NonFinite)
	}
	if p.NonFinite.Count > 0 || k == 0 || n == 0 {
		return []Choice{dense}
	}

	var choices []Choice
	candidates := []Choice{
		{Action: Int8PerChannel, Error: p.QuantError(8, PerColumn), Bytes: k*n + 4*n, Work: 1, HasKernel: true},
		{Action: Int4PerChannel, Error: p.QuantError(4, PerColumn), Bytes: (k*n+1)/2 + 4*n, Work: 1},
	}
	var outside []string
	for _, c := range candidates {
		switch {
		case !(c.Error <= budget):
			outside = append(outside, fmt.Sprintf("%s (error %.2g)", c.Action, c.Error))
		case c.Bytes < dense.Bytes:
			c.Why = fmt.Sprintf("It reads %.1f%% of the bytes of float32, scales included, and its error is within the budget of %.2g.",
				percent(c.Bytes, dense.Bytes), budget)
			choices = append(choices, c)
		}
	}
	if p.Spectrum != nil {
		if c, ok := factored(p, budget); ok {
			choices = append(choices, c)
		} else {
			outside = append(outside, fmt.Sprintf("%s (needs rank %d, saves nothing above %d)",
				Factored, c.Rank, BreakEvenRank(p.Rows, p.Cols)))
		}
	}
	if len(outside) > 0 {
		dense.Why += fmt.Sprintf(" Outside the budget of %.2g: %s.", budget, strings.Join(outside, ", "))
	}
	if p.Spectrum == nil {
		dense.Why += " Low rank was not looked at."
	}
	for i := range choices {
		choices[i].K, choices[i].N = p.Rows, p.Cols
	}
	choices = append(choices, dense)
	slices.SortStableFunc(choices, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Error, b.Error))
	})
	return choices
}

// factored returns the choice of the smallest rank within the budget, and
// whether that rank is below break-even.
func factored(p Profile, budget float64) (Choice, bool) {
	// An all-zero weight has rank 0; a kernel wants at least 1.
	rank := max(1, p.Spectrum.RankFor((budget-factorRounding)/factorSlack))
	breakEven := BreakEvenRank(p.Rows, p.Cols)
	numbers, dense := int64(rank)*int64(p.Rows+p.Cols), int64(p.Rows)*int64(p.Cols)
	return Choice{
		Action: Factored, Rank: rank, Error: p.Spectrum.TruncationError(rank),
		Bytes: 4 * numbers, Work: float64(numbers) / float64(dense), HasKernel: true,
		Why: fmt.Sprintf("Rank %d of %d is within the budget of %.2g, and the factors hold %.1f%% of the numbers; they hold fewer up to rank %d.",
			rank, len(p.Spectrum), budget, percent(numbers, dense), breakEven),
	}, rank <= breakEven
}

// Build prepares w[k,n] for the action. For a choice from a weight's profile w
// is that weight; for one from an activation's it is a weight that the
// activation is multiplied by.
//
// It returns ErrNoKernel if HasKernel is false, and an error if w does not have
// the shape the choice is for or the kernel refuses it.
func (c Choice) Build(w Matrix) (kernels.Multiplier, error) {
	if err := check(w); err != nil {
		return nil, err
	}
	if w.Rows != c.K || c.N != 0 && w.Cols != c.N {
		return nil, fmt.Errorf("opscope: %s was chosen for a weight of %s, not of %d x %d", c.Action, c.shape(), w.Rows, w.Cols)
	}
	if !c.HasKernel {
		return nil, fmt.Errorf("opscope: %s: %w", c.Action, ErrNoKernel)
	}
	switch c.Action {
	case KeepDense:
		return multiplier(kernels.NewF32(w))
	case SkipZeros:
		return multiplier(kernels.NewSkipZeros(w))
	case Factored:
		return multiplier(kernels.NewLowRank(w, kernels.Rank(c.Rank)))
	case Int8PerChannel:
		return multiplier(kernels.NewW8A16(w))
	}
	return nil, fmt.Errorf("opscope: unknown action %q", string(c.Action))
}

// multiplier keeps a nil kernel from becoming an interface that is not nil.
func multiplier[T kernels.Multiplier](m T, err error) (kernels.Multiplier, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (c Choice) shape() string {
	if c.N == 0 {
		return fmt.Sprintf("%d x n", c.K)
	}
	return fmt.Sprintf("%d x %d", c.K, c.N)
}

func percent(part, whole int64) float64 { return 100 * float64(part) / float64(whole) }

// byteCount writes n with a decimal unit, such as "1.05 MB".
func byteCount(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	v, u := float64(n), 0
	for v >= 1000 && u < len(units)-1 {
		v /= 1000
		u++
	}
	return fmt.Sprintf("%.3g %s", v, units[u])
}
