//go:build !noasm

package kernels

var w8a8Asm table[w8a8Funcs]
