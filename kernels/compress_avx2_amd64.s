//go:build !noasm

#include "textflag.h"

// The nonzeros of a row of x as a list of pairs, 16 inputs at a time; docs/kernels.md
// has the contract. SI points to x and CX counts the inputs left. DI points to the
// list and DX is its length. R9 points to the next end and R11 is the distance between
// ends in bytes, R10 points to the table of the places of the set bits of each byte.
// Y15 holds the number of the first of 8 inputs, Y14 is NaN in places where a value
// was not finite.

// The 16 values that start 4*c bytes before the middle have the first c set.
DATA tail<>+0(SB)/8, $-1
DATA tail<>+8(SB)/8, $-1
DATA tail<>+16(SB)/8, $-1
DATA tail<>+24(SB)/8, $-1
DATA tail<>+32(SB)/8, $-1
DATA tail<>+40(SB)/8, $-1
DATA tail<>+48(SB)/8, $-1
DATA tail<>+56(SB)/8, $-1
GLOBL tail<>(SB), RODATA|NOPTR, $128

// v-v is NaN unless v is finite, and 0 otherwise.
#define EIGHT(v) \
	VCMPPS $4, Y13, v, Y2 \
	VMOVMSKPS Y2, AX \
	VSUBPS v, v, Y3 \
	VADDPS Y3, Y14, Y14 \
	VPMOVZXBD (R10)(AX*8), Y4 \
	VPERMPS v, Y4, Y5 \
	VPADDD Y15, Y4, Y4 \
	POPCNTL AX, AX \
	VUNPCKLPS Y4, Y5, Y6 \
	VUNPCKHPS Y4, Y5, Y7 \
	VMOVUPS X6, (DI)(DX*8) \
	VMOVUPS X7, 16(DI)(DX*8) \
	VEXTRACTF128 $1, Y6, 32(DI)(DX*8) \
	VEXTRACTF128 $1, Y7, 48(DI)(DX*8) \
	ADDQ AX, DX \
	VPADDD Y12, Y15, Y15

#define SIXTEEN EIGHT(Y0); EIGHT(Y1); MOVL DX, (R9); ADDQ R11, R9

// func compressF32_AVX2(list *nonzero, ends *int32, ldEnds int, x *float32, k int, places *[256][8]uint8) bool
TEXT ·compressF32_AVX2(SB), NOSPLIT, $0-49
	MOVQ list+0(FP), DI
	MOVQ ends+8(FP), R9
	MOVQ ldEnds+16(FP), R11
	MOVQ x+24(FP), SI
	MOVQ k+32(FP), CX
	MOVQ places+40(FP), R10
	SHLQ $2, R11
	XORL DX, DX
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15
	MOVL $8, AX
	VMOVD AX, X12
	VPBROADCASTD X12, Y12
	SUBQ $16, CX
	JLT rest
sixteen:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	SIXTEEN
	ADDQ $64, SI
	SUBQ $16, CX
	JGE sixteen
rest:
	ADDQ $16, CX
	JEQ done
	LEAQ tail<>+64(SB), AX
	SHLQ $2, CX
	SUBQ CX, AX
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1
	VMASKMOVPS (SI), Y0, Y0
	VMASKMOVPS 32(SI), Y1, Y1
	SIXTEEN
done:
	VCMPPS $3, Y14, Y14, Y14
	VMOVMSKPS Y14, AX
	TESTL AX, AX
	SETEQ ret+48(FP)
	VZEROUPPER
	RET
