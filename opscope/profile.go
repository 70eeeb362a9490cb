package opscope

import (
	"math"
	"slices"
)

const (
	// Weight is W[k,n] = [in, out] of y = x W: known ahead, prepared once.
	Weight Role = "weight"
	// Activation is x[m,k]: different in every call.
	Activation Role = "activation"
)

// Profile is what Probe found in one matrix. A weight is described as W[k,n],
// whatever the order it was stored in. A float is NaN, null in JSON, where the
// matrix has non-finite elements.
type Profile struct {
	Name string `json:"name,omitempty"`
	Role Role   `json:"role"`
	// Rows is k, the number of input channels of a weight, or the number of
	// tokens of an activation.
	Rows int `json:"rows"`
	// Cols is n, the number of output channels of a weight, or the number of
	// input channels of an activation.
	Cols int `json:"cols"`
	// NonFinite counts the NaN and infinite elements.
	NonFinite NonFinite `json:"non_finite"`
	// Density is the fraction of elements that are not zero; see Density.
	Density float64 `json:"density"`
	// Zeros counts the elements that are exactly zero.
	Zeros int64 `json:"zeros"`
	// Norm is the Frobenius norm.
	Norm float64 `json:"norm"`
	// Min and Max are the smallest and the largest element, Mean is the mean of all.
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
	// Kurtosis is m₄/m₂², from the moments about the mean: 3 for Gaussian
	// elements, 1.8 for uniform ones, at least 1; 0 if all elements are equal.
	Kurtosis float64 `json:"kurtosis"`
	// Quant holds the quantization errors measured: at 8 and 4 bits, per tensor,
	// row and column and in groups of 32 and 128, of BF16 and F16, then what
	// Options.Extra asks for.
	Quant []QuantResult `json:"quant"`
	// BestBits is the smallest of 3, 4, 5, 6 and 8 bits at which the error per
	// output channel (per token of an activation) is within Options.Budget, 0 if
	// there is none.
	BestBits int `json:"best_bits"`
	// Outliers describes the rows, then the columns.
	Outliers []Outliers `json:"outliers"`
	// Sparse holds the errors of N:M sparsity along k: 2:4, then what
	// Options.Extra asks for.
	Sparse []NM `json:"sparse"`
	// Ternary is the error of ternary weights; see TernaryError.
	Ternary float64 `json:"ternary"`
	// Cardinality counts the distinct values; see CountDistinct.
	Cardinality Cardinality `json:"cardinality"`
	// StableRank is ‖W‖²/σ₁²; see StableRank.
	StableRank float64 `json:"stable_rank"`
	// Spectral is what is known of the singular values, nil where they were not
	// looked at, as for every activation.
	Spectral *Spectral `json:"spectral,omitempty"`
	// Spectrum holds all singular values, or is nil where not all of them are
	// known.
	Spectrum Spectrum `json:"spectrum,omitempty"`
	// Notes says what a reader must know beyond the figures, such as that
	// the singular values were not computed, and why.
	Notes []string `json:"notes,omitempty"`
}

// QuantResult is the error of one way to quantize a matrix.
type QuantResult struct {
	Bits int `json:"bits"`
	// Granularity is empty for BF16 and F16, which have no steps.
	Granularity Granularity `json:"granularity"`
	// Group is the number of elements along k that share a step, for PerGroup
	// only.
	Group int `json:"group,omitempty"`
	// Method is how steps and codes are found; empty for the symmetric absmax
	// quantization of QuantError.
	Method Method `json:"method,omitempty"`
	// Format is the name of a format that models are shipped in, such as "BF16" or
	// "Q4_K"; see Formats.
	Format string `json:"format,omitempty"`
	// BitsPerWeight counts the codes and what is stored with them: a float32 step
	// per tensor, row and column; a float16 one per group, and a second number for
	// Asymmetric; what the format says for a Format, whole blocks counted.
	BitsPerWeight float64 `json:"bits_per_weight"`
	// Error is the relative L2 error, ‖Ŵ-W‖/‖W‖; NaN if the matrix has non-finite
	// elements, or elements or steps that overflow the format.
	Error float64 `json:"error"`
	// WeightedError is what Options.InputMeanSquares asks for, 0 without: with
	// h[k] for them it is the root of Σ h[k](ŵ[k,j]-w[k,j])² / Σ h[k]w[k,j]², the
	// relative error of the product if the input channels are uncorrelated.
	WeightedError float64 `json:"weighted_error,omitempty"`
}

// Method is a way to choose the steps of a quantization.
type Method string

const (
	// Asymmetric spreads the codes from the smallest to the largest element of
	// each group: step = (max-min)/(2^bits-1), and a code stands for min + code·step.
	Asymmetric Method = "asymmetric"
	// ScaleSearch chooses, for each group, the symmetric step of the least squared
	// error that is found from 24 first guesses between 0.3 of the step of absmax
	// quantization and that; elements beyond the largest code are clipped.
	ScaleSearch Method = "scale search"
	// BestTable chooses 2^bits values for the least squared error; see TableError.
	BestTable Method = "table"
)

// Outliers compares the largest magnitudes of the rows, or columns, of a matrix.
type Outliers struct {
	// Axis is PerRow or PerColumn. A row of a weight is an input channel, a
	// column an output channel.
	Axis Granularity `json:"axis"`
	// Count is how many rows or columns have a largest magnitude above
	// OutlierRatio times the median one.
	Count int `json:"count"`
	// Ratio is the largest of them over the median, at least 1; 0 for a zero matrix.
	Ratio float64 `json:"ratio"`
	// Smallest is the smallest of them that is not 0, in the unit of the elements; 0
	// for a zero matrix.
	Smallest float64 `json:"smallest"`
}

// OutlierRatio is how far above the median the largest magnitude of an outlier
// channel lies.
const OutlierRatio = 6

// NM is the error of keeping the N largest magnitudes of each M consecutive
// elements along k; see NMError.
type NM struct {
	N     int     `json:"n"`
	M     int     `json:"m"`
	Error float64 `json:"error"`
}

// Cardinality is a number of distinct values.
type Cardinality struct {
	// Distinct is the number of values that differ beyond rounding.
	Distinct int `json:"distinct"`
	// More says that there are more than Distinct, where counting stopped.
	More bool `json:"more,omitempty"`
}

// QuantError returns the error that the function QuantError answers, as Probe measured
// it; NaN if it did not.
func (p Profile) QuantError(bits int, g Granularity) float64 {
	return p.symmetricError(bits, g, 0)
}

// GroupQuantError returns the error that the function GroupQuantError answers, as Probe
// measured it; NaN if it did not.
func (p Profile) GroupQuantError(bits, group int) float64 {
	return p.symmetricError(bits, PerGroup, group)
}

func (p Profile) symmetricError(bits int, g Granularity, group int) float64 {
	return p.quantError(func(q QuantResult) bool {
		return q.Bits == bits && q.Granularity == g && q.Group == group && q.Method == "" && q.Format == ""
	})
}

// FormatError returns the error that the function FormatError answers, as Probe measured
// it; NaN if it did not.
func (p Profile) FormatError(format string) float64 {
	return p.quantError(func(q QuantResult) bool { return q.Format == format })
}

// quantError is the first error measured of a kind, or NaN.
func (p Profile) quantError(of func(QuantResult) bool) float64 {
	if i := slices.IndexFunc(p.Quant, of); i >= 0 {
		return p.Quant[i].Error
	}
	return math.NaN()
}

// NMError returns the error that the function NMError answers, as Probe measured it; NaN
// if it did not.
func (p Profile) NMError(n, m int) float64 {
	for _, s := range p.Sparse {
		if s.N == n && s.M == m {
			return s.Error
		}
	}
	return math.NaN()
}
