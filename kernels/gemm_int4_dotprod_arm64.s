//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// One or two rows by a panel of 16 columns; docs/kernels.md has the contracts. The
// sums of the block of row i, for the first and the second byte of the activations, are
// in V(8i) to V(8i+3) and V(8i+4) to V(8i+7), those of y in V(16+4i) to V(19+4i). V24
// and V25 hold eight inputs of the rows, V27 and V29 the codes of four inputs and 4
// columns, V26 and V28 those of the next four inputs. V31 is the mask of the low halves
// of bytes. In the end of a block V24 to V27 are the scales of the group, V28 that of x.
//
// The records of x are at R2 and R3; R8 points into the panel, R12 to the scales of the
// group. R11 is the number of blocks of a group, R9 of those after this group, R13 of
// those left in it. R0 points to y, R1 is the distance between its rows in bytes.

// CODES unpacks eight inputs of 8 columns.
#define CODES(o) \
	FLDPQ o(R8), (F26, F28) \
	VAND V31.B16, V26.B16, V27.B16 \
	VAND V31.B16, V28.B16, V29.B16 \
	VUSHR $4, V26.B16, V26.B16 \
	VUSHR $4, V28.B16, V28.B16

// DOTS adds the products of eight inputs of x and 8 columns, LEFT and RIGHT for half
// the columns of each row.
#define DOTS(x, a0, a1, b0, b1) \
	SDOT_LANE(x, 0, 27, a0) \
	SDOT_LANE(x, 0, 29, a1) \
	SDOT_LANE(x, 1, 27, b0) \
	SDOT_LANE(x, 1, 29, b1) \
	SDOT_LANE(x, 2, 26, a0) \
	SDOT_LANE(x, 2, 28, a1) \
	SDOT_LANE(x, 3, 26, b0) \
	SDOT_LANE(x, 3, 28, b1)

#define LEFT1 DOTS(24, 0, 1, 4, 5)
#define RIGHT1 DOTS(24, 2, 3, 6, 7)
#define LEFT2 LEFT1; DOTS(25, 8, 9, 12, 13)
#define RIGHT2 RIGHT1; DOTS(25, 10, 11, 14, 15)

#define INPUTS1(o) FMOVQ o(R2), F24
#define INPUTS2(o) INPUTS1(o); FMOVQ o(R3), F25

#define EIGHT(c, INPUTS, LEFT, RIGHT) \
	INPUTS(16*c+8) \
	CODES(64*c) \
	LEFT \
	CODES(64*c+32) \
	RIGHT

// CLEAR starts the sums of a block.
#define CLEAR1 \
	VLD1R (R2), [V4.S4] \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16 \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16 \
	VMOV V4.B16, V5.B16 \
	VMOV V4.B16, V6.B16 \
	VMOV V4.B16, V7.B16
#define CLEAR2 CLEAR1 \
	VLD1R (R3), [V12.S4] \
	VEOR V8.B16, V8.B16, V8.B16 \
	VEOR V9.B16, V9.B16, V9.B16 \
	VEOR V10.B16, V10.B16, V10.B16 \
	VEOR V11.B16, V11.B16, V11.B16 \
	VMOV V12.B16, V13.B16 \
	VMOV V12.B16, V14.B16 \
	VMOV V12.B16, V15.B16

// SCALE adds the sums of a block, times the scales of x and of the group, to y.
#define SUM(i, f, s, g, y) \
	VSHL $8, f, f \
	VADD s, f, f \
	SCVTF(i, i) \
	FMUL_LANE(28, 0, i, i) \
	VFMLA g, f, y
#define SCALE1 \
	FLDPQ (R12), (F25, F27) \
	FCVTL(25, 24) \
	FCVTL2(25, 25) \
	FCVTL(27, 26) \
	FCVTL2(27, 27) \
	FMOVS 4(R2), F28 \
	SUM(0, V0.S4, V4.S4, V24.S4, V16.S4) \
	SUM(1, V1.S4, V5.S4, V25.S4, V17.S4) \
	SUM(2, V2.S4, V6.S4, V26.S4, V18.S4) \
	SUM(3, V3.S4, V7.S4, V27.S4, V19.S4)
#define SCALE2 SCALE1 \
	FMOVS 4(R3), F28 \
	SUM(8, V8.S4, V12.S4, V24.S4, V20.S4) \
	SUM(9, V9.S4, V13.S4, V25.S4, V21.S4) \
	SUM(10, V10.S4, V14.S4, V26.S4, V22.S4) \
	SUM(11, V11.S4, V15.S4, V27.S4, V23.S4)

#define BLOCK(CLEAR, INPUTS, LEFT, RIGHT) \
	CLEAR \
	EIGHT(0, INPUTS, LEFT, RIGHT) \
	EIGHT(1, INPUTS, LEFT, RIGHT) \
	EIGHT(2, INPUTS, LEFT, RIGHT) \
	EIGHT(3, INPUTS, LEFT, RIGHT)

// func gemmInt4_2x16_DotProd(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup int, accumulate bool)
TEXT ·gemmInt4_2x16_DotProd(SB), NOSPLIT, $0-57
	MOVD  y+0(FP), R0
	MOVD  ldy+8(FP), R1
	MOVD  x+16(FP), R2
	MOVD  ldx+24(FP), R3
	MOVD  w+32(FP), R8
	MOVD  blocks+40(FP), R9
	MOVD  perGroup+48(FP), R11
	MOVBU accumulate+56(FP), R10
	ADD   R2, R3
	ADD   R1<<2, R0, R1
	VMOVI $15, V31.B16
	VEOR  V16.B16, V16.B16, V16.B16
	VEOR  V17.B16, V17.B16, V17.B16
	VEOR  V18.B16, V18.B16, V18.B16
	VEOR  V19.B16, V19.B16, V19.B16
	VEOR  V20.B16, V20.B16, V20.B16
	VEOR  V21.B16, V21.B16, V21.B16
	VEOR  V22.B16, V22.B16, V22.B16
	VEOR  V23.B16, V23.B16, V23.B16
	CBZ   R10, group
	FLDPQ (R0), (F16, F17)
	FLDPQ 32(R0), (F18, F19)
	FLDPQ (R1), (F20, F21)
	FLDPQ 32(R1), (F22, F23)

group:
	MOVD R8, R12
	ADD  $32, R8
	CMP  R11, R9
	CSEL LT, R9, R11, R13
	SUB  R13, R9

block:
	BLOCK(CLEAR2, INPUTS2, LEFT2, RIGHT2)
	SCALE2
	ADD   $256, R8
	ADD   $72, R2
	ADD   $72, R3
	SUBS  $1, R13
	BNE   block
	CBNZ  R9, group
	FSTPQ (F16, F17), (R0)
	FSTPQ (F18, F19), 32(R0)
	FSTPQ (F20, F21), (R1)
	FSTPQ (F22, F23), 32(R1)
	RET

// One row by several panels in turn, block by block. R8 walks over the panels, R12 over
// their scales and R0 over y; the first of them are at R6, R5 and R4. R7 is the distance
// between panels, R10 counts them.

// func gemvInt4_1x16_DotProd(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)
TEXT ·gemvInt4_1x16_DotProd(SB), NOSPLIT, $0-56
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
	BLOCK(CLEAR1, INPUTS1, LEFT1, RIGHT1)
	FLDPQ (R0), (F16, F17)
	FLDPQ 32(R0), (F18, F19)
	SCALE1
	FSTPQ.P (F16, F17), 32(R0)
	FSTPQ.P (F18, F19), 32(R0)
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
