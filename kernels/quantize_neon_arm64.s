//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Rows of activations, 16 values at a time; docs/kernels.md has the contracts. R1
// points to x, R0 to what is written, R2 counts the values left.

#define LOAD FLDPQ.P 32(R1), (F0, F1); FLDPQ.P 32(R1), (F2, F3)

// The bits of a float32 without its sign, doubled, are in the order of its absolute
// value.

// func absmaxF32_NEON(x *float32, n int) uint32
TEXT ·absmaxF32_NEON(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R1
	MOVD n+8(FP), R2
	ZEROS2
	CBZ  R2, done

loop:
	LOAD
	VSHL  $1, V0.S4, V0.S4
	VSHL  $1, V1.S4, V1.S4
	VSHL  $1, V2.S4, V2.S4
	VSHL  $1, V3.S4, V3.S4
	VUMAX V0.S4, V4.S4, V4.S4
	VUMAX V1.S4, V5.S4, V5.S4
	VUMAX V2.S4, V6.S4, V6.S4
	VUMAX V3.S4, V7.S4, V7.S4
	SUBS  $16, R2
	BNE   loop

done:
	VUMAX V5.S4, V4.S4, V4.S4
	VUMAX V7.S4, V6.S4, V6.S4
	VUMAX V6.S4, V4.S4, V4.S4
	UMAXV(4, 4)
	FMOVS F4, R3
	LSRW  $1, R3
	MOVW  R3, ret+16(FP)
	RET

// FCVTAS rounds halves away from zero.

// func quantizeI8_NEON(dst *int8, x *float32, n int, inverse float32)
TEXT ·quantizeI8_NEON(SB), NOSPLIT, $0-28
	MOVD  dst+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  n+16(FP), R2
	FMOVS inverse+24(FP), F31
	CBZ   R2, done

loop:
	LOAD
	FMUL_LANE(31, 0, 0, 0)
	FMUL_LANE(31, 0, 1, 1)
	FMUL_LANE(31, 0, 2, 2)
	FMUL_LANE(31, 0, 3, 3)
	FCVTAS(0, 0)
	FCVTAS(1, 1)
	FCVTAS(2, 2)
	FCVTAS(3, 3)
	VUZP1   V1.H8, V0.H8, V0.H8
	VUZP1   V3.H8, V2.H8, V2.H8
	VUZP1   V2.B16, V0.B16, V0.B16
	FMOVQ.P F0, 16(R0)
	SUBS    $16, R2
	BNE     loop

done:
	RET

// STATS adds the values of v, doubled to have no sign, to the statistics: the largest
// in V4, exponents in V5, and in V6 less the number of those that are not 0.
#define STATS(v) \
	VSHL   $1, v, v        \
	VUMAX  v, V4.S4, V4.S4 \
	VCMTST v, v, V7.S4     \
	VADD   V7.S4, V6.S4, V6.S4 \
	VUSHR  $24, v, v       \
	VADD   v, V5.S4, V5.S4

// func statsF32_NEON(x *float32, n int) (absmax uint32, nonzero, exponents int)
TEXT ·statsF32_NEON(SB), NOSPLIT, $0-40
	MOVD x+0(FP), R1
	MOVD n+8(FP), R2
	ZEROS2
	CBZ  R2, done

loop:
	LOAD
	STATS(V0.S4)
	STATS(V1.S4)
	STATS(V2.S4)
	STATS(V3.S4)
	SUBS $16, R2
	BNE  loop

done:
	UMAXV(4, 4)
	VADDV V5.S4, V5
	VADDV V6.S4, V6
	FMOVS F4, R3
	LSRW  $1, R3
	MOVW  R3, absmax+16(FP)
	FMOVS F6, R3
	NEGW  R3, R3
	MOVD  R3, nonzero+24(FP)
	FMOVS F5, R3
	MOVWU R3, R3
	MOVD  R3, exponents+32(FP)
	RET

// BYTES narrows V0 to V3 to the last bytes of their values, in V4.
#define BYTES VUZP1 V1.H8, V0.H8, V4.H8; VUZP1 V3.H8, V2.H8, V5.H8; VUZP1 V5.B16, V4.B16, V4.B16

// UPPER divides V0 to V3 by 256, so that the last bytes, which have signs, are what
// is left.
#define UPPER SRSHR8(0, 0); SRSHR8(1, 1); SRSHR8(2, 2); SRSHR8(3, 3)

#define INTEGERS \
	LOAD \
	FMUL_LANE(31, 0, 0, 0) \
	FMUL_LANE(31, 0, 1, 1) \
	FMUL_LANE(31, 0, 2, 2) \
	FMUL_LANE(31, 0, 3, 3) \
	FCVTNS(0, 0) \
	FCVTNS(1, 1) \
	FCVTNS(2, 2) \
	FCVTNS(3, 3)

// func splitI24_NEON(dst *int8, apart int, x *float32, n int, inverse float32)
TEXT ·splitI24_NEON(SB), NOSPLIT, $0-36
	MOVD  dst+0(FP), R0
	MOVD  apart+8(FP), R3
	MOVD  x+16(FP), R1
	MOVD  n+24(FP), R2
	FMOVS inverse+32(FP), F31
	ADD   R3, R0, R4
	ADD   R3, R4, R5
	CBZ   R2, done

loop:
	INTEGERS
	BYTES
	FMOVQ.P F4, 16(R5)
	UPPER
	BYTES
	FMOVQ.P F4, 16(R4)
	UPPER
	BYTES
	FMOVQ.P F4, 16(R0)
	SUBS    $16, R2
	BNE     loop

done:
	RET

// func splitI32_NEON(dst *int8, apart int, x *float32, n int, inverse float32)
TEXT ·splitI32_NEON(SB), NOSPLIT, $0-36
	MOVD  dst+0(FP), R0
	MOVD  apart+8(FP), R3
	MOVD  x+16(FP), R1
	MOVD  n+24(FP), R2
	FMOVS inverse+32(FP), F31
	ADD   R3, R0, R4
	ADD   R3, R4, R5
	ADD   R3, R5, R6
	CBZ   R2, done

loop:
	INTEGERS
	BYTES
	FMOVQ.P F4, 16(R6)
	UPPER
	BYTES
	FMOVQ.P F4, 16(R5)
	UPPER
	BYTES
	FMOVQ.P F4, 16(R4)
	UPPER
	BYTES
	FMOVQ.P F4, 16(R0)
	SUBS    $16, R2
	BNE     loop

done:
	RET
