package opscope

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Role says what a matrix is used for, and so what its rows and columns are
// and which actions it allows.
type Role string

const (
	// Weight is W[k,n] = [in, out] of y = x W: known ahead, prepared once.
	Weight Role = "weight"
	// Activation is x[m,k]: different in every call.
	Activation Role = "activation"
)

// DefaultSVDLimit is the rows·cols·min(rows, cols) up to which Probe computes
// singular values: up to 1625 x 1625 or 1024 x 4096, a few seconds at most.
const DefaultSVDLimit = 1 << 32

// Options changes what Probe does. The zero value probes an unnamed weight.
type Options struct {
	// Name is copied to the profile.
	Name string
	// Role is Weight if empty.
	Role Role
	// SVDLimit is the largest rows·cols·min(rows, cols) for which a weight's
	// singular values are computed. 0 stands for DefaultSVDLimit; a negative
	// number turns them off.
	SVDLimit int64
}

// Profile is what Probe found in one matrix. A float is NaN, null in JSON,
// where the matrix has non-finite elements.
type Profile struct {
	Name string `json:"name,omitempty"`
	Role Role   `json:"role"`
	Rows int    `json:"rows"`
	Cols int    `json:"cols"`
	// NonFinite counts the NaN and infinite elements.
	NonFinite NonFinite `json:"non_finite"`
	// Density is the fraction of elements that are not zero; see Density.
	Density float64 `json:"density"`
	// Norm is the Frobenius norm.
	Norm float64 `json:"norm"`
	// StableRank is ‖W‖²/σ₁²; see StableRank.
	StableRank float64 `json:"stable_rank"`
	// Quant holds the quantization errors measured: at 8 and 4 bits, per tensor,
	// row and column.
	Quant []QuantResult `json:"quant"`
	// Spectrum holds all singular values, or is nil where they were not
	// computed, as for every activation.
	Spectrum Spectrum `json:"spectrum,omitempty"`
	// Notes says what a reader must know beyond the figures, such as that
	// the singular values were not computed, and why.
	Notes []string `json:"notes,omitempty"`
}

// QuantResult is one result of QuantError.
type QuantResult struct {
	Bits        int         `json:"bits"`
	Granularity Granularity `json:"granularity"`
	Error       float64     `json:"error"`
}

// Probe measures one matrix: non-finite elements, density, norm, stable rank,
// quantization errors, and for a weight all its singular values if it is
// within Options.SVDLimit. Above that the stable rank is StableRank's, and a
// note says that the rank was not looked at.
//
// The errors are a malformed matrix, an unknown role, and the context's own.
// Non-finite elements are a finding, not an error.
func Probe(ctx context.Context, w Matrix, o Options) (Profile, error) {
	if err := check(w); err != nil {
		return Profile{}, err
	}
	if o.Role == "" {
		o.Role = Weight
	}
	if o.Role != Weight && o.Role != Activation {
		return Profile{}, fmt.Errorf("opscope: unknown role %q, want %q or %q", string(o.Role), Weight, Activation)
	}
	s, err := gather(ctx, w)
	if err != nil {
		return Profile{}, err
	}
	p := Profile{
		Name: o.Name, Role: o.Role, Rows: w.Rows, Cols: w.Cols,
		NonFinite: s.nonFinite, Density: s.density(), Norm: s.norm(),
	}
	if err := p.probeQuant(ctx, w, s); err != nil {
		return Profile{}, err
	}
	if err := p.probeRank(ctx, w, s, o.SVDLimit); err != nil {
		return Profile{}, err
	}
	switch {
	case s.elements == 0:
		p.note("empty: every figure is 0 by definition")
	case s.nonFinite.Count > 0:
		p.note("%v: no other figure is given", s.nonFinite)
	case s.sumSq == 0:
		p.note("all zero: every figure is 0 by definition")
	}
	return p, nil
}

func (p *Profile) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

func (p *Profile) probeQuant(ctx context.Context, w Matrix, s stats) error {
	var formats []quantFormat
	for _, bits := range []int{8, 4} {
		for _, g := range []Granularity{PerTensor, PerRow, PerColumn} {
			formats = append(formats, quantFormat{bits, g})
		}
	}
	errs, err := quantErrors(ctx, w, s, formats)
	for i, f := range formats {
		p.Quant = append(p.Quant, QuantResult{f.bits, f.g, errs[i]})
	}
	return err
}

func (p *Profile) probeRank(ctx context.Context, w Matrix, s stats, limit int64) (err error) {
	if limit == 0 {
		limit = DefaultSVDLimit
	}
	// In floating point, because the product can overflow an integer.
	cost := float64(w.Rows) * float64(w.Cols) * float64(min(w.Rows, w.Cols))
	if p.Role == Weight && s.nonFinite.Count == 0 && cost <= float64(limit) {
		if p.Spectrum, err = SingularValues(ctx, w); err != nil {
			return err
		}
		p.StableRank = p.Spectrum.StableRank()
		return nil
	}
	if p.Role == Weight && s.nonFinite.Count == 0 {
		p.note("singular values not computed, so low rank was not looked at: %d x %d is above the limit of %.3g on rows·cols·min(rows, cols)",
			w.Rows, w.Cols, float64(limit))
	}
	p.StableRank, err = stableRank(ctx, w, s)
	return err
}

// QuantError returns the error that Probe measured at the given bits and
// granularity, or NaN if it measured none.
func (p Profile) QuantError(bits int, g Granularity) float64 {
	for _, q := range p.Quant {
		if q.Bits == bits && q.Granularity == g {
			return q.Error
		}
	}
	return math.NaN()
}

// String describes the profile in a few lines of text.
func (p Profile) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d x %d", p.Role, p.Rows, p.Cols)
	if p.Name != "" {
		fmt.Fprintf(&b, "  %s", p.Name)
	}
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "\n  %-23s ", label)
		fmt.Fprintf(&b, format, args...)
	}
	line("density", "%.4g", p.Density)
	line("norm", "%.5g", p.Norm)
	line("stable rank", "%.5g of at most %d", p.StableRank, min(p.Rows, p.Cols))
	if p.Spectrum != nil {
		line("rank for 10%, 1% error", "%d, %d; factors pay up to %d",
			p.Spectrum.RankFor(0.10), p.Spectrum.RankFor(0.01), BreakEvenRank(p.Rows, p.Cols))
	}
	for _, q := range p.Quant {
		line(fmt.Sprintf("int%d per %s", q.Bits, p.axis(q.Granularity)), "%.4g", q.Error)
	}
	for _, n := range p.Notes {
		line("note", "%s", n)
	}
	return b.String()
}

// axis names what shares a quantization step in the words of the role.
func (p Profile) axis(g Granularity) string {
	switch {
	case g == PerRow && p.Role == Weight:
		return "input channel"
	case g == PerColumn && p.Role == Weight:
		return "output channel"
	case g == PerRow:
		return "token"
	case g == PerColumn:
		return "input channel"
	}
	return string(g)
}

// The JSON of a profile has null where a float is NaN, which JSON cannot hold.
type (
	plainProfile Profile
	profileJSON  struct {
		plainProfile
		Density    *float64 `json:"density"`
		Norm       *float64 `json:"norm"`
		StableRank *float64 `json:"stable_rank"`
	}
	plainQuant QuantResult
	quantJSON  struct {
		plainQuant
		Error *float64 `json:"error"`
	}
)

// MarshalJSON writes null for NaN.
func (p Profile) MarshalJSON() ([]byte, error) {
	return json.Marshal(profileJSON{plainProfile(p), nanToNil(p.Density), nanToNil(p.Norm), nanToNil(p.StableRank)})
}

// UnmarshalJSON reads null as NaN.
func (p *Profile) UnmarshalJSON(data []byte) error {
	var j profileJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*p = Profile(j.plainProfile)
	p.Density, p.Norm, p.StableRank = nilToNaN(j.Density), nilToNaN(j.Norm), nilToNaN(j.StableRank)
	return nil
}

// MarshalJSON writes null for NaN.
func (q QuantResult) MarshalJSON() ([]byte, error) {
	return json.Marshal(quantJSON{plainQuant(q), nanToNil(q.Error)})
}

// UnmarshalJSON reads null as NaN.
func (q *QuantResult) UnmarshalJSON(data []byte) error {
	var j quantJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*q = QuantResult(j.plainQuant)
	q.Error = nilToNaN(j.Error)
	return nil
}

func nanToNil(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func nilToNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
