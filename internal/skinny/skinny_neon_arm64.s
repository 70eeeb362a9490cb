//go:build !noasm

#include "textflag.h"

// Instructions that the assembler does not know. The arguments are the numbers of
// registers, sources first, after a lane l.

#define FADD(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // fadd vd.4s, vn.4s, vm.4s
#define FADDP(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d)) // faddp vd.4s, vn.4s, vm.4s
#define FMLA_LANE(m, l, n, d) WORD $(0x4F801000 | ((l)&1)<<21 | ((l)>>1)<<11 | (m)<<16 | (n)<<5 | (d)) // fmla vd.4s, vn.4s, vm.s[l]

// 1 to 3 rows of w by 8 vectors, as dot products. The sums of row i and vector c are in
// V(8i+c): 4 partial sums, of every 4th column. 4 columns of row i are in V(24+i), those
// of vectors in V27 to V30. R2 to R4 point to the rows of w, R5 to R12 to the vectors,
// R13 counts the columns left. R0 points to y, R1 is the distance between its rows in
// bytes.

#define ROWS1 FMOVQ.P 16(R2), F24
#define ROWS2 ROWS1; FMOVQ.P 16(R3), F25
#define ROWS3 ROWS2; FMOVQ.P 16(R4), F26

// VECTORn adds the products of 4 columns and a vector, for n rows.
#define VECTOR1(v, s0, s1, s2) VFMLA v, V24.S4, s0
#define VECTOR2(v, s0, s1, s2) VECTOR1(v, s0, s1, s2); VFMLA v, V25.S4, s1
#define VECTOR3(v, s0, s1, s2) VECTOR2(v, s0, s1, s2); VFMLA v, V26.S4, s2

#define VECTORS(VECTOR) \
	FMOVQ.P 16(R5), F27; FMOVQ.P 16(R6), F28; FMOVQ.P 16(R7), F29; FMOVQ.P 16(R8), F30 \
	VECTOR(V27.S4, V0.S4, V8.S4, V16.S4); VECTOR(V28.S4, V1.S4, V9.S4, V17.S4) \
	VECTOR(V29.S4, V2.S4, V10.S4, V18.S4); VECTOR(V30.S4, V3.S4, V11.S4, V19.S4) \
	FMOVQ.P 16(R9), F27; FMOVQ.P 16(R10), F28; FMOVQ.P 16(R11), F29; FMOVQ.P 16(R12), F30 \
	VECTOR(V27.S4, V4.S4, V12.S4, V20.S4); VECTOR(V28.S4, V5.S4, V13.S4, V21.S4) \
	VECTOR(V29.S4, V6.S4, V14.S4, V22.S4); VECTOR(V30.S4, V7.S4, V15.S4, V23.S4)

#define ZERO(v) VEOR v, v, v
#define ZEROS1 \
	ZERO(V0.B16); ZERO(V1.B16); ZERO(V2.B16); ZERO(V3.B16); ZERO(V4.B16); ZERO(V5.B16); ZERO(V6.B16); ZERO(V7.B16)
#define ZEROS2 ZEROS1 \
	ZERO(V8.B16); ZERO(V9.B16); ZERO(V10.B16); ZERO(V11.B16); ZERO(V12.B16); ZERO(V13.B16); ZERO(V14.B16); ZERO(V15.B16)
#define ZEROS3 ZEROS2 \
	ZERO(V16.B16); ZERO(V17.B16); ZERO(V18.B16); ZERO(V19.B16); ZERO(V20.B16); ZERO(V21.B16); ZERO(V22.B16); ZERO(V23.B16)

// REDUCE reduces the sums of a row, from V(s) on, to 8 and adds them to y.
#define REDUCE(s) \
	FADDP(s+1, s, s); FADDP(s+3, s+2, s+2); FADDP(s+2, s, s) \
	FADDP(s+5, s+4, s+4); FADDP(s+7, s+6, s+6); FADDP(s+6, s+4, s+4) \
	FLDPQ (R0), (F30, F31) \
	FADD(s, 30, 30); FADD(s+4, 31, 31) \
	FSTPQ (F30, F31), (R0)

#define REDUCE1 REDUCE(0)
#define REDUCE2 REDUCE1; ADD R1, R0; REDUCE(8)
#define REDUCE3 REDUCE2; ADD R1, R0; REDUCE(16)

#define DOTS(ROWS, VECTOR, ZEROS, REDUCED) \
	MOVD y+0(FP), R0 \
	MOVD ldy+8(FP), R1 \
	MOVD w+16(FP), R2 \
	MOVD ldw+24(FP), R14 \
	MOVD q+32(FP), R5 \
	MOVD ldq+40(FP), R15 \
	MOVD n+48(FP), R13 \
	LSL $2, R1 \
	ADD R14<<2, R2, R3 \
	ADD R14<<2, R3, R4 \
	ADD R15<<2, R5, R6 \
	ADD R15<<2, R6, R7 \
	ADD R15<<2, R7, R8 \
	ADD R15<<2, R8, R9 \
	ADD R15<<2, R9, R10 \
	ADD R15<<2, R10, R11 \
	ADD R15<<2, R11, R12 \
	ZEROS \
next: \
	ROWS \
	VECTORS(VECTOR) \
	SUB $4, R13 \
	CBNZ R13, next \
	REDUCED \
	RET

// func dots1x8_NEON(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots1x8_NEON(SB), NOSPLIT, $0-56
	DOTS(ROWS1, VECTOR1, ZEROS1, REDUCE1)

// func dots2x8_NEON(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots2x8_NEON(SB), NOSPLIT, $0-56
	DOTS(ROWS2, VECTOR2, ZEROS2, REDUCE2)

// func dots3x8_NEON(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots3x8_NEON(SB), NOSPLIT, $0-56
	DOTS(ROWS3, VECTOR3, ZEROS3, REDUCE3)

// 8 vectors by 8 columns. The sums of vector c are in V(2c) and V(2c+1), the columns of a
// row of w in V24 and V25, the coefficients of the vectors in V26 and V27. R0 points to
// vector 0 of z, R1 is the distance between vectors in bytes. R2 points to y, R3 is the
// distance between its rows in bytes. R4 points to w, R5 is the distance between its rows
// in bytes, R6 counts the rows left.

#define VECTOR(m, l, s) FMLA_LANE(m, l, 24, s); FMLA_LANE(m, l, 25, s+1)

// func combinations8x8_NEON(z *float32, ldz int, y *float32, ldy int, w *float32, ldw, rows int)
TEXT ·combinations8x8_NEON(SB), NOSPLIT, $0-56
	MOVD z+0(FP), R0
	MOVD ldz+8(FP), R1
	MOVD y+16(FP), R2
	MOVD ldy+24(FP), R3
	MOVD w+32(FP), R4
	MOVD ldw+40(FP), R5
	MOVD rows+48(FP), R6
	LSL $2, R1
	LSL $2, R3
	LSL $2, R5
	MOVD R0, R7
	FLDPQ (R7), (F0, F1)
	ADD R1, R7
	FLDPQ (R7), (F2, F3)
	ADD R1, R7
	FLDPQ (R7), (F4, F5)
	ADD R1, R7
	FLDPQ (R7), (F6, F7)
	ADD R1, R7
	FLDPQ (R7), (F8, F9)
	ADD R1, R7
	FLDPQ (R7), (F10, F11)
	ADD R1, R7
	FLDPQ (R7), (F12, F13)
	ADD R1, R7
	FLDPQ (R7), (F14, F15)
next:
	FLDPQ (R4), (F24, F25)
	FLDPQ (R2), (F26, F27)
	VECTOR(26, 0, 0)
	VECTOR(26, 1, 2)
	VECTOR(26, 2, 4)
	VECTOR(26, 3, 6)
	VECTOR(27, 0, 8)
	VECTOR(27, 1, 10)
	VECTOR(27, 2, 12)
	VECTOR(27, 3, 14)
	ADD R5, R4
	ADD R3, R2
	SUB $1, R6
	CBNZ R6, next
	FSTPQ (F0, F1), (R0)
	ADD R1, R0
	FSTPQ (F2, F3), (R0)
	ADD R1, R0
	FSTPQ (F4, F5), (R0)
	ADD R1, R0
	FSTPQ (F6, F7), (R0)
	ADD R1, R0
	FSTPQ (F8, F9), (R0)
	ADD R1, R0
	FSTPQ (F10, F11), (R0)
	ADD R1, R0
	FSTPQ (F12, F13), (R0)
	ADD R1, R0
	FSTPQ (F14, F15), (R0)
	RET
