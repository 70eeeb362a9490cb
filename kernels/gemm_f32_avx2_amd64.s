//go:build !noasm

#include "textflag.h"

// Tiles of 1 to 4 rows by a panel of 24 columns; docs/kernels.md has the
// contract. The sums of row i are in Y(3i) to Y(3i+2), one step of the panel in
// Y12 to Y14, a value of x in Y15. SI points to row 0 of x, DX is the distance
// between its rows in bytes and R8 three times that. BX points to the panel, CX
// counts the steps left. R12 points to what is fetched ahead and moves by R13 in
// 4 steps. DI points to y, R11 is the distance between its rows in bytes. Before
// and after the steps, Y12 to Y14 are the masks of its columns.

// The 24 values that start 4*c bytes before the middle have the first c set.
DATA columns<>+0(SB)/8, $-1
DATA columns<>+8(SB)/8, $-1
DATA columns<>+16(SB)/8, $-1
DATA columns<>+24(SB)/8, $-1
DATA columns<>+32(SB)/8, $-1
DATA columns<>+40(SB)/8, $-1
DATA columns<>+48(SB)/8, $-1
DATA columns<>+56(SB)/8, $-1
DATA columns<>+64(SB)/8, $-1
DATA columns<>+72(SB)/8, $-1
DATA columns<>+80(SB)/8, $-1
DATA columns<>+88(SB)/8, $-1
GLOBL columns<>(SB), RODATA|NOPTR, $192

// COLUMNS makes masks of the first AX columns.
#define COLUMNS LEAQ columns<>+96(SB), R9; SHLQ $2, AX; SUBQ AX, R9; VMOVUPS (R9), Y12; VMOVUPS 32(R9), Y13; VMOVUPS 64(R9), Y14

// ROW adds the value at x times a step of the panel to the sums of a row.
#define ROW(x, s0, s1, s2) VBROADCASTSS x, Y15; VFMADD231PS Y12, Y15, s0; VFMADD231PS Y13, Y15, s1; VFMADD231PS Y14, Y15, s2

// ROWSn does step p, counted from the pointers, for n rows.
#define ROWS1(p) ROW((4*p)(SI), Y0, Y1, Y2)
#define ROWS2(p) ROWS1(p); ROW((4*p)(SI)(DX*1), Y3, Y4, Y5)
#define ROWS3(p) ROWS2(p); ROW((4*p)(SI)(DX*2), Y6, Y7, Y8)
#define ROWS4(p) ROWS3(p); ROW((4*p)(SI)(R8*1), Y9, Y10, Y11)

// ZEROSn, LOADSn and STORESn set n rows of sums to 0, load them from y and store
// them, SOMESn stores some columns; LINESn asks for the lines of y before they
// are needed.
#define ZEROS1 VXORPS Y0, Y0, Y0; VXORPS Y1, Y1, Y1; VXORPS Y2, Y2, Y2
#define ZEROS2 ZEROS1; VXORPS Y3, Y3, Y3; VXORPS Y4, Y4, Y4; VXORPS Y5, Y5, Y5
#define ZEROS3 ZEROS2; VXORPS Y6, Y6, Y6; VXORPS Y7, Y7, Y7; VXORPS Y8, Y8, Y8
#define ZEROS4 ZEROS3; VXORPS Y9, Y9, Y9; VXORPS Y10, Y10, Y10; VXORPS Y11, Y11, Y11

#define LOAD(s0, s1, s2) VMASKMOVPS (DI), Y12, s0; VMASKMOVPS 32(DI), Y13, s1; VMASKMOVPS 64(DI), Y14, s2; ADDQ R11, DI
#define LOADS1 LOAD(Y0, Y1, Y2)
#define LOADS2 LOADS1; LOAD(Y3, Y4, Y5)
#define LOADS3 LOADS2; LOAD(Y6, Y7, Y8)
#define LOADS4 LOADS3; LOAD(Y9, Y10, Y11)

#define STORE(s0, s1, s2) VMOVUPS s0, (DI); VMOVUPS s1, 32(DI); VMOVUPS s2, 64(DI); ADDQ R11, DI
#define STORES1 STORE(Y0, Y1, Y2)
#define STORES2 STORES1; STORE(Y3, Y4, Y5)
#define STORES3 STORES2; STORE(Y6, Y7, Y8)
#define STORES4 STORES3; STORE(Y9, Y10, Y11)

#define SOME(s0, s1, s2) VMASKMOVPS s0, Y12, (DI); VMASKMOVPS s1, Y13, 32(DI); VMASKMOVPS s2, Y14, 64(DI); ADDQ R11, DI
#define SOMES1 SOME(Y0, Y1, Y2)
#define SOMES2 SOMES1; SOME(Y3, Y4, Y5)
#define SOMES3 SOMES2; SOME(Y6, Y7, Y8)
#define SOMES4 SOMES3; SOME(Y9, Y10, Y11)

#define LINE PREFETCHT0 (DI); PREFETCHT0 64(DI); ADDQ R11, DI
#define LINES1 LINE
#define LINES2 LINES1; LINE
#define LINES3 LINES2; LINE
#define LINES4 LINES3; LINE

#define STEP(p, ROWS) VMOVUPS (96*p)(BX), Y12; VMOVUPS (96*p+32)(BX), Y13; VMOVUPS (96*p+64)(BX), Y14; ROWS(p)

// AHEAD fetches the next panel, of which another tile does the rest; NEVER does
// not.
#define AHEAD(p) PREFETCHT0 (64*p)(R12)
#define NEVER(p)

#define TILE(ROWS, ZEROS, LOADS, STORES, SOMES, LINES, FETCH) \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ x+16(FP), SI \
	MOVQ ldx+24(FP), DX \
	MOVQ w+32(FP), BX \
	MOVQ k+40(FP), CX \
	MOVQ next+56(FP), R12 \
	MOVQ pace+64(FP), R13 \
	SHLQ $2, R11 \
	SHLQ $2, DX \
	LEAQ (DX)(DX*2), R8 \
	CMPB accumulate+72(FP), $0 \
	JEQ fresh \
	MOVQ cols+48(FP), AX \
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
	ADDQ $384, BX \
	ADDQ $16, SI \
	SUBQ $4, CX \
	JGE four \
rest: \
	ADDQ $4, CX \
	JEQ done \
one: \
	STEP(0, ROWS) \
	ADDQ $96, BX \
	ADDQ $4, SI \
	DECQ CX \
	JNE one \
done: \
	MOVQ cols+48(FP), AX \
	CMPQ AX, $24 \
	JLT some \
	STORES \
	VZEROUPPER \
	RET \
some: \
	COLUMNS \
	SOMES \
	VZEROUPPER \
	RET

// func gemmF32_4x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_4x24_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS4, ZEROS4, LOADS4, STORES4, SOMES4, LINES4, AHEAD)

// func gemmF32_3x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_3x24_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS3, ZEROS3, LOADS3, STORES3, SOMES3, LINES3, AHEAD)

// func gemmF32_2x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_2x24_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS2, ZEROS2, LOADS2, STORES2, SOMES2, LINES2, AHEAD)

// func gemmF32_1x24_AVX2(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_1x24_AVX2(SB), NOSPLIT, $0-73
	TILE(ROWS1, ZEROS1, LOADS1, STORES1, SOMES1, LINES1, NEVER)

// One row by four panels, 96 columns: twelve sums that do not wait for each other.
// The panels are at BX, R9, R10 and R11, and Y12 to Y14 are the masks of the
// columns of y in the last.
#define QUAD(p) \
	VBROADCASTSS (4*p)(SI), Y15 \
	VFMADD231PS (96*p)(BX), Y15, Y0 \
	VFMADD231PS (96*p+32)(BX), Y15, Y1 \
	VFMADD231PS (96*p+64)(BX), Y15, Y2 \
	VFMADD231PS (96*p)(R9), Y15, Y3 \
	VFMADD231PS (96*p+32)(R9), Y15, Y4 \
	VFMADD231PS (96*p+64)(R9), Y15, Y5 \
	VFMADD231PS (96*p)(R10), Y15, Y6 \
	VFMADD231PS (96*p+32)(R10), Y15, Y7 \
	VFMADD231PS (96*p+64)(R10), Y15, Y8 \
	VFMADD231PS (96*p)(R11), Y15, Y9 \
	VFMADD231PS (96*p+32)(R11), Y15, Y10 \
	VFMADD231PS (96*p+64)(R11), Y15, Y11

// func gemvF32_1x96_AVX2(y, x, w *float32, apart, k, cols int, accumulate bool)
TEXT ·gemvF32_1x96_AVX2(SB), NOSPLIT, $0-49
	MOVQ cols+40(FP), AX
	SUBQ $72, AX
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
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7
	VMOVUPS 256(DI), Y8
	VMASKMOVPS 288(DI), Y12, Y9
	VMASKMOVPS 320(DI), Y13, Y10
	VMASKMOVPS 352(DI), Y14, Y11
begin:
	SUBQ $4, CX
	JLT rest
four:
	QUAD(0)
	QUAD(1)
	QUAD(2)
	QUAD(3)
	ADDQ $384, BX
	ADDQ $384, R9
	ADDQ $384, R10
	ADDQ $384, R11
	ADDQ $16, SI
	SUBQ $4, CX
	JGE four
rest:
	ADDQ $4, CX
	JEQ done
one:
	QUAD(0)
	ADDQ $96, BX
	ADDQ $96, R9
	ADDQ $96, R10
	ADDQ $96, R11
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
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	VMOVUPS Y8, 256(DI)
	VMASKMOVPS Y9, Y12, 288(DI)
	VMASKMOVPS Y10, Y13, 320(DI)
	VMASKMOVPS Y11, Y14, 352(DI)
	VZEROUPPER
	RET
