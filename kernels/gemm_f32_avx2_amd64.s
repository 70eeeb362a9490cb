//go:build !noasm

#include "textflag.h"

// Tiles of 1 to 6 rows by a panel of 16 columns; docs/kernels.md has the
// contract. The sums of row i are in Y(2i) and Y(2i+1), one step of the panel in
// Y12 and Y13, values of x in Y14 and Y15. SI and R9 point to rows 0 and 4 of x,
// DX is the distance between its rows in bytes and R8 three times that. BX points
// to the panel, CX counts the steps left. R12 points to what is fetched ahead and
// moves by R13 in 4 steps. DI points to y, R11 is the distance between its rows
// in bytes. While they are needed, Y12 and Y13 are the masks of its columns.

// A vector of this at 4*(16-c) has its first c lanes set, counted over two.
DATA columns<>+0(SB)/8, $-1
DATA columns<>+8(SB)/8, $-1
DATA columns<>+16(SB)/8, $-1
DATA columns<>+24(SB)/8, $-1
DATA columns<>+32(SB)/8, $-1
DATA columns<>+40(SB)/8, $-1
DATA columns<>+48(SB)/8, $-1
DATA columns<>+56(SB)/8, $-1
GLOBL columns<>(SB), RODATA|NOPTR, $128

// ROW adds the value at x times a step of the panel to the sums of a row.
#define ROW(x, v, s0, s1) VBROADCASTSS x, v; VFMADD231PS Y12, v, s0; VFMADD231PS Y13, v, s1

// ROWSn does step p, counted from the pointers, for n rows.
#define ROWS1(p) ROW((4*p)(SI), Y14, Y0, Y1)
#define ROWS2(p) ROWS1(p); ROW((4*p)(SI)(DX*1), Y15, Y2, Y3)
#define ROWS3(p) ROWS2(p); ROW((4*p)(SI)(DX*2), Y14, Y4, Y5)
#define ROWS4(p) ROWS3(p); ROW((4*p)(SI)(R8*1), Y15, Y6, Y7)
#define ROWS5(p) ROWS4(p); ROW((4*p)(R9), Y14, Y8, Y9)
#define ROWS6(p) ROWS5(p); ROW((4*p)(R9)(DX*1), Y15, Y10, Y11)

// ZEROSn, LOADSn and STORESn set n rows of sums to 0, load them from y and store
// them, SOMESn stores some columns; LINESn asks for the lines of y before they
// are needed.
#define ZEROS1 VXORPS Y0, Y0, Y0; VXORPS Y1, Y1, Y1
#define ZEROS2 ZEROS1; VXORPS Y2, Y2, Y2; VXORPS Y3, Y3, Y3
#define ZEROS3 ZEROS2; VXORPS Y4, Y4, Y4; VXORPS Y5, Y5, Y5
#define ZEROS4 ZEROS3; VXORPS Y6, Y6, Y6; VXORPS Y7, Y7, Y7
#define ZEROS5 ZEROS4; VXORPS Y8, Y8, Y8; VXORPS Y9, Y9, Y9
#define ZEROS6 ZEROS5; VXORPS Y10, Y10, Y10; VXORPS Y11, Y11, Y11

#define LOAD(s0, s1) VMASKMOVPS (DI), Y12, s0; VMASKMOVPS 32(DI), Y13, s1; ADDQ R11, DI
#define LOADS1 LOAD(Y0, Y1)
#define LOADS2 LOADS1; LOAD(Y2, Y3)
#define LOADS3 LOADS2; LOAD(Y4, Y5)
#define LOADS4 LOADS3; LOAD(Y6, Y7)
#define LOADS5 LOADS4; LOAD(Y8, Y9)
#define LOADS6 LOADS5; LOAD(Y10, Y11)

#define STORE(s0, s1) VMOVUPS s0, (DI); VMOVUPS s1, 32(DI); ADDQ R11, DI
#define STORES1 STORE(Y0, Y1)
#define STORES2 STORES1; STORE(Y2, Y3)
#define STORES3 STORES2; STORE(Y4, Y5)
#define STORES4 STORES3; STORE(Y6, Y7)
#define STORES5 STORES4; STORE(Y8, Y9)
#define STORES6 STORES5; STORE(Y10, Y11)

#define SOME(s0, s1) VMASKMOVPS s0, Y12, (DI); VMASKMOVPS s1, Y13, 32(DI); ADDQ R11, DI
#define SOMES1 SOME(Y0, Y1)
#define SOMES2 SOMES1; SOME(Y2, Y3)
#define SOMES3 SOMES2; SOME(Y4, Y5)
#define SOMES4 SOMES3; SOME(Y6, Y7)
#define SOMES5 SOMES4; SOME(Y8, Y9)
#define SOMES6 SOMES5; SOME(Y10, Y11)

#define LINE PREFETCHT0 (DI); PREFETCHT0 63(DI); ADDQ R11, DI
#define LINES1 LINE
#define LINES2 LINES1; LINE
#define LINES3 LINES2; LINE
#define LINES4 LINES3; LINE
#define LINES5 LINES4; LINE
#define LINES6 LINES5; LINE

#define STEP(p, ROWS) VMOVUPS (64*p)(BX), Y12; VMOVUPS (64*p+32)(BX), Y13; ROWS(p)

// AHEAD fetches the next panel, NEVER does not.
#define AHEAD(p) PREFETCHT0 (64*p)(R12)
#define NEVER(p)

// COLUMNS makes masks of the first AX columns.
#define COLUMNS LEAQ columns<>+64(SB), R10; SHLQ $2, AX; SUBQ AX, R10; VMOVUPS (R10), Y12; VMOVUPS 32(R10), Y13

#define TILE(ROWS, ZEROS, LOADS, STORES, SOMES, LINES, FETCH) \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ x+16(FP), SI \
	MOVQ ldx+24(FP), DX \
	MOVQ w+32(FP), BX \
	MOVQ k+40(FP), CX \
	MOVQ cols+48(FP), AX \
	MOVQ next+56(FP), R12 \
	MOVQ pace+64(FP), R13 \
	SHLQ $2, R11 \
	SHLQ $2, DX \
	LEAQ (DX)(DX*2), R8 \
	LEAQ (SI)(DX*4), R9 \
	CMPB accumulate+72(FP), $0 \
	JEQ fresh \
	COLUMNS \
	LOADS \
	JMP begin \
fresh: \
	ZEROS \
	LINES \
begin: \
	MOVQ y+0(FP), DI \
	SUBQ $4, CX \
	JLT rest \
four: \
	FETCH(0); STEP(0, ROWS) \
	FETCH(1); STEP(1, ROWS) \
	FETCH(2); STEP(2, ROWS) \
	FETCH(3); STEP(3, ROWS) \
	ADDQ R13, R12 \
	ADDQ $256, BX \
	ADDQ $16, SI \
	ADDQ $16, R9 \
	SUBQ $4, CX \
	JGE four \
rest: \
	ADDQ $4, CX \
	JEQ done \
one: \
	STEP(0, ROWS) \
	ADDQ $64, BX \
	ADDQ $4, SI \
	ADDQ $4, R9 \
	DECQ CX \
	JNE one \
done: \
	MOVQ cols+48(FP), AX \
	CMPQ AX, $16 \
	JLT some \
	STORES \
	VZEROUPPER \
	RET \
some: \
	COLUMNS \
	SOMES \
	VZEROUPPER \
	RET

// func gemmF32_6x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_6x16_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS6, ZEROS6, LOADS6, STORES6, SOMES6, LINES6, AHEAD)

// func gemmF32_5x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_5x16_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS5, ZEROS5, LOADS5, STORES5, SOMES5, LINES5, AHEAD)

// func gemmF32_4x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_4x16_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS4, ZEROS4, LOADS4, STORES4, SOMES4, LINES4, AHEAD)

// func gemmF32_3x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_3x16_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS3, ZEROS3, LOADS3, STORES3, SOMES3, LINES3, AHEAD)

// func gemmF32_2x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_2x16_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS2, ZEROS2, LOADS2, STORES2, SOMES2, LINES2, NEVER)

// func gemmF32_1x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_1x16_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS1, ZEROS1, LOADS1, STORES1, SOMES1, LINES1, NEVER)

// One row by four panels, 64 columns: eight sums that do not wait for each other.
// The panels are at BX, R9, R10 and R11, and Y12 and Y13 are the masks of the
// columns of y in the last.
#define QUAD(p) \
	VBROADCASTSS (4*p)(SI), Y14 \
	VFMADD231PS (64*p)(BX), Y14, Y0 \
	VFMADD231PS (64*p+32)(BX), Y14, Y1 \
	VFMADD231PS (64*p)(R9), Y14, Y2 \
	VFMADD231PS (64*p+32)(R9), Y14, Y3 \
	VFMADD231PS (64*p)(R10), Y14, Y4 \
	VFMADD231PS (64*p+32)(R10), Y14, Y5 \
	VFMADD231PS (64*p)(R11), Y14, Y6 \
	VFMADD231PS (64*p+32)(R11), Y14, Y7

// func gemvF32_1x64_AVX2(y, x, w *float32, apart, k, cols int, accumulate bool)
TEXT ·gemvF32_1x64_AVX2(SB), NOSPLIT, $0-49
	MOVQ cols+40(FP), AX
	SUBQ $48, AX
	COLUMNS
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), BX
	MOVQ apart+24(FP), R8
	SHLQ $2, R8
	LEAQ (BX)(R8*1), R9
	LEAQ (BX)(R8*2), R10
	LEAQ (R9)(R8*2), R11
	MOVQ k+32(FP), CX
	ZEROS4
	CMPB accumulate+48(FP), $0
	JEQ begin
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMASKMOVPS 192(DI), Y12, Y6
	VMASKMOVPS 224(DI), Y13, Y7
begin:
	SUBQ $4, CX
	JLT rest
four:
	QUAD(0)
	QUAD(1)
	QUAD(2)
	QUAD(3)
	ADDQ $256, BX
	ADDQ $256, R9
	ADDQ $256, R10
	ADDQ $256, R11
	ADDQ $16, SI
	SUBQ $4, CX
	JGE four
rest:
	ADDQ $4, CX
	JEQ done
one:
	QUAD(0)
	ADDQ $64, BX
	ADDQ $64, R9
	ADDQ $64, R10
	ADDQ $64, R11
	ADDQ $4, SI
	DECQ CX
	JNE one
done:
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMASKMOVPS Y6, Y12, 192(DI)
	VMASKMOVPS Y7, Y13, 224(DI)
	VZEROUPPER
	RET
