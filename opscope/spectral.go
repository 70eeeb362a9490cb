package opscope

import (
	"context"
	"errors"
)

// ExactSide is the smaller side up to which ProbeSpectrum computes all
// singular values.
const ExactSide = 512

// DefaultSketch is the dimension of the space that ProbeSpectrum searches for
// the leading singular values of a larger matrix.
const DefaultSketch = 256

// SpectralOptions changes what ProbeSpectrum does. The zero value is the default.
type SpectralOptions struct {
	// Sketch is the dimension of the space to search when the smaller side is
	// above ExactSide, rounded up to whole blocks; 0 stands for DefaultSketch.
	// A larger one reads the matrix more often, finds more singular values and
	// bounds them more closely.
	Sketch int
	// Memory bounds the bytes held at a time; 0 stands for 256 MiB. A matrix that
	// does not fit is read once more for every block of the sketch.
	Memory int64
	// Norm is the Frobenius norm if the caller knows it; 0 computes it.
	Norm float64
}

// Spectral is what ProbeSpectrum found out about the singular values
// σ₁ ≥ σ₂ ≥ ... of a matrix. They have the unit of its elements.
type Spectral struct {
	// Exact tells whether Values holds all of them.
	Exact bool `json:"exact"`
	// Sketch is the dimension of the space searched, and 0 if Exact.
	Sketch int `json:"sketch,omitempty"`
	// Norm is the Frobenius norm.
	Norm float64 `json:"norm"`
	// Values holds the singular values, largest first: all min(rows, cols) of
	// them, or as many as the sketch has dimensions, each a lower bound.
	Values Spectrum `json:"values,omitempty"`
	// Upper holds an upper bound of each of Values: σᵢ is in [Values[i], Upper[i]].
	Upper Spectrum `json:"upper,omitempty"`
	// Rank1 and Rank10 are the smallest ranks whose truncation error is at most
	// 1% and 10%.
	Rank1  RankEstimate `json:"rank_1pct"`
	Rank10 RankEstimate `json:"rank_10pct"`
}

// RankEstimate is what is known of the smallest rank within an error.
type RankEstimate struct {
	// Rank is a rank that is within the error, the smallest one if Low is the
	// same; or, if AtLeast, one that every rank within the error reaches.
	Rank int `json:"rank"`
	// AtLeast tells that the sketch does not say which rank is enough.
	AtLeast bool `json:"at_least,omitempty"`
	// Low is a rank that every rank within the error reaches.
	Low int `json:"low"`
}

// ProbeSpectrum finds the singular values of the matrix behind r.
func ProbeSpectrum(ctx context.Context, r RowReader, o SpectralOptions) (Spectral, error) {
	return Spectral{}, errors.ErrUnsupported
}

// StableRank is ‖W‖²/σ₁², with σ₁ = Values[0]; see [Spectrum.StableRank]. It is at
// most too large by the factor (Upper[0]/Values[0])².
func (s Spectral) StableRank() float64 { return 0 }

// ResidualBound is the most by which one of Values can be too low: the
// largest Upper[i] - Values[i].
func (s Spectral) ResidualBound() float64 { return 0 }

// TruncationError bounds the relative L2 error of the best approximation of
// rank r; see [Spectrum.TruncationError].
func (s Spectral) TruncationError(r int) (low, high float64) { return 0, 0 }

// RankFor is what the values found say of the smallest rank whose truncation
// error is at most relErr.
func (s Spectral) RankFor(relErr float64) RankEstimate { return RankEstimate{} }

// TruncationPoint is the truncation error at a rank, between Low and High.
type TruncationPoint struct {
	Rank int     `json:"rank"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// TruncationCurve gives the truncation error at every rank from 0 to len(s.Values).
func (s Spectral) TruncationCurve() []TruncationPoint { return nil }

// EffectiveRank is exp of the entropy of the singular values over their sum.
func (s Spectrum) EffectiveRank() float64 { return 0 }

// BulkEdge is where the singular values of noise end, and those beyond.
type BulkEdge struct {
	// Noise is the standard deviation of the elements of the noise.
	Noise float64 `json:"noise"`
	// Edge is the largest singular value that noise of that deviation has.
	Edge float64 `json:"edge"`
	// Spikes is the number of singular values beyond.
	Spikes int `json:"spikes"`
	// AtLeast tells that all singular values found lie beyond.
	AtLeast bool `json:"at_least,omitempty"`
}

// MarchenkoPastur separates singular values of a rows x cols matrix from noise.
func MarchenkoPastur(s Spectral, rows, cols int) BulkEdge { return BulkEdge{} }

// BlockIdentityGap is ‖out-in‖/‖in‖.
func BlockIdentityGap(in, out Matrix) (float64, error) { return 0, errors.ErrUnsupported }

// AdjacentRowCoherence is how much alike adjacent rows of x are, in [-1,1].
func AdjacentRowCoherence(ctx context.Context, x RowReader) (float64, error) {
	return 0, errors.ErrUnsupported
}
