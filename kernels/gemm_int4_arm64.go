//go:build !noasm

package kernels

var int4Asm table[int4Funcs]
