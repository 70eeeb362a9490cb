//go:build noasm || !(amd64 || arm64)

package kernels

// Without assembly the reference is the only implementation of each scheme.
var (
	f32Asm       table[f32Funcs]
	bf16Asm      table[bf16Funcs]
	int4Asm      table[int4Funcs]
	w8a8Asm      table[w8a8Funcs]
	w8a16Asm     table[w8a16Funcs]
	lowRankAsm   table[lowRankFuncs]
	skipZerosAsm table[skipZerosFuncs]
)
