//go:build !noasm

package kernels

var bf16Asm table[bf16Funcs]
