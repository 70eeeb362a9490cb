//go:build !noasm

#include "textflag.h"

// Rows of x, as lists of their nonzeros, by a panel of 1 to 8 vectors of 16 columns;
// docs/kernels.md has the contract. The sums of a row are in Z0 to Z7, a value of
// x in Z8. DI points to y and R11 is the distance between its rows in bytes, R8
// points to the list of a row and R10 is the distance between lists in bytes. R12
// points to where the row begins in its list and R9 is the distance to where it ends
// in bytes; DX and SI are these places. AX is the place of a row of the panel, which is
// at BX. R13 points to what is fetched ahead, or is its place in the panel. K1 has
// the columns of the last vector.

// SUMSn adds a value times a row of the panel to n vectors of sums.
#define SUMS1 VFMADD231PS (BX)(AX*1), Z8, Z0
#define SUMS2 SUMS1; VFMADD231PS 64(BX)(AX*1), Z8, Z1
#define SUMS3 SUMS2; VFMADD231PS 128(BX)(AX*1), Z8, Z2
#define SUMS4 SUMS3; VFMADD231PS 192(BX)(AX*1), Z8, Z3
#define SUMS5 SUMS4; VFMADD231PS 256(BX)(AX*1), Z8, Z4
#define SUMS6 SUMS5; VFMADD231PS 320(BX)(AX*1), Z8, Z5
#define SUMS7 SUMS6; VFMADD231PS 384(BX)(AX*1), Z8, Z6
#define SUMS8 SUMS7; VFMADD231PS 448(BX)(AX*1), Z8, Z7

// CLEARn, LOADn and STOREn set n vectors of sums to 0, load them from y and store
// them. The last has only some columns.
#define CLEAR1 VPXORD Z0, Z0, Z0
#define CLEAR2 CLEAR1; VPXORD Z1, Z1, Z1
#define CLEAR3 CLEAR2; VPXORD Z2, Z2, Z2
#define CLEAR4 CLEAR3; VPXORD Z3, Z3, Z3
#define CLEAR5 CLEAR4; VPXORD Z4, Z4, Z4
#define CLEAR6 CLEAR5; VPXORD Z5, Z5, Z5
#define CLEAR7 CLEAR6; VPXORD Z6, Z6, Z6
#define CLEAR8 CLEAR7; VPXORD Z7, Z7, Z7

#define WHOLE1 VMOVUPS (DI), Z0
#define WHOLE2 WHOLE1; VMOVUPS 64(DI), Z1
#define WHOLE3 WHOLE2; VMOVUPS 128(DI), Z2
#define WHOLE4 WHOLE3; VMOVUPS 192(DI), Z3
#define WHOLE5 WHOLE4; VMOVUPS 256(DI), Z4
#define WHOLE6 WHOLE5; VMOVUPS 320(DI), Z5
#define WHOLE7 WHOLE6; VMOVUPS 384(DI), Z6
#define LOAD1 VMOVUPS.Z (DI), K1, Z0
#define LOAD2 WHOLE1; VMOVUPS.Z 64(DI), K1, Z1
#define LOAD3 WHOLE2; VMOVUPS.Z 128(DI), K1, Z2
#define LOAD4 WHOLE3; VMOVUPS.Z 192(DI), K1, Z3
#define LOAD5 WHOLE4; VMOVUPS.Z 256(DI), K1, Z4
#define LOAD6 WHOLE5; VMOVUPS.Z 320(DI), K1, Z5
#define LOAD7 WHOLE6; VMOVUPS.Z 384(DI), K1, Z6
#define LOAD8 WHOLE7; VMOVUPS.Z 448(DI), K1, Z7

#define KEEP1 VMOVUPS Z0, (DI)
#define KEEP2 KEEP1; VMOVUPS Z1, 64(DI)
#define KEEP3 KEEP2; VMOVUPS Z2, 128(DI)
#define KEEP4 KEEP3; VMOVUPS Z3, 192(DI)
#define KEEP5 KEEP4; VMOVUPS Z4, 256(DI)
#define KEEP6 KEEP5; VMOVUPS Z5, 320(DI)
#define KEEP7 KEEP6; VMOVUPS Z6, 384(DI)
#define STORE1 VMOVUPS Z0, K1, (DI)
#define STORE2 KEEP1; VMOVUPS Z1, K1, 64(DI)
#define STORE3 KEEP2; VMOVUPS Z2, K1, 128(DI)
#define STORE4 KEEP3; VMOVUPS Z3, K1, 192(DI)
#define STORE5 KEEP4; VMOVUPS Z4, K1, 256(DI)
#define STORE6 KEEP5; VMOVUPS Z5, K1, 320(DI)
#define STORE7 KEEP6; VMOVUPS Z6, K1, 384(DI)
#define STORE8 KEEP7; VMOVUPS Z7, K1, 448(DI)

// FETCHn asks for the lines of n vectors of a row of the panel.
#define FETCH1 PREFETCHT1 (BX)(R13*1)
#define FETCH2 FETCH1; PREFETCHT1 64(BX)(R13*1)
#define FETCH3 FETCH2; PREFETCHT1 128(BX)(R13*1)
#define FETCH4 FETCH3; PREFETCHT1 192(BX)(R13*1)
#define FETCH5 FETCH4; PREFETCHT1 256(BX)(R13*1)
#define FETCH6 FETCH5; PREFETCHT1 320(BX)(R13*1)
#define FETCH7 FETCH6; PREFETCHT1 384(BX)(R13*1)
#define FETCH8 FETCH7; PREFETCHT1 448(BX)(R13*1)

#define ROWS(n, SUMS, CLEAR, LOAD, STORE, FETCH) \
	MOVQ last+72(FP), CX \
	MOVL $1, AX \
	SHLL CX, AX \
	DECL AX \
	KMOVW AX, K1 \
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
	IMUL3Q $(64*n), AX, AX \
	VBROADCASTSS (R8)(DX*8), Z8 \
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
	IMUL3Q $(64*n), AX, AX \
	IMUL3Q $(64*n), R13, R13 \
	VBROADCASTSS (R8)(DX*8), Z8 \
	SUMS \
	FETCH \
	INCQ DX \
	CMPQ DX, SI \
	JLT far \
	JMP store

// func sparseF32_128_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_128_AVX512(SB), NOSPLIT, $0-96
	ROWS(8, SUMS8, CLEAR8, LOAD8, STORE8, FETCH8)

// func sparseF32_112_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_112_AVX512(SB), NOSPLIT, $0-96
	ROWS(7, SUMS7, CLEAR7, LOAD7, STORE7, FETCH7)

// func sparseF32_96_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_96_AVX512(SB), NOSPLIT, $0-96
	ROWS(6, SUMS6, CLEAR6, LOAD6, STORE6, FETCH6)

// func sparseF32_80_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_80_AVX512(SB), NOSPLIT, $0-96
	ROWS(5, SUMS5, CLEAR5, LOAD5, STORE5, FETCH5)

// func sparseF32_64_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_64_AVX512(SB), NOSPLIT, $0-96
	ROWS(4, SUMS4, CLEAR4, LOAD4, STORE4, FETCH4)

// func sparseF32_48_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_48_AVX512(SB), NOSPLIT, $0-96
	ROWS(3, SUMS3, CLEAR3, LOAD3, STORE3, FETCH3)

// func sparseF32_32_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_32_AVX512(SB), NOSPLIT, $0-96
	ROWS(2, SUMS2, CLEAR2, LOAD2, STORE2, FETCH2)

// func sparseF32_16_AVX512(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate bool, last int, next *float32, pace int)
TEXT ·sparseF32_16_AVX512(SB), NOSPLIT, $0-96
	ROWS(1, SUMS1, CLEAR1, LOAD1, STORE1, FETCH1)
