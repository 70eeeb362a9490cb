//go:build !noasm

package kernels

var f32Asm table[f32Funcs]
