package opscope

import (
	"math"
	"math/bits"
)

// floatBytes holds the size of the types that keep a mantissa for each element, by
// the names that package weights gives them.
var floatBytes = map[string]int64{"F64": 8, "F32": 4, "F16": 2, "BF16": 2}

// maxTable is the most values that a lookup table is offered for: an index is a byte.
const maxTable = 256

// Rounding to bfloat16 changes a number x by at most bf16Rounding·|x| +
// bf16Underflow; see kernels.BF16.
const (
	bf16Rounding  = 0x1p-8
	bf16Underflow = 0x1p-134
)

// kernels.Factorize comes within factorSlack of the truncation error, and rounds
// the factors to float32.
const (
	factorSlack    = 1.01
	factorRounding = 0x1p-23
)

const (
	// W4A16 scales its channels if one is above this: 7 codes times the largest binary16.
	int4Largest = 7 * 65504
	// maxInt4Group is the largest group that it takes.
	maxInt4Group = 4096
)

// int4Bytes is what kernels.W4A16 reads.
func int4Bytes(k, n int64, group int, largest float64) int64 {
	bytes := ceilDiv(k*n, 2) + 2*ceilDiv(k, int64(group))*n
	if largest > int4Largest {
		bytes += 4 * n
	}
	return bytes
}

// sparseBytes is what 2:4 sparsity along k keeps: values of some bytes, and two bits
// for the place of each.
func sparseBytes(k, n, valueBytes int64) int64 {
	kept := (2*(k/4) + min(2, k%4)) * n
	return kept*valueBytes + ceilDiv(2*kept, 8)
}

// tableBytes is what indices into a table of float32 take, and the table.
func tableBytes(elements int64, distinct int) int64 {
	return ceilDiv(elements*int64(bits.Len(uint(distinct-1))), 8) + 4*int64(distinct)
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// largest is the largest magnitude of an element.
func (p Profile) largest() float64 { return max(math.Abs(p.Min), math.Abs(p.Max)) }

func (p Profile) groupError(bits, group int) float64 {
	for _, q := range p.Quant {
		if q.Bits == bits && q.Granularity == PerGroup && q.Group == group && q.Method == "" && q.Format == "" {
			return q.Error
		}
	}
	return math.NaN()
}

// int4Error is the error of W4A16: that of exact steps, and of steps in binary16, which
// has 11 significant bits.
func (m *menu) int4Error(a Action) float64 {
	e := m.p.QuantError(4, PerColumn)
	if a != Int4PerChannel {
		e = m.p.groupError(4, Choice{Action: a}.group())
	}
	if m.p.Norm == 0 {
		return 0
	}
	return math.Hypot(e, 0x1p-11)
}

// formatError returns the error of a format, or NaN if it was not measured.
func (p Profile) formatError(format string) float64 {
	for _, q := range p.Quant {
		if q.Format == format {
			return q.Error
		}
	}
	return math.NaN()
}

func (p Profile) nmError(n, m int) float64 {
	for _, s := range p.Sparse {
		if s.N == n && s.M == m {
			return s.Error
		}
	}
	return math.NaN()
}

// bf16Error bounds the error of rounding to bfloat16.
func (m *menu) bf16Error() float64 {
	if m.p.Norm == 0 {
		return 0
	}
	return bf16Rounding + bf16Underflow*math.Sqrt(float64(m.k*m.n))/m.p.Norm
}

// tableError bounds the error of a table of the values that CountDistinct tells apart,
// each in the middle of the step of the root mean square over distinctSteps that it
// stands for.
func (m *menu) tableError() float64 {
	if m.p.Norm == 0 {
		return 0
	}
	return 1.0 / (2 * distinctSteps)
}

// rankWithin is what is known of the smallest rank within an error: it is at least low,
// and rank is enough unless atLeast.
type rankWithin struct {
	low, rank int
	err       float64 // at rank
	atLeast   bool
}

// lowRank returns what is known of the smallest rank whose truncation error is within
// relErr, and whether the singular values were looked at.
func (m *menu) lowRank(relErr float64) (rankWithin, bool) {
	p := m.p
	switch {
	case p.Spectrum != nil:
		rank := p.Spectrum.RankFor(relErr)
		return rankWithin{low: rank, rank: rank, err: p.Spectrum.TruncationError(rank)}, true
	case p.Spectral != nil:
		r := p.Spectral.RankFor(relErr)
		_, high := p.Spectral.TruncationError(r.Rank)
		return rankWithin{low: r.Low, rank: r.Rank, err: high, atLeast: r.AtLeast}, true
	}
	return rankWithin{}, false
}
