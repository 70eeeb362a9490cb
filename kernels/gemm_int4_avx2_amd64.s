//go:build !noasm

#include "textflag.h"

// Tiles of 1 and 2 rows by a panel of 16 columns. The sums of the block of row i, for
// the first and the second byte of the activations and two vectors of columns each,
// are in Y(4i) to Y(4i+3), those of y in Y(8+2i) and Y(9+2i). Y12 holds the codes of
// four inputs, Y13 those of the next four, Y15 the mask of the low halves of bytes.
//
// Row 0 of the records of x is at SI, with DX bytes between rows; BX points into the
// panel, R10 to the scales of the group. R9 is the number of blocks of a group, R12 of
// those after this group, CX of those left in it. y is at DI with R11 bytes between its
// rows; R13 points to the mask of its columns.

DATA int4Ones<>+0(SB)/8, $0x0001000100010001
DATA int4Ones<>+8(SB)/8, $0x0001000100010001
DATA int4Ones<>+16(SB)/8, $0x0001000100010001
DATA int4Ones<>+24(SB)/8, $0x0001000100010001
GLOBL int4Ones<>(SB), RODATA|NOPTR, $32

// 16 lanes that are set and 16 that are not: cols of them start at 4*(16-cols).
DATA int4Columns<>+0(SB)/8, $-1
DATA int4Columns<>+8(SB)/8, $-1
DATA int4Columns<>+16(SB)/8, $-1
DATA int4Columns<>+24(SB)/8, $-1
DATA int4Columns<>+32(SB)/8, $-1
DATA int4Columns<>+40(SB)/8, $-1
DATA int4Columns<>+48(SB)/8, $-1
DATA int4Columns<>+56(SB)/8, $-1
DATA int4Columns<>+64(SB)/8, $0
DATA int4Columns<>+72(SB)/8, $0
DATA int4Columns<>+80(SB)/8, $0
DATA int4Columns<>+88(SB)/8, $0
DATA int4Columns<>+96(SB)/8, $0
DATA int4Columns<>+104(SB)/8, $0
DATA int4Columns<>+112(SB)/8, $0
DATA int4Columns<>+120(SB)/8, $0
GLOBL int4Columns<>(SB), RODATA|NOPTR, $128

// The sum of 16 products of a code and a byte, which a block has in each lane of 16
// bits, is at most 16*15*128 < 2^15.
#define DOT(x, w, sum) VPBROADCASTD x, Y14; VPMADDUBSW Y14, w, Y14; VPADDW Y14, sum, sum

// CODES unpacks eight inputs of one vector of columns at o from the panel.
#define CODES(o) VMOVDQU (o)(BX), Y13; VPAND Y15, Y13, Y12; VPSRLD $4, Y13, Y13; VPAND Y15, Y13, Y13

// ROW adds the products of eight inputs at o from x.
#define ROW(x, o, h, l) DOT((o+8)x, Y12, h); DOT((o+12)x, Y12, l); DOT((o+16)x, Y13, h); DOT((o+20)x, Y13, l)
#define ROWS1(o) CODES(4*o); ROW((SI), o, Y0, Y2); CODES(4*o+32); ROW((SI), o, Y1, Y3)
#define ROWS2(o) CODES(4*o); ROW((SI), o, Y0, Y2); ROW((SI)(DX*1), o, Y4, Y6); CODES(4*o+32); ROW((SI), o, Y1, Y3); ROW((SI)(DX*1), o, Y5, Y7)

// CLEAR starts the sums of a block.
#define CLEAR1 VPXOR Y0, Y0, Y0; VPXOR Y1, Y1, Y1; VPXOR Y2, Y2, Y2; VPXOR Y3, Y3, Y3
#define CLEAR2 CLEAR1; VPXOR Y4, Y4, Y4; VPXOR Y5, Y5, Y5; VPXOR Y6, Y6, Y6; VPXOR Y7, Y7, Y7

// SCALE adds the sums of a block, times the scales of x and of the group, to y.
#define SUM(h, l, s, y) VPMADDWD int4Ones<>(SB), h, h; VPMADDWD int4Ones<>(SB), l, l; VPSLLD $8, h, h; VPADDD Y14, l, l; VPADDD l, h, h; VCVTDQ2PS h, h; VMULPS Y13, h, h; VCVTPH2PS s, Y12; VFMADD231PS Y12, h, y
#define SUMS(x, h0, h1, l0, l1, y0, y1) VPBROADCASTD x, Y14; VBROADCASTSS 4x, Y13; SUM(h0, l0, (R10), y0); SUM(h1, l1, 16(R10), y1)
#define SCALE1 SUMS((SI), Y0, Y1, Y2, Y3, Y8, Y9)
#define SCALE2 SCALE1; SUMS((SI)(DX*1), Y4, Y5, Y6, Y7, Y10, Y11)

#define ZERO1 VPXOR Y8, Y8, Y8; VPXOR Y9, Y9, Y9
#define ZERO2 ZERO1; VPXOR Y10, Y10, Y10; VPXOR Y11, Y11, Y11

#define MASKS VMOVDQU (R13), Y12; VMOVDQU 32(R13), Y13
#define LOAD1 MASKS; VMASKMOVPS (DI), Y12, Y8; VMASKMOVPS 32(DI), Y13, Y9
#define LOAD2 LOAD1; ADDQ R11, DI; VMASKMOVPS (DI), Y12, Y10; VMASKMOVPS 32(DI), Y13, Y11
#define STORE1 MASKS; VMASKMOVPS Y8, Y12, (DI); VMASKMOVPS Y9, Y13, 32(DI)
#define STORE2 STORE1; ADDQ R11, DI; VMASKMOVPS Y10, Y12, (DI); VMASKMOVPS Y11, Y13, 32(DI)

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
	NEGQ CX                    \
	LEAQ int4Columns<>+64(SB), R13 \
	LEAQ (R13)(CX*4), R13      \
	MOVL $0x0f0f0f0f, AX       \
	VMOVD AX, X15              \
	VPBROADCASTD X15, Y15      \
	ZERO                       \
	CMPB accumulate+64(FP), $0 \
	JEQ  group                 \
	LOAD                       \
	MOVQ y+0(FP), DI           \
group:                         \
	MOVQ BX, R10               \
	ADDQ $32, BX               \
	MOVQ R9, CX                \
	CMPQ R12, CX               \
	CMOVQLT R12, CX            \
	SUBQ CX, R12               \
block:                         \
	CLEAR                      \
	ROWS(0)                    \
	ROWS(16)                   \
	ROWS(32)                   \
	ROWS(48)                   \
	SCALE                      \
	ADDQ $256, BX              \
	ADDQ $72, SI               \
	DECQ CX                    \
	JNE  block                 \
	TESTQ R12, R12             \
	JNE  group                 \
	STORE                      \
	VZEROUPPER                 \
	RET

// func gemmInt4_1x16_AVX2(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)
TEXT ·gemmInt4_1x16_AVX2(SB), NOSPLIT, $0-65
	TILE(ZERO1, LOAD1, CLEAR1, ROWS1, SCALE1, STORE1)

// func gemmInt4_2x16_AVX2(y *float32, ldy int, x *uint8, ldx int, w *uint8, blocks, perGroup, cols int, accumulate bool)
TEXT ·gemmInt4_2x16_AVX2(SB), NOSPLIT, $0-65
	TILE(ZERO2, LOAD2, CLEAR2, ROWS2, SCALE2, STORE2)

// One row by several panels in turn, block by block: so many streams come from memory
// faster than one. SI is the row, BX walks over the panels, R10 over their scales and DI
// over y; the first of them are at R13, R8 and y. R11 is the distance between panels.
// R9, R12 and CX count blocks as above, AX counts panels.

// func gemvInt4_1x16_AVX2(y *float32, x, w *uint8, blocks, perGroup, panels, apart int)
TEXT ·gemvInt4_1x16_AVX2(SB), NOSPLIT, $0-56
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), R13
	MOVQ blocks+24(FP), R12
	MOVQ perGroup+32(FP), R9
	MOVQ apart+48(FP), R11
	MOVL $0x0f0f0f0f, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
group:
	MOVQ R13, R8
	ADDQ $32, R13
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
	ROWS1(0)
	ROWS1(16)
	ROWS1(32)
	ROWS1(48)
	VMOVUPS (DI), Y8
	VMOVUPS 32(DI), Y9
	SCALE1
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	ADDQ R11, BX
	ADDQ R11, R10
	ADDQ $64, DI
	DECQ AX
	JNE  panel
	ADDQ $256, R13
	ADDQ $72, SI
	DECQ CX
	JNE  block
	TESTQ R12, R12
	JNE  group
	VZEROUPPER
	RET

DATA int4Room<>+0(SB)/4, $0x3f810204 // 32768/32512
GLOBL int4Room<>(SB), RODATA|NOPTR, $4

// SPLIT turns eight integers into their second bytes, sign-extended, in l, and the
// rest, divided by 256.
#define SPLIT(v, l) VPSLLD $24, v, l; VPSRAD $24, l, l; VPSUBD l, v, v; VPSRAD $8, v, v

// func quantizeInt4_AVX2(dst *uint8, src *float32, blocks int)
TEXT ·quantizeInt4_AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ blocks+16(FP), CX
	MOVL $0x7fffffff, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	VBROADCASTSS int4Room<>(SB), Y14
	MOVL $15, AX
	VMOVD AX, X13
	VPBROADCASTD X13, Y13
	MOVL $14, AX
	VMOVD AX, X12
	VPBROADCASTD X12, Y12
	MOVL $254, AX
	VMOVD AX, X11
	VPBROADCASTD X11, Y11
	VPXOR Y10, Y10, Y10
block:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3

	// The largest bits without their sign, in all lanes of Y4; a NaN is above all.
	VPAND Y15, Y0, Y4
	VPAND Y15, Y1, Y5
	VPAND Y15, Y2, Y6
	VPAND Y15, Y3, Y7
	VPMAXUD Y5, Y4, Y4
	VPMAXUD Y7, Y6, Y6
	VPMAXUD Y6, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPMAXUD X5, X4, X4
	VPSHUFD $0x4e, X4, X5
	VPMAXUD X5, X4, X4
	VPSHUFD $0xb1, X4, X5
	VPMAXUD X5, X4, X4
	VPBROADCASTD X4, Y4

	// The scale in Y5, 2^14 below the power of two of the largest value, 2^-126 at
	// least, and its inverse in Y6.
	VMULPS Y14, Y4, Y5
	VPSRLD $23, Y5, Y5
	VPMAXUD Y13, Y5, Y5
	VPSUBD Y12, Y5, Y5
	VPSUBD Y5, Y11, Y6
	VPSLLD $23, Y5, Y5
	VPSLLD $23, Y6, Y6

	// 0 times the largest value makes the scale a NaN where that is not finite.
	VMULPS Y10, Y4, Y4
	VADDPS Y4, Y5, Y5
	VMOVSS X5, 4(DI)

	VMULPS Y6, Y0, Y0
	VMULPS Y6, Y1, Y1
	VMULPS Y6, Y2, Y2
	VMULPS Y6, Y3, Y3
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3

	VPADDD Y1, Y0, Y4
	VPADDD Y3, Y2, Y5
	VPADDD Y5, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPADDD X5, X4, X4
	VPSHUFD $0x4e, X4, X5
	VPADDD X5, X4, X4
	VPSHUFD $0xb1, X4, X5
	VPADDD X5, X4, X4
	VPSLLD $3, X4, X4
	VPSUBD X4, X10, X4
	VMOVD X4, (DI)

	SPLIT(Y0, Y4)
	SPLIT(Y1, Y5)
	SPLIT(Y2, Y6)
	SPLIT(Y3, Y7)
	VPACKSSDW Y4, Y0, Y0
	VPACKSSDW Y5, Y1, Y1
	VPACKSSDW Y6, Y2, Y2
	VPACKSSDW Y7, Y3, Y3
	VPACKSSWB Y1, Y0, Y0
	VPACKSSWB Y3, Y2, Y2
	VPERMQ $0xd8, Y0, Y0
	VPERMQ $0xd8, Y2, Y2
	VMOVDQU Y0, 8(DI)
	VMOVDQU Y2, 40(DI)

	ADDQ $128, SI
	ADDQ $72, DI
	DECQ CX
	JNE block
	VZEROUPPER
	RET
