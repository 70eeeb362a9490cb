//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// One row by several panels of 16 columns in turn, block by block; docs/kernels.md has
// the contract. A product of a code, 0 to 15, and a byte of an activation is added in 16
// bits, which hold the 16 of a column and a block, 16 * 15 * 128 < 2^15. The sums for
// the first byte of the activations are in V0 to V7, two columns in each with a lane for
// each of four inputs, those for the second in V8 to V15; those of y are in V24 to V27.
// V16 and V17 hold the first and the second bytes of four inputs, V18 and V19 of the next
// four, V21 and V20 the codes of both and 4 columns. V31 is the mask of the low halves of
// bytes. In the end of a block V16 to V19 are the scales of the group.
//
// R2 points to the records of x. R8 walks over the panels, R12 over their scales and R0
// over y; the first of them are at R6, R5 and R4. R7 is the distance between panels, R10
// counts them. R11 is the number of blocks of a group, R9 of those after this group, R13
// of those left in it.

// PRODUCTS adds the products of eight inputs and 4 columns.
#define PRODUCTS(o, a0, a1, b0, b1) \
	FMOVQ o(R8), F20 \
	VAND V31.B16, V20.B16, V21.B16 \
	VUSHR $4, V20.B16, V20.B16 \
	SMLAL(16, 21, a0) \
	SMLAL2(16, 21, a1) \
	SMLAL(17, 21, b0) \
	SMLAL2(17, 21, b1) \
	SMLAL(18, 20, a0) \
	SMLAL2(18, 20, a1) \
	SMLAL(19, 20, b0) \
	SMLAL2(19, 20, b1)

#define EIGHT(c) \
	FMOVQ (16*c+8)(R2), F28 \
	VDUP V28.S[0], V16.S4 \
	VDUP V28.S[1], V17.S4 \
	VDUP V28.S[2], V18.S4 \
	VDUP V28.S[3], V19.S4 \
	PRODUCTS(64*c, 0, 1, 8, 9) \
	PRODUCTS(64*c+16, 2, 3, 10, 11) \
	PRODUCTS(64*c+32, 4, 5, 12, 13) \
	PRODUCTS(64*c+48, 6, 7, 14, 15)

// SUM adds the lanes of 4 columns and adds the total, times the scales of x, in V20, and
// of the group, to y.
#define SUM(i, a0, a1, j, b0, b1, a, b, g, y) \
	VADDP a1, a0, a0 \
	VADDP b1, b0, b0 \
	SADDLP(i, i) \
	SADDLP(j, j) \
	VSHL $8, a, a \
	VADD b, a, a \
	VADD V21.S4, a, a \
	SCVTF(i, i) \
	FMUL_LANE(20, 0, i, i) \
	VFMLA g, a, y

// func gemvInt4_1x16_NEON(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)
TEXT ·gemvInt4_1x16_NEON(SB), NOSPLIT, $0-56
	MOVD  y+0(FP), R4
	MOVD  x+8(FP), R2
	MOVD  w+16(FP), R6
	MOVD  blocks+24(FP), R9
	MOVD  perGroup+32(FP), R11
	MOVD  apart+48(FP), R7
	VMOVI $15, V31.B16

group:
	MOVD R6, R5
	ADD  $32, R6
	CMP  R11, R9
	CSEL LT, R9, R11, R13
	SUB  R13, R9

block:
	MOVD R6, R8
	MOVD R5, R12
	MOVD R4, R0
	MOVD panels+40(FP), R10

panel:
	ZEROS4
	EIGHT(0)
	EIGHT(1)
	EIGHT(2)
	EIGHT(3)
	FLDPQ (R12), (F17, F19)
	FCVTL(17, 16)
	FCVTL2(17, 17)
	FCVTL(19, 18)
	FCVTL2(19, 19)
	FMOVS 4(R2), F20
	VLD1R (R2), [V21.S4]
	FLDPQ (R0), (F24, F25)
	FLDPQ 32(R0), (F26, F27)
	SUM(0, V0.H8, V1.H8, 8, V8.H8, V9.H8, V0.S4, V8.S4, V16.S4, V24.S4)
	SUM(2, V2.H8, V3.H8, 10, V10.H8, V11.H8, V2.S4, V10.S4, V17.S4, V25.S4)
	SUM(4, V4.H8, V5.H8, 12, V12.H8, V13.H8, V4.S4, V12.S4, V18.S4, V26.S4)
	SUM(6, V6.H8, V7.H8, 14, V14.H8, V15.H8, V6.S4, V14.S4, V19.S4, V27.S4)
	FSTPQ.P (F24, F25), 32(R0)
	FSTPQ.P (F26, F27), 32(R0)
	ADD   R7, R8
	ADD   R7, R12
	SUBS  $1, R10
	BNE   panel
	ADD   $256, R6
	ADD   $72, R2
	SUBS  $1, R13
	BNE   block
	CBNZ  R9, group
	RET

// LARGEST combines the bits of two vectors, doubled to have no sign.
#define LARGEST(v) VSHL $1, v, V16.S4; VUMAX V16.S4, V17.S4, V17.S4

#define INTEGER(i) FMUL_LANE(19, 0, i, i); FCVTNS(i, i)

// BYTES narrows V0 to V7 to the last bytes of their values.
#define BYTES(a, b) \
	VUZP1 V1.H8, V0.H8, V20.H8 \
	VUZP1 V3.H8, V2.H8, V21.H8 \
	VUZP1 V5.H8, V4.H8, V22.H8 \
	VUZP1 V7.H8, V6.H8, V23.H8 \
	VUZP1 V21.B16, V20.B16, a \
	VUZP1 V23.B16, V22.B16, b

// func quantizeInt4_NEON(dst *uint8, src *float32, blocks int)
TEXT ·quantizeInt4_NEON(SB), NOSPLIT, $0-24
	MOVD  dst+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  blocks+16(FP), R2
	MOVW  $0x3F810204, R3            // 32768/32512
	FMOVS R3, F31
	FMOVS ZR, F30
	MOVD  $15, R3
	MOVD  $254, R4

block:
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R1), (F2, F3)
	FLDPQ.P 32(R1), (F4, F5)
	FLDPQ.P 32(R1), (F6, F7)
	VEOR    V17.B16, V17.B16, V17.B16
	LARGEST(V0.S4)
	LARGEST(V1.S4)
	LARGEST(V2.S4)
	LARGEST(V3.S4)
	LARGEST(V4.S4)
	LARGEST(V5.S4)
	LARGEST(V6.S4)
	LARGEST(V7.S4)
	UMAXV(17, 17)
	FMOVS   F17, R5
	LSRW    $1, R5
	FMOVS   R5, F17

	// The scale in F18, 2^14 below the power of two of the largest value, 2^-126 at
	// least, and its inverse in F19.
	FMULS F31, F17, F18
	FMOVS F18, R5
	LSRW  $23, R5
	CMP   R3, R5
	CSEL  LO, R3, R5, R5
	SUB   $14, R5
	SUB   R5, R4, R6
	LSL   $23, R5
	LSL   $23, R6
	FMOVS R5, F18
	FMOVS R6, F19

	// 0 times the largest value makes the scale a NaN where that is not finite.
	FMULS F30, F17, F17
	FADDS F17, F18, F18
	FMOVS F18, 4(R0)
	INTEGER(0)
	INTEGER(1)
	INTEGER(2)
	INTEGER(3)
	INTEGER(4)
	INTEGER(5)
	INTEGER(6)
	INTEGER(7)
	VADD  V1.S4, V0.S4, V20.S4
	VADD  V3.S4, V2.S4, V21.S4
	VADD  V5.S4, V4.S4, V22.S4
	VADD  V7.S4, V6.S4, V23.S4
	VADD  V21.S4, V20.S4, V20.S4
	VADD  V23.S4, V22.S4, V22.S4
	VADD  V22.S4, V20.S4, V20.S4
	VADDV V20.S4, V20
	FMOVS F20, R5
	LSLW  $3, R5
	NEGW  R5, R5
	MOVW  R5, (R0)

	// The second bytes have signs; the first are what is left, divided by 256.
	BYTES(V24.B16, V25.B16)
	SRSHR8(0, 0)
	SRSHR8(1, 1)
	SRSHR8(2, 2)
	SRSHR8(3, 3)
	SRSHR8(4, 4)
	SRSHR8(5, 5)
	SRSHR8(6, 6)
	SRSHR8(7, 7)
	BYTES(V26.B16, V27.B16)
	VZIP1 V24.S4, V26.S4, V0.S4
	VZIP2 V24.S4, V26.S4, V1.S4
	VZIP1 V25.S4, V27.S4, V2.S4
	VZIP2 V25.S4, V27.S4, V3.S4
	FSTPQ (F0, F1), 8(R0)
	FSTPQ (F2, F3), 40(R0)
	ADD   $72, R0
	SUBS  $1, R2
	BNE   block
	RET
