package weights

import "encoding/binary"

// The decoders of the block types of ggml. A block is a run of values along the
// contiguous axis that share their scales; every decoder takes whole blocks. d is a
// scale and m a minimum, both float16; q is a code; all little-endian. Layouts and
// values are those of https://github.com/ggml-org/ggml, src/ggml-common.h and
// src/ggml-quants.c.
//
// Scale times code has at most 24 significant bits for finite scales, so that it is
// exact in float32, and a value is the formula's, rounded once.

const (
	blockValues = 32  // of the types with one scale a block
	superValues = 256 // of the K types, whose blocks hold smaller blocks
)

// half returns the float16 that b begins with.
func half(b []byte) float32 { return float16(binary.LittleEndian.Uint16(b)) }

// decodeQ4_0 decodes d, 16 bytes of codes: value d*(q-8). Byte j holds the code of value
// j in its low half and that of value j+16 in its high half.
func decodeQ4_0(dst []float32, src []byte) {
	const size = 18
	for ; len(dst) >= blockValues; dst, src = dst[blockValues:], src[size:] {
		y, b := (*[blockValues]float32)(dst), (*[size]byte)(src)
		d := half(b[:])
		for j, q := range b[2:] {
			y[j] = d * float32(int(q&15)-8)
			y[j+16] = d * float32(int(q>>4)-8)
		}
	}
}

// decodeQ4_1 decodes d, m, 16 bytes of codes as in Q4_0: value d*q + m.
func decodeQ4_1(dst []float32, src []byte) {
	const size = 20
	for ; len(dst) >= blockValues; dst, src = dst[blockValues:], src[size:] {
		y, b := (*[blockValues]float32)(dst), (*[size]byte)(src)
		d, m := half(b[:]), half(b[2:])
		for j, q := range b[4:] {
			y[j] = d*float32(q&15) + m
			y[j+16] = d*float32(q>>4) + m
		}
	}
}

// decodeQ5_0 decodes d, 32 high bits, 16 bytes of low bits as in Q4_0: value d*(q-16).
// Bit i of the high bits is bit 4 of the code of value i.
func decodeQ5_0(dst []float32, src []byte) {
	const size = 22
	for ; len(dst) >= blockValues; dst, src = dst[blockValues:], src[size:] {
		y, b := (*[blockValues]float32)(dst), (*[size]byte)(src)
		d, high := half(b[:]), binary.LittleEndian.Uint32(b[2:])
		for j, q := range b[6:] {
			y[j] = d * float32(int(q&15|byte(high>>j<<4)&16)-16)
			y[j+16] = d * float32(int(q>>4|byte(high>>(j+16)<<4)&16)-16)
		}
	}
}

// decodeQ5_1 decodes d, m, 32 high bits and 16 bytes of low bits as in Q5_0: value
// d*q + m.
func decodeQ5_1(dst []float32, src []byte) {
	const size = 24
	for ; len(dst) >= blockValues; dst, src = dst[blockValues:], src[size:] {
		y, b := (*[blockValues]float32)(dst), (*[size]byte)(src)
		d, m, high := half(b[:]), half(b[2:]), binary.LittleEndian.Uint32(b[4:])
		for j, q := range b[8:] {
			y[j] = d*float32(q&15|byte(high>>j<<4)&16) + m
			y[j+16] = d*float32(q>>4|byte(high>>(j+16)<<4)&16) + m
		}
	}
}

// decodeQ8_0 decodes d, 32 int8: value d*q.
func decodeQ8_0(dst []float32, src []byte) {
	const size = 34
	for ; len(dst) >= blockValues; dst, src = dst[blockValues:], src[size:] {
		y, b := (*[blockValues]float32)(dst), (*[size]byte)(src)
		d := half(b[:])
		for j, q := range b[2:] {
			y[j] = d * float32(int8(q))
		}
	}
}

// iq4Values are the 16 values of a code of IQ4_NL and IQ4_XS.
var iq4Values = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

// decodeIQ4_NL decodes d, 16 bytes of codes as in Q4_0: value d*iq4Values[q].
func decodeIQ4_NL(dst []float32, src []byte) {
	const size = 18
	for ; len(dst) >= blockValues; dst, src = dst[blockValues:], src[size:] {
		y, b := (*[blockValues]float32)(dst), (*[size]byte)(src)
		d := half(b[:])
		for j, q := range b[2:] {
			y[j] = d * iq4Values[q&15]
			y[j+16] = d * iq4Values[q>>4]
		}
	}
}

// decodeMXFP4 decodes the exponent byte e, 16 bytes of E2M1 as in Q4_0: value
// 2^(e-127) * E2M1, NaN for e = 255 (OCP Microscaling Formats 1.0, sections 5.3.3, 5.4.1).
func decodeMXFP4(dst []float32, src []byte) {
	const size = 17
	for ; len(dst) >= blockValues; dst, src = dst[blockValues:], src[size:] {
		y, b := (*[blockValues]float32)(dst), (*[size]byte)(src)
		d := powerE8M0(b[0])
		for j, q := range b[1:] {
			y[j] = d * e2m1[q&15]
			y[j+16] = d * e2m1[q>>4]
		}
	}
}
