//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Tiles of int8 codes without a dot product of bytes: 1 to 4 rows by a panel of 4
// channels in groups of 16 inputs; docs/kernels.md has the contracts. Two products of
// codes fit into 16 bits, 2 * 128 * 127 < 2^15, and are then added in pairs. The sums
// of row i and channel c are the four lanes of V(4i+c), the inputs of row i in V(16+i),
// the panel in V20 to V23, products in V24 to V31. R2 to R5 point to the rows of x, R8
// to the panel, R9 counts the groups left. R0 points to y, R1 is the distance between
// its rows in bytes, R10 and R12 point to rowScales and scales.

// ROW adds 16 inputs of a row times those of 4 channels.
#define ROW(x, p0, p1, p2, p3, s0, s1, s2, s3) \
	SMULL(x, 20, p0) \
	SMULL(x, 21, p1) \
	SMULL(x, 22, p2) \
	SMULL(x, 23, p3) \
	SMLAL2(x, 20, p0) \
	SMLAL2(x, 21, p1) \
	SMLAL2(x, 22, p2) \
	SMLAL2(x, 23, p3) \
	SADALP(p0, s0) \
	SADALP(p1, s1) \
	SADALP(p2, s2) \
	SADALP(p3, s3)

#define ROWS1 FMOVQ.P 16(R2), F16; ROW(16, 24, 25, 26, 27, 0, 1, 2, 3)
#define ROWS2 ROWS1; FMOVQ.P 16(R3), F17; ROW(17, 28, 29, 30, 31, 4, 5, 6, 7)
#define ROWS3 ROWS2; FMOVQ.P 16(R4), F18; ROW(18, 24, 25, 26, 27, 8, 9, 10, 11)
#define ROWS4 ROWS3; FMOVQ.P 16(R5), F19; ROW(19, 28, 29, 30, 31, 12, 13, 14, 15)

#define STEPS(ROWS) \
loop: \
	FLDPQ (R8), (F20, F21) \
	FLDPQ 32(R8), (F22, F23) \
	ROWS \
	ADD $64, R8 \
	SUBS $1, R9 \
	BNE loop

// TOTALS adds the lanes of the sums of 4 channels, into the first.
#define TOTALS(s0, s1, s2, s3) ADDP(s1, s0, s0); ADDP(s3, s2, s2); ADDP(s2, s0, s0)

#define STORE(i0, i1, i2, i3, s0) \
	TOTALS(i0, i1, i2, i3) \
	FMOVS.P 4(R10), F17 \
	SCVTF(i0, i0) \
	FMUL_LANE(17, 0, i0, i0) \
	FMUL(16, i0, i0) \
	FMOVQ s0, (R0) \
	ADD R1, R0

#define STORES1 STORE(0, 1, 2, 3, F0)
#define STORES2 STORES1; STORE(4, 5, 6, 7, F4)
#define STORES3 STORES2; STORE(8, 9, 10, 11, F8)
#define STORES4 STORES3; STORE(12, 13, 14, 15, F12)

#define TILE(ROWS, ZEROS, STORES) \
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
	ADD R11, R3, R4 \
	ADD R11, R4, R5 \
	ZEROS \
	STEPS(ROWS) \
	FMOVQ (R12), F16 \
	STORES \
	RET

#define RAW1 TOTALS(0, 1, 2, 3); FMOVQ F0, (R0)
#define RAW2 RAW1; TOTALS(4, 5, 6, 7); FMOVQ F4, 16(R0)
#define RAW3 RAW2; TOTALS(8, 9, 10, 11); FMOVQ F8, 32(R0)
#define RAW4 RAW3; TOTALS(12, 13, 14, 15); FMOVQ F12, 48(R0)

#define SUMS(ROWS, ZEROS, RAW) \
	MOVD sums+0(FP), R0 \
	MOVD x+8(FP), R2 \
	MOVD ldx+16(FP), R11 \
	MOVD w+24(FP), R8 \
	MOVD steps+32(FP), R9 \
	ADD R11, R2, R3 \
	ADD R11, R3, R4 \
	ADD R11, R4, R5 \
	ZEROS \
	STEPS(ROWS) \
	RAW \
	RET

// func gemmI8_1x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_1x4_NEON(SB), NOSPLIT, $0-64
	TILE(ROWS1, ZEROS1, STORES1)

// func gemmI8_2x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_2x4_NEON(SB), NOSPLIT, $0-64
	TILE(ROWS2, ZEROS2, STORES2)

// func gemmI8_3x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_3x4_NEON(SB), NOSPLIT, $0-64
	TILE(ROWS3, ZEROS3, STORES3)

// func gemmI8_4x4_NEON(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_4x4_NEON(SB), NOSPLIT, $0-64
	TILE(ROWS4, ZEROS4, STORES4)

// func sumI8_1x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_1x4_NEON(SB), NOSPLIT, $0-40
	SUMS(ROWS1, ZEROS1, RAW1)

// func sumI8_2x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_2x4_NEON(SB), NOSPLIT, $0-40
	SUMS(ROWS2, ZEROS2, RAW2)

// func sumI8_3x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_3x4_NEON(SB), NOSPLIT, $0-40
	SUMS(ROWS3, ZEROS3, RAW3)

// func sumI8_4x4_NEON(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_4x4_NEON(SB), NOSPLIT, $0-40
	SUMS(ROWS4, ZEROS4, RAW4)
