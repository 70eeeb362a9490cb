//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"
#include "tile_arm64.h"
#include "scale_arm64.h"

// Tiles of int8 codes by SDOT: 1 to 6 rows of codes by a panel of 16 channels in
// groups of 4 inputs; docs/kernels.md has the contracts, tile_arm64.h and scale_arm64.h the
// registers.

#define ARGUMENTS \
	MOVD y+0(FP), R0 \
	MOVD ldy+8(FP), R1 \
	MOVD x+16(FP), R2 \
	MOVD ldx+24(FP), R11 \
	MOVD w+32(FP), R8 \
	MOVD steps+40(FP), R9 \
	MOVD rowScales+48(FP), R10 \
	MOVD scales+56(FP), R12 \
	LSL $2, R1

#define STORES1 STORE(0, 1, 2, 3, F0, F1, F2, F3)
#define STORES2 STORES1; STORE(4, 5, 6, 7, F4, F5, F6, F7)
#define STORES3 STORES2; STORE(8, 9, 10, 11, F8, F9, F10, F11)
#define STORES4 STORES3; STORE(12, 13, 14, 15, F12, F13, F14, F15)
#define STORES5 STORES4; STORE(16, 17, 18, 19, F16, F17, F18, F19)
#define STORES6 STORES5; STORE(20, 21, 22, 23, F20, F21, F22, F23)

#define TILE(FOUR, ONE, LEFT, RIGHT, ZEROS, STORES) \
	ARGUMENTS \
	ADD R11, R2, R3 \
	ADD R11, R3, R4 \
	ADD R11, R4, R5 \
	ADD R11, R5, R6 \
	ADD R11, R6, R7 \
	ZEROS \
	STEPS(SDOT_LANE, FOUR, ONE, LEFT, RIGHT) \
	SCALES \
	STORES \
	RET

// RAWn stores the sums of n rows.
#define RAW1 FSTPQ (F0, F1), (R0); FSTPQ (F2, F3), 32(R0)
#define RAW2 RAW1; FSTPQ (F4, F5), 64(R0); FSTPQ (F6, F7), 96(R0)
#define RAW3 RAW2; FSTPQ (F8, F9), 128(R0); FSTPQ (F10, F11), 160(R0)
#define RAW4 RAW3; FSTPQ (F12, F13), 192(R0); FSTPQ (F14, F15), 224(R0)
#define RAW5 RAW4; FSTPQ (F16, F17), 256(R0); FSTPQ (F18, F19), 288(R0)
#define RAW6 RAW5; FSTPQ (F20, F21), 320(R0); FSTPQ (F22, F23), 352(R0)

#define SUMS(FOUR, ONE, LEFT, RIGHT, ZEROS, RAW) \
	MOVD sums+0(FP), R0 \
	MOVD x+8(FP), R2 \
	MOVD ldx+16(FP), R11 \
	MOVD w+24(FP), R8 \
	MOVD steps+32(FP), R9 \
	ADD R11, R2, R3 \
	ADD R11, R3, R4 \
	ADD R11, R4, R5 \
	ADD R11, R5, R6 \
	ADD R11, R6, R7 \
	ZEROS \
	STEPS(SDOT_LANE, FOUR, ONE, LEFT, RIGHT) \
	RAW \
	RET

// func gemmI8_2x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_2x16_DotProd(SB), NOSPLIT, $0-64
	TILE(FOUR2, ONE2, LEFT2, RIGHT2, ZEROS2, STORES2)

// func gemmI8_3x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_3x16_DotProd(SB), NOSPLIT, $0-64
	TILE(FOUR3, ONE3, LEFT3, RIGHT3, ZEROS3, STORES3)

// func gemmI8_4x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_4x16_DotProd(SB), NOSPLIT, $0-64
	TILE(FOUR4, ONE4, LEFT4, RIGHT4, ZEROS4, STORES4)

// func gemmI8_5x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_5x16_DotProd(SB), NOSPLIT, $0-64
	TILE(FOUR5, ONE5, LEFT5, RIGHT5, ZEROS5, STORES5)

// func gemmI8_6x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_6x16_DotProd(SB), NOSPLIT, $0-64
	TILE(FOUR6, ONE6, LEFT6, RIGHT6, ZEROS6, STORES6)

// One row has sums of its own for each of 4 steps, so that no addition waits for the
// one before.
#define GROUP(l, s0, s1, s2, s3) \
	FLDPQ (64*l)(R8), (F25, F26) \
	FLDPQ (64*l+32)(R8), (F27, F28) \
	SDOT_LANE(24, l, 25, s0) \
	SDOT_LANE(24, l, 26, s1) \
	SDOT_LANE(24, l, 27, s2) \
	SDOT_LANE(24, l, 28, s3)

// func gemmI8_1x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI8_1x16_DotProd(SB), NOSPLIT, $0-64
	ARGUMENTS
	ZEROS4
	SUBS $4, R9
	BLT rest

four:
	FOUR1
	GROUP(0, 0, 1, 2, 3)
	GROUP(1, 4, 5, 6, 7)
	GROUP(2, 8, 9, 10, 11)
	GROUP(3, 12, 13, 14, 15)
	ADD $256, R8
	SUBS $4, R9
	BGE four

rest:
	ADDS $4, R9
	BEQ done

one:
	ONE1
	GROUP(0, 0, 1, 2, 3)
	ADD $64, R8
	SUBS $1, R9
	BNE one

done:
	VADD V4.S4, V0.S4, V0.S4
	VADD V5.S4, V1.S4, V1.S4
	VADD V6.S4, V2.S4, V2.S4
	VADD V7.S4, V3.S4, V3.S4
	VADD V12.S4, V8.S4, V8.S4
	VADD V13.S4, V9.S4, V9.S4
	VADD V14.S4, V10.S4, V10.S4
	VADD V15.S4, V11.S4, V11.S4
	VADD V8.S4, V0.S4, V0.S4
	VADD V9.S4, V1.S4, V1.S4
	VADD V10.S4, V2.S4, V2.S4
	VADD V11.S4, V3.S4, V3.S4
	SCALES
	STORES1
	RET

// func sumI8_1x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_1x16_DotProd(SB), NOSPLIT, $0-40
	SUMS(FOUR1, ONE1, LEFT1, RIGHT1, ZEROS1, RAW1)

// func sumI8_2x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_2x16_DotProd(SB), NOSPLIT, $0-40
	SUMS(FOUR2, ONE2, LEFT2, RIGHT2, ZEROS2, RAW2)

// func sumI8_3x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_3x16_DotProd(SB), NOSPLIT, $0-40
	SUMS(FOUR3, ONE3, LEFT3, RIGHT3, ZEROS3, RAW3)

// func sumI8_4x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_4x16_DotProd(SB), NOSPLIT, $0-40
	SUMS(FOUR4, ONE4, LEFT4, RIGHT4, ZEROS4, RAW4)

// func sumI8_5x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_5x16_DotProd(SB), NOSPLIT, $0-40
	SUMS(FOUR5, ONE5, LEFT5, RIGHT5, ZEROS5, RAW5)

// func sumI8_6x16_DotProd(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI8_6x16_DotProd(SB), NOSPLIT, $0-40
	SUMS(FOUR6, ONE6, LEFT6, RIGHT6, ZEROS6, RAW6)

// Rows of integers, each as 3 or 4 rows of codes, the upper first.

// func gemmI24_1x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI24_1x16_DotProd(SB), NOSPLIT, $0-64
	ARGUMENTS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ZEROS3
	STEPS(SDOT_LANE, FOUR3, ONE3, LEFT3, RIGHT3)
	SCALES
	TOTAL3(0, 4, 8)
	TOTAL3(1, 5, 9)
	TOTAL3(2, 6, 10)
	TOTAL3(3, 7, 11)
	SCALED(0, 1, 2, 3, F0, F1, F2, F3)
	RET

// The rows of codes of the second row of integers are 4 from those of the first.

// func gemmI24_2x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI24_2x16_DotProd(SB), NOSPLIT, $0-64
	ARGUMENTS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ADD R11<<2, R2, R5
	ADD R11, R5, R6
	ADD R11, R6, R7
	ZEROS6
	STEPS(SDOT_LANE, FOUR6, ONE6, LEFT6, RIGHT6)
	SCALES
	TOTAL3(0, 4, 8)
	TOTAL3(1, 5, 9)
	TOTAL3(2, 6, 10)
	TOTAL3(3, 7, 11)
	SCALED(0, 1, 2, 3, F0, F1, F2, F3)
	TOTAL3(12, 16, 20)
	TOTAL3(13, 17, 21)
	TOTAL3(14, 18, 22)
	TOTAL3(15, 19, 23)
	SCALED(12, 13, 14, 15, F12, F13, F14, F15)
	RET

// func gemmI32_1x16_DotProd(y *float32, ldy int, x *int8, ldx int, w *int8, steps int, rowScales, scales *float32)
TEXT ·gemmI32_1x16_DotProd(SB), NOSPLIT, $0-64
	ARGUMENTS
	ADD R11, R2, R3
	ADD R11, R3, R4
	ADD R11, R4, R5
	ZEROS4
	STEPS(SDOT_LANE, FOUR4, ONE4, LEFT4, RIGHT4)
	SCALES
	TOTAL4(0, 4, 8, 12)
	TOTAL4(1, 5, 9, 13)
	TOTAL4(2, 6, 10, 14)
	TOTAL4(3, 7, 11, 15)
	SCALED(0, 1, 2, 3, F0, F1, F2, F3)
	RET
