//go:build !noasm

#include "textflag.h"

// 1 to 3 rows of w by 8 vectors, as dot products. The sums of vector c are in Z(c),
// Z(8+c) and Z(16+c), one for each row: 16 partial sums each, of every 16th column. 16
// columns of w are in Z24 to Z26, those of a vector in Z27. SI points to row 0 of w, DX
// is the distance between its rows in bytes. BX points to vector 0, R9 to vector 4, R8
// is the distance between vectors in bytes, R10 three times that. CX counts the columns
// left. DI points to y, R11 is the distance between its rows in bytes.

#define ROWS1 VMOVUPS (SI), Z24
#define ROWS2 ROWS1; VMOVUPS (SI)(DX*1), Z25
#define ROWS3 ROWS2; VMOVUPS (SI)(DX*2), Z26

// VECTORn adds the products of 16 columns and a vector, for n rows.
#define VECTOR1(q, s0, s1, s2) VMOVUPS q, Z27; VFMADD231PS Z24, Z27, s0
#define VECTOR2(q, s0, s1, s2) VECTOR1(q, s0, s1, s2); VFMADD231PS Z25, Z27, s1
#define VECTOR3(q, s0, s1, s2) VECTOR2(q, s0, s1, s2); VFMADD231PS Z26, Z27, s2

#define VECTORS(VECTOR) \
	VECTOR((BX), Z0, Z8, Z16); VECTOR((BX)(R8*1), Z1, Z9, Z17) \
	VECTOR((BX)(R8*2), Z2, Z10, Z18); VECTOR((BX)(R10*1), Z3, Z11, Z19) \
	VECTOR((R9), Z4, Z12, Z20); VECTOR((R9)(R8*1), Z5, Z13, Z21) \
	VECTOR((R9)(R8*2), Z6, Z14, Z22); VECTOR((R9)(R10*1), Z7, Z15, Z23)

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

// ADD reduces the sums of a row to 8 and adds them to y. x is the low half of a.
#define ADD(a, b, c, d, e, f, g, h, x) \
	FOUR(a, b, c, d) \
	FOUR(e, f, g, h) \
	VSHUFF32X4 $0x88, e, a, Z28 \
	VSHUFF32X4 $0xDD, e, a, a \
	VADDPS a, Z28, a \
	VSHUFF32X4 $0x08, a, a, Z28 \
	VSHUFF32X4 $0x0D, a, a, a \
	VADDPS a, Z28, a \
	VADDPS (DI), x, x \
	VMOVUPS x, (DI)

#define ADD1 ADD(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Y0)
#define ADD2 ADD1; ADDQ R11, DI; ADD(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Y8)
#define ADD3 ADD2; ADDQ R11, DI; ADD(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Y16)

// A row is fetched 512 columns ahead, so that it is in the cache when the vectors'
// next columns are.
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
	LEAQ (BX)(R8*4), R9 \
	CLEARS \
next: \
	FETCH \
	ROWS \
	VECTORS(VECTOR) \
	ADDQ $64, SI \
	ADDQ $64, BX \
	ADDQ $64, R9 \
	SUBQ $16, CX \
	JNE next \
	ADDS \
	VZEROUPPER \
	RET

#define FETCH1 PREFETCHT1 2048(SI)
#define FETCH2 FETCH1; PREFETCHT1 2048(SI)(DX*1)
#define FETCH3 FETCH2; PREFETCHT1 2048(SI)(DX*2)

// func dots1x8_AVX512(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots1x8_AVX512(SB), NOSPLIT, $0-56
	DOTS(ROWS1, VECTOR1, FETCH1, CLEAR1, ADD1)

// func dots2x8_AVX512(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots2x8_AVX512(SB), NOSPLIT, $0-56
	DOTS(ROWS2, VECTOR2, FETCH2, CLEAR2, ADD2)

// func dots3x8_AVX512(y *float32, ldy int, w *float32, ldw int, q *float32, ldq, n int)
TEXT ·dots3x8_AVX512(SB), NOSPLIT, $0-56
	DOTS(ROWS3, VECTOR3, FETCH3, CLEAR3, ADD3)

// 8 vectors by 32 columns. The sums of vector c are in Z(2c) and Z(2c+1), the columns
// of a row of w in Z24 and Z25, a coefficient in Z26 to Z29. DI points to vector 0 of z
// and R9 to vector 4, R8 is the distance between vectors in bytes, R10 three times
// that. BX points to y, R11 is the distance between its rows in bytes. SI points to w,
// DX is the distance between its rows in bytes, CX counts the rows left. The columns
// before these are fetched: they are next.

#define LOAD(z0, z1, s0, s1) VMOVUPS z0, s0; VMOVUPS z1, s1
#define STORE(z0, z1, s0, s1) VMOVUPS s0, z0; VMOVUPS s1, z1

#define SUMS(MOVE) \
	MOVE((DI), 64(DI), Z0, Z1) \
	MOVE((DI)(R8*1), 64(DI)(R8*1), Z2, Z3) \
	MOVE((DI)(R8*2), 64(DI)(R8*2), Z4, Z5) \
	MOVE((DI)(R10*1), 64(DI)(R10*1), Z6, Z7) \
	MOVE((R9), 64(R9), Z8, Z9) \
	MOVE((R9)(R8*1), 64(R9)(R8*1), Z10, Z11) \
	MOVE((R9)(R8*2), 64(R9)(R8*2), Z12, Z13) \
	MOVE((R9)(R10*1), 64(R9)(R10*1), Z14, Z15)

#define VECTOR(c, v, s0, s1) VBROADCASTSS (4*c)(BX), v; VFMADD231PS Z24, v, s0; VFMADD231PS Z25, v, s1

// func combinations8x32_AVX512(z *float32, ldz int, y *float32, ldy int, w *float32, ldw, rows int)
TEXT ·combinations8x32_AVX512(SB), NOSPLIT, $0-56
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
	LEAQ (DI)(R8*4), R9
	SUMS(LOAD)
next:
	VMOVUPS (SI), Z24
	VMOVUPS 64(SI), Z25
	PREFETCHT0 -128(SI)
	PREFETCHT0 -64(SI)
	VECTOR(0, Z26, Z0, Z1)
	VECTOR(1, Z27, Z2, Z3)
	VECTOR(2, Z28, Z4, Z5)
	VECTOR(3, Z29, Z6, Z7)
	VECTOR(4, Z26, Z8, Z9)
	VECTOR(5, Z27, Z10, Z11)
	VECTOR(6, Z28, Z12, Z13)
	VECTOR(7, Z29, Z14, Z15)
	ADDQ DX, SI
	ADDQ R11, BX
	DECQ CX
	JNE next
	SUMS(STORE)
	VZEROUPPER
	RET
