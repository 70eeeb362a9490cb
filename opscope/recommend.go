package opscope

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/kernels"
)

// DefaultError is the error that a Budget allows if it names none.
const DefaultError = 0.02

// skipDensity is the density of an activation up to which skipping zeros is offered if
// no calibration tells where it pays. It is a rule of thumb: the loop that skips takes
// the rows of W one by one and cannot be blocked as a dense one can, so it has to save
// half the work to be worth a trial.
const skipDensity = 0.5

// Budget bounds what a recommendation may cost, and says what to compare it with. The
// zero value is that of a float32 weight.
type Budget struct {
	// Error is the largest Choice.Error of an action; 0 stands for DefaultError.
	Error float64
	// Baseline is the type that the weight is stored in, by the name that package
	// weights gives it, such as "BF16"; empty for "F32".
	Baseline string
	// BaselineBytes is what the weight takes in that type. 0 stands for what its
	// elements take, which is known of F64, F32, F16 and BF16.
	BaselineBytes int64
	// ActivationError is the relative L2 error of the activations if each row is
	// rounded to int8: QuantError(8, PerRow) of the profile of some. 0 says that it
	// is not known, and W8A8 is not offered then.
	ActivationError float64
	// Calibration, if not nil, gives Choice.Expected.
	Calibration *Calibration
	// WorkingSet is how many bytes are read from one product with the weight to the
	// next, such as the size of the model that it belongs to. 0 stands for the
	// weight alone. See Calibration.Time.
	WorkingSet int64
	// Outputs is the number of columns of the weight that an activation meets, for
	// the expected time; 0 for a square weight.
	Outputs int
}

// complete checks b and fills in the defaults for a profile.
func (b Budget) complete(p Profile) (Budget, error) {
	elements := int64(p.Rows) * int64(p.Cols)
	switch {
	case !(b.Error >= 0) || math.IsInf(b.Error, 0):
		return b, fmt.Errorf("opscope: error budget %v, want a number of at least 0", b.Error)
	case !(b.ActivationError >= 0) || math.IsInf(b.ActivationError, 0):
		return b, fmt.Errorf("opscope: error of the activations %v, want a number of at least 0", b.ActivationError)
	case b.BaselineBytes < 0 || b.WorkingSet < 0 || b.Outputs < 0:
		return b, fmt.Errorf("opscope: budget with %d bytes of the baseline, a working set of %d bytes and %d outputs, want none below 0",
			b.BaselineBytes, b.WorkingSet, b.Outputs)
	}
	if b.Error == 0 {
		b.Error = DefaultError
	}
	if b.Baseline == "" {
		b.Baseline = "F32"
	}
	size, float := floatBytes[b.Baseline]
	switch {
	case float && b.BaselineBytes != 0 && b.BaselineBytes != size*elements:
		return b, fmt.Errorf("opscope: %d bytes of %s for a weight of %d x %d, want %d",
			b.BaselineBytes, b.Baseline, p.Rows, p.Cols, size*elements)
	case float:
		b.BaselineBytes = size * elements
	case b.BaselineBytes == 0 && elements > 0 && p.Role == Weight:
		return b, fmt.Errorf("opscope: Budget.BaselineBytes is needed for a weight of type %s", b.Baseline)
	}
	return b, nil
}

// Recommend lists the actions whose error is within the budget, cheapest
// first. KeepDense is always among them.
//
// For a weight the cheapest action is the one that takes the fewest bytes, which is
// what a product with few rows of x costs when the weight does not fit in a cache;
// how the time compares is in Choice.Expected. Low rank is judged by the truncation
// error alone, never by the stable rank, and offered only if the factors take fewer
// bytes than the weight. An action without a kernel is listed too, and says so. For an
// activation the only action beside KeepDense is SkipZeros: with a calibration, first
// if it is expected to be faster for as many rows as its profile has, or the
// nearest of CalibratedRows; else if the density is at most 0.5. Ties go to the smaller
// error.
//
// A profile with non-finite elements gets KeepDense alone. The errors are a budget
// that is negative, infinite or NaN, a baseline whose bytes are not known or wrong, a
// profile of an unknown role, and the context's own.
func Recommend(ctx context.Context, p Profile, b Budget) ([]Choice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := b.complete(p)
	if err != nil {
		return nil, err
	}
	switch p.Role {
	case Weight:
		return recommendForWeight(p, b), nil
	case Activation:
		return recommendForActivation(p, b), nil
	}
	return nil, fmt.Errorf("opscope: profile of unknown role %q", string(p.Role))
}

func recommendForWeight(p Profile, b Budget) []Choice {
	m := newMenu(p, b)
	m.addRounded()
	m.addFactored(b.Error)
	choices := []Choice{m.choices[0]}
	var outside []string
	for _, c := range m.choices[1:] {
		if c.Error <= b.Error {
			choices = append(choices, c)
		} else {
			outside = append(outside, fmt.Sprintf("%s (error %.2g)", c.Action, c.Error))
		}
	}
	keep := &choices[0]
	say := func(format, what string) {
		if what != "" {
			keep.Why += fmt.Sprintf(format, what)
		}
	}
	say(fmt.Sprintf(" Outside the budget of %.2g: %%s.", b.Error), strings.Join(outside, ", "))
	say(" Not smaller: %s.", strings.Join(m.larger, ", "))
	say(" Not judged: %s.", strings.Join(m.unknown, ", "))
	slices.SortStableFunc(choices, bySize)
	return choices
}

func recommendForActivation(p Profile, b Budget) []Choice {
	dense := Choice{Action: KeepDense, Work: 1, HasKernel: true, K: p.Cols, Why: "Exact."}
	if p.NonFinite.Count > 0 {
		dense.Why += fmt.Sprintf(" The activation has %v.", p.NonFinite)
	}
	if p.NonFinite.Count > 0 || p.Rows == 0 || p.Cols == 0 {
		return []Choice{dense}
	}
	skip := Choice{
		Action: SkipZeros, Work: p.Density, HasKernel: true, K: p.Cols,
		Why: fmt.Sprintf("Exact. %.1f%% of the activation is zero, which leaves %.1f%% of the multiply-adds.",
			100*(1-p.Density), 100*p.Density),
	}
	zeros := fmt.Sprintf(" %.1f%% of the activation is zero", 100*(1-p.Density))
	dense.Expected, skip.Expected = b.expected(dense), b.expected(skip)
	rows := nearestRows(p.Rows)
	if e, ok := skip.ExpectedAt(rows); ok {
		dense.Why += fmt.Sprintf("%s; skipping is expected to be %.2f times as fast with %d rows.", zeros, e.Speedup, rows)
		if e.Speedup <= 1 {
			return []Choice{dense}
		}
		return []Choice{skip, dense}
	}
	dense.Why += fmt.Sprintf("%s; skipping is worth a trial from %.0f%%.", zeros, 100*(1-skipDensity))
	if p.Density > skipDensity {
		return []Choice{dense}
	}
	return []Choice{skip, dense}
}

// nearestRows returns the one of CalibratedRows that is nearest to m by its ratio.
func nearestRows(m int) int {
	return slices.MinFunc(CalibratedRows(), func(a, b int) int {
		return cmp.Compare(math.Abs(math.Log(float64(a)/float64(m))), math.Abs(math.Log(float64(b)/float64(m))))
	})
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
		return nil, fmt.Errorf("opscope: %s: %w", c.Name(), ErrNoKernel)
	}
	if c.Action == Factored {
		// A zero weight has rank 0, whatever rank is asked for.
		return multiplier(kernels.NewLowRank(w, kernels.Rank(max(1, c.Rank))))
	}
	return newKernel(c.scheme(), w, c.group())
}

// newKernel prepares w for a scheme that needs no more than w and, for W4A16, the size of
// the groups.
func newKernel(scheme string, w Matrix, group int) (kernels.Multiplier, error) {
	switch scheme {
	case kernels.SchemeF32:
		return multiplier(kernels.NewF32(w))
	case kernels.SchemeBF16:
		return multiplier(kernels.NewBF16(w))
	case kernels.SchemeW8A16:
		return multiplier(kernels.NewW8A16(w))
	case kernels.SchemeW8A8:
		return multiplier(kernels.NewW8A8(w))
	case kernels.SchemeW4A16:
		return multiplier(kernels.NewW4A16(w, kernels.GroupSize(group)))
	case kernels.SchemeSkipZeros:
		return multiplier(kernels.NewSkipZeros(w))
	}
	return nil, fmt.Errorf("opscope: scheme %q: %w", scheme, ErrNoKernel)
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
