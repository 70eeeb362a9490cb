//go:build !noasm

#include "textflag.h"

// Tiles of 1 to 3 rows by a panel of 32 columns, which widen the weight to float32.
// The sums of row i are in Y(4i) to Y(4i+3), eight values of one input of the panel in
// Y12, values of x in Y13 to Y15. y is at DI with R11 bytes between its rows, x at SI
// with DX bytes between its rows, the panel at BX. R10 points to the masks of the
// columns when some of the 32 are past n, and is 0 otherwise.

// The odd input of each pair.
DATA bf16Odd<>+0(SB)/8, $0xffff0000ffff0000
DATA bf16Odd<>+8(SB)/8, $0xffff0000ffff0000
DATA bf16Odd<>+16(SB)/8, $0xffff0000ffff0000
DATA bf16Odd<>+24(SB)/8, $0xffff0000ffff0000
GLOBL bf16Odd<>(SB), RODATA|NOPTR, $32

// 32 lanes that are set and 32 that are not: cols of them start at 4*(32-cols).
DATA bf16Columns<>+0(SB)/8, $-1
DATA bf16Columns<>+8(SB)/8, $-1
DATA bf16Columns<>+16(SB)/8, $-1
DATA bf16Columns<>+24(SB)/8, $-1
DATA bf16Columns<>+32(SB)/8, $-1
DATA bf16Columns<>+40(SB)/8, $-1
DATA bf16Columns<>+48(SB)/8, $-1
DATA bf16Columns<>+56(SB)/8, $-1
DATA bf16Columns<>+64(SB)/8, $-1
DATA bf16Columns<>+72(SB)/8, $-1
DATA bf16Columns<>+80(SB)/8, $-1
DATA bf16Columns<>+88(SB)/8, $-1
DATA bf16Columns<>+96(SB)/8, $-1
DATA bf16Columns<>+104(SB)/8, $-1
DATA bf16Columns<>+112(SB)/8, $-1
DATA bf16Columns<>+120(SB)/8, $-1
DATA bf16Columns<>+128(SB)/8, $0
DATA bf16Columns<>+136(SB)/8, $0
DATA bf16Columns<>+144(SB)/8, $0
DATA bf16Columns<>+152(SB)/8, $0
DATA bf16Columns<>+160(SB)/8, $0
DATA bf16Columns<>+168(SB)/8, $0
DATA bf16Columns<>+176(SB)/8, $0
DATA bf16Columns<>+184(SB)/8, $0
DATA bf16Columns<>+192(SB)/8, $0
DATA bf16Columns<>+200(SB)/8, $0
DATA bf16Columns<>+208(SB)/8, $0
DATA bf16Columns<>+216(SB)/8, $0
DATA bf16Columns<>+224(SB)/8, $0
DATA bf16Columns<>+232(SB)/8, $0
DATA bf16Columns<>+240(SB)/8, $0
DATA bf16Columns<>+248(SB)/8, $0
GLOBL bf16Columns<>(SB), RODATA|NOPTR, $256

#define ZERO1 VPXOR Y0, Y0, Y0; VPXOR Y1, Y1, Y1; VPXOR Y2, Y2, Y2; VPXOR Y3, Y3, Y3
#define ZERO2 ZERO1; VPXOR Y4, Y4, Y4; VPXOR Y5, Y5, Y5; VPXOR Y6, Y6, Y6; VPXOR Y7, Y7, Y7
#define ZERO3 ZERO2; VPXOR Y8, Y8, Y8; VPXOR Y9, Y9, Y9; VPXOR Y10, Y10, Y10; VPXOR Y11, Y11, Y11

#define MASKS VMOVUPS (R10), Y12; VMOVUPS 32(R10), Y13; VMOVUPS 64(R10), Y14; VMOVUPS 96(R10), Y15

#define LOAD(a, b, c, d) VMOVUPS (DI), a; VMOVUPS 32(DI), b; VMOVUPS 64(DI), c; VMOVUPS 96(DI), d; ADDQ R11, DI
#define LOAD1 LOAD(Y0, Y1, Y2, Y3)
#define LOAD2 LOAD1; LOAD(Y4, Y5, Y6, Y7)
#define LOAD3 LOAD2; LOAD(Y8, Y9, Y10, Y11)
#define LOADM(a, b, c, d) VMASKMOVPS (DI), Y12, a; VMASKMOVPS 32(DI), Y13, b; VMASKMOVPS 64(DI), Y14, c; VMASKMOVPS 96(DI), Y15, d; ADDQ R11, DI
#define LOADM1 MASKS; LOADM(Y0, Y1, Y2, Y3)
#define LOADM2 LOADM1; LOADM(Y4, Y5, Y6, Y7)
#define LOADM3 LOADM2; LOADM(Y8, Y9, Y10, Y11)

#define STORE(a, b, c, d) VMOVUPS a, (DI); VMOVUPS b, 32(DI); VMOVUPS c, 64(DI); VMOVUPS d, 96(DI); ADDQ R11, DI
#define STORE1 STORE(Y0, Y1, Y2, Y3)
#define STORE2 STORE1; STORE(Y4, Y5, Y6, Y7)
#define STORE3 STORE2; STORE(Y8, Y9, Y10, Y11)
#define STOREM(a, b, c, d) VMASKMOVPS a, Y12, (DI); VMASKMOVPS b, Y13, 32(DI); VMASKMOVPS c, Y14, 64(DI); VMASKMOVPS d, Y15, 96(DI); ADDQ R11, DI
#define STOREM1 MASKS; STOREM(Y0, Y1, Y2, Y3)
#define STOREM2 STOREM1; STOREM(Y4, Y5, Y6, Y7)
#define STOREM3 STOREM2; STOREM(Y8, Y9, Y10, Y11)

#define X1(o) VBROADCASTSS o(SI), Y13
#define X2(o) X1(o); VBROADCASTSS o(SI)(DX*1), Y14
#define X3(o) X2(o); VBROADCASTSS o(SI)(DX*2), Y15

// ADDi adds the input in Y12 times the values of x to the sums of one vector of columns.
#define ADD1(a, b, c) VFMADD231PS Y12, Y13, a
#define ADD2(a, b, c) ADD1(a, b, c); VFMADD231PS Y12, Y14, b
#define ADD3(a, b, c) ADD2(a, b, c); VFMADD231PS Y12, Y15, c

#define EVEN(o, a, b, c, ADD) VMOVDQU o(BX), Y12; VPSLLD $16, Y12, Y12; ADD(a, b, c)
#define ODD(o, a, b, c, ADD) VMOVDQU o(BX), Y12; VPAND bf16Odd<>(SB), Y12, Y12; ADD(a, b, c)
#define EVENS(X, ADD) X(0); EVEN(0, Y0, Y4, Y8, ADD); EVEN(32, Y1, Y5, Y9, ADD); EVEN(64, Y2, Y6, Y10, ADD); EVEN(96, Y3, Y7, Y11, ADD)
#define ODDS(X, ADD) X(4); ODD(0, Y0, Y4, Y8, ADD); ODD(32, Y1, Y5, Y9, ADD); ODD(64, Y2, Y6, Y10, ADD); ODD(96, Y3, Y7, Y11, ADD)

#define TILE(ZERO, LOAD, LOADM, X, ADD, STORE, STOREM) \
	MOVQ y+0(FP), DI           \
	MOVQ ldy+8(FP), R11        \
	MOVQ x+16(FP), SI          \
	MOVQ ldx+24(FP), DX        \
	MOVQ w+32(FP), BX          \
	MOVQ k+40(FP), CX          \
	MOVQ cols+48(FP), AX       \
	SHLQ $2, R11               \
	SHLQ $2, DX                \
	XORL R10, R10              \
	CMPQ AX, $32               \
	JEQ  full                  \
	NEGQ AX                    \
	LEAQ bf16Columns<>+128(SB), R10 \
	LEAQ (R10)(AX*4), R10      \
full:                          \
	ZERO                       \
	CMPB accumulate+56(FP), $0 \
	JEQ  start                 \
	TESTQ R10, R10             \
	JNE  loadm                 \
	LOAD                       \
	JMP  loaded                \
loadm:                         \
	LOADM                      \
loaded:                        \
	MOVQ y+0(FP), DI           \
start:                         \
	SUBQ $2, CX                \
	JLT  last                  \
loop:                          \
	EVENS(X, ADD)              \
	ODDS(X, ADD)               \
	ADDQ $128, BX              \
	ADDQ $8, SI                \
	SUBQ $2, CX                \
	JGE  loop                  \
last:                          \
	ADDQ $2, CX                \
	JEQ  done                  \
	EVENS(X, ADD)              \
done:                          \
	TESTQ R10, R10             \
	JNE  storem                \
	STORE                      \
	VZEROUPPER                 \
	RET                        \
storem:                        \
	STOREM                     \
	VZEROUPPER                 \
	RET

// func gemmBF16_1x32_AVX2(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_1x32_AVX2(SB), NOSPLIT, $0-57
	TILE(ZERO1, LOAD1, LOADM1, X1, ADD1, STORE1, STOREM1)

// func gemmBF16_2x32_AVX2(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_2x32_AVX2(SB), NOSPLIT, $0-57
	TILE(ZERO2, LOAD2, LOADM2, X2, ADD2, STORE2, STOREM2)

// func gemmBF16_3x32_AVX2(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_3x32_AVX2(SB), NOSPLIT, $0-57
	TILE(ZERO3, LOAD3, LOADM3, X3, ADD3, STORE3, STOREM3)

// One row by two panels, from BX and R9: eight sums that do not wait for each other,
// and two streams from memory. Y13 holds an even value of x, Y14 the odd one, Y15 the
// mask of the odd input of a pair.

#define WIDEN(o, w, even, sum) VMOVDQU o(w), Y12; VPSLLD $16, Y12, Y12; VFMADD231PS Y12, even, sum
#define WIDENODD(o, w, odd, sum) VPAND o(w), Y15, Y12; VFMADD231PS Y12, odd, sum
#define ROWEVEN \
	VBROADCASTSS (SI), Y13   \
	WIDEN(0, BX, Y13, Y0)    \
	WIDEN(32, BX, Y13, Y1)   \
	WIDEN(64, BX, Y13, Y2)   \
	WIDEN(96, BX, Y13, Y3)   \
	WIDEN(0, R9, Y13, Y4)    \
	WIDEN(32, R9, Y13, Y5)   \
	WIDEN(64, R9, Y13, Y6)   \
	WIDEN(96, R9, Y13, Y7)

// func gemvBF16_1x64_AVX2(y, x *float32, w *uint16, apart, k int, accumulate bool)
TEXT ·gemvBF16_1x64_AVX2(SB), NOSPLIT, $0-41
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), BX
	MOVQ apart+24(FP), AX
	MOVQ k+32(FP), CX
	LEAQ (BX)(AX*2), R9
	CMPB accumulate+40(FP), $0
	JNE  load
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	JMP  start
load:
	VMOVUPS 0(DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7
start:
	VMOVDQU bf16Odd<>(SB), Y15
	SUBQ $2, CX
	JLT  last
loop:
	ROWEVEN
	VBROADCASTSS 4(SI), Y14
	WIDENODD(0, BX, Y14, Y0)
	WIDENODD(32, BX, Y14, Y1)
	WIDENODD(64, BX, Y14, Y2)
	WIDENODD(96, BX, Y14, Y3)
	WIDENODD(0, R9, Y14, Y4)
	WIDENODD(32, R9, Y14, Y5)
	WIDENODD(64, R9, Y14, Y6)
	WIDENODD(96, R9, Y14, Y7)
	ADDQ $128, BX
	ADDQ $128, R9
	ADDQ $8, SI
	SUBQ $2, CX
	JGE  loop
last:
	ADDQ $2, CX
	JEQ  done
	ROWEVEN
done:
	VMOVUPS Y0, 0(DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	VZEROUPPER
	RET
