package opscope

import (
	"math"

	"github.com/rlx-go/gopherscope/internal/elementwise"
)

// format is a format that models are shipped in.
type format struct {
	name        string
	bits        int
	granularity Granularity
	group       int     // the elements that share a step
	block       int     // the elements of a whole block
	blockBits   float64 // of such a block
	round       func(dst, x []float64)
	largest     float64 // number, for the floating-point formats
	mantissa    int     // its bits
	minExponent int     // of normal numbers
	saturates   bool    // what is beyond the largest number becomes that
}

// maxF16 is the largest finite number of binary16.
const maxF16 = 65504

var (
	bf16 = format{name: "BF16", bits: 16, largest: float64(math.Float32frombits(elementwise.MaxBF16)), mantissa: 7, minExponent: -126, saturates: true}
	f16  = format{name: "F16", bits: 16, largest: maxF16, mantissa: 10, minExponent: -14}
)

// The formats. BF16 and F16 (IEEE 754 binary16) have no steps. The block formats are those of ggml (its quantize_row_*_ref
// functions), MXFP4 is also that of the OCP Microscaling Formats specification 1.0,
// FP8 that of the OCP 8-bit Floating Point Specification 1.0 with one float32 step
// that maps the largest magnitude to the largest value.
var formats = []format{
	bf16,
	f16,
	{name: "Q8_0", bits: 8, granularity: PerGroup, group: 32, block: 32, blockBits: 8 * 34, round: roundQ8_0},
	{name: "Q4_0", bits: 4, granularity: PerGroup, group: 32, block: 32, blockBits: 8 * 18, round: roundQ4_0},
	{name: "Q4_K", bits: 4, granularity: PerGroup, group: 32, block: 256, blockBits: 8 * 144, round: roundQ4_K},
	{name: "MXFP4", bits: 4, granularity: PerGroup, group: 32, block: 32, blockBits: 8 * 17, round: roundMXFP4},
	{name: "FP8 E4M3", bits: 8, granularity: PerTensor, largest: 448, mantissa: 3, minExponent: -6, saturates: true},
	{name: "FP8 E5M2", bits: 8, granularity: PerTensor, largest: 57344, mantissa: 2, minExponent: -14, saturates: true},
}

// Formats returns the names of the formats that FormatError knows. Profile.Quant has
// the first two, BF16 and F16, always.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// format rounds to f, with steps of that granularity if f is FP8. A last block that is
// not whole is filled up with zeros, which count as bits.
func (c roundingContext) format(f format, g Granularity) scheme {
	s := scheme{result: QuantResult{Bits: f.bits, Granularity: g, Group: f.group, Format: f.name}}
	switch {
	case f.granularity == "":
		s.result.BitsPerWeight = float64(f.bits)
		s.round = func(dst, x []float64, _, _ int) {
			for i, v := range x {
				dst[i] = f.nearest(v)
			}
		}
		return s
	case f.round != nil:
		s.result.BitsPerWeight = c.stepBits(f.blockBits, PerGroup, f.block)
		s.round = eachGroup(f.block, func(dst, x []float64) { f.round(dst[:f.block], x[:f.block]) })
		return s
	}
	s.result.BitsPerWeight = float64(f.bits) + c.stepBits(32, g, 0)
	s.round = func(dst, x []float64, channel, _ int) {
		largest := c.stats.absMax
		if g != PerTensor {
			largest = float64(c.channelMax[channel])
		}
		step := float64(float32(largest / f.largest))
		if step == 0 {
			clear(dst)
			return
		}
		for i, v := range x {
			dst[i] = f.nearest(v/step) * step
		}
	}
	return s
}

// nearest rounds to the nearest number of a floating-point format, ties to even.
func (f format) nearest(v float64) float64 {
	_, exponent := math.Frexp(v) // of 0.5 to 1
	ulp := math.Ldexp(1, max(exponent-1, f.minExponent)-f.mantissa)
	r := math.RoundToEven(v/ulp) * ulp
	switch {
	case math.Abs(r) <= f.largest:
		return r
	case f.saturates:
		return math.Copysign(f.largest, r)
	}
	return math.Copysign(math.Inf(1), r)
}

// toFloat16 rounds to binary16.
func toFloat16(v float32) float32 { return float32(f16.nearest(float64(v))) }

// extreme returns the element of the largest magnitude, the first of several.
func extreme(x []float64) float32 {
	var e float64
	for _, v := range x {
		if math.Abs(v) > math.Abs(e) {
			e = v
		}
	}
	return float32(e)
}

// The writers below compute in float32, as those of the formats do.

func roundQ8_0(dst, x []float64) {
	d := float32(math.Abs(float64(extreme(x)))) / 127
	step := float64(toFloat16(d))
	if step == 0 {
		clear(dst)
		return
	}
	inv := 1 / d
	for i, v := range x {
		dst[i] = math.Round(float64(float32(v)*inv)) * step
	}
}

func roundQ4_0(dst, x []float64) {
	d := extreme(x) / -8
	step := float64(toFloat16(d))
	if step == 0 {
		clear(dst)
		return
	}
	inv := 1 / d
	for i, v := range x {
		code := min(15, math.Trunc(float64(float32(float32(v)*inv)+8.5)))
		dst[i] = (code - 8) * step
	}
}

func roundMXFP4(dst, x []float64) {
	// The magnitudes of FP4 E2M1.
	values := [8]float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}
	largest := math.Abs(float64(extreme(x)))
	if largest == 0 {
		clear(dst)
		return
	}
	_, exponent := math.Frexp(largest)
	step := math.Ldexp(1, max(exponent-1-2, -127))
	for i, v := range x {
		a := math.Abs(v)
		best := 0.0
		for _, value := range values {
			if math.Abs(value*step-a) < math.Abs(best*step-a) {
				best = value
			}
		}
		dst[i] = math.Copysign(best*step, v)
	}
}

// roundQ4_K rounds 256 elements: 8 groups of 32, each with a step and an
// offset, that are themselves of 6 bits with one step each in binary16.
func roundQ4_K(dst, x []float64) {
	const groups, size = 8, 32
	// Far below the smallest numbers of binary16 every step becomes zero.
	if math.Abs(float64(extreme(x))) < 0x1p-30 {
		clear(dst)
		return
	}
	var steps, offsets [groups]float32
	var maxStep, maxOffset float32
	for g := range groups {
		steps[g], offsets[g] = offsetFit(x[g*size:][:size])
		maxStep, maxOffset = max(maxStep, steps[g]), max(maxOffset, offsets[g])
	}
	sixBits := func(v, largest float32) float32 {
		if largest == 0 {
			return 0
		}
		return min(63, nearest(63/largest*v))
	}
	d, dmin := toFloat16(maxStep/63), toFloat16(maxOffset/63)
	for g := range groups {
		step := d * sixBits(steps[g], maxStep)
		offset := dmin * sixBits(offsets[g], maxOffset)
		for i, v := range x[g*size:][:size] {
			code := float32(0)
			if step != 0 {
				code = max(0, min(15, nearest((float32(v)+offset)/step)))
			}
			dst[g*size+i] = float64(step*code - offset)
		}
	}
}

func nearest(v float32) float32 { return float32(math.RoundToEven(float64(v))) }

// offsetFit finds step and offset, both at least 0, such that codes 0 to 15
// times step, less offset, come near x: of several first guesses of the step
// those whose least-squares fit has the smallest error, an element counting for
// its magnitude plus the root mean square.
func offsetFit(x []float64) (step, offset float32) {
	const levels = 15
	var sumSq float32
	low, high := float32(x[0]), float32(x[0])
	for _, v := range x {
		f := float32(v)
		sumSq += f * f
		low, high = min(low, f), max(high, f)
	}
	low = min(low, 0)
	if high == low {
		return 0, -low
	}
	rms := float32(math.Sqrt(float64(sumSq / float32(len(x)))))
	weight := func(f float32) float32 { return rms + float32(math.Abs(float64(f))) }
	code := func(f, inv float32) float32 { return max(0, min(levels, nearest(inv*(f-low)))) }

	step, best := (high-low)/levels, float32(0)
	first := levels / (high - low)
	offset = low
	var sumW, sumX float32
	for _, v := range x {
		f := float32(v)
		w := weight(f)
		sumW += w
		sumX += w * f
		e := step*code(f, first) + offset - f
		best += w * e * e
	}
	for try := range 21 {
		inv := (levels - 1 + 0.1*float32(try)) / (high - low)
		var l, ll, xl float32
		for _, v := range x {
			f := float32(v)
			w, q := weight(f), code(f, inv)
			l += w * q
			ll += w * q * q
			xl += w * q * f
		}
		det := sumW*ll - l*l
		if det <= 0 {
			continue
		}
		s, o := (sumW*xl-sumX*l)/det, (ll*sumX-l*xl)/det
		if o > 0 {
			s, o = xl/ll, 0
		}
		var sum float32
		for _, v := range x {
			f := float32(v)
			e := s*code(f, inv) + o - f
			sum += weight(f) * e * e
		}
		if sum < best {
			best, step, offset = sum, s, o
		}
	}
	return step, -offset
}
