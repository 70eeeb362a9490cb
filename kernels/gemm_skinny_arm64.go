//go:build !noasm

package kernels

var lowRankAsm table[lowRankFuncs]
