package opscope

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/rlx-go/gopherscope/kernels"
)

// Action is one way to store a weight and multiply by it.
type Action string

const (
	// KeepDense leaves the weight in the type it is stored in.
	KeepDense Action = "keep dense"
	// BFloat16 rounds it to bfloat16.
	BFloat16 Action = "bf16"
	// Int8PerChannel holds it as int8 with one float32 scale an output channel; the
	// activations stay floating-point (W8A16).
	Int8PerChannel Action = "int8 per channel"
	// W8A8 holds it so too and rounds the activations to int8, with one scale a row
	// of x.
	W8A8 Action = "int8 with int8 activations"
	// Int4Group32 holds it as int4 with a binary16 scale for each 32 inputs of an output
	// channel; the activations stay floating-point (W4A16).
	Int4Group32 Action = "int4 group 32"
	// Int4Group128 is the same for each 128 inputs.
	Int4Group128 Action = "int4 group 128"
	// Int4PerChannel is the same for all inputs of an output channel; the kernel takes
	// up to 4096.
	Int4PerChannel Action = "int4 per channel"
	// Factored multiplies by U[k,r] and then V[r,n] in float32, W ≈ UV.
	Factored Action = "low-rank factored"
	// Sparse2of4 keeps the two largest of each four consecutive inputs of an output
	// channel, in the type of the weight, with two bits of index each.
	Sparse2of4 Action = "2:4 sparse"
	// Ternary holds -1, 0 or 1 in two bits, with one float32 scale for all.
	Ternary Action = "ternary"
	// LookupTable holds, for each weight, the index of its value in a table of float32.
	LookupTable Action = "lookup table"
	// SkipZeros leaves out the products with zeros of the activation; exact.
	SkipZeros Action = "skip zeros"
)

// ErrNoKernel is what Choice.Build returns for an action that package kernels
// cannot run.
var ErrNoKernel = errors.New("no kernel")

// Choice is one action and what it costs.
type Choice struct {
	Action Action `json:"action"`
	// DType is the type that KeepDense keeps, such as "BF16"; empty for other
	// actions and in a choice from an activation's profile.
	DType string `json:"dtype,omitempty"`
	// Rank is the rank of the factors, for Factored only.
	Rank int `json:"rank,omitempty"`
	// Error is the relative L2 error of the weight, ‖Ŵ-W‖/‖W‖, that the probe
	// measured: 0 for an exact action. For W8A8 it is the expected error of the
	// product, the root of the sum of the squares of that and of the error of the
	// activations. For Factored it is the truncation error, or what the sketch
	// of the singular values bounds it by; the factors that Build makes come within
	// 1% of it. For LookupTable it is a bound.
	Error float64 `json:"error"`
	// Bytes is what the weight takes, scales, tables and indices included. Where
	// there is a kernel it is what one call reads, every byte once: Info().WeightBytes
	// of what Build makes. 0 if the profile is an activation's, which has no weight.
	Bytes int64 `json:"bytes,omitempty"`
	// BitsPerWeight is 8·Bytes over the number of elements.
	BitsPerWeight float64 `json:"bits_per_weight,omitempty"`
	// Work is the number of multiply-adds over that of the dense product.
	Work float64 `json:"work"`
	// HasKernel tells whether Build can make it.
	HasKernel bool `json:"has_kernel"`
	// Expected holds the time of a call for each of CalibratedRows; nil where
	// there is no kernel or the Budget has no calibration.
	Expected []Expected `json:"expected,omitempty"`
	// Why gives the reason, with the figures it rests on.
	Why string `json:"why"`
	// K and N are the shape [k,n] of the weights that the choice is for; N is 0
	// if the profile is an activation's, which leaves n open.
	K int `json:"k"`
	N int `json:"n,omitempty"`
}

// Expected is the time of one call, from a calibration.
type Expected struct {
	// M is the number of rows of x.
	M int `json:"m"`
	// Time is that of a call, in nanoseconds in JSON.
	Time time.Duration `json:"ns"`
	// Speedup is the time of the baseline over Time: below 1 the action is slower.
	Speedup float64 `json:"speedup"`
	// Baseline is the scheme of the kernel that the weight as it is stored is
	// multiplied by, or, if there is none for its type, of one that reads about as
	// many bits a weight.
	Baseline string `json:"baseline"`
}

// ExpectedAt returns the time of a call with m rows, and whether there is one.
func (c Choice) ExpectedAt(m int) (Expected, bool) {
	for _, e := range c.Expected {
		if e.M == m {
			return e, true
		}
	}
	return Expected{}, false
}

// Name is the action with its type or rank.
func (c Choice) Name() string {
	switch {
	case c.Action == KeepDense && c.DType != "":
		return fmt.Sprintf("%s, %s", c.Action, c.DType)
	case c.Action == Factored:
		return fmt.Sprintf("%s, rank %d", c.Action, c.Rank)
	}
	return string(c.Action)
}

// String describes the choice in two lines: what it costs, and why.
func (c Choice) String() string {
	s := fmt.Sprintf("%s: error %.2g", c.Name(), c.Error)
	if c.Bytes > 0 {
		s += ", " + byteCount(c.Bytes)
	}
	if c.BitsPerWeight > 0 {
		s += fmt.Sprintf(" (%.4g bits a weight)", c.BitsPerWeight)
	}
	if c.Work != 1 {
		s += fmt.Sprintf(", %.3g of the multiply-adds", c.Work)
	}
	for _, e := range c.Expected {
		s += fmt.Sprintf(", %.2f times as fast as %s at m = %d", e.Speedup, e.Baseline, e.M)
	}
	if !c.HasKernel {
		s += ", no kernel"
	}
	return s + "\n  " + c.Why
}

// menuErrors are the truncation errors whose ranks Menu offers.
var menuErrors = []float64{0.01, 0.02, 0.05, 0.1, 0.2}

// Menu lists every way to store a weight that its profile can judge, whatever the
// error, KeepDense first: what Solve chooses from. Factored is there for truncation
// errors of 1, 2, 5, 10 and 20%. Actions that take as many bytes as KeepDense or more
// are left out; W8A8 is listed only if b says what the error of the activations is. A
// profile with non-finite elements gets KeepDense alone.
//
// The errors are a profile that is not a weight's, and those that Recommend has for b,
// whose Error does not count.
func Menu(p Profile, b Budget) ([]Choice, error) {
	if p.Role != Weight {
		return nil, fmt.Errorf("opscope: a menu of role %q, want a profile of role %q", string(p.Role), string(Weight))
	}
	b, err := b.complete(p)
	if err != nil {
		return nil, err
	}
	m := newMenu(p, b)
	m.addRounded()
	for _, e := range menuErrors {
		m.addFactored(e)
	}
	return m.choices, nil
}

// menu collects the choices of a weight.
type menu struct {
	p       Profile
	b       Budget
	k, n    int64
	choices []Choice // KeepDense first
	larger  []string // actions that were left out since they save nothing
	unknown []string // what the profile cannot judge, and why
}

// newMenu returns the menu with KeepDense alone; b is complete.
func newMenu(p Profile, b Budget) *menu {
	m := &menu{p: p, b: b, k: int64(p.Rows), n: int64(p.Cols)}
	keep := Choice{Action: KeepDense, DType: b.Baseline, Bytes: b.BaselineBytes, Why: "Exact."}
	keep.HasKernel = keep.scheme() != ""
	if !keep.HasKernel {
		keep.Why += fmt.Sprintf(" No kernel multiplies by %s.", b.Baseline)
	}
	if p.NonFinite.Count > 0 {
		keep.Why += fmt.Sprintf(" The weight has %v, so no error can be given for anything else.", p.NonFinite)
	}
	m.choices = []Choice{m.complete(keep)}
	return m
}

func (m *menu) last() Choice { return m.choices[len(m.choices)-1] }

// judged reports whether the profile has figures to judge an action by.
func (m *menu) judged() bool { return m.p.NonFinite.Count == 0 && m.k > 0 && m.n > 0 }

// complete fills in what follows from the rest of a choice.
func (m *menu) complete(c Choice) Choice {
	c.K, c.N = m.p.Rows, m.p.Cols
	if c.Work == 0 && c.Action != Factored { // factors of rank 0 have no work
		c.Work = 1
	}
	if m.k > 0 && m.n > 0 {
		c.BitsPerWeight = bitsPerWeight(c.Bytes, m.k*m.n)
	}
	c.Expected = m.b.expected(c)
	return c
}

// add puts a choice on the menu if it saves bytes and its error is known.
func (m *menu) add(c Choice) {
	keep := m.choices[0]
	switch {
	case math.IsNaN(c.Error):
		m.unknown = append(m.unknown, string(c.Action)+" was not measured")
	case c.Bytes >= keep.Bytes:
		m.larger = append(m.larger, string(c.Action))
	default:
		c.Why = fmt.Sprintf("%.1f%% of the bytes of %s", percent(c.Bytes, keep.Bytes), keep.DType) + c.Why + "."
		if !c.HasKernel {
			c.Why += " No kernel runs it."
		}
		m.choices = append(m.choices, m.complete(c))
	}
}

// addRounded adds the actions that store every weight in fewer bits.
func (m *menu) addRounded() {
	if !m.judged() {
		return
	}
	p, k, n := m.p, m.k, m.n
	elements := k * n
	if m.float() && m.b.Baseline != "BF16" {
		m.add(Choice{Action: BFloat16, Error: p.FormatError(bf16.name), Bytes: 2 * elements, HasKernel: true})
	}
	int8 := Choice{ // by a kernel whose scales must be normal float32
		Action: Int8PerChannel, Error: p.QuantError(8, PerColumn), Bytes: elements + 4*n, HasKernel: true,
		Why: ", scales included",
	}
	scaled := p.Norm == 0 || p.largest() >= 127*0x1p-126
	if scaled {
		m.add(int8)
	}
	if e := m.b.ActivationError; e > 0 && scaled {
		m.add(Choice{
			Action: W8A8, Error: math.Hypot(int8.Error, e), Bytes: int8.Bytes, HasKernel: true,
			Why: fmt.Sprintf(", scales included, and an error of %.2g in the activations", e),
		})
	}
	m.addInt4()
	if m.float() {
		m.add(Choice{
			Action: Sparse2of4, Error: p.NMError(2, 4), Bytes: sparseBytes(k, n, m.b.BaselineBytes/elements), Work: 0.5,
			Why: ", indices included",
		})
	}
	m.add(Choice{Action: Ternary, Error: p.Ternary, Bytes: ceilDiv(2*elements, 8) + 4, Why: ", two bits each"})
	if d := p.Cardinality; d.Distinct > 0 && !d.More && d.Distinct <= maxTable {
		m.add(Choice{
			Action: LookupTable, Error: m.tableError(), Bytes: tableBytes(elements, d.Distinct),
			Why: fmt.Sprintf(" for %d distinct values and their table, and an error of no more than telling them apart leaves", d.Distinct),
		})
	}
}

// addInt4 adds int4 with groups of each size, up to the first that is a whole channel.
func (m *menu) addInt4() {
	factors := m.int4FactorBytes()
	for _, a := range []Action{Int4Group32, Int4Group128, Int4PerChannel} {
		c := Choice{Action: a, K: m.p.Rows, Error: m.int4Error(a), Why: ", scales included"}
		c.Bytes, c.HasKernel = int4Bytes(m.k, m.n, c.group())+factors, c.group() <= maxInt4Group
		m.add(c)
		if c.group() >= c.K {
			return
		}
	}
}

// addFactored adds factors of the smallest rank within relErr.
func (m *menu) addFactored(relErr float64) {
	if !m.judged() {
		return
	}
	p := m.p
	if p.Spectral == nil {
		m.unknown = append(m.unknown, "low rank was not looked at")
		return
	}
	r := p.Spectral.RankFor((relErr - factorRounding) / factorSlack)
	// The largest rank at which the factors hold fewer numbers and fewer bytes.
	pays := int(min(int64(BreakEvenRank(p.Rows, p.Cols)), (m.choices[0].Bytes-1)/(4*(m.k+m.n))))
	switch {
	case r.Low > pays:
		m.larger = append(m.larger, fmt.Sprintf("%s (needs rank %d or more, saves nothing above %d)", Factored, r.Low, pays))
	case r.AtLeast || r.Rank > pays:
		m.unknown = append(m.unknown, fmt.Sprintf("%s needs rank %d or more, and the sketch of the singular values does not tell whether %d is enough",
			Factored, r.Low, pays))
	case m.last().Action == Factored && m.last().Rank == r.Rank: // of a smaller error
	default:
		numbers := int64(r.Rank) * (m.k + m.n)
		_, atMost := p.Spectral.TruncationError(r.Rank)
		m.add(Choice{
			Action: Factored, Rank: r.Rank, Error: atMost, HasKernel: true,
			Bytes: 4 * numbers, Work: float64(numbers) / float64(m.k*m.n),
			Why: fmt.Sprintf(": factors of rank %d of %d, which are smaller than the weight up to rank %d",
				r.Rank, min(p.Rows, p.Cols), pays),
		})
	}
}

// float reports whether the weight is stored as numbers of 16 bits or more.
func (m *menu) float() bool { return floatBytes[m.b.Baseline] != 0 }

// group is the group size of an int4 action, 0 for others.
func (c Choice) group() int {
	switch c.Action {
	case Int4Group32:
		return 32
	case Int4Group128:
		return 128
	case Int4PerChannel:
		return int(ceilDiv(int64(max(1, c.K)), 32)) * 32 // a kernel's are multiples of 32
	}
	return 0
}

// scheme is that of the kernel that runs the choice, "" if there is none.
func (c Choice) scheme() string {
	switch c.Action {
	case KeepDense:
		switch c.DType {
		case "", "F32": // an activation's choice has no type of the weight
			return kernels.SchemeF32
		case "BF16":
			return kernels.SchemeBF16
		}
	case BFloat16:
		return kernels.SchemeBF16
	case Int8PerChannel:
		return kernels.SchemeW8A16
	case W8A8:
		return kernels.SchemeW8A8
	case Int4Group32, Int4Group128, Int4PerChannel:
		return kernels.SchemeW4A16
	case Factored:
		return kernels.SchemeLowRank
	case SkipZeros:
		return kernels.SchemeSkipZeros
	}
	return ""
}
