//go:build !noasm

#include "textflag.h"

// Tiles of int8 codes by VPMADDWD, whose sums of two products of codes are exact:
// rows of activations widened to 16 bits by a panel of 16 channels in groups of 2
// inputs; docs/kernels.md has the contracts. The sums of row i are in Y(2i) and
// Y(2i+1), one step of the panel in Y12 and Y13, a broadcast of x in Y14, products
// in Y15. SI and R8 point to rows 0 and 3 of x, DX is the distance between its
// rows. BX points to the panel and CX counts the steps left. DI points to y, R11 is
// the distance between its rows, Y12 and Y13 hold its columns in the end. R10 and
// R12 point to rowScales and scales.

// ROW adds 2 inputs of a row times a step of the panel to the sums of the row.
#define ROW(x, s0, s1) \
	VPBROADCASTD x, Y14 \
	VPMADDWD     Y12, Y14, Y15 \
	VPADDD       Y15, s0, s0 \
	VPMADDWD     Y13, Y14, Y15 \
	VPADDD       Y15, s1, s1

#define PANEL(p) VPMOVSXBW (32*p)(BX), Y12; VPMOVSXBW (32*p+16)(BX), Y13

#define ROWS1 ROW((SI), Y0, Y1)
#define ROWS2 ROWS1; ROW((SI)(DX*1), Y2, Y3)
#define ROWS3 ROWS2; ROW((SI)(DX*2), Y4, Y5)
#define ROWS4 ROWS3; ROW((R8), Y6, Y7)
#define ROWS5 ROWS4; ROW((R8)(DX*1), Y8, Y9)
#define ROWS6 ROWS5; ROW((R8)(DX*2), Y10, Y11)

#define ZERO(s0, s1) VPXOR s0, s0, s0; VPXOR s1, s1, s1
#define ZEROS1 ZERO(Y0, Y1)
#define ZEROS2 ZEROS1; ZERO(Y2, Y3)
#define ZEROS3 ZEROS2; ZERO(Y4, Y5)
#define ZEROS4 ZEROS3; ZERO(Y6, Y7)
#define ZEROS5 ZEROS4; ZERO(Y8, Y9)
#define ZEROS6 ZEROS5; ZERO(Y10, Y11)

// COLUMNS sets the lanes of Y12 and Y13 that are columns of y.
#define COLUMNS \
	MOVQ         cols+48(FP), AX \
	VMOVD        AX, X14 \
	VPBROADCASTD X14, Y14 \
	VPCMPGTD     lanes<>+0(SB), Y14, Y12 \
	VPCMPGTD     lanes<>+32(SB), Y14, Y13

// STORE stores a row of y: its sums times its scale times those of the channels.
#define STORE(s0, s1) \
	VBROADCASTSS (R10), Y14 \
	VCVTDQ2PS    s0, s0 \
	VCVTDQ2PS    s1, s1 \
	VMULPS       Y14, s0, s0 \
	VMULPS       Y14, s1, s1 \
	VMULPS       (R12), s0, s0 \
	VMULPS       32(R12), s1, s1 \
	VMASKMOVPS   s0, Y12, (DI) \
	VMASKMOVPS   s1, Y13, 32(DI) \
	ADDQ         $4, R10 \
	ADDQ         R11, DI
#define STORES1 STORE(Y0, Y1)
#define STORES2 STORES1; STORE(Y2, Y3)
#define STORES3 STORES2; STORE(Y4, Y5)
#define STORES4 STORES3; STORE(Y6, Y7)
#define STORES5 STORES4; STORE(Y8, Y9)
#define STORES6 STORES5; STORE(Y10, Y11)

#define ARGUMENTS \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ x+16(FP), SI \
	MOVQ ldx+24(FP), DX \
	MOVQ w+32(FP), BX \
	MOVQ steps+40(FP), CX \
	MOVQ rowScales+64(FP), R10 \
	MOVQ scales+72(FP), R12 \
	SHLQ $2, R11 \
	LEAQ (DX)(DX*2), R8 \
	ADDQ SI, R8

#define SUMARGUMENTS \
	MOVQ sums+0(FP), DI \
	MOVQ x+8(FP), SI \
	MOVQ ldx+16(FP), DX \
	MOVQ w+24(FP), BX \
	MOVQ steps+32(FP), CX \
	LEAQ (DX)(DX*2), R8 \
	ADDQ SI, R8

#define LOOP(ROWS) \
loop: \
	PANEL(0) \
	ROWS \
	ADDQ $32, BX \
	ADDQ $4, SI \
	ADDQ $4, R8 \
	DECQ CX \
	JNE  loop

#define TILE(ZEROS, ROWS, STORES) \
	ARGUMENTS \
	ZEROS \
	LOOP(ROWS) \
	COLUMNS \
	STORES \
	VZEROUPPER \
	RET

DATA lanes<>+0(SB)/8, $0x0000000100000000
DATA lanes<>+8(SB)/8, $0x0000000300000002
DATA lanes<>+16(SB)/8, $0x0000000500000004
DATA lanes<>+24(SB)/8, $0x0000000700000006
DATA lanes<>+32(SB)/8, $0x0000000900000008
DATA lanes<>+40(SB)/8, $0x0000000B0000000A
DATA lanes<>+48(SB)/8, $0x0000000D0000000C
DATA lanes<>+56(SB)/8, $0x0000000F0000000E
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// func gemmI16_6x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmI16_6x16_AVX2(SB), NOSPLIT, $0-80
	TILE(ZEROS6, ROWS6, STORES6)

// func gemmI16_5x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmI16_5x16_AVX2(SB), NOSPLIT, $0-80
	TILE(ZEROS5, ROWS5, STORES5)

// func gemmI16_4x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmI16_4x16_AVX2(SB), NOSPLIT, $0-80
	TILE(ZEROS4, ROWS4, STORES4)

// func gemmI16_3x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmI16_3x16_AVX2(SB), NOSPLIT, $0-80
	TILE(ZEROS3, ROWS3, STORES3)

// func gemmI16_2x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmI16_2x16_AVX2(SB), NOSPLIT, $0-80
	TILE(ZEROS2, ROWS2, STORES2)

// One row has sums of its own for each of 4 steps, so that no addition waits for
// the one before.
#define GROUP(p, s0, s1) PANEL(p); ROW((4*p)(SI), s0, s1)

#define ONE \
	ZEROS4 \
	SUBQ $4, CX \
	JLT  rest \
four: \
	GROUP(0, Y0, Y1) \
	GROUP(1, Y2, Y3) \
	GROUP(2, Y4, Y5) \
	GROUP(3, Y6, Y7) \
	ADDQ $128, BX \
	ADDQ $16, SI \
	SUBQ $4, CX \
	JGE  four \
rest: \
	ADDQ $4, CX \
	JEQ  done \
one: \
	GROUP(0, Y0, Y1) \
	ADDQ $32, BX \
	ADDQ $4, SI \
	DECQ CX \
	JNE  one \
done: \
	VPADDD Y2, Y0, Y0 \
	VPADDD Y3, Y1, Y1 \
	VPADDD Y6, Y4, Y4 \
	VPADDD Y7, Y5, Y5 \
	VPADDD Y4, Y0, Y0 \
	VPADDD Y5, Y1, Y1

// func gemmI16_1x16_AVX2(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmI16_1x16_AVX2(SB), NOSPLIT, $0-80
	ARGUMENTS
	ONE
	COLUMNS
	STORES1
	VZEROUPPER
	RET

// SUMS stores the sums of a row.
#define SUMS(s0, s1) VMOVDQU s0, (DI); VMOVDQU s1, 32(DI); ADDQ $64, DI
#define SUMS1 SUMS(Y0, Y1)
#define SUMS2 SUMS1; SUMS(Y2, Y3)
#define SUMS3 SUMS2; SUMS(Y4, Y5)
#define SUMS4 SUMS3; SUMS(Y6, Y7)
#define SUMS5 SUMS4; SUMS(Y8, Y9)
#define SUMS6 SUMS5; SUMS(Y10, Y11)

#define RAW(ZEROS, ROWS, SUMS) \
	SUMARGUMENTS \
	ZEROS \
	LOOP(ROWS) \
	SUMS \
	VZEROUPPER \
	RET

// func sumI16_6x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI16_6x16_AVX2(SB), NOSPLIT, $0-40
	RAW(ZEROS6, ROWS6, SUMS6)

// func sumI16_5x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI16_5x16_AVX2(SB), NOSPLIT, $0-40
	RAW(ZEROS5, ROWS5, SUMS5)

// func sumI16_4x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI16_4x16_AVX2(SB), NOSPLIT, $0-40
	RAW(ZEROS4, ROWS4, SUMS4)

// func sumI16_3x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI16_3x16_AVX2(SB), NOSPLIT, $0-40
	RAW(ZEROS3, ROWS3, SUMS3)

// func sumI16_2x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI16_2x16_AVX2(SB), NOSPLIT, $0-40
	RAW(ZEROS2, ROWS2, SUMS2)

// func sumI16_1x16_AVX2(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumI16_1x16_AVX2(SB), NOSPLIT, $0-40
	RAW(ZEROS1, ROWS1, SUMS1)
