package weights

import (
	"encoding/binary"
	"math"
	"slices"
)

func decodeF64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
	}
}

// overflowF64 is the overflow of F64.
func overflowF64(dst []float32, src []byte) int {
	for i, v := range dst {
		if math.IsInf(float64(v), 0) && !math.IsInf(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])), 0) {
			return i
		}
	}
	return -1
}

// decodeF32 may have dst and src in the same memory.
func decodeF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

// decodeF16 takes four values at a time, so that bounds are checked once for them.
func decodeF16(dst []float32, src []byte) {
	for len(dst) >= 4 && len(src) >= 8 {
		u := binary.LittleEndian.Uint64(src)
		dst[0] = float16(uint16(u))
		dst[1] = float16(uint16(u >> 16))
		dst[2] = float16(uint16(u >> 32))
		dst[3] = float16(uint16(u >> 48))
		dst, src = dst[4:], src[8:]
	}
	for i := range dst {
		dst[i] = float16(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

// decodeBF16 takes four values at a time, as decodeF16.
func decodeBF16(dst []float32, src []byte) {
	for len(dst) >= 4 && len(src) >= 8 {
		u := binary.LittleEndian.Uint64(src)
		dst[0] = math.Float32frombits(uint32(u) << 16)
		dst[1] = math.Float32frombits(uint32(u) &^ 0xffff)
		dst[2] = math.Float32frombits(uint32(u>>32) << 16)
		dst[3] = math.Float32frombits(uint32(u>>32) &^ 0xffff)
		dst, src = dst[4:], src[8:]
	}
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
	}
}

// decodeF4 decodes E2M1, as the OCP Microscaling Formats 1.0 define it, 5.3.3.
func decodeF4(dst []float32, src []byte) {
	for i, b := range src[:len(dst)/2] {
		dst[2*i] = e2m1[b&15]
		dst[2*i+1] = e2m1[b>>4]
	}
}

// e2m1 holds the values of the 16 patterns of E2M1.
var e2m1 = [16]float32{0, .5, 1, 1.5, 2, 3, 4, 6, float32(math.Copysign(0, -1)), -.5, -1, -1.5, -2, -3, -4, -6}

// decode8 makes the decoder of an 8-bit type from its values.
func decode8(value func(b byte) float32) func([]float32, []byte) {
	var table [256]float32
	for b := range table {
		table[b] = value(byte(b))
	}
	return func(dst []float32, src []byte) {
		src = src[:len(dst)]
		for i, b := range src {
			dst[i] = table[b]
		}
	}
}

var nan = float32(math.NaN())

// ieeeE5M2 is a binary16 cut to its upper byte.
func ieeeE5M2(b byte) float32 { return float16(uint16(b) << 8) }

// fnE4M3 has no infinity, and a NaN where all bits but the sign are set.
func fnE4M3(b byte) float32 {
	if b&0x7f == 0x7f {
		return nan
	}
	return small(b, 3, 7)
}

// fnuzE5M2 and fnuzE4M3 have no infinity, and a NaN in the place of the negative zero.
func fnuzE5M2(b byte) float32 {
	if b == 0x80 {
		return nan
	}
	return small(b, 2, 16)
}

func fnuzE4M3(b byte) float32 {
	if b == 0x80 {
		return nan
	}
	return small(b, 3, 8)
}

// powerE8M0 is a power of two.
func powerE8M0(b byte) float32 {
	if b == 0xff {
		return nan
	}
	return float32(math.Ldexp(1, int(b)-127))
}

// small is the value of sign, exponent and so many bits of fraction, every exponent
// standing for a finite number.
func small(b byte, fractionBits, bias int) float32 {
	fraction := float64(b & (1<<fractionBits - 1))
	exponent := int(b&0x7f) >> fractionBits
	if exponent > 0 {
		fraction += float64(int(1) << fractionBits) // the leading one
	} else {
		exponent = 1
	}
	v := math.Ldexp(fraction, exponent-bias-fractionBits)
	if b&0x80 != 0 {
		v = math.Copysign(v, -1)
	}
	return float32(v)
}

// float16 returns the value of an IEEE 754 binary16, exactly. The payload of a NaN is
// kept.
func float16(h uint16) float32 {
	// The fraction moved up by 23-10 bits reads as a float32 whose exponent is too small
	// by the difference of the biases, 127-15. The product is exact, also for the
	// subnormal values.
	v := math.Float32bits(math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112)
	if v >= 0x47800000 { // 65536 and more: infinite or NaN
		v |= 0x7f800000
	}
	return math.Float32frombits(v | uint32(h&0x8000)<<16)
}

// swapped makes the decoder of a big-endian type of so many bytes a value. It turns
// the bytes of src round.
func swapped(width int, decode func([]float32, []byte)) func([]float32, []byte) {
	return func(dst []float32, src []byte) {
		for i := 0; i < len(src); i += width {
			slices.Reverse(src[i : i+width])
		}
		decode(dst, src)
	}
}
