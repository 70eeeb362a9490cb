//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Tiles of int8 codes by SMMLA, which multiplies 2 rows by 2 channels: 1 to 3 pairs of
// rows by a panel of 16 channels in groups of 8 inputs; docs/kernels.md has the
// contracts. The sums of pair i of rows and pair c of channels are the lanes 00 01 10
// 11 of V(8i+c). V(24+2i) and V(25+2i) are 8 inputs of both rows of pair i and the next 8, V30 and V31 are four
// channels of the panel. R2 to R7 point to the rows of x, R8 to the panel, R9 counts
// the groups left. R0 points to y, R1 is the distance between its rows in bytes, R10
// points to rowScales. If the number of rows is odd, the last row is its own partner,
// and is stored twice: R13 is 0, and otherwise -1.

// PAIR loads 16 inputs of two rows, HALF loads 8.
#define PAIR(r0, r1, x0, x1) FMOVQ.P 16(r0), F30; FMOVQ.P 16(r1), F31; VZIP1 V31.D2, V30.D2, x0; VZIP2 V31.D2, V30.D2, x1
#define PAIRS1 PAIR(R2, R3, V24.D2, V25.D2)
#define PAIRS2 PAIRS1; PAIR(R4, R5, V26.D2, V27.D2)
#define PAIRS3 PAIRS2; PAIR(R6, R7, V28.D2, V29.D2)

#define HALF(r0, r1, x0) FMOVD.P 8(r0), F30; FMOVD.P 8(r1), F31; VZIP1 V31.D2, V30.D2, x0
#define HALVES1 HALF(R2, R3, V24.D2)
#define HALVES2 HALVES1; HALF(R4, R5, V26.D2)
#define HALVES3 HALVES2; HALF(R6, R7, V28.D2)

// FOURn multiplies n pairs of rows by the four channels from pair c of channels; h
// is 0 for the first 8 inputs of the pairs and 1 for the others.
#define FOUR1(h, c) SMMLA(30, 24+h, c); SMMLA(31, 24+h, c+1)
#define FOUR2(h, c) FOUR1(h, c); SMMLA(30, 26+h, 8+c); SMMLA(31, 26+h, 9+c)
#define FOUR3(h, c) FOUR2(h, c); SMMLA(30, 28+h, 16+c); SMMLA(31, 28+h, 17+c)

#define STEP(FOUR, h) \
	FLDPQ (128*h)(R8), (F30, F31) \
	FOUR(h, 0) \
	FLDPQ (128*h+32)(R8), (F30, F31) \
	FOUR(h, 2) \
	FLDPQ (128*h+64)(R8), (F30, F31) \
	FOUR(h, 4) \
	FLDPQ (128*h+96)(R8), (F30, F31) \
	FOUR(h, 6)

#define STEPS(PAIRS, HALVES, FOUR) \
	SUBS $2, R9 \
	BLT rest \
two: \
	PAIRS \
	STEP(FOUR, 0) \
	STEP(FOUR, 1) \
	ADD $256, R8 \
	SUBS $2, R9 \
	BGE two \
rest: \
	ADDS $2, R9 \
	BEQ done \
	HALVES \
	STEP(FOUR, 0) \
done:

#define ARGUMENTS \
	MOVD y+0(FP), R0 \
	MOVD ldy+8(FP), R1 \
	MOVD x+16(FP), R2 \
	MOVD ldx+24(FP), R11 \
	MOVD w+32(FP), R8 \
	MOVD steps+40(FP), R9 \
	MOVD rows+48(FP), R13 \
	MOVD rowScales+56(FP), R10 \
	MOVD scales+64(FP), R12 \
	LSL $2, R1 \
	AND $1, R13 \
	SUB $1, R13 \
	AND R13, R11, R14

// EVEN and ODD move the four channels of pairs of channels together, for the first
// row and the second; the registers that EVEN writes are not those of ODD.
#define EVEN(a0, a1, a2, a3, a4, a5, a6, a7) \
	VZIP1 a1, a0, V29.D2 \
	VZIP1 a3, a2, V30.D2 \
	VZIP1 a5, a4, V31.D2 \
	VZIP2 a1, a0, a1 \
	VZIP1 a7, a6, a0
#define ODD(a2, a3, a4, a5, a6, a7) VZIP2 a3, a2, a3; VZIP2 a5, a4, a5; VZIP2 a7, a6, a7

#define SCALES FLDPQ (R12), (F24, F25); FLDPQ 32(R12), (F26, F27)

#define STORE(i0, i1, i2, i3, s0, s1, s2, s3) \
	FMOVS (R10), F28 \
	SCVTF(i0, i0); SCVTF(i1, i1); SCVTF(i2, i2); SCVTF(i3, i3) \
	FMUL_LANE(28, 0, i0, i0); FMUL_LANE(28, 0, i1, i1); FMUL_LANE(28, 0, i2, i2); FMUL_LANE(28, 0, i3, i3) \
	FMUL(24, i0, i0); FMUL(25, i1, i1); FMUL(26, i2, i2); FMUL(27, i3, i3) \
	FSTPQ (s0, s1), (R0) \
	FSTPQ (s2, s3), 32(R0)

// NEXT goes on by a row, LAST by one if there is one.
#define NEXT ADD R1, R0; ADD $4, R10
#define LAST AND R13, R1, R14; ADD R14, R0; AND $4, R13, R14; ADD R14, R10

#define STORES0(NEXT) \
	EVEN(V0.D2, V1.D2, V2.D2, V3.D2, V4.D2, V5.D2, V6.D2, V7.D2) \
	STORE(29, 30, 31, 0, F29, F30, F31, F0) \
	NEXT \
	ODD(V2.D2, V3.D2, V4.D2, V5.D2, V6.D2, V7.D2) \
	STORE(1, 3, 5, 7, F1, F3, F5, F7)
#define STORES1(NEXT) \
	EVEN(V8.D2, V9.D2, V10.D2, V11.D2, V12.D2, V13.D2, V14.D2, V15.D2) \
	STORE(29, 30, 31, 8, F29, F30, F31, F8) \
	NEXT \
	ODD(V10.D2, V11.D2, V12.D2, V13.D2, V14.D2, V15.D2) \
	STORE(9, 11, 13, 15, F9, F11, F13, F15)
#define STORES2(NEXT) \
	EVEN(V16.D2, V17.D2, V18.D2, V19.D2, V20.D2, V21.D2, V22.D2, V23.D2) \
	STORE(29, 30, 31, 16, F29, F30, F31, F16) \
	NEXT \
	ODD(V18.D2, V19.D2, V20.D2, V21.D2, V22.D2, V23.D2) \
	STORE(17, 19, 21, 23, F17, F19, F21, F23)

#define SUMS \
	MOVD sums+0(FP), R0 \
	MOVD x+8(FP), R2 \
	MOVD ldx+16(FP), R11 \
	MOVD w+24(FP), R8 \
	MOVD steps+32(FP), R9 \
	MOVD rows+40(FP), R13 \
	MOVD $64, R1 \
	AND $1, R13 \
	SUB $1, R13 \
	AND R13, R11, R14

#define RAW(s0, s1, s2, s3) FSTPQ (s0, s1), (R0); FSTPQ (s2, s3), 32(R0)

#define RAWS0(NEXT) \
	EVEN(V0.D2, V1.D2, V2.D2, V3.D2, V4.D2, V5.D2, V6.D2, V7.D2) \
	RAW(F29, F30, F31, F0) \
	NEXT \
	ODD(V2.D2, V3.D2, V4.D2, V5.D2, V6.D2, V7.D2) \
	RAW(F1, F3, F5, F7)
#define RAWS1(NEXT) \
	EVEN(V8.D2, V9.D2, V10.D2, V11.D2, V12.D2, V13.D2, V14.D2, V15.D2) \
	RAW(F29, F30, F31, F8) \
	NEXT \
	ODD(V10.D2, V11.D2, V12.D2, V13.D2, V14.D2, V15.D2) \
	RAW(F9, F11, F13, F15)
#define RAWS2(NEXT) \
	EVEN(V16.D2, V17.D2, V18.D2, V19.D2, V20.D2, V21.D2, V22.D2, V23.D2) \
	RAW(F29, F30, F31, F16) \
	NEXT \
	ODD(V18.D2, V19.D2, V20.D2, V21.D2, V22.D2, V23.D2) \
	RAW(F17, F19, F21, F23)

// func gemmI8_2x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32)
TEXT ·gemmI8_2x16_I8MM(SB), NOSPLIT, $0-72
	ARGUMENTS
	ADD R14, R2, R3
	ZEROS2
	STEPS(PAIRS1, HALVES1, FOUR1)
	SCALES
	STORES0(LAST)
	RET

// func gemmI8_4x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32)
TEXT ·gemmI8_4x16_I8MM(SB), NOSPLIT, $0-72
	ARGUMENTS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ADD R14, R4, R5
	ZEROS4
	STEPS(PAIRS2, HALVES2, FOUR2)
	SCALES
	STORES0(NEXT)
	NEXT
	STORES1(LAST)
	RET

// func gemmI8_6x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32)
TEXT ·gemmI8_6x16_I8MM(SB), NOSPLIT, $0-72
	ARGUMENTS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ADD R11, R4, R5
	ADD R11, R5, R6
	ADD R14, R6, R7
	ZEROS6
	STEPS(PAIRS3, HALVES3, FOUR3)
	SCALES
	STORES0(NEXT)
	NEXT
	STORES1(NEXT)
	NEXT
	STORES2(LAST)
	RET

// func sumI8_2x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)
TEXT ·sumI8_2x16_I8MM(SB), NOSPLIT, $0-48
	SUMS
	ADD R14, R2, R3
	ZEROS2
	STEPS(PAIRS1, HALVES1, FOUR1)
	RAWS0(LAST)
	RET

// func sumI8_4x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)
TEXT ·sumI8_4x16_I8MM(SB), NOSPLIT, $0-48
	SUMS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ADD R14, R4, R5
	ZEROS4
	STEPS(PAIRS2, HALVES2, FOUR2)
	RAWS0(NEXT)
	NEXT
	RAWS1(LAST)
	RET

// func sumI8_6x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)
TEXT ·sumI8_6x16_I8MM(SB), NOSPLIT, $0-48
	SUMS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ADD R11, R4, R5
	ADD R11, R5, R6
	ADD R14, R6, R7
	ZEROS6
	STEPS(PAIRS3, HALVES3, FOUR3)
	RAWS0(NEXT)
	NEXT
	RAWS1(NEXT)
	NEXT
	RAWS2(LAST)
	RET
