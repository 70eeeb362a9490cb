package weights

// ggufTypes holds the dtypes of a GGUF file by their number in it, as enum ggml_type of
// https://github.com/ggml-org/ggml, include/ggml.h, has them. "" stands for a number
// whose type was removed; see ggufRemoved.
var ggufTypes = [...]DType{
	0: F32, 1: F16, 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1",
	10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K",
	16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
	22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: F64,
	29: "IQ1_M", 30: BF16, 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4", 40: "NVFP4",
	41: "Q1_0", 42: "Q2_0",
}

// ggufRemoved names the types that ggml no longer reads. Their sizes are not kept here,
// so that a file with one is refused.
var ggufRemoved = map[uint32]string{
	4: "Q4_2", 5: "Q4_3", 31: "Q4_0_4_4", 32: "Q4_0_4_8", 33: "Q4_0_8_8",
	36: "IQ4_NL_4_4", 37: "IQ4_NL_4_8", 38: "IQ4_NL_8_8",
}

const (
	tableBlock = "its codes point into ggml's tables of vectors, which are not kept here"
	otherBlock = "a block type of ggml that has no decoder here"
)

// ggufDTypes describes the block types of ggml.
var ggufDTypes = map[DType]dtypeInfo{
	"Q4_0":   {bits: 4, block: 32, blockBytes: 18, decode: decodeQ4_0},
	"Q4_1":   {bits: 4, block: 32, blockBytes: 20, decode: decodeQ4_1},
	"Q5_0":   {bits: 5, block: 32, blockBytes: 22, decode: decodeQ5_0},
	"Q5_1":   {bits: 5, block: 32, blockBytes: 24, decode: decodeQ5_1},
	"Q8_0":   {bits: 8, block: 32, blockBytes: 34, decode: decodeQ8_0},
	"Q2_K":   {bits: 2, block: 256, blockBytes: 84, decode: decodeQ2_K},
	"Q3_K":   {bits: 3, block: 256, blockBytes: 110, decode: decodeQ3_K},
	"Q4_K":   {bits: 4, block: 256, blockBytes: 144, decode: decodeQ4_K},
	"Q5_K":   {bits: 5, block: 256, blockBytes: 176, decode: decodeQ5_K},
	"Q6_K":   {bits: 6, block: 256, blockBytes: 210, decode: decodeQ6_K},
	"IQ4_NL": {bits: 4, block: 32, blockBytes: 18, decode: decodeIQ4_NL},
	"IQ4_XS": {bits: 4, block: 256, blockBytes: 136, decode: decodeIQ4_XS},
	"MXFP4":  {bits: 4, block: 32, blockBytes: 17, decode: decodeMXFP4},

	"Q8_1":    {bits: 8, block: 32, blockBytes: 36, skip: otherBlock},
	"Q8_K":    {bits: 8, block: 256, blockBytes: 292, skip: otherBlock},
	"IQ2_XXS": {bits: 2, block: 256, blockBytes: 66, skip: tableBlock},
	"IQ2_XS":  {bits: 2, block: 256, blockBytes: 74, skip: tableBlock},
	"IQ2_S":   {bits: 2, block: 256, blockBytes: 82, skip: tableBlock},
	"IQ3_XXS": {bits: 3, block: 256, blockBytes: 98, skip: tableBlock},
	"IQ3_S":   {bits: 3, block: 256, blockBytes: 110, skip: tableBlock},
	"IQ1_S":   {bits: 1, block: 256, blockBytes: 50, skip: tableBlock},
	"IQ1_M":   {bits: 1, block: 256, blockBytes: 56, skip: tableBlock},
	"TQ1_0":   {bits: 2, block: 256, blockBytes: 54, skip: otherBlock},
	"TQ2_0":   {bits: 2, block: 256, blockBytes: 66, skip: otherBlock},
	"NVFP4":   {bits: 4, block: 64, blockBytes: 36, skip: otherBlock},
	"Q1_0":    {bits: 1, block: 128, blockBytes: 18, skip: otherBlock},
	"Q2_0":    {bits: 2, block: 64, blockBytes: 18, skip: otherBlock},
}
