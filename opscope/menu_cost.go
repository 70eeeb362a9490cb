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

// kernels.Factorize comes within factorSlack of the truncation error, and rounds
// the factors to float32.
const (
	factorSlack    = 1.01
	factorRounding = 0x1p-23
)

// minNormal is the smallest normal float32.
const minNormal = 0x1p-126

// maxInt4Group is the largest group that kernels.W4A16 takes.
const maxInt4Group = 4096

// int4Bytes is what kernels.W4A16 reads, but for factors of the channels.
func int4Bytes(k, n int64, group int) int64 {
	return ceilDiv(k*n, 2) + 2*ceilDiv(k, int64(group))*n
}

// int4FactorBytes is what it reads of these: a float32 for each channel if there is
// one, other than of zeros, whose largest scale, a seventh of its largest magnitude, is
// no normal binary16.
func (m *menu) int4FactorBytes() int64 {
	for _, o := range m.p.Outliers {
		if o.Axis == PerColumn && o.Smallest > 0 && (o.Smallest < 7*0x1p-14 || m.p.largest() > 7*maxF16) {
			return 4 * m.n
		}
	}
	return 0
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

// int4Error is the error of W4A16: that of exact steps, and of steps in binary16, which
// has 11 significant bits.
func (m *menu) int4Error(a Action) float64 {
	e := m.p.QuantError(4, PerColumn)
	if a != Int4PerChannel {
		e = m.p.GroupQuantError(4, Choice{Action: a}.group())
	}
	if m.p.Norm == 0 {
		return 0
	}
	return math.Hypot(e, 0x1p-11)
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

// bf16KeepsNorm reports whether a kernel that takes subnormal numbers for 0, as that of
// bfloat16 may, loses no more of the norm than 2^-12, which is below what rounding does.
func (m *menu) bf16KeepsNorm() bool {
	most := math.Sqrt(float64(m.k*m.n)) * minNormal
	return m.p.Norm == 0 || most <= m.p.Norm*0x1p-12
}

// int8Scales reports whether the kernels of int8 can hold the largest scale: it must be
// normal, and 127 times it finite.
func (m *menu) int8Scales() bool {
	scale := float32(m.p.largest()) / 127
	return m.p.Norm == 0 || scale >= minNormal && 127*scale <= math.MaxFloat32
}
