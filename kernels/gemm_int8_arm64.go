//go:build !noasm

package kernels

var (
	w8a8Asm  table[w8a8Funcs]
	w8a16Asm table[w8a16Funcs]
)
