//go:build !noasm

#include "textflag.h"

// 1 to 3 rows of w by 4 vectors, as dot products. The sums of vector c are in Y(c),
// Y(4+c) and Y(8+c), one for each row: 8 partial sums each, of every 8th column. 8
// columns of w are in Y12 to Y14, those of a vector in Y15. SI points to row 0 of w, DX
// is the distance between its rows in bytes. BX points to vector 0, R8 is the distance
// between vectors in bytes, R10 three times that. CX counts the columns left. DI points
// to y, R11 is the distance between its rows in bytes.

#define ROWS1 VMOVUPS (SI), Y12
#define ROWS2 ROWS1; VMOVUPS (SI)(DX*1), Y13
#define ROWS3 ROWS2; VMOVUPS (SI)(DX*2), Y14

// VECTORn adds the products of 8 columns and a vector, for n rows.
#define VECTOR1(q, s0, s1, s2) VMOVUPS q, Y15; VFMADD231PS Y12, Y15, s0
#define VECTOR2(q, s0, s1, s2) VECTOR1(q, s0, s1, s2); VFMADD231PS Y13, Y15, s1
#define VECTOR3(q, s0, s1, s2) VECTOR2(q, s0, s1, s2); VFMADD231PS Y14, Y15, s2

#define VECTORS(VECTOR) \
	VECTOR((BX), Y0, Y4, Y8); VECTOR((BX)(R8*1), Y1, Y5, Y9) \
	VECTOR((BX)(R8*2), Y2, Y6, Y10); VECTOR((BX)(R10*1), Y3, Y7, Y11)

#define CLEAR(a, b, c, d) VXORPS a, a, a; VXORPS b, b, b; VXORPS c, c, c; VXORPS d, d, d
#define CLEAR1 CLEAR(Y0, Y1, Y2, Y3)
#define CLEAR2 CLEAR1; CLEAR(Y4, Y5, Y6, Y7)
#define CLEAR3 CLEAR2; CLEAR(Y8, Y9, Y10, Y11)

// ADD reduces the sums of a row to 4 and adds them to y. x is the low half of a.
#define ADD(a, b, c, d, x) \
	VHADDPS b, a, a \
	VHADDPS d, c, c \
	VHADDPS c, a, a \
	VEXTRACTF128 $1, a, X15 \
	VADDPS X15, x, x \
	VADDPS (DI), x, x \
	VMOVUPS x, (DI)

#define ADD1 ADD(Y0, Y1, Y2, Y3, X0)
#define ADD2 ADD1; ADDQ R11, DI; ADD(Y4, Y5, Y6, Y7, X4)
#define ADD3 ADD2; ADDQ R11, DI; ADD(Y8, Y9, Y10, Y11, X8)

// A row is fetched 512 columns ahead, so that it is in the cache when the vectors'
// next columns are.
#define FETCH1 PREFETCHT1 2048(SI)
#define FETCH2 FETCH1; PREFETCHT1 2048(SI)(DX*1)
#define FETCH3 FETCH2; PREFETCHT1 2048(SI)(DX*2)

#define DOTS(ROWS, VECTOR, FETCH, CLEARS, ADDS) \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ w+16(FP), SI \
	MOVQ ldw+24(FP), DX \
	MOVQ q+32(FP), BX \
	MOVQ ldq+40(FP), R8 \
	MOVQ n+48(FP), CX \
	SHLQ $2, R11 \
	SHLQ $2, DX \
	SHLQ $2, R8 \
	LEAQ (R8)(R8*2), R10 \
	CLEARS \
next: \
	FETCH \
	ROWS \
	VECTORS(VECTOR) \
	ADDQ $32, SI \
	ADDQ $32, BX \
	ROWS \
	VECTORS(VECTOR) \
	ADDQ $32, SI \
	ADDQ $32, BX \
	SUBQ $16, CX \
	JNE next \
	ADDS \
	VZEROUPPER \
	RET

// func dots1x4_AVX2(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots1x4_AVX2(SB), NOSPLIT, $0-56
	DOTS(ROWS1, VECTOR1, FETCH1, CLEAR1, ADD1)

// func dots2x4_AVX2(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots2x4_AVX2(SB), NOSPLIT, $0-56
	DOTS(ROWS2, VECTOR2, FETCH2, CLEAR2, ADD2)

// func dots3x4_AVX2(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots3x4_AVX2(SB), NOSPLIT, $0-56
	DOTS(ROWS3, VECTOR3, FETCH3, CLEAR3, ADD3)

// 4 vectors by 16 columns. The sums of vector c are in Y(2c) and Y(2c+1), the columns
// of a row of w in Y8 and Y9, a coefficient in Y10 to Y13. DI points to vector 0 of z,
// R8 is the distance between vectors in bytes, R10 three times that. BX points to y,
// R11 is the distance between its rows in bytes. SI points to w, DX is the distance
// between its rows in bytes, CX counts the rows left. The columns before these are
// fetched: they are next.

#define LOAD(z0, z1, s0, s1) VMOVUPS z0, s0; VMOVUPS z1, s1
#define STORE(z0, z1, s0, s1) VMOVUPS s0, z0; VMOVUPS s1, z1

#define SUMS(MOVE) \
	MOVE((DI), 32(DI), Y0, Y1) \
	MOVE((DI)(R8*1), 32(DI)(R8*1), Y2, Y3) \
	MOVE((DI)(R8*2), 32(DI)(R8*2), Y4, Y5) \
	MOVE((DI)(R10*1), 32(DI)(R10*1), Y6, Y7)

#define VECTOR(c, v, s0, s1) VBROADCASTSS (4*c)(BX), v; VFMADD231PS Y8, v, s0; VFMADD231PS Y9, v, s1

// func combinations4x16_AVX2(z *float32, ldz int, y *float32, ldy int, w *float32, ldw, rows int)
TEXT ·combinations4x16_AVX2(SB), NOSPLIT, $0-56
	MOVQ z+0(FP), DI
	MOVQ ldz+8(FP), R8
	MOVQ y+16(FP), BX
	MOVQ ldy+24(FP), R11
	MOVQ w+32(FP), SI
	MOVQ ldw+40(FP), DX
	MOVQ rows+48(FP), CX
	SHLQ $2, R8
	SHLQ $2, R11
	SHLQ $2, DX
	LEAQ (R8)(R8*2), R10
	SUMS(LOAD)
next:
	VMOVUPS (SI), Y8
	VMOVUPS 32(SI), Y9
	PREFETCHT0 -64(SI)
	VECTOR(0, Y10, Y0, Y1)
	VECTOR(1, Y11, Y2, Y3)
	VECTOR(2, Y12, Y4, Y5)
	VECTOR(3, Y13, Y6, Y7)
	ADDQ DX, SI
	ADDQ R11, BX
	DECQ CX
	JNE next
	SUMS(STORE)
	VZEROUPPER
	RET
