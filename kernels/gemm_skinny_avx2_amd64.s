//go:build !noasm

#include "textflag.h"

// Tiles of 1 to 3 rows of x by 4 columns, as dot products; docs/kernels.md has
// the contract. The sums of column c are in Y(c), Y(4+c) and Y(8+c), one for each
// row: 8 partial sums each, of every 8th input. 8 inputs of x are in Y12 to Y14,
// those of a column of the weight in Y15. SI points to row 0 of x, DX is the
// distance between its rows in bytes. BX points to the weight, CX counts the
// inputs left, Y15 is the mask of the last ones. DI points to t, R11 is the
// distance between its rows in bytes.

// The 8 values that start 4*c bytes before the middle have the first c set.
DATA inputs<>+0(SB)/8, $-1
DATA inputs<>+8(SB)/8, $-1
DATA inputs<>+16(SB)/8, $-1
DATA inputs<>+24(SB)/8, $-1
GLOBL inputs<>(SB), RODATA|NOPTR, $64

#define X1 VMOVUPS (SI), Y12
#define X2 X1; VMOVUPS (SI)(DX*1), Y13
#define X3 X2; VMOVUPS (SI)(DX*2), Y14

#define LAST1 VMASKMOVPS (SI), Y15, Y12
#define LAST2 LAST1; VMASKMOVPS (SI)(DX*1), Y15, Y13
#define LAST3 LAST2; VMASKMOVPS (SI)(DX*2), Y15, Y14

// COLUMNn adds the products of 8 inputs to the sums of column c, for n rows.
#define COLUMN1(c, s0, s1, s2) VMOVAPS (32*c)(BX), Y15; VFMADD231PS Y12, Y15, s0
#define COLUMN2(c, s0, s1, s2) COLUMN1(c, s0, s1, s2); VFMADD231PS Y13, Y15, s1
#define COLUMN3(c, s0, s1, s2) COLUMN2(c, s0, s1, s2); VFMADD231PS Y14, Y15, s2

#define COLUMNS(COLUMN) COLUMN(0, Y0, Y4, Y8); COLUMN(1, Y1, Y5, Y9); COLUMN(2, Y2, Y6, Y10); COLUMN(3, Y3, Y7, Y11)

#define CLEAR(a, b, c, d) VXORPS a, a, a; VXORPS b, b, b; VXORPS c, c, c; VXORPS d, d, d
#define CLEAR1 CLEAR(Y0, Y1, Y2, Y3)
#define CLEAR2 CLEAR1; CLEAR(Y4, Y5, Y6, Y7)
#define CLEAR3 CLEAR2; CLEAR(Y8, Y9, Y10, Y11)

// STORE reduces the sums of a row to 4, and adds them to t if AX is not 0. x is
// the low half of a.
#define STORE(a, b, c, d, x, fresh) \
	VHADDPS b, a, a \
	VHADDPS d, c, c \
	VHADDPS c, a, a \
	VEXTRACTF128 $1, a, X15 \
	VADDPS X15, x, x \
	TESTL AX, AX \
	JEQ fresh \
	VADDPS (DI), x, x \
fresh: \
	VMOVUPS x, (DI)

#define STORE1 STORE(Y0, Y1, Y2, Y3, X0, first)
#define STORE2 STORE1; ADDQ R11, DI; STORE(Y4, Y5, Y6, Y7, X4, second)
#define STORE3 STORE2; ADDQ R11, DI; STORE(Y8, Y9, Y10, Y11, X8, third)

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
	SUBQ $8, CX \
	JLT rest \
eight: \
	X \
	COLUMNS(COLUMN) \
	ADDQ $32, SI \
	ADDQ $128, BX \
	SUBQ $8, CX \
	JGE eight \
rest: \
	ADDQ $8, CX \
	JEQ done \
	LEAQ inputs<>+32(SB), R8 \
	SHLQ $2, CX \
	SUBQ CX, R8 \
	VMOVUPS (R8), Y15 \
	LAST \
	COLUMNS(COLUMN) \
done: \
	STORES \
	VZEROUPPER \
	RET

// func dotF32_1x4_AVX2(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_1x4_AVX2(SB), NOSPLIT, $0-49
	TILE(X1, LAST1, COLUMN1, CLEAR1, STORE1)

// func dotF32_2x4_AVX2(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_2x4_AVX2(SB), NOSPLIT, $0-49
	TILE(X2, LAST2, COLUMN2, CLEAR2, STORE2)

// func dotF32_3x4_AVX2(t *float32, ldt int, x *float32, ldx int, u *float32, k int, accumulate bool)
TEXT ·dotF32_3x4_AVX2(SB), NOSPLIT, $0-49
	TILE(X3, LAST3, COLUMN3, CLEAR3, STORE3)
