//go:build !noasm

#include "textflag.h"

// The nonzeros of a row of x as a list of pairs, 16 inputs at a time; docs/kernels.md
// has the contract. SI points to x and CX counts the inputs left. DI points to the
// list and DX is its length. R9 points to the next end and R10 is the distance between
// ends in bytes. Z31 holds the numbers of the 16 inputs, Z28 and Z29 the order of a
// pair of vectors as pairs, K3 has the places of values that are not finite.

#define SIXTEEN \
	VCMPPS $4, Z30, Z0, K1 \
	VFPCLASSPSZ $0x99, Z0, K2 \
	KORW K2, K3, K3 \
	VPCOMPRESSD.Z Z31, K1, Z2 \
	VPERMPS Z0, Z2, Z1 \
	VPADDD Z26, Z2, Z2 \
	KMOVW K1, AX \
	POPCNTL AX, AX \
	VMOVAPS Z1, Z3 \
	VPERMT2PS Z2, Z28, Z1 \
	VPERMT2PS Z2, Z29, Z3 \
	VMOVUPS Z1, (DI)(DX*8) \
	VMOVUPS Z3, 64(DI)(DX*8) \
	ADDQ AX, DX \
	MOVL DX, (R9) \
	ADDQ R10, R9

// func compressF32_AVX512(list *nonzero, ends *int32, ldEnds int, x *float32, k int) bool
TEXT ·compressF32_AVX512(SB), NOSPLIT, $0-41
	MOVQ list+0(FP), DI
	MOVQ ends+8(FP), R9
	MOVQ ldEnds+16(FP), R10
	MOVQ x+24(FP), SI
	MOVQ k+32(FP), CX
	SHLQ $2, R10
	XORL DX, DX
	VPXORD Z26, Z26, Z26
	VPXORD Z30, Z30, Z30
	KXORW K3, K3, K3
	VMOVDQU32 numbers<>+0(SB), Z31
	VMOVDQU32 pairs<>+0(SB), Z28
	VMOVDQU32 pairs<>+64(SB), Z29
	MOVL $16, AX
	VPBROADCASTD AX, Z27
	SUBQ $16, CX
	JLT rest
sixteen:
	VMOVUPS (SI), Z0
	SIXTEEN
	VPADDD Z27, Z26, Z26
	ADDQ $64, SI
	SUBQ $16, CX
	JGE sixteen
rest:
	ADDQ $16, CX
	JEQ done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1
	VMOVUPS.Z (SI), K1, Z0
	SIXTEEN
done:
	KORTESTW K3, K3
	SETEQ ret+40(FP)
	VZEROUPPER
	RET

DATA numbers<>+0(SB)/8, $0x0000000100000000
DATA numbers<>+8(SB)/8, $0x0000000300000002
DATA numbers<>+16(SB)/8, $0x0000000500000004
DATA numbers<>+24(SB)/8, $0x0000000700000006
DATA numbers<>+32(SB)/8, $0x0000000900000008
DATA numbers<>+40(SB)/8, $0x0000000B0000000A
DATA numbers<>+48(SB)/8, $0x0000000D0000000C
DATA numbers<>+56(SB)/8, $0x0000000F0000000E
GLOBL numbers<>(SB), RODATA|NOPTR, $64

// Place c of the first vector, then of the second.
DATA pairs<>+0(SB)/8, $0x0000001000000000
DATA pairs<>+8(SB)/8, $0x0000001100000001
DATA pairs<>+16(SB)/8, $0x0000001200000002
DATA pairs<>+24(SB)/8, $0x0000001300000003
DATA pairs<>+32(SB)/8, $0x0000001400000004
DATA pairs<>+40(SB)/8, $0x0000001500000005
DATA pairs<>+48(SB)/8, $0x0000001600000006
DATA pairs<>+56(SB)/8, $0x0000001700000007
DATA pairs<>+64(SB)/8, $0x0000001800000008
DATA pairs<>+72(SB)/8, $0x0000001900000009
DATA pairs<>+80(SB)/8, $0x0000001A0000000A
DATA pairs<>+88(SB)/8, $0x0000001B0000000B
DATA pairs<>+96(SB)/8, $0x0000001C0000000C
DATA pairs<>+104(SB)/8, $0x0000001D0000000D
DATA pairs<>+112(SB)/8, $0x0000001E0000000E
DATA pairs<>+120(SB)/8, $0x0000001F0000000F
GLOBL pairs<>(SB), RODATA|NOPTR, $128
