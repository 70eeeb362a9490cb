package opscope

import (
	"context"
	"fmt"
	"math"
	"strconv"
)

// ExactSide is the smaller side up to which ProbeSpectrum computes all
// singular values.
const ExactSide = 512

// DefaultSketch is the dimension of the space that ProbeSpectrum searches for
// the leading singular values of a larger matrix.
const DefaultSketch = 144

// SpectralOptions changes what ProbeSpectrum does. The zero value is the default.
type SpectralOptions struct {
	// Sketch is the dimension of the space to search when the smaller side is
	// above ExactSide, rounded up to whole blocks; 0 stands for DefaultSketch.
	// A larger one reads the matrix more often, finds more singular values and
	// bounds them more closely.
	Sketch int
	// Memory bounds about how many bytes are held at a time; 0 stands for
	// DefaultMemory. A matrix that is not in memory and needs more than half of that
	// is read anew for each 16 dimensions of the sketch, which takes a quarter at most:
	// of a matrix with very many columns it has fewer dimensions than asked for.
	Memory int64
	// Norm is the Frobenius norm if the caller knows it; 0 computes it.
	Norm float64
}

// Spectral is what ProbeSpectrum found out about the singular values
// σ₁ ≥ σ₂ ≥ ... of a matrix. They, and Norm and Rounding, have the unit of its elements.
type Spectral struct {
	// Rows and Cols are the size of the matrix as read.
	Rows int `json:"rows"`
	Cols int `json:"cols"`
	// Exact tells whether Values holds all singular values.
	Exact bool `json:"exact"`
	// Sketch is the dimension of the space searched, and 0 if Exact.
	Sketch int `json:"sketch,omitempty"`
	// Norm is the Frobenius norm, NaN if there are non-finite elements; then there
	// are no values either.
	Norm float64 `json:"norm"`
	// Values holds the singular values, largest first: all min(rows, cols) of
	// them, or as many as the sketch has dimensions, each a lower bound.
	Values Spectrum `json:"values,omitempty"`
	// Upper holds an upper bound of each of Values, nil if Exact.
	Upper Spectrum `json:"upper,omitempty"`
	// Rounding r is what the float32 products of a sketch may add to a value:
	// σᵢ is in [sqrt(Values[i]²-r²), Upper[i]]. It is about 0.003 of σ₁ for 4096
	// columns, which matters for the smallest values only.
	Rounding float64 `json:"rounding,omitempty"`
	// Rank1 and Rank10 are the smallest ranks whose truncation error is at most
	// 1% and 10%.
	Rank1  RankEstimate `json:"rank_1pct"`
	Rank10 RankEstimate `json:"rank_10pct"`
}

// RankEstimate is what is known of the smallest rank whose truncation error is
// within a bound.
type RankEstimate struct {
	// Rank is a rank that is enough; the smallest one, if Low is the same. If
	// AtLeast, it is Low.
	Rank int `json:"rank"`
	// AtLeast tells that the sketch does not show a rank that is enough.
	AtLeast bool `json:"at_least,omitempty"`
	// Low is a rank below which none is enough.
	Low int `json:"low"`
}

// String writes the rank as "12", "12 to 15" or "at least 12".
func (e RankEstimate) String() string {
	switch {
	case e.AtLeast:
		return fmt.Sprintf("at least %d", e.Low)
	case e.Low < e.Rank:
		return fmt.Sprintf("%d to %d", e.Low, e.Rank)
	}
	return strconv.Itoa(e.Rank)
}

// ProbeSpectrum finds the singular values of the matrix behind r.
//
// If the smaller side is at most ExactSide it computes all of them in float64,
// as [SingularValues] does. Otherwise it finds the leading ones in a sketch: the
// block Krylov space of WᵀW that a block of 16 random vectors spans (Musco and
// Musco, Randomized Block Krylov Methods, 2015), of SpectralOptions.Sketch
// dimensions. It reads the matrix once for each 16 of them. With the default
// sketch, the largest value of a Gaussian matrix, whose spectrum has no gap at
// all, comes out too low by less than 0.1% at 1024 x 1024 and by 0.3% at 4096 x 4096;
// a value well above the rest comes out to rounding.
//
// A value of a sketch is never too high, beyond Rounding. Upper says by how
// much it can be too low. These bounds hold for every matrix, whatever its
// spectrum; all of them together fail with a probability of at most 1e-6 over the
// choice of the random vectors, which is fixed and does not depend on the matrix. For
// a spectrum without gaps they are some percent wide, though the values are better.
//
// The result does not depend on the number of processors. The errors are those
// of the reader, a malformed matrix, rows that do not fit into the memory, and the
// context's own, seen between blocks of rows. Non-finite elements are a finding,
// not an error.
func ProbeSpectrum(ctx context.Context, r RowReader, o SpectralOptions) (Spectral, error) {
	memory := o.Memory
	if memory <= 0 {
		memory = DefaultMemory
	}
	in, err := newInput(ctx, r, memory/2)
	if err != nil {
		return Spectral{}, err
	}
	s := Spectral{Rows: in.rows, Cols: in.cols, Norm: o.Norm}
	if o.Norm == 0 {
		st, err := gatherInput(ctx, in, false)
		if err != nil {
			return Spectral{}, err
		}
		s.Norm = st.norm()
	}
	switch side := min(in.rows, in.cols); {
	case math.IsNaN(s.Norm):
	case s.Norm == 0:
		s.Exact, s.Values = true, make(Spectrum, side)
	case side <= ExactSide:
		s.Exact = true
		if s.Values, err = singularValues(ctx, in); err != nil {
			return Spectral{}, err
		}
	default:
		size, _ := sketchSize(in.rows, in.cols, o.Sketch, memory)
		if err := s.sketch(ctx, in, size); err != nil {
			return Spectral{}, err
		}
	}
	s.Rank1, s.Rank10 = s.RankFor(0.01), s.RankFor(0.10)
	return s, nil
}

// sketchSize is the dimension of the sketch of a matrix: that asked for, or less if it
// does not fit in the memory.
func sketchSize(rows, cols, asked int, memory int64) (size, wanted int) {
	if asked <= 0 {
		asked = DefaultSketch
	}
	if memory <= 0 {
		memory = DefaultMemory
	}
	side := min(rows, cols)
	wanted = side
	if asked < side {
		wanted = min((asked+sketchBlock-1)/sketchBlock*sketchBlock, side)
	}
	// The basis may take a quarter of the memory.
	return min(wanted, max(sketchBlock, int(memory/16)/cols/sketchBlock*sketchBlock)), wanted
}

func (s *Spectral) sketch(ctx context.Context, in *input, size int) error {
	_, e := math.Frexp(s.Norm)
	trace := square(math.Ldexp(s.Norm, -e))
	k, err := newKrylov(ctx, newGramian(in, s.Norm), trace, size)
	if err != nil {
		return err
	}
	values, upper := k.ritz(trace)
	s.Sketch = k.dim
	eps := k.eps * values[0]
	s.Rounding = math.Ldexp(math.Sqrt(eps), e)
	for i := range values {
		s.Values = append(s.Values, math.Ldexp(math.Sqrt(values[i]), e))
		s.Upper = append(s.Upper, math.Ldexp(math.Sqrt(upper[i]+eps), e))
	}
	return nil
}

// StableRank is ‖W‖²/σ₁² with Values[0] for σ₁; see [Spectrum.StableRank]. For a
// sketch it may be too large, at most by the factor (Upper[0]/Values[0])². NaN if
// there are non-finite elements.
func (s Spectral) StableRank() float64 {
	switch {
	case math.IsNaN(s.Norm):
		return math.NaN()
	case s.Norm == 0:
		return 0
	}
	q := s.Norm / s.Values[0]
	return q * q
}

// TruncationPoint is the truncation error at a rank, between Low and High.
type TruncationPoint struct {
	Rank int     `json:"rank"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// TruncationCurve gives the relative L2 error of the best approximation of each
// rank from 0 to len(s.Values), in [0,1]; see [Spectrum.TruncationError]. For a
// sketch High is from the part of Norm that its values leave, and cannot be told
// from 0 below about 0.003; Low is from Upper. It is nil if there are non-finite
// elements.
func (s Spectral) TruncationCurve() []TruncationPoint {
	if math.IsNaN(s.Norm) {
		return nil
	}
	curve := make([]TruncationPoint, len(s.Values)+1)
	if s.Exact {
		var total, tail float64
		for r := len(s.Values); r >= 0; r-- {
			if r < len(s.Values) {
				tail += s.Values[r] * s.Values[r]
			}
			curve[r], total = TruncationPoint{r, tail, tail}, tail
		}
		for i := range curve {
			if total > 0 {
				tail = math.Sqrt(curve[i].Low / total)
			}
			curve[i].Low, curve[i].High = tail, tail
		}
		return curve
	}
	relative := func(square float64) float64 {
		return math.Sqrt(min(1, max(0, square)))
	}
	low, high := 1.0, 1.0
	round := s.Rounding / s.Values[0]
	for r := range curve {
		curve[r] = TruncationPoint{r, relative(low), relative(high + round*round)}
		if r < len(s.Values) {
			low -= square(s.Upper[r] / s.Norm)
			high -= square(s.Values[r] / s.Norm)
		}
	}
	return curve
}

// TruncationError is the point of TruncationCurve at rank r. Beyond the values
// of a sketch High is that of the last. It is NaN if there are non-finite
// elements.
func (s Spectral) TruncationError(r int) (low, high float64) {
	curve := s.TruncationCurve()
	if curve == nil {
		return math.NaN(), math.NaN()
	}
	if r >= min(s.Rows, s.Cols) {
		return 0, 0
	}
	last := curve[min(max(r, 0), len(s.Values))]
	if r > len(s.Values) {
		more := float64(r-len(s.Values)) * square(s.Upper[len(s.Upper)-1]/s.Norm)
		last.Low = math.Sqrt(max(0, square(last.Low)-more))
	}
	return last.Low, last.High
}

// RankFor is what the values tell of the smallest rank whose truncation error is
// at most relErr, in [0, min(rows, cols)]; see [Spectrum.RankFor].
func (s Spectral) RankFor(relErr float64) RankEstimate {
	side := min(s.Rows, s.Cols)
	switch {
	case math.IsNaN(s.Norm):
		return RankEstimate{AtLeast: true}
	case s.Exact:
		rank := s.Values.RankFor(relErr)
		return RankEstimate{Rank: rank, Low: rank}
	case !(relErr >= 0):
		return RankEstimate{Rank: side, Low: side}
	}
	e := RankEstimate{AtLeast: true, Low: -1}
	curve := s.TruncationCurve()
	for _, p := range curve {
		if e.Low < 0 && p.Low <= relErr {
			e.Low = p.Rank
		}
		if p.High <= relErr {
			e.Rank, e.AtLeast = p.Rank, false
			return e
		}
	}
	if e.Low < 0 {
		// No singular value beyond those found is above the last bound.
		last := curve[len(curve)-1]
		left := square(last.Low) - square(relErr)
		e.Low = min(side, last.Rank+int(math.Ceil(left/square(s.Upper[len(s.Upper)-1]/s.Norm))))
	}
	e.Rank, e.AtLeast = e.Low, e.Low < side
	return e
}

func square(x float64) float64 { return x * x }
