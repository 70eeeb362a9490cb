//go:build !noasm

#include "textflag.h"

// Tiles of 1 to 3 rows by a panel of 32 columns. The sums of the block of row i, for
// the first and the second byte of the activations and two vectors of columns each,
// are in Z(4i) to Z(4i+3), those of y in Z(16+2i) and Z(17+2i). Z24 and Z26 hold the
// codes of four inputs, Z25 and Z27 those of the next four, Z28 and Z29 bytes of x or
// scales, Z31 the mask of the low halves of bytes. Z30 holds ones of 16 bits.
//
// Row 0 of the records of x is at SI, with DX bytes between rows and R8 three times
// that; BX points into the panel, R10 to the scales of the group. R9 is the number of
// blocks of a group, R12 of those after this group, CX of those left in it. y is at DI
// with R11 bytes between its rows; K1 and K2 hold its columns.

// The sum of 16 products of a code and a byte, which a block has in each lane of 16
// bits, is at most 16*15*128 < 2^15.
#define DOT(x, w, sum) VPMADDUBSW x, w, Z14; VPADDW Z14, sum, sum

// CODES unpacks eight inputs of a panel.
#define CODES(c) VMOVDQU32 (128*c)(BX), Z25; VMOVDQU32 (128*c+64)(BX), Z27; VPANDD Z31, Z25, Z24; VPSRLD $4, Z25, Z25; VPANDD Z31, Z27, Z26; VPSRLD $4, Z27, Z27; VPANDD Z31, Z25, Z25; VPANDD Z31, Z27, Z27

// ROW adds the products of eight inputs at o from x.
#define ROW(x, o, a, b, c, d) VPBROADCASTD (o+8)x, Z28; VPBROADCASTD (o+12)x, Z29; DOT(Z28, Z24, a); DOT(Z28, Z26, b); DOT(Z29, Z24, c); DOT(Z29, Z26, d); VPBROADCASTD (o+16)x, Z28; VPBROADCASTD (o+20)x, Z29; DOT(Z28, Z25, a); DOT(Z28, Z27, b); DOT(Z29, Z25, c); DOT(Z29, Z27, d)
#define ROWS1(o) ROW((SI), o, Z0, Z1, Z2, Z3)
#define ROWS2(o) ROWS1(o); ROW((SI)(DX*1), o, Z4, Z5, Z6, Z7)
#define ROWS3(o) ROWS2(o); ROW((SI)(DX*2), o, Z8, Z9, Z10, Z11)

// CLEAR starts the sums of a block.
#define CLEAR1 VPXORD Z0, Z0, Z0; VPXORD Z1, Z1, Z1; VPXORD Z2, Z2, Z2; VPXORD Z3, Z3, Z3
#define CLEAR2 CLEAR1; VPXORD Z4, Z4, Z4; VPXORD Z5, Z5, Z5; VPXORD Z6, Z6, Z6; VPXORD Z7, Z7, Z7
#define CLEAR3 CLEAR2; VPXORD Z8, Z8, Z8; VPXORD Z9, Z9, Z9; VPXORD Z10, Z10, Z10; VPXORD Z11, Z11, Z11

// SCALE adds the sums of a block, times the scales of x and of the group, to y.
#define SUM(x, h, l, s, y) VPMADDWD Z30, h, h; VPMADDWD Z30, l, l; VPSLLD $8, h, h; VPADDD.BCST x, l, l; VPADDD l, h, h; VCVTDQ2PS h, h; VMULPS.BCST 4x, h, h; VFMADD231PS s, h, y
#define SCALE1 VCVTPH2PS (R10), Z28; VCVTPH2PS 32(R10), Z29; SUM((SI), Z0, Z2, Z28, Z16); SUM((SI), Z1, Z3, Z29, Z17)
#define SCALE2 SCALE1; SUM((SI)(DX*1), Z4, Z6, Z28, Z18); SUM((SI)(DX*1), Z5, Z7, Z29, Z19)
#define SCALE3 SCALE2; SUM((SI)(DX*2), Z8, Z10, Z28, Z20); SUM((SI)(DX*2), Z9, Z11, Z29, Z21)

#define ZERO1 VPXORD Z16, Z16, Z16; VPXORD Z17, Z17, Z17
#define ZERO2 ZERO1; VPXORD Z18, Z18, Z18; VPXORD Z19, Z19, Z19
#define ZERO3 ZERO2; VPXORD Z20, Z20, Z20; VPXORD Z21, Z21, Z21

#define LOAD1 VMOVUPS.Z (DI), K1, Z16; VMOVUPS.Z 64(DI), K2, Z17; ADDQ R11, DI
#define LOAD2 LOAD1; VMOVUPS.Z (DI), K1, Z18; VMOVUPS.Z 64(DI), K2, Z19; ADDQ R11, DI
#define LOAD3 LOAD2; VMOVUPS.Z (DI), K1, Z20; VMOVUPS.Z 64(DI), K2, Z21; ADDQ R11, DI

#define STORE1 VMOVUPS Z16, K1, (DI); VMOVUPS Z17, K2, 64(DI); ADDQ R11, DI
#define STORE2 STORE1; VMOVUPS Z18, K1, (DI); VMOVUPS Z19, K2, 64(DI); ADDQ R11, DI
#define STORE3 STORE2; VMOVUPS Z20, K1, (DI); VMOVUPS Z21, K2, 64(DI); ADDQ R11, DI

#define TILE(ZERO, LOAD, CLEAR, ROWS, SCALE, STORE) \
	MOVQ y+0(FP), DI           \
	MOVQ ldy+8(FP), R11        \
	MOVQ x+16(FP), SI          \
	MOVQ ldx+24(FP), DX        \
	MOVQ w+32(FP), BX          \
	MOVQ blocks+40(FP), R12    \
	MOVQ perGroup+48(FP), R9   \
	MOVQ cols+56(FP), CX       \
	SHLQ $2, R11               \
	LEAQ (DX)(DX*2), R8        \
	MOVQ $-1, AX               \
	SHLQ CX, AX                \
	NOTQ AX                    \
	KMOVW AX, K1               \
	SHRQ $16, AX               \
	KMOVW AX, K2               \
	MOVL $0x0f0f0f0f, AX       \
	VPBROADCASTD AX, Z31       \
	MOVL $0x00010001, AX       \
	VPBROADCASTD AX, Z30       \
	ZERO                       \
	CMPB accumulate+64(FP), $0 \
	JEQ  group                 \
	LOAD                       \
	MOVQ y+0(FP), DI           \
group:                         \
	MOVQ BX, R10               \
	ADDQ $64, BX               \
	MOVQ R9, CX                \
	CMPQ R12, CX               \
	CMOVQLT R12, CX            \
	SUBQ CX, R12               \
block:                         \
	CLEAR                      \
	CODES(0)                   \
	ROWS(0)                    \
	CODES(1)                   \
	ROWS(16)                   \
	CODES(2)                   \
	ROWS(32)                   \
	CODES(3)                   \
	ROWS(48)                   \
	SCALE                      \
	ADDQ $512, BX              \
	ADDQ $72, SI               \
	DECQ CX                    \
	JNE  block                 \
	TESTQ R12, R12             \
	JNE  group                 \
	STORE                      \
	VZEROUPPER                 \
	RET

// func gemmInt4_1x32_AVX512(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)
TEXT ·gemmInt4_1x32_AVX512(SB), NOSPLIT, $0-65
	TILE(ZERO1, LOAD1, CLEAR1, ROWS1, SCALE1, STORE1)

// func gemmInt4_2x32_AVX512(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)
TEXT ·gemmInt4_2x32_AVX512(SB), NOSPLIT, $0-65
	TILE(ZERO2, LOAD2, CLEAR2, ROWS2, SCALE2, STORE2)

// func gemmInt4_3x32_AVX512(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)
TEXT ·gemmInt4_3x32_AVX512(SB), NOSPLIT, $0-65
	TILE(ZERO3, LOAD3, CLEAR3, ROWS3, SCALE3, STORE3)

// One row by several panels in turn, block by block: so many streams come from memory
// faster than one. SI is the row, BX walks over the panels, R10 over their scales and DI
// over y; the first of them are at R13, R8 and y. R11 is the distance between panels.
// R9, R12 and CX count blocks as above, AX counts panels.

// func gemvInt4_1x32_AVX512(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)
TEXT ·gemvInt4_1x32_AVX512(SB), NOSPLIT, $0-56
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), R13
	MOVQ blocks+24(FP), R12
	MOVQ perGroup+32(FP), R9
	MOVQ apart+48(FP), R11
	MOVL $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z31
	MOVL $0x00010001, AX
	VPBROADCASTD AX, Z30
group:
	MOVQ R13, R8
	ADDQ $64, R13
	MOVQ R9, CX
	CMPQ R12, CX
	CMOVQLT R12, CX
	SUBQ CX, R12
block:
	MOVQ R13, BX
	MOVQ R8, R10
	MOVQ y+0(FP), DI
	MOVQ panels+40(FP), AX
panel:
	CLEAR1
	CODES(0)
	ROWS1(0)
	CODES(1)
	ROWS1(16)
	CODES(2)
	ROWS1(32)
	CODES(3)
	ROWS1(48)
	VMOVUPS (DI), Z16
	VMOVUPS 64(DI), Z17
	SCALE1
	VMOVUPS Z16, (DI)
	VMOVUPS Z17, 64(DI)
	ADDQ R11, BX
	ADDQ R11, R10
	ADDQ $128, DI
	DECQ AX
	JNE  panel
	ADDQ $512, R13
	ADDQ $72, SI
	DECQ CX
	JNE  block
	TESTQ R12, R12
	JNE  group
	VZEROUPPER
	RET
