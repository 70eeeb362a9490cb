//go:build !noasm

#include "textflag.h"

// Rows of x, as lists of their nonzeros, by a panel of 1 to 8 vectors of 8 columns;
// docs/kernels.md has the contract. The sums of a row are in Y0 to Y7, a value of
// x in Y8. DI points to y and R11 is the distance between its rows in bytes, R8
// points to the list of a row and R10 is the distance between lists in bytes. R12
// points to where the row begins in its list and R9 is the distance to where it ends
// in bytes; DX and SI are these places. AX is the place of a row of the panel, which is
// at BX. R13 points to what is fetched ahead, or is its place in the panel. Y9 is
// the mask of the columns of the last vector.

// The 8 values that start 4*c bytes before the middle have the first c set.
DATA lanes<>+0(SB)/8, $-1
DATA lanes<>+8(SB)/8, $-1
DATA lanes<>+16(SB)/8, $-1
DATA lanes<>+24(SB)/8, $-1
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// SUMSn adds a value times a row of the panel to n vectors of sums.
#define SUMS1 VFMADD231PS (BX)(AX*1), Y8, Y0
#define SUMS2 SUMS1; VFMADD231PS 32(BX)(AX*1), Y8, Y1
#define SUMS3 SUMS2; VFMADD231PS 64(BX)(AX*1), Y8, Y2
#define SUMS4 SUMS3; VFMADD231PS 96(BX)(AX*1), Y8, Y3
#define SUMS5 SUMS4; VFMADD231PS 128(BX)(AX*1), Y8, Y4
#define SUMS6 SUMS5; VFMADD231PS 160(BX)(AX*1), Y8, Y5
#define SUMS7 SUMS6; VFMADD231PS 192(BX)(AX*1), Y8, Y6
#define SUMS8 SUMS7; VFMADD231PS 224(BX)(AX*1), Y8, Y7

// CLEARn, LOADn and STOREn set n vectors of sums to 0, load them from y and store
// them. The last has only some columns.
#define CLEAR1 VXORPS Y0, Y0, Y0
#define CLEAR2 CLEAR1; VXORPS Y1, Y1, Y1
#define CLEAR3 CLEAR2; VXORPS Y2, Y2, Y2
#define CLEAR4 CLEAR3; VXORPS Y3, Y3, Y3
#define CLEAR5 CLEAR4; VXORPS Y4, Y4, Y4
#define CLEAR6 CLEAR5; VXORPS Y5, Y5, Y5
#define CLEAR7 CLEAR6; VXORPS Y6, Y6, Y6
#define CLEAR8 CLEAR7; VXORPS Y7, Y7, Y7

#define WHOLE1 VMOVUPS (DI), Y0
#define WHOLE2 WHOLE1; VMOVUPS 32(DI), Y1
#define WHOLE3 WHOLE2; VMOVUPS 64(DI), Y2
#define WHOLE4 WHOLE3; VMOVUPS 96(DI), Y3
#define WHOLE5 WHOLE4; VMOVUPS 128(DI), Y4
#define WHOLE6 WHOLE5; VMOVUPS 160(DI), Y5
#define WHOLE7 WHOLE6; VMOVUPS 192(DI), Y6
#define LOAD1 VMASKMOVPS (DI), Y9, Y0
#define LOAD2 WHOLE1; VMASKMOVPS 32(DI), Y9, Y1
#define LOAD3 WHOLE2; VMASKMOVPS 64(DI), Y9, Y2
#define LOAD4 WHOLE3; VMASKMOVPS 96(DI), Y9, Y3
#define LOAD5 WHOLE4; VMASKMOVPS 128(DI), Y9, Y4
#define LOAD6 WHOLE5; VMASKMOVPS 160(DI), Y9, Y5
#define LOAD7 WHOLE6; VMASKMOVPS 192(DI), Y9, Y6
#define LOAD8 WHOLE7; VMASKMOVPS 224(DI), Y9, Y7

#define KEEP1 VMOVUPS Y0, (DI)
#define KEEP2 KEEP1; VMOVUPS Y1, 32(DI)
#define KEEP3 KEEP2; VMOVUPS Y2, 64(DI)
#define KEEP4 KEEP3; VMOVUPS Y3, 96(DI)
#define KEEP5 KEEP4; VMOVUPS Y4, 128(DI)
#define KEEP6 KEEP5; VMOVUPS Y5, 160(DI)
#define KEEP7 KEEP6; VMOVUPS Y6, 192(DI)
#define STORE1 VMASKMOVPS Y0, Y9, (DI)
#define STORE2 KEEP1; VMASKMOVPS Y1, Y9, 32(DI)
#define STORE3 KEEP2; VMASKMOVPS Y2, Y9, 64(DI)
#define STORE4 KEEP3; VMASKMOVPS Y3, Y9, 96(DI)
#define STORE5 KEEP4; VMASKMOVPS Y4, Y9, 128(DI)
#define STORE6 KEEP5; VMASKMOVPS Y5, Y9, 160(DI)
#define STORE7 KEEP6; VMASKMOVPS Y6, Y9, 192(DI)
#define STORE8 KEEP7; VMASKMOVPS Y7, Y9, 224(DI)

// FETCHn asks for the lines of n vectors of a row of the panel.
#define FETCH1 PREFETCHT0 (BX)(R13*1)
#define FETCH2 FETCH1
#define FETCH3 FETCH2; PREFETCHT0 64(BX)(R13*1)
#define FETCH4 FETCH3
#define FETCH5 FETCH4; PREFETCHT0 128(BX)(R13*1)
#define FETCH6 FETCH5
#define FETCH7 FETCH6; PREFETCHT0 192(BX)(R13*1)
#define FETCH8 FETCH7

#define ROWS(n, SUMS, CLEAR, LOAD, STORE, FETCH) \
	MOVQ last+72(FP), CX \
	LEAQ lanes<>+32(SB), AX \
	SHLQ $2, CX \
	SUBQ CX, AX \
	VMOVUPS (AX), Y9 \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ rows+16(FP), CX \
	MOVQ lists+24(FP), R8 \
	MOVQ ld+32(FP), R10 \
	MOVQ ends+40(FP), R12 \
	MOVQ span+48(FP), R9 \
	MOVQ w+56(FP), BX \
	MOVQ next+80(FP), R13 \
	SHLQ $2, R11 \
	SHLQ $3, R10 \
	SHLQ $2, R9 \
row: \
	MOVL (R12), DX \
	MOVL (R12)(R9*1), SI \
	CMPB accumulate+64(FP), $0 \
	JEQ fresh \
	CMPQ DX, SI \
	JEQ done \
	LOAD \
	JMP begin \
fresh: \
	CLEAR \
	CMPQ DX, SI \
	JEQ store \
begin: \
	CMPQ next+80(FP), $0 \
	JEQ far \
nonzero: \
	MOVL 4(R8)(DX*8), AX \
	IMUL3Q $(32*n), AX, AX \
	VBROADCASTSS (R8)(DX*8), Y8 \
	SUMS \
	INCQ DX \
	CMPQ DX, SI \
	JLT nonzero \
store: \
	STORE \
done: \
	MOVQ pace+88(FP), AX \
	TESTQ AX, AX \
	JEQ advance \
fetch: \
	PREFETCHT1 (R13) \
	ADDQ $64, R13 \
	SUBQ $64, AX \
	JGT fetch \
advance: \
	ADDQ R11, DI \
	ADDQ R10, R8 \
	ADDQ $4, R12 \
	DECQ CX \
	JNE row \
	VZEROUPPER \
	RET \
far: \
	MOVL 4(R8)(DX*8), AX \
	MOVL 132(R8)(DX*8), R13 \
	IMUL3Q $(32*n), AX, AX \
	IMUL3Q $(32*n), R13, R13 \
	VBROADCASTSS (R8)(DX*8), Y8 \
	SUMS \
	FETCH \
	INCQ DX \
	CMPQ DX, SI \
	JLT far \
	JMP store

// func sparseF32_64_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_64_AVX2(SB), NOSPLIT, $0-96
	ROWS(8, SUMS8, CLEAR8, LOAD8, STORE8, FETCH8)

// func sparseF32_56_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_56_AVX2(SB), NOSPLIT, $0-96
	ROWS(7, SUMS7, CLEAR7, LOAD7, STORE7, FETCH7)

// func sparseF32_48_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_48_AVX2(SB), NOSPLIT, $0-96
	ROWS(6, SUMS6, CLEAR6, LOAD6, STORE6, FETCH6)

// func sparseF32_40_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_40_AVX2(SB), NOSPLIT, $0-96
	ROWS(5, SUMS5, CLEAR5, LOAD5, STORE5, FETCH5)

// func sparseF32_32_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_32_AVX2(SB), NOSPLIT, $0-96
	ROWS(4, SUMS4, CLEAR4, LOAD4, STORE4, FETCH4)

// func sparseF32_24_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_24_AVX2(SB), NOSPLIT, $0-96
	ROWS(3, SUMS3, CLEAR3, LOAD3, STORE3, FETCH3)

// func sparseF32_16_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_16_AVX2(SB), NOSPLIT, $0-96
	ROWS(2, SUMS2, CLEAR2, LOAD2, STORE2, FETCH2)

// func sparseF32_8_AVX2(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_8_AVX2(SB), NOSPLIT, $0-96
	ROWS(1, SUMS1, CLEAR1, LOAD1, STORE1, FETCH1)
