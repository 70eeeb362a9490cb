package weights

import (
	"encoding/binary"
	"math"
)

// DType is the type of a tensor's values, by the name it has in the file.
type DType string

// The types that are decoded to float32.
const (
	F32  DType = "F32"  // IEEE 754 binary32
	F16  DType = "F16"  // IEEE 754 binary16
	BF16 DType = "BF16" // the upper half of a binary32
)

type dtypeInfo struct {
	bits int // of one value
	// decode sets dst from len(dst) little-endian values; nil if there is no decoder.
	decode func(dst []float32, src []byte)
}

// dtypes holds every type of the safetensors specification,
// https://github.com/huggingface/safetensors.
var dtypes = map[DType]dtypeInfo{
	F32:           {bits: 32, decode: decodeF32},
	F16:           {bits: 16, decode: decodeF16},
	BF16:          {bits: 16, decode: decodeBF16},
	"BOOL":        {bits: 8},
	"F4":          {bits: 4},
	"F6_E2M3":     {bits: 6},
	"F6_E3M2":     {bits: 6},
	"U8":          {bits: 8},
	"I8":          {bits: 8},
	"F8_E5M2":     {bits: 8},
	"F8_E4M3":     {bits: 8},
	"F8_E8M0":     {bits: 8},
	"F8_E4M3FNUZ": {bits: 8},
	"F8_E5M2FNUZ": {bits: 8},
	"I16":         {bits: 16},
	"U16":         {bits: 16},
	"I32":         {bits: 32},
	"U32":         {bits: 32},
	"F64":         {bits: 64},
	"I64":         {bits: 64},
	"U64":         {bits: 64},
	"C64":         {bits: 64},
}

// Bits returns the bits of one value in the file, or 0 if the type is not known.
func (d DType) Bits() int { return dtypes[d].bits }

func decodeF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func decodeF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float16(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

func decodeBF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
	}
}

// float16 returns the value of an IEEE 754 binary16, exactly. The payload of a NaN is
// kept.
func float16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	rest := uint32(h & 0x7fff)
	if rest >= 0x7c00 { // infinite or NaN
		return math.Float32frombits(sign | 0x7f800000 | (rest&0x3ff)<<13)
	}
	// The fraction moved up by 23-10 bits reads as a float32 whose exponent is too small
	// by the difference of the biases, 127-15. The product is exact, also for the
	// subnormal values.
	v := math.Float32frombits(rest<<13) * 0x1p112
	return math.Float32frombits(sign | math.Float32bits(v))
}
