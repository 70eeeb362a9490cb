package opscope

import (
	"fmt"
	"math"
)

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
	if m.float() && m.b.Baseline != "BF16" && m.bf16KeepsNorm() {
		m.add(Choice{Action: BFloat16, Error: p.FormatError(bf16.name), Bytes: 2 * elements, HasKernel: true})
	}
	int8 := Choice{
		Action: Int8PerChannel, Error: p.QuantError(8, PerColumn), Bytes: elements + 4*n, HasKernel: true,
		Why: ", scales included",
	}
	scales := m.int8Scales()
	if scales {
		m.add(int8)
	}
	if e := m.b.ActivationError; e > 0 && scales {
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
