//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"
#include "scale_arm64.h"

// Tiles of int8 codes by SMMLA, which multiplies 2 rows by 2 channels: 1 to 3 pairs of
// rows by a panel of 16 channels in groups of 8 inputs; docs/kernels.md has the
// contracts, scale_arm64.h the registers of the end. The sums of pair i of rows and pair
// c of channels are the lanes 00 01 10 11 of V(8i+c). V(24+2i) and V(25+2i) are 8 inputs
// of both rows of pair i and the next 8, V30 and V31 are four channels of the panel. R2
// to R7 point to the rows of x, R8 to the panel, R9 counts the groups left. If the number
// of rows is odd, the last row is its own partner, and is stored twice: R13 is -1, and
// otherwise 0. R14 is the distance from the last row but one to the last.

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
	NEG R13, R13 \
	BIC R13, R11, R14

#define SUMS \
	MOVD sums+0(FP), R0 \
	MOVD x+8(FP), R2 \
	MOVD ldx+16(FP), R11 \
	MOVD w+24(FP), R8 \
	MOVD steps+32(FP), R9 \
	MOVD rows+40(FP), R13 \
	MOVD $64, R1 \
	AND $1, R13 \
	NEG R13, R13 \
	BIC R13, R11, R14

// ROWSi moves the sums of the first row of pair i to V(8i), V(8i+2), V(8i+4) and
// V(8i+6), those of the second row to the registers after these.
#define APART(a, b, to) VZIP1 b, a, V29.D2; VZIP2 b, a, b; VMOV V29.B16, to
#define ROWS0 APART(V0.D2, V1.D2, V0.B16); APART(V2.D2, V3.D2, V2.B16); APART(V4.D2, V5.D2, V4.B16); APART(V6.D2, V7.D2, V6.B16)
#define ROWS1 APART(V8.D2, V9.D2, V8.B16); APART(V10.D2, V11.D2, V10.B16); APART(V12.D2, V13.D2, V12.B16); APART(V14.D2, V15.D2, V14.B16)
#define ROWS2 APART(V16.D2, V17.D2, V16.B16); APART(V18.D2, V19.D2, V18.B16); APART(V20.D2, V21.D2, V20.B16); APART(V22.D2, V23.D2, V22.B16)

// SAME goes back to the row before if there is no other, OTHER goes on.
#define SAME AND R13, R1, R14; SUB R14, R0; AND $4, R13, R14; SUB R14, R10
#define OTHER

#define STORES0(SECOND) ROWS0; STORE(0, 2, 4, 6, F0, F2, F4, F6); SECOND; STORE(1, 3, 5, 7, F1, F3, F5, F7)
#define STORES1(SECOND) ROWS1; STORE(8, 10, 12, 14, F8, F10, F12, F14); SECOND; STORE(9, 11, 13, 15, F9, F11, F13, F15)
#define STORES2(SECOND) ROWS2; STORE(16, 18, 20, 22, F16, F18, F20, F22); SECOND; STORE(17, 19, 21, 23, F17, F19, F21, F23)

#define RAW(s0, s1, s2, s3) FSTPQ.P (s0, s1), 32(R0); FSTPQ.P (s2, s3), 32(R0)
#define RAWS0(SECOND) ROWS0; RAW(F0, F2, F4, F6); SECOND; RAW(F1, F3, F5, F7)
#define RAWS1(SECOND) ROWS1; RAW(F8, F10, F12, F14); SECOND; RAW(F9, F11, F13, F15)
#define RAWS2(SECOND) ROWS2; RAW(F16, F18, F20, F22); SECOND; RAW(F17, F19, F21, F23)

// Rows of integers, each as 3 or 4 rows of codes, the upper first. Those of the second
// row of integers are 4 from those of the first.
#define INTEGERS \
	MOVD y+0(FP), R0 \
	MOVD ldy+8(FP), R1 \
	MOVD x+16(FP), R2 \
	MOVD ldx+24(FP), R11 \
	MOVD w+32(FP), R8 \
	MOVD steps+40(FP), R9 \
	MOVD rowScales+48(FP), R10 \
	MOVD scales+56(FP), R12 \
	LSL $2, R1 \
	ADD R11, R2, R3 \
	ADD R11, R3, R4

// func gemmI8_2x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps, rows int, rowScales, scales *float32)
TEXT ·gemmI8_2x16_I8MM(SB), NOSPLIT, $0-72
	ARGUMENTS
	ADD R14, R2, R3
	ZEROS2
	STEPS(PAIRS1, HALVES1, FOUR1)
	SCALES
	STORES0(SAME)
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
	STORES0(OTHER)
	STORES1(SAME)
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
	STORES0(OTHER)
	STORES1(OTHER)
	STORES2(SAME)
	RET

// func sumI8_2x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)
TEXT ·sumI8_2x16_I8MM(SB), NOSPLIT, $0-48
	SUMS
	ADD R14, R2, R3
	ZEROS2
	STEPS(PAIRS1, HALVES1, FOUR1)
	RAWS0(SAME)
	RET

// func sumI8_4x16_I8MM(sums *int32, x *int8, ldx int, w *int8, steps, rows int)
TEXT ·sumI8_4x16_I8MM(SB), NOSPLIT, $0-48
	SUMS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ADD R14, R4, R5
	ZEROS4
	STEPS(PAIRS2, HALVES2, FOUR2)
	RAWS0(OTHER)
	RAWS1(SAME)
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
	RAWS0(OTHER)
	RAWS1(OTHER)
	RAWS2(SAME)
	RET

// func gemmI24_1x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI24_1x16_I8MM(SB), NOSPLIT, $0-64
	INTEGERS
	MOVD R4, R5
	ZEROS4
	STEPS(PAIRS2, HALVES2, FOUR2)
	SCALES
	ROWS0
	ROWS1
	TOTAL3(0, 1, 8)
	TOTAL3(2, 3, 10)
	TOTAL3(4, 5, 12)
	TOTAL3(6, 7, 14)
	SCALED(0, 2, 4, 6, F0, F2, F4, F6)
	RET

// func gemmI24_2x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI24_2x16_I8MM(SB), NOSPLIT, $0-64
	INTEGERS
	ADD R11<<2, R2, R5
	ADD R11, R5, R6
	ADD R11, R6, R7
	ZEROS6
	STEPS(PAIRS3, HALVES3, FOUR3)
	SCALES
	ROWS0
	ROWS1
	ROWS2
	TOTAL3(0, 1, 8)
	TOTAL3(2, 3, 10)
	TOTAL3(4, 5, 12)
	TOTAL3(6, 7, 14)
	SCALED(0, 2, 4, 6, F0, F2, F4, F6)
	TOTAL3(9, 16, 17)
	TOTAL3(11, 18, 19)
	TOTAL3(13, 20, 21)
	TOTAL3(15, 22, 23)
	SCALED(9, 11, 13, 15, F9, F11, F13, F15)
	RET

// func gemmI32_1x16_I8MM(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI32_1x16_I8MM(SB), NOSPLIT, $0-64
	INTEGERS
	ADD R11, R4, R5
	ZEROS4
	STEPS(PAIRS2, HALVES2, FOUR2)
	SCALES
	ROWS0
	ROWS1
	TOTAL4(0, 1, 8, 9)
	TOTAL4(2, 3, 10, 11)
	TOTAL4(4, 5, 12, 13)
	TOTAL4(6, 7, 14, 15)
	SCALED(0, 2, 4, 6, F0, F2, F4, F6)
	RET
