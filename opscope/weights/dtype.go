package weights

import "math/bits"

// DType is the type of a tensor's values: the name that safetensors gives it, ggml's
// for the block formats of GGUF, and NumPy's for what only an NPY file holds.
type DType string

// The types of one value each that are decoded to float32, every one exactly but F64,
// which is rounded to nearest.
const (
	F64  DType = "F64"  // IEEE 754 binary64
	F32  DType = "F32"  // IEEE 754 binary32
	F16  DType = "F16"  // IEEE 754 binary16
	BF16 DType = "BF16" // the upper half of a binary32

	// The 8-bit types name their bits of exponent and mantissa. FNUZ ones have one zero
	// and one NaN; E8M0 is a power of two, as scales have it.
	F8E5M2     DType = "F8_E5M2"
	F8E4M3     DType = "F8_E4M3"
	F8E8M0     DType = "F8_E8M0"
	F8E5M2FNUZ DType = "F8_E5M2FNUZ"
	F8E4M3FNUZ DType = "F8_E4M3FNUZ"

	// F4 is E2M1, two values a byte with the first in the low half, as PyTorch packs them.
	F4 DType = "F4"
)

// dtypeInfo describes one dtype. Values come in blocks that can be decoded only whole;
// a plain type has blocks of one value.
type dtypeInfo struct {
	bits       int // of one value, without the scales of its block
	block      int // values
	blockBytes int
	// decode sets dst, whole blocks, from the bytes of src, which it may change. It is nil
	// if there is no decoder, for the reason skip.
	decode func(dst []float32, src []byte)
	skip   string
	// overflow, called after decode, returns the place of the first finite value of src
	// that dst has as an infinity, -1 if there is none. It is nil where that cannot be.
	overflow func(dst []float32, src []byte) int
}

// bytes returns the size of whole blocks of so many values, and false if it overflows.
func (i dtypeInfo) bytes(values int) (uint64, bool) {
	high, low := bits.Mul64(uint64(values/i.block), uint64(i.blockBytes))
	return low, high == 0
}

// info returns the description of a dtype, and whether it is known.
func (d DType) info() (dtypeInfo, bool) {
	if i, known := dtypes[d]; known {
		return i, true
	}
	i, known := ggufDTypes[d]
	return i, known
}

// Bits returns the bits of one value in the file, those of its block's scales not
// counted, or 0 if the type is not known.
func (d DType) Bits() int {
	i, _ := d.info()
	return i.bits
}

const (
	integers  = "integers: codes without their scales"
	booleans  = "booleans"
	complexes = "complex numbers"
	packing6  = "the packing of 6-bit values is not specified"
)

// dtypes holds every type of the safetensors specification,
// https://github.com/huggingface/safetensors, and what NPY has besides.
var dtypes = map[DType]dtypeInfo{
	F64:        {bits: 64, block: 1, blockBytes: 8, decode: decodeF64, overflow: overflowF64},
	F32:        {bits: 32, block: 1, blockBytes: 4, decode: decodeF32},
	F16:        {bits: 16, block: 1, blockBytes: 2, decode: decodeF16},
	BF16:       {bits: 16, block: 1, blockBytes: 2, decode: decodeBF16},
	F8E5M2:     {bits: 8, block: 1, blockBytes: 1, decode: decode8(ieeeE5M2)},
	F8E4M3:     {bits: 8, block: 1, blockBytes: 1, decode: decode8(fnE4M3)},
	F8E8M0:     {bits: 8, block: 1, blockBytes: 1, decode: decode8(powerE8M0)},
	F8E5M2FNUZ: {bits: 8, block: 1, blockBytes: 1, decode: decode8(fnuzE5M2)},
	F8E4M3FNUZ: {bits: 8, block: 1, blockBytes: 1, decode: decode8(fnuzE4M3)},
	F4:         {bits: 4, block: 2, blockBytes: 1, decode: decodeF4},
	"F6_E2M3":  {bits: 6, block: 4, blockBytes: 3, skip: packing6},
	"F6_E3M2":  {bits: 6, block: 4, blockBytes: 3, skip: packing6},
	"BOOL":     {bits: 8, block: 1, blockBytes: 1, skip: booleans},
	"U8":       {bits: 8, block: 1, blockBytes: 1, skip: integers},
	"I8":       {bits: 8, block: 1, blockBytes: 1, skip: integers},
	"U16":      {bits: 16, block: 1, blockBytes: 2, skip: integers},
	"I16":      {bits: 16, block: 1, blockBytes: 2, skip: integers},
	"U32":      {bits: 32, block: 1, blockBytes: 4, skip: integers},
	"I32":      {bits: 32, block: 1, blockBytes: 4, skip: integers},
	"U64":      {bits: 64, block: 1, blockBytes: 8, skip: integers},
	"I64":      {bits: 64, block: 1, blockBytes: 8, skip: integers},
	"C64":      {bits: 64, block: 1, blockBytes: 8, skip: complexes},

	// Big-endian, by the names of NPY.
	">f8": {bits: 64, block: 1, blockBytes: 8, decode: swapped(8, decodeF64), overflow: overflowF64},
	">f4": {bits: 32, block: 1, blockBytes: 4, decode: swapped(4, decodeF32)},
	">f2": {bits: 16, block: 1, blockBytes: 2, decode: swapped(2, decodeF16)},
}
