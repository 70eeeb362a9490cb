//go:build !noasm

#include "textflag.h"

// Tiles of 1 to 3 rows of x by 8 columns, as dot products; docs/kernels.md has
// the contract. The sums of column c are in Z(c), Z(8+c) and Z(16+c), one for each
// row: 16 partial sums each, of every 16th input. 16 inputs of x are in Z24 to
// Z26, those of a column of the weight in Z27. SI points to row 0 of x, DX is the
// distance between its rows in bytes. BX points to the weight, CX counts the
// inputs left, K1 has the last ones. DI points to t, R11 is the distance between
// its rows in bytes.

#define X1 VMOVUPS (SI), Z24
#define X2 X1; VMOVUPS (SI)(DX*1), Z25
#define X3 X2; VMOVUPS (SI)(DX*2), Z26

#define LAST1 VMOVUPS.Z (SI), K1, Z24
#define LAST2 LAST1; VMOVUPS.Z (SI)(DX*1), K1, Z25
#define LAST3 LAST2; VMOVUPS.Z (SI)(DX*2), K1, Z26

// COLUMNn adds the products of 16 inputs to the sums of column c, for n rows.
#define COLUMN1(c, s0, s1, s2) VMOVAPS (64*c)(BX), Z27; VFMADD231PS Z24, Z27, s0
#define COLUMN2(c, s0, s1, s2) COLUMN1(c, s0, s1, s2); VFMADD231PS Z25, Z27, s1
#define COLUMN3(c, s0, s1, s2) COLUMN2(c, s0, s1, s2); VFMADD231PS Z26, Z27, s2

#define COLUMNS(COLUMN) \
	COLUMN(0, Z0, Z8, Z16); COLUMN(1, Z1, Z9, Z17); COLUMN(2, Z2, Z10, Z18); COLUMN(3, Z3, Z11, Z19) \
	COLUMN(4, Z4, Z12, Z20); COLUMN(5, Z5, Z13, Z21); COLUMN(6, Z6, Z14, Z22); COLUMN(7, Z7, Z15, Z23)

#define CLEAR(a, b, c, d, e, f, g, h) \
	VPXORD a, a, a; VPXORD b, b, b; VPXORD c, c, c; VPXORD d, d, d \
	VPXORD e, e, e; VPXORD f, f, f; VPXORD g, g, g; VPXORD h, h, h
#define CLEAR1 CLEAR(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
#define CLEAR2 CLEAR1; CLEAR(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
#define CLEAR3 CLEAR2; CLEAR(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)

// PAIR sets each 128 bits of a to a0+a2, b0+b2, a1+a3, b1+b3; FOUR sets them to the
// sums of the 128 bits of a, b, c and d.
#define PAIR(a, b) VUNPCKLPS b, a, Z28; VUNPCKHPS b, a, a; VADDPS a, Z28, a
#define FOUR(a, b, c, d) \
	PAIR(a, b); PAIR(c, d) \
	VUNPCKLPD c, a, Z28; VUNPCKHPD c, a, a; VADDPS a, Z28, a

// STORE reduces the sums of a row to 8, and adds them to t if AX is not 0. y is
// the low half of a.
#define STORE(a, b, c, d, e, f, g, h, y, fresh) \
	FOUR(a, b, c, d) \
	FOUR(e, f, g, h) \
	VSHUFF32X4 $0x88, e, a, Z28 \
	VSHUFF32X4 $0xDD, e, a, a \
	VADDPS a, Z28, a \
	VSHUFF32X4 $0x08, a, a, Z28 \
	VSHUFF32X4 $0x0D, a, a, a \
	VADDPS a, Z28, a \
	TESTL AX, AX \
	JEQ fresh \
	VADDPS (DI), y, y \
fresh: \
	VMOVUPS y, (DI)

#define STORE1 STORE(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Y0, first)
#define STORE2 STORE1; ADDQ R11, DI; STORE(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Y8, second)
#define STORE3 STORE2; ADDQ R11, DI; STORE(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Y16, third)

#define TILE(X, LAST, COLUMN, CLEARS, STORES) \
	MOVQ t+0(FP), DI \
	MOVQ ldt+8(FP), R11 \
	MOVQ x+16(FP), SI \
	MOVQ ldx+24(FP), DX \
	MOVQ u+32(FP), BX \
	MOVQ k+40(FP), CX \
	MOVBLZX accumulate+48(FP), AX \
	SHLQ $2, R11 \
	SHLQ $2, DX \
	CLEARS \
	SUBQ $16, CX \
	JLT rest \
sixteen: \
	X \
	COLUMNS(COLUMN) \
	ADDQ $64, SI \
	ADDQ $512, BX \
	SUBQ $16, CX \
	JGE sixteen \
rest: \
	ADDQ $16, CX \
	JEQ done \
	MOVL $1, R8 \
	SHLL CX, R8 \
	DECL R8 \
	KMOVW R8, K1 \
	LAST \
	COLUMNS(COLUMN) \
done: \
	STORES \
	VZEROUPPER \
	RET

// func dotF32_1x8_AVX512(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_1x8_AVX512(SB), NOSPLIT, $0-49
	TILE(X1, LAST1, COLUMN1, CLEAR1, STORE1)

// func dotF32_2x8_AVX512(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_2x8_AVX512(SB), NOSPLIT, $0-49
	TILE(X2, LAST2, COLUMN2, CLEAR2, STORE2)

// func dotF32_3x8_AVX512(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_3x8_AVX512(SB), NOSPLIT, $0-49
	TILE(X3, LAST3, COLUMN3, CLEAR3, STORE3)
