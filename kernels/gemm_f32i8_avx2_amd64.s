//go:build !noasm

#include "textflag.h"

// Tiles of float32 by int8 codes widened to float32: rows of activations by 16 of
// the 64 channels of a panel, one row by all of them; docs/kernels.md has the
// contract. The sums of row i are in Y(2i) and Y(2i+1), one input of the channels
// as float32 in Y12 and Y13, a broadcast of x in Y14. SI and R8 point to rows 0 and
// 3 of x, DX is the distance between its rows. BX points to the panel and CX counts
// the inputs left. DI points to y, R11 is the distance between its rows, Y12 and
// Y13 hold its columns at both ends. R12 points to scales.

// ROW adds an input of a row times the channels to the sums of the row.
#define ROW(x, s0, s1) \
	VBROADCASTSS x, Y14 \
	VFMADD231PS Y12, Y14, s0 \
	VFMADD231PS Y13, Y14, s1

#define CHANNELS(p) \
	VPMOVSXBD (64*p)(BX), Y12 \
	VPMOVSXBD (64*p+8)(BX), Y13 \
	VCVTDQ2PS Y12, Y12 \
	VCVTDQ2PS Y13, Y13

#define ROWS2(p) ROW((4*p)(SI), Y0, Y1); ROW((4*p)(SI)(DX*1), Y2, Y3)
#define ROWS3(p) ROWS2(p); ROW((4*p)(SI)(DX*2), Y4, Y5)
#define ROWS4(p) ROWS3(p); ROW((4*p)(R8), Y6, Y7)
#define ROWS5(p) ROWS4(p); ROW((4*p)(R8)(DX*1), Y8, Y9)
#define ROWS6(p) ROWS5(p); ROW((4*p)(R8)(DX*2), Y10, Y11)

#define ZERO(s0, s1) VXORPS s0, s0, s0; VXORPS s1, s1, s1
#define ZEROS2 ZERO(Y0, Y1); ZERO(Y2, Y3)
#define ZEROS3 ZEROS2; ZERO(Y4, Y5)
#define ZEROS4 ZEROS3; ZERO(Y6, Y7)
#define ZEROS5 ZEROS4; ZERO(Y8, Y9)
#define ZEROS6 ZEROS5; ZERO(Y10, Y11)

// COUNT broadcasts the number of columns to Y14, MASK(i, m) sets the lanes of m
// that are columns, of vector i.
#define COUNT \
	MOVQ cols+48(FP), AX \
	VMOVD AX, X14 \
	VPBROADCASTD X14, Y14
#define MASK(i, m) VPCMPGTD lanes<>+(32*i)(SB), Y14, m
#define COLUMNS COUNT; MASK(0, Y12); MASK(1, Y13)

#define LOAD(s0, s1) \
	VMASKMOVPS (DI), Y12, s0 \
	VMASKMOVPS 32(DI), Y13, s1 \
	ADDQ R11, DI
#define LOADS2 LOAD(Y0, Y1); LOAD(Y2, Y3)
#define LOADS3 LOADS2; LOAD(Y4, Y5)
#define LOADS4 LOADS3; LOAD(Y6, Y7)
#define LOADS5 LOADS4; LOAD(Y8, Y9)
#define LOADS6 LOADS5; LOAD(Y10, Y11)

#define STORE(s0, s1) \
	VMULPS (R12), s0, s0 \
	VMULPS 32(R12), s1, s1 \
	VMASKMOVPS s0, Y12, (DI) \
	VMASKMOVPS s1, Y13, 32(DI) \
	ADDQ R11, DI
#define STORES2 STORE(Y0, Y1); STORE(Y2, Y3)
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
	MOVQ k+40(FP), CX \
	MOVQ scales+56(FP), R12 \
	SHLQ $2, R11 \
	SHLQ $2, DX \
	LEAQ (DX)(DX*2), R8 \
	ADDQ SI, R8

#define TILE(ZEROS, LOADS, ROWS, STORES) \
	ARGUMENTS \
	ZEROS \
	CMPB accumulate+64(FP), $0 \
	JEQ loop \
	COLUMNS \
	LOADS \
	MOVQ y+0(FP), DI \
loop: \
	CHANNELS(0) \
	ROWS(0) \
	ADDQ $64, BX \
	ADDQ $4, SI \
	ADDQ $4, R8 \
	DECQ CX \
	JNE loop \
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
DATA lanes<>+64(SB)/8, $0x0000001100000010
DATA lanes<>+72(SB)/8, $0x0000001300000012
DATA lanes<>+80(SB)/8, $0x0000001500000014
DATA lanes<>+88(SB)/8, $0x0000001700000016
DATA lanes<>+96(SB)/8, $0x0000001900000018
DATA lanes<>+104(SB)/8, $0x0000001B0000001A
DATA lanes<>+112(SB)/8, $0x0000001D0000001C
DATA lanes<>+120(SB)/8, $0x0000001F0000001E
DATA lanes<>+128(SB)/8, $0x0000002100000020
DATA lanes<>+136(SB)/8, $0x0000002300000022
DATA lanes<>+144(SB)/8, $0x0000002500000024
DATA lanes<>+152(SB)/8, $0x0000002700000026
DATA lanes<>+160(SB)/8, $0x0000002900000028
DATA lanes<>+168(SB)/8, $0x0000002B0000002A
DATA lanes<>+176(SB)/8, $0x0000002D0000002C
DATA lanes<>+184(SB)/8, $0x0000002F0000002E
DATA lanes<>+192(SB)/8, $0x0000003100000030
DATA lanes<>+200(SB)/8, $0x0000003300000032
DATA lanes<>+208(SB)/8, $0x0000003500000034
DATA lanes<>+216(SB)/8, $0x0000003700000036
DATA lanes<>+224(SB)/8, $0x0000003900000038
DATA lanes<>+232(SB)/8, $0x0000003B0000003A
DATA lanes<>+240(SB)/8, $0x0000003D0000003C
DATA lanes<>+248(SB)/8, $0x0000003F0000003E
GLOBL lanes<>(SB), RODATA|NOPTR, $256

// func gemmF32I8_6x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_6x16_AVX2(SB), NOSPLIT, $0-65
	TILE(ZEROS6, LOADS6, ROWS6, STORES6)

// func gemmF32I8_5x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_5x16_AVX2(SB), NOSPLIT, $0-65
	TILE(ZEROS5, LOADS5, ROWS5, STORES5)

// func gemmF32I8_4x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_4x16_AVX2(SB), NOSPLIT, $0-65
	TILE(ZEROS4, LOADS4, ROWS4, STORES4)

// func gemmF32I8_3x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_3x16_AVX2(SB), NOSPLIT, $0-65
	TILE(ZEROS3, LOADS3, ROWS3, STORES3)

// func gemmF32I8_2x16_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_2x16_AVX2(SB), NOSPLIT, $0-65
	TILE(ZEROS2, LOADS2, ROWS2, STORES2)

#define VECTOR(i, f, s) \
	VPMOVSXBD (8*i)(BX), f \
	VCVTDQ2PS f, f \
	VFMADD231PS f, Y14, s

// func gemmF32I8_1x64_AVX2(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_1x64_AVX2(SB), NOSPLIT, $0-65
	ARGUMENTS
	ZEROS4
	CMPB accumulate+64(FP), $0
	JEQ  loop
	COUNT
	MASK(0, Y12)
	VMASKMOVPS 0(DI), Y12, Y0
	MASK(1, Y12)
	VMASKMOVPS 32(DI), Y12, Y1
	MASK(2, Y12)
	VMASKMOVPS 64(DI), Y12, Y2
	MASK(3, Y12)
	VMASKMOVPS 96(DI), Y12, Y3
	MASK(4, Y12)
	VMASKMOVPS 128(DI), Y12, Y4
	MASK(5, Y12)
	VMASKMOVPS 160(DI), Y12, Y5
	MASK(6, Y12)
	VMASKMOVPS 192(DI), Y12, Y6
	MASK(7, Y12)
	VMASKMOVPS 224(DI), Y12, Y7

loop:
	VBROADCASTSS (SI), Y14
	VECTOR(0, Y8, Y0)
	VECTOR(1, Y9, Y1)
	VECTOR(2, Y10, Y2)
	VECTOR(3, Y11, Y3)
	VECTOR(4, Y8, Y4)
	VECTOR(5, Y9, Y5)
	VECTOR(6, Y10, Y6)
	VECTOR(7, Y11, Y7)
	ADDQ         $64, BX
	ADDQ         $4, SI
	DECQ         CX
	JNE          loop
	COUNT
	MASK(0, Y12)
	VMULPS 0(R12), Y0, Y0
	VMASKMOVPS Y0, Y12, 0(DI)
	MASK(1, Y12)
	VMULPS 32(R12), Y1, Y1
	VMASKMOVPS Y1, Y12, 32(DI)
	MASK(2, Y12)
	VMULPS 64(R12), Y2, Y2
	VMASKMOVPS Y2, Y12, 64(DI)
	MASK(3, Y12)
	VMULPS 96(R12), Y3, Y3
	VMASKMOVPS Y3, Y12, 96(DI)
	MASK(4, Y12)
	VMULPS 128(R12), Y4, Y4
	VMASKMOVPS Y4, Y12, 128(DI)
	MASK(5, Y12)
	VMULPS 160(R12), Y5, Y5
	VMASKMOVPS Y5, Y12, 160(DI)
	MASK(6, Y12)
	VMULPS 192(R12), Y6, Y6
	VMASKMOVPS Y6, Y12, 192(DI)
	MASK(7, Y12)
	VMULPS 224(R12), Y7, Y7
	VMASKMOVPS Y7, Y12, 224(DI)
	VZEROUPPER
	RET
