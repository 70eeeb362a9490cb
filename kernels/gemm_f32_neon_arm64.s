//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"
#include "tile_arm64.h"

// Tiles of 1 to 6 rows by a panel of 16 columns; docs/kernels.md has the contract,
// tile_arm64.h the registers. R0 points to y, R1 is the distance between its rows in
// bytes.

#define LOAD(s0, s1, s2, s3) FLDPQ (R10), (s0, s1); FLDPQ 32(R10), (s2, s3); ADD R1, R10
#define LOADS1 LOAD(F0, F1, F2, F3)
#define LOADS2 LOADS1; LOAD(F4, F5, F6, F7)
#define LOADS3 LOADS2; LOAD(F8, F9, F10, F11)
#define LOADS4 LOADS3; LOAD(F12, F13, F14, F15)
#define LOADS5 LOADS4; LOAD(F16, F17, F18, F19)
#define LOADS6 LOADS5; LOAD(F20, F21, F22, F23)

#define STORE(s0, s1, s2, s3) FSTPQ (s0, s1), (R0); FSTPQ (s2, s3), 32(R0); ADD R1, R0
#define STORES1 STORE(F0, F1, F2, F3)
#define STORES2 STORES1; STORE(F4, F5, F6, F7)
#define STORES3 STORES2; STORE(F8, F9, F10, F11)
#define STORES4 STORES3; STORE(F12, F13, F14, F15)
#define STORES5 STORES4; STORE(F16, F17, F18, F19)
#define STORES6 STORES5; STORE(F20, F21, F22, F23)

#define TILE(FOUR, ONE, LEFT, RIGHT, ZEROS, LOADS, STORES) \
	MOVD y+0(FP), R0 \
	MOVD ldy+8(FP), R1 \
	MOVD x+16(FP), R2 \
	MOVD ldx+24(FP), R10 \
	MOVD w+32(FP), R8 \
	MOVD k+40(FP), R9 \
	MOVBU accumulate+48(FP), R11 \
	LSL $2, R1 \
	ADD R10<<2, R2, R3 \
	ADD R10<<2, R3, R4 \
	ADD R10<<2, R4, R5 \
	ADD R10<<2, R5, R6 \
	ADD R10<<2, R6, R7 \
	MOVD R0, R10 \
	CBZ R11, fresh \
	LOADS \
	B begin \
fresh: \
	ZEROS \
begin: \
	STEPS(FMLA_LANE, FOUR, ONE, LEFT, RIGHT) \
	STORES \
	RET

// func gemmF32_1x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)
TEXT ·gemmF32_1x16_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR1, ONE1, LEFT1, RIGHT1, ZEROS1, LOADS1, STORES1)

// func gemmF32_2x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)
TEXT ·gemmF32_2x16_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR2, ONE2, LEFT2, RIGHT2, ZEROS2, LOADS2, STORES2)

// func gemmF32_3x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)
TEXT ·gemmF32_3x16_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR3, ONE3, LEFT3, RIGHT3, ZEROS3, LOADS3, STORES3)

// func gemmF32_4x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)
TEXT ·gemmF32_4x16_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR4, ONE4, LEFT4, RIGHT4, ZEROS4, LOADS4, STORES4)

// func gemmF32_5x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)
TEXT ·gemmF32_5x16_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR5, ONE5, LEFT5, RIGHT5, ZEROS5, LOADS5, STORES5)

// func gemmF32_6x16_NEON(y *float32, ldy int, x *float32, ldx int, w *float32, k int, accumulate bool)
TEXT ·gemmF32_6x16_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR6, ONE6, LEFT6, RIGHT6, ZEROS6, LOADS6, STORES6)

// One row by four panels, 64 columns: sixteen sums that do not wait for each other.
// The panels are at R4 to R7, the values of x in V31.
#define QUAD(l) \
	FLDPQ (64*l)(R4), (F16, F17) \
	FLDPQ (64*l+32)(R4), (F18, F19) \
	FLDPQ (64*l)(R5), (F20, F21) \
	FLDPQ (64*l+32)(R5), (F22, F23) \
	FMLA_LANE(31, l, 16, 0) \
	FMLA_LANE(31, l, 17, 1) \
	FMLA_LANE(31, l, 18, 2) \
	FMLA_LANE(31, l, 19, 3) \
	FLDPQ (64*l)(R6), (F24, F25) \
	FLDPQ (64*l+32)(R6), (F26, F27) \
	FMLA_LANE(31, l, 20, 4) \
	FMLA_LANE(31, l, 21, 5) \
	FMLA_LANE(31, l, 22, 6) \
	FMLA_LANE(31, l, 23, 7) \
	FLDPQ (64*l)(R7), (F16, F17) \
	FLDPQ (64*l+32)(R7), (F18, F19) \
	FMLA_LANE(31, l, 24, 8) \
	FMLA_LANE(31, l, 25, 9) \
	FMLA_LANE(31, l, 26, 10) \
	FMLA_LANE(31, l, 27, 11) \
	FMLA_LANE(31, l, 16, 12) \
	FMLA_LANE(31, l, 17, 13) \
	FMLA_LANE(31, l, 18, 14) \
	FMLA_LANE(31, l, 19, 15)

#define NEXT(bytes) ADD $bytes, R4; ADD $bytes, R5; ADD $bytes, R6; ADD $bytes, R7

// func gemvF32_1x64_NEON(y, x, w *float32, apart, k int, accumulate bool)
TEXT ·gemvF32_1x64_NEON(SB), NOSPLIT, $0-41
	MOVD  y+0(FP), R0
	MOVD  x+8(FP), R2
	MOVD  w+16(FP), R4
	MOVD  apart+24(FP), R10
	MOVD  k+32(FP), R9
	MOVBU accumulate+40(FP), R11
	ADD   R10<<2, R4, R5
	ADD   R10<<2, R5, R6
	ADD   R10<<2, R6, R7
	CBZ   R11, fresh
	FLDPQ (R0), (F0, F1)
	FLDPQ 32(R0), (F2, F3)
	FLDPQ 64(R0), (F4, F5)
	FLDPQ 96(R0), (F6, F7)
	FLDPQ 128(R0), (F8, F9)
	FLDPQ 160(R0), (F10, F11)
	FLDPQ 192(R0), (F12, F13)
	FLDPQ 224(R0), (F14, F15)
	B     begin

fresh:
	ZEROS4

begin:
	SUBS $4, R9
	BLT  rest

four:
	FMOVQ.P 16(R2), F31
	QUAD(0)
	QUAD(1)
	QUAD(2)
	QUAD(3)
	NEXT(256)
	SUBS $4, R9
	BGE  four

rest:
	ADDS $4, R9
	BEQ  done

one:
	FMOVS.P 4(R2), F31
	QUAD(0)
	NEXT(64)
	SUBS $1, R9
	BNE  one

done:
	FSTPQ (F0, F1), (R0)
	FSTPQ (F2, F3), 32(R0)
	FSTPQ (F4, F5), 64(R0)
	FSTPQ (F6, F7), 96(R0)
	FSTPQ (F8, F9), 128(R0)
	FSTPQ (F10, F11), 160(R0)
	FSTPQ (F12, F13), 192(R0)
	FSTPQ (F14, F15), 224(R0)
	RET
