package weights

import "encoding/binary"

// The K types hold 256 values in 8 blocks of 32 or 16 blocks of 16. The scales of the
// blocks are small integers times one float16 for all. In the loops below k counts the
// blocks and the shift of a code is the same within a block.

// decodeQ2_K decodes 16 bytes of scales, 64 bytes of codes, d, m: value d*s*q - m*t,
// where s is the low half of the byte of scales and t its high half. Codes have two
// bits: each 32 bytes hold 128 values, the first 32 in bits 0 and 1, and so on.
func decodeQ2_K(dst []float32, src []byte) {
	const size = 84
	for ; len(dst) >= superValues; dst, src = dst[superValues:], src[size:] {
		b := (*[size]byte)(src)
		scales, codes := b[:16], b[16:80]
		d, m := half(b[80:]), half(b[82:])
		for k, s := range scales {
			scale, least := d*float32(s&15), m*float32(s>>4)
			low, shift := codes2(codes, k)
			y := (*[16]float32)(dst[16*k:])
			for i, q := range low {
				y[i] = scale*float32(q>>shift&3) - least
			}
		}
	}
}

// codes2 returns the 16 bytes and the shift of block k of 16 codes of two bits.
func codes2(codes []byte, k int) (low *[16]byte, shift int) {
	return (*[16]byte)(codes[k/8*32+k%2*16:]), k / 2 % 4 * 2
}

// decodeQ3_K decodes 32 bytes of high bits, 64 bytes of low codes as in Q2_K, 12 bytes of
// scales, d: value d*(s-32)*(q-4). Bit j of byte i of the high bits is bit 2 of the code of
// value 32*j+i.
func decodeQ3_K(dst []float32, src []byte) {
	const size = 110
	for ; len(dst) >= superValues; dst, src = dst[superValues:], src[size:] {
		b := (*[size]byte)(src)
		high, codes, scales := b[:32], b[32:96], (*[12]byte)(b[96:])
		d := half(b[108:])
		for k := range 16 {
			scale := d * float32(scaleQ3_K(scales, k))
			low, shift := codes2(codes, k)
			top, bit := (*[16]byte)(high[k%2*16:]), k/2
			y := (*[16]float32)(dst[16*k:])
			for i, q := range low {
				y[i] = scale * float32(int(q>>shift&3|top[i]>>bit&1<<2)-4)
			}
		}
	}
}

// scaleQ3_K returns s-32 for block k: four low bits of s are in bytes 0 to 7, two high
// bits in bytes 8 to 11.
func scaleQ3_K(scales *[12]byte, k int) int {
	low := scales[k%8] >> (k / 8 * 4) & 15
	high := scales[8+k%4] >> (k / 4 * 2) & 3
	return int(low|high<<4) - 32
}

// decodeQ4_K decodes d, m, 12 bytes of scales, 128 bytes of codes: value d*s*q - m*t.
// Each 32 bytes of codes hold two blocks of 32 values, in their low and high halves.
func decodeQ4_K(dst []float32, src []byte) {
	const size = 144
	for ; len(dst) >= superValues; dst, src = dst[superValues:], src[size:] {
		b := (*[size]byte)(src)
		d, m := half(b[:]), half(b[2:])
		scales, codes := (*[12]byte)(b[4:]), b[16:]
		for k := range 8 {
			s, t := scaleQ4_K(scales, k)
			scale, least := d*s, m*t
			low, shift := (*[32]byte)(codes[k/2*32:]), k%2*4
			y := (*[32]float32)(dst[32*k:])
			for i, q := range low {
				y[i] = scale*float32(q>>shift&15) - least
			}
		}
	}
}

// scaleQ4_K returns the six-bit scale s and minimum t of block k of Q4_K and Q5_K. Those
// of the first four blocks are the low bits of bytes 0 to 3 and 4 to 7; those of the last
// four have their low bits in the halves of bytes 8 to 11 and their two high bits where
// the first left room.
func scaleQ4_K(scales *[12]byte, k int) (s, t float32) {
	if k < 4 {
		return float32(scales[k] & 63), float32(scales[k+4] & 63)
	}
	low := scales[k+4]
	return float32(low&15 | scales[k-4]>>6<<4), float32(low>>4 | scales[k]>>6<<4)
}

// decodeQ5_K decodes d, m, 12 bytes of scales, 32 bytes of high bits, 128 bytes of low
// codes as in Q4_K: value d*s*q - m*t. Bit j of byte i of the high bits is bit 4 of the
// code of value 32*j+i.
func decodeQ5_K(dst []float32, src []byte) {
	const size = 176
	for ; len(dst) >= superValues; dst, src = dst[superValues:], src[size:] {
		b := (*[size]byte)(src)
		d, m := half(b[:]), half(b[2:])
		scales, high, codes := (*[12]byte)(b[4:]), (*[32]byte)(b[16:]), b[48:]
		for k := range 8 {
			s, t := scaleQ4_K(scales, k)
			scale, least := d*s, m*t
			low, shift := (*[32]byte)(codes[k/2*32:]), k%2*4
			y := (*[32]float32)(dst[32*k:])
			for i, q := range low {
				y[i] = scale*float32(q>>shift&15|high[i]>>k&1<<4) - least
			}
		}
	}
}

// decodeQ6_K decodes 128 bytes of low codes, 64 bytes of high bits, 16 int8 scales, d:
// value d*s*(q-32). Each 64 bytes of low codes and 32 of high bits hold 128 values: the
// codes of the first 64 in the low halves, the two high bits of the first 32 in bits 0
// and 1.
func decodeQ6_K(dst []float32, src []byte) {
	const size = 210
	for ; len(dst) >= superValues; dst, src = dst[superValues:], src[size:] {
		b := (*[size]byte)(src)
		codes, high, scales := b[:128], b[128:192], b[192:208]
		d := half(b[208:])
		for k, s := range scales {
			scale := d * float32(int8(s))
			low, shift := (*[16]byte)(codes[k/8*64+k%4*16:]), k/4%2*4
			top, bits := codes2(high, k)
			y := (*[16]float32)(dst[16*k:])
			for i, q := range low {
				y[i] = scale * float32(int(q>>shift&15|top[i]>>bits&3<<4)-32)
			}
		}
	}
}

// decodeIQ4_XS decodes d, 16 bits and 4 bytes of scales, 128 bytes of codes: blocks of 32
// values, each with 16 bytes of codes as in IQ4_NL and value d*(s-32)*iq4Values[q].
func decodeIQ4_XS(dst []float32, src []byte) {
	const size = 136
	for ; len(dst) >= superValues; dst, src = dst[superValues:], src[size:] {
		b := (*[size]byte)(src)
		d, high := half(b[:]), binary.LittleEndian.Uint16(b[2:])
		scales, codes := b[4:8], b[8:]
		for k := range 8 {
			s := scales[k/2]>>(k%2*4)&15 | byte(high>>(2*k))&3<<4
			scale := d * float32(int(s)-32)
			y := (*[32]float32)(dst[32*k:])
			for j, q := range (*[16]byte)(codes[16*k:]) {
				y[j] = scale * iq4Values[q&15]
				y[j+16] = scale * iq4Values[q>>4]
			}
		}
	}
}
