package opscope

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Probe measures one matrix: all that Profile holds. For an activation that is
// all but the singular values. It reads the matrix twice, or more often for the
// probes of Options.Extra, on all processors; the results do not depend on their
// number.
//
// The errors are a malformed matrix, options that do not fit it, and the
// context's own. Non-finite elements are a finding, not an error.
func Probe(ctx context.Context, w Matrix, o Options) (Profile, error) {
	return ProbeRows(ctx, MatrixRows(w), o)
}

// ProbeRows is Probe for a matrix that is read by blocks of rows, with the same
// results. One of no more than Options.Memory bytes of float32 is read once and
// kept; of a larger one blocks are held, for a weight stored as [in, out] at
// least 128 rows, 256 for some of the probes of Options.Extra.
//
// The errors are those of Probe, those of r.ReadRows, and rows that do not fit in
// memory.
func ProbeRows(ctx context.Context, r RowReader, o Options) (Profile, error) {
	if err := o.complete(); err != nil {
		return Profile{}, err
	}
	in, err := newInput(ctx, r, o.Memory)
	if err != nil {
		return Profile{}, err
	}
	c := channels{in, o.OutIn || o.Role == Activation}
	n, k := c.size()
	if err := o.checkInputs(k); err != nil {
		return Profile{}, err
	}
	s, err := gatherInput(ctx, in, o.OutIn)
	if err != nil {
		return Profile{}, err
	}
	f, err := fusedPass(ctx, c, s, o.Budget)
	if err != nil {
		return Profile{}, err
	}
	p := Profile{Name: o.Name, Role: o.Role, Rows: k, Cols: n}
	if o.Role == Activation {
		p.Rows, p.Cols = n, k
	}
	p.setStats(s, o.OutIn)
	p.setFused(f)
	if err := p.probeRank(ctx, in, s, o); err != nil {
		return Profile{}, err
	}
	switch {
	case s.elements == 0:
		p.note("empty: every figure is 0 by definition")
	case s.nonFinite.Count > 0:
		p.note("%v: no other figure is given", p.NonFinite)
	case s.sumSq == 0:
		p.note("all zero: every figure is 0 by definition")
	}
	return p, nil
}

// complete sets defaults and checks what does not depend on the matrix.
func (o *Options) complete() error {
	if o.Role == "" {
		o.Role = Weight
	}
	if o.Budget == 0 {
		o.Budget = DefaultError
	}
	if o.SVDLimit == 0 {
		o.SVDLimit = DefaultSVDLimit
	}
	switch {
	case o.Role != Weight && o.Role != Activation:
		return fmt.Errorf("opscope: unknown role %q, want %q or %q", string(o.Role), Weight, Activation)
	case o.Role == Activation && o.OutIn:
		return errors.New("opscope: an activation has no output channels to be stored by")
	case !(o.Budget > 0) || math.IsInf(o.Budget, 0):
		return fmt.Errorf("opscope: error budget %v, want a number above 0", o.Budget)
	case o.Memory < 0 || o.Sketch < 0:
		return fmt.Errorf("opscope: memory of %d bytes and a sketch of %d columns, want none below 0", o.Memory, o.Sketch)
	case o.Extra&^AllExtras != 0:
		return fmt.Errorf("opscope: unknown extra probes %#x", uint(o.Extra&^AllExtras))
	}
	return nil
}

func (o *Options) checkInputs(k int) error {
	if o.InputMeanSquares == nil {
		return nil
	}
	if len(o.InputMeanSquares) != k {
		return fmt.Errorf("opscope: %d mean squares for %d input channels", len(o.InputMeanSquares), k)
	}
	for i, h := range o.InputMeanSquares {
		if !(h >= 0) || math.IsInf(h, 0) {
			return fmt.Errorf("opscope: mean square %v of input channel %d, want a number of at least 0", h, i)
		}
	}
	return nil
}

func (p *Profile) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// setStats copies the results of the first pass over a matrix that may be
// stored as the transpose.
func (p *Profile) setStats(s stats, transposed bool) {
	p.NonFinite, p.Density, p.Norm, p.Mean = s.nonFinite, s.density(), s.norm(), s.mean()
	p.Zeros = int64(s.elements - s.nonZero)
	p.Min, p.Max = float64(s.min), float64(s.max)
	rowMax, colMax := s.rowMax, s.colMax
	if transposed {
		p.NonFinite.Row, p.NonFinite.Col = s.nonFinite.Col, s.nonFinite.Row
		rowMax, colMax = colMax, rowMax
	}
	rows, cols := outliers(PerRow, rowMax), outliers(PerColumn, colMax)
	if s.nonFinite.Count > 0 {
		p.Min, p.Max = math.NaN(), math.NaN()
		rows.Count, rows.Ratio = 0, math.NaN()
		cols.Count, cols.Ratio = 0, math.NaN()
		p.Zeros = 0
	}
	p.Outliers = []Outliers{rows, cols}
}

func (p *Profile) setFused(f fusedResult) {
	p.Kurtosis, p.Ternary, p.Cardinality, p.BestBits = f.kurtosis, f.ternary, f.cardinality, f.bestBits
	p.Sparse = []NM{{2, 4, f.nm24}}
	row, column := f.cross, f.channel
	if p.Role == Activation {
		row, column = column, row
	}
	for i, bits := range []int{8, 4} {
		for _, q := range []QuantResult{
			{Granularity: PerTensor, Error: f.tensor[i]},
			{Granularity: PerRow, Error: row[i]},
			{Granularity: PerColumn, Error: column[i]},
			{Granularity: PerGroup, Group: 32, Error: f.group32[i]},
			{Granularity: PerGroup, Group: 128, Error: f.group128[i]},
		} {
			q.Bits = bits
			q.BitsPerWeight = float64(bits) + p.stepBits(q.Granularity, q.Group)
			p.Quant = append(p.Quant, q)
		}
	}
}

// stepBits is what the steps take, in bits an element.
func (p *Profile) stepBits(g Granularity, group int) float64 {
	if p.Rows == 0 || p.Cols == 0 {
		return 0
	}
	k := p.Rows
	if p.Role == Activation {
		k = p.Cols
	}
	switch g {
	case PerTensor:
		return 32 / (float64(p.Rows) * float64(p.Cols))
	case PerRow:
		return 32 / float64(p.Cols)
	case PerColumn:
		return 32 / float64(p.Rows)
	}
	return 16 * float64((k+group-1)/group) / float64(k)
}

func (p *Profile) probeRank(ctx context.Context, in *input, s stats, o Options) error {
	if s.nonFinite.Count > 0 {
		p.StableRank = math.NaN()
		return nil
	}
	// In floating point, because the product can overflow an integer.
	cost := float64(in.rows) * float64(in.cols) * float64(min(in.rows, in.cols))
	look := p.Role == Weight && cost <= float64(o.SVDLimit)
	if p.Role == Weight && !look {
		p.note("singular values not computed, so low rank was not looked at: %d x %d is above the limit of %.3g on rows·cols·min(rows, cols)",
			p.Rows, p.Cols, float64(o.SVDLimit))
	}
	var err error
	if !look && in.r == nil {
		p.StableRank, err = stableRank(ctx, in.w, s)
		return err
	}
	spectral, err := ProbeSpectrum(ctx, in.reader(), SpectralOptions{Sketch: o.Sketch, Memory: o.Memory, Norm: p.Norm})
	if errors.Is(err, errors.ErrUnsupported) && in.r == nil { // until ProbeSpectrum exists
		if p.Spectrum, err = SingularValues(ctx, in.w); err == nil {
			p.StableRank = p.Spectrum.StableRank()
		}
		return err
	}
	if err != nil {
		return err
	}
	p.StableRank = spectral.StableRank()
	if look {
		p.Spectral = &spectral
		if spectral.Exact {
			p.Spectrum = spectral.Values
		}
	}
	return nil
}
