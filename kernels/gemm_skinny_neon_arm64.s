//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Tiles of 1 to 6 rows of x by 4 columns, as dot products; docs/kernels.md has the
// contract. The sums of row i and column c are in V(4i+c): 4 partial sums, of every 4th
// input. 4 inputs of row i are in V(24+i), those of two columns of the weight in V30 and
// V31. R2 to R7 point to the rows of x, R8 to the weight, R9 counts the inputs left. R0
// points to t, R1 is the distance between its rows in bytes.

// FOURn, TWOn, THIRDn and ONEn load inputs of n rows: four, two and zeros, the third of
// three, one and zeros.
#define FOUR1 FMOVQ.P 16(R2), F24
#define FOUR2 FOUR1; FMOVQ.P 16(R3), F25
#define FOUR3 FOUR2; FMOVQ.P 16(R4), F26
#define FOUR4 FOUR3; FMOVQ.P 16(R5), F27
#define FOUR5 FOUR4; FMOVQ.P 16(R6), F28
#define FOUR6 FOUR5; FMOVQ.P 16(R7), F29

#define TWO1 FMOVD.P 8(R2), F24
#define TWO2 TWO1; FMOVD.P 8(R3), F25
#define TWO3 TWO2; FMOVD.P 8(R4), F26
#define TWO4 TWO3; FMOVD.P 8(R5), F27
#define TWO5 TWO4; FMOVD.P 8(R6), F28
#define TWO6 TWO5; FMOVD.P 8(R7), F29

#define THIRD1 VLD1 (R2), V24.S[2]
#define THIRD2 THIRD1; VLD1 (R3), V25.S[2]
#define THIRD3 THIRD2; VLD1 (R4), V26.S[2]
#define THIRD4 THIRD3; VLD1 (R5), V27.S[2]
#define THIRD5 THIRD4; VLD1 (R6), V28.S[2]
#define THIRD6 THIRD5; VLD1 (R7), V29.S[2]

#define ONE1 FMOVS (R2), F24
#define ONE2 ONE1; FMOVS (R3), F25
#define ONE3 ONE2; FMOVS (R4), F26
#define ONE4 ONE3; FMOVS (R5), F27
#define ONE5 ONE4; FMOVS (R6), F28
#define ONE6 ONE5; FMOVS (R7), F29

// LEFTn and RIGHTn add the products of 4 inputs and two columns, for n rows.
#define LEFT1 VFMLA V30.S4, V24.S4, V0.S4; VFMLA V31.S4, V24.S4, V1.S4
#define LEFT2 LEFT1; VFMLA V30.S4, V25.S4, V4.S4; VFMLA V31.S4, V25.S4, V5.S4
#define LEFT3 LEFT2; VFMLA V30.S4, V26.S4, V8.S4; VFMLA V31.S4, V26.S4, V9.S4
#define LEFT4 LEFT3; VFMLA V30.S4, V27.S4, V12.S4; VFMLA V31.S4, V27.S4, V13.S4
#define LEFT5 LEFT4; VFMLA V30.S4, V28.S4, V16.S4; VFMLA V31.S4, V28.S4, V17.S4
#define LEFT6 LEFT5; VFMLA V30.S4, V29.S4, V20.S4; VFMLA V31.S4, V29.S4, V21.S4

#define RIGHT1 VFMLA V30.S4, V24.S4, V2.S4; VFMLA V31.S4, V24.S4, V3.S4
#define RIGHT2 RIGHT1; VFMLA V30.S4, V25.S4, V6.S4; VFMLA V31.S4, V25.S4, V7.S4
#define RIGHT3 RIGHT2; VFMLA V30.S4, V26.S4, V10.S4; VFMLA V31.S4, V26.S4, V11.S4
#define RIGHT4 RIGHT3; VFMLA V30.S4, V27.S4, V14.S4; VFMLA V31.S4, V27.S4, V15.S4
#define RIGHT5 RIGHT4; VFMLA V30.S4, V28.S4, V18.S4; VFMLA V31.S4, V28.S4, V19.S4
#define RIGHT6 RIGHT5; VFMLA V30.S4, V29.S4, V22.S4; VFMLA V31.S4, V29.S4, V23.S4

#define COLUMNS(LEFT, RIGHT) \
	FLDPQ.P 32(R8), (F30, F31) \
	LEFT \
	FLDPQ.P 32(R8), (F30, F31) \
	RIGHT

// STORE reduces the sums of a row to 4 and adds what t holds, which the mask V31 may
// replace by 0.
#define STORE(a, b, c, d, f) \
	FADDP(b, a, a) \
	FADDP(d, c, c) \
	FADDP(c, a, a) \
	FMOVQ (R0), F30 \
	VAND V31.B16, V30.B16, V30.B16 \
	FADD(30, a, a) \
	FMOVQ f, (R0) \
	ADD R1, R0

#define STORES1 STORE(0, 1, 2, 3, F0)
#define STORES2 STORES1; STORE(4, 5, 6, 7, F4)
#define STORES3 STORES2; STORE(8, 9, 10, 11, F8)
#define STORES4 STORES3; STORE(12, 13, 14, 15, F12)
#define STORES5 STORES4; STORE(16, 17, 18, 19, F16)
#define STORES6 STORES5; STORE(20, 21, 22, 23, F20)

#define TILE(FOUR, TWO, THIRD, ONE, LEFT, RIGHT, ZEROS, STORES) \
	MOVD t+0(FP), R0 \
	MOVD ldt+8(FP), R1 \
	MOVD x+16(FP), R2 \
	MOVD ldx+24(FP), R10 \
	MOVD u+32(FP), R8 \
	MOVD k+40(FP), R9 \
	LSL $2, R1 \
	ADD R10<<2, R2, R3 \
	ADD R10<<2, R3, R4 \
	ADD R10<<2, R4, R5 \
	ADD R10<<2, R5, R6 \
	ADD R10<<2, R6, R7 \
	ZEROS \
	SUBS $4, R9 \
	BLT rest \
four: \
	FOUR \
	COLUMNS(LEFT, RIGHT) \
	SUBS $4, R9 \
	BGE four \
rest: \
	ADDS $4, R9 \
	BEQ done \
	TBZ $1, R9, one \
	TWO \
	TBZ $0, R9, last \
	THIRD \
	B last \
one: \
	ONE \
last: \
	COLUMNS(LEFT, RIGHT) \
done: \
	MOVBU accumulate+48(FP), R10 \
	NEG R10, R10 \
	VDUP R10, V31.D2 \
	STORES \
	RET

// func dotF32_1x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_1x4_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR1, TWO1, THIRD1, ONE1, LEFT1, RIGHT1, ZEROS1, STORES1)

// func dotF32_2x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_2x4_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR2, TWO2, THIRD2, ONE2, LEFT2, RIGHT2, ZEROS2, STORES2)

// func dotF32_3x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_3x4_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR3, TWO3, THIRD3, ONE3, LEFT3, RIGHT3, ZEROS3, STORES3)

// func dotF32_4x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_4x4_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR4, TWO4, THIRD4, ONE4, LEFT4, RIGHT4, ZEROS4, STORES4)

// func dotF32_5x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_5x4_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR5, TWO5, THIRD5, ONE5, LEFT5, RIGHT5, ZEROS5, STORES5)

// func dotF32_6x4_NEON(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_6x4_NEON(SB), NOSPLIT, $0-49
	TILE(FOUR6, TWO6, THIRD6, ONE6, LEFT6, RIGHT6, ZEROS6, STORES6)
