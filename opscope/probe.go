package opscope

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
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
	ctx, stop := context.WithCancel(ctx)
	rank := sync.OnceValues(func() (rankFigures, error) { return findRank(ctx, in, s, o) })
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	if in.r == nil {
		// In memory the singular values are found at the same time as the rest: where one
		// of them waits for its last goroutine, or computes on one, the other goes on.
		background.Go(func() { _, _ = rank() })
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
	rounding := newRoundingContext(c, s)
	if o.Role == Activation {
		rounding = rounding.ofActivation()
	}
	p.setFused(f, rounding)
	if err := p.probeExtras(ctx, c, s, rounding, o); err != nil {
		return Profile{}, err
	}
	figures, err := rank()
	if err != nil {
		return Profile{}, err
	}
	p.setRank(figures, o)
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
	p.Zeros = int64(s.zeros)
	// The sum of -0 and 0 is 0.
	p.Min, p.Max = float64(s.min)+0, float64(s.max)+0
	rowMax, colMax := s.rowMax, s.colMax
	if transposed {
		p.NonFinite.Row, p.NonFinite.Col = s.nonFinite.Col, s.nonFinite.Row
		rowMax, colMax = colMax, rowMax
	}
	rows, cols := outliers(PerRow, rowMax), outliers(PerColumn, colMax)
	if s.nonFinite.Count > 0 {
		p.Min, p.Max = math.NaN(), math.NaN()
		for _, o := range []*Outliers{&rows, &cols} {
			o.Count, o.Ratio, o.Smallest = 0, math.NaN(), math.NaN()
		}
		p.Zeros = 0
	}
	p.Outliers = []Outliers{rows, cols}
}

func (p *Profile) setFused(f fusedResult, rounding roundingContext) {
	p.Kurtosis, p.Ternary, p.Cardinality, p.BestBits = f.kurtosis, f.ternary, f.cardinality, f.bestBits
	p.Sparse = []NM{{2, 4, f.nm24}}
	row, column := f.cross, f.channel
	if p.Role == Activation {
		row, column = column, row
	}
	for _, scheme := range rounding.defaultSchemes() {
		q := scheme.result
		errs := f.tensor
		switch {
		case q.Format == bf16.name:
			errs[0] = f.bf16
		case q.Format == f16.name:
			errs[0] = f.f16
		case q.Granularity == PerRow:
			errs = row
		case q.Granularity == PerColumn:
			errs = column
		case q.Group == 32:
			errs = f.group32
		case q.Group == 128:
			errs = f.group128
		}
		if q.Error = errs[0]; q.Bits == 4 {
			q.Error = errs[1]
		}
		p.Quant = append(p.Quant, q)
	}
}

// probeExtras makes the passes that Options.Extra and Options.InputMeanSquares ask
// for.
func (p *Profile) probeExtras(ctx context.Context, c channels, s stats, rounding roundingContext, o Options) error {
	if o.InputMeanSquares != nil {
		results, err := schemePass(ctx, c, s, rounding.defaultSchemes(), o.InputMeanSquares, schemeLength)
		if err != nil {
			return err
		}
		for i, r := range results {
			p.Quant[i].WeightedError = r.WeightedError
		}
	}
	results, err := schemePass(ctx, c, s, rounding.extraSchemes(o.Extra), o.InputMeanSquares, schemeLength)
	if err != nil {
		return err
	}
	p.Quant = append(p.Quant, results...)
	if o.Extra&ExtraSparse != 0 {
		errs, err := sparsePass(ctx, c, s, []NM{{N: 1, M: 4}, {N: 4, M: 8}}, schemeLength)
		if err != nil {
			return err
		}
		p.Sparse = append(p.Sparse, errs...)
	}
	if o.Extra&ExtraLUT != 0 {
		const bits = 4
		e, err := tablePass(ctx, c.input, s, 1<<bits)
		if err != nil {
			return err
		}
		p.Quant = append(p.Quant, QuantResult{
			Bits: bits, Granularity: PerTensor, Method: BestTable, Error: e,
			BitsPerWeight: bits + rounding.stepBits(32<<bits, PerTensor, 0),
		})
	}
	for _, r := range p.Quant {
		if math.IsNaN(r.Error) && s.nonFinite.Count == 0 {
			p.note("%s cannot hold this matrix: a number would be above %d, the largest of a float16", r.Format, maxF16)
		}
	}
	return nil
}

// rankFigures is what the singular values tell.
type rankFigures struct {
	stable   float64
	spectral *Spectral // nil if it was not looked at
	above    bool      // whether it was not because the matrix is too large
}

func findRank(ctx context.Context, in *input, s stats, o Options) (rankFigures, error) {
	if s.nonFinite.Count > 0 {
		return rankFigures{stable: math.NaN()}, nil
	}
	// In floating point, because the product can overflow an integer.
	cost := float64(in.rows) * float64(in.cols) * float64(min(in.rows, in.cols))
	r := rankFigures{above: o.Role == Weight && !(cost <= float64(o.SVDLimit))}
	look := o.Role == Weight && !r.above
	var err error
	if !look && in.r == nil {
		r.stable, err = stableRank(ctx, in.w, s)
		return r, err
	}
	spectral, err := ProbeSpectrum(ctx, in.reader(), SpectralOptions{Sketch: o.Sketch, Memory: o.Memory, Norm: s.norm()})
	if err != nil {
		return r, err
	}
	r.stable = spectral.StableRank()
	if look {
		r.spectral = &spectral
	}
	return r, nil
}

func (p *Profile) setRank(r rankFigures, o Options) {
	p.StableRank, p.Spectral = r.stable, r.spectral
	if r.above {
		p.note("singular values not computed, so low rank was not looked at: %d x %d is above the limit of %.3g on rows·cols·min(rows, cols)",
			p.Rows, p.Cols, float64(o.SVDLimit))
	}
	switch s := r.spectral; {
	case s == nil:
	case s.Exact:
		p.Spectrum = s.Values
	default:
		if size, wanted := sketchSize(s.Rows, s.Cols, o.Sketch, o.Memory); size < wanted {
			p.note("the sketch of the singular values has at most %d dimensions in place of %d, as more do not fit in a quarter of the memory of %.4g MiB: allow more for closer bounds",
				size, wanted, float64(cmp.Or(o.Memory, DefaultMemory))/(1<<20))
		}
	}
}
