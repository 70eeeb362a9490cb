//go:build !noasm

package kernels

var skipZerosAsm table[skipZerosFuncs]
