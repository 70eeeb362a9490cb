//go:build !noasm

#include "textflag.h"

// Tiles of int8 codes by VPDPBUSD: rows of unsigned bytes by a panel of 64
// channels in groups of 4 inputs; docs/kernels.md has the contracts. The sums of
// row i are in Z(4i) to Z(4i+3), one step of the panel in Z24 to Z27, broadcasts
// of x in Z28 to Z31. SI and R8 point to rows 0 and 3 of x, DX is the distance
// between its rows. BX points to the panel and CX counts the steps left. DI points
// to y, R11 is the distance between its rows, K1 to K4 hold its columns. R9, R10
// and R12 point to start, rowScales and scales.

// ROW adds 4 inputs of a row times a step of the panel to the sums of the row.
#define ROW(x, b, s0, s1, s2, s3) \
	VPBROADCASTD x, b \
	VPDPBUSD Z24, b, s0 \
	VPDPBUSD Z25, b, s1 \
	VPDPBUSD Z26, b, s2 \
	VPDPBUSD Z27, b, s3

#define ROWS1 ROW((SI), Z28, Z0, Z1, Z2, Z3)
#define ROWS2 ROWS1; ROW((SI)(DX*1), Z29, Z4, Z5, Z6, Z7)
#define ROWS3 ROWS2; ROW((SI)(DX*2), Z30, Z8, Z9, Z10, Z11)
#define ROWS4 ROWS3; ROW((R8), Z31, Z12, Z13, Z14, Z15)
#define ROWS5 ROWS4; ROW((R8)(DX*1), Z28, Z16, Z17, Z18, Z19)
#define ROWS6 ROWS5; ROW((R8)(DX*2), Z29, Z20, Z21, Z22, Z23)

#define PANEL \
	VMOVDQU32 (BX), Z24 \
	VMOVDQU32 64(BX), Z25 \
	VMOVDQU32 128(BX), Z26 \
	VMOVDQU32 192(BX), Z27

// START loads the sums of row 0, STARTS copies them to the others.
#define START \
	VMOVDQU32 (R9), Z0 \
	VMOVDQU32 64(R9), Z1 \
	VMOVDQU32 128(R9), Z2 \
	VMOVDQU32 192(R9), Z3

#define COPY(s0, s1, s2, s3) VMOVDQA32 Z0, s0; VMOVDQA32 Z1, s1; VMOVDQA32 Z2, s2; VMOVDQA32 Z3, s3
#define ZERO(s0, s1, s2, s3) VPXORD s0, s0, s0; VPXORD s1, s1, s1; VPXORD s2, s2, s2; VPXORD s3, s3, s3
#define STARTS1 START
#define STARTS2 STARTS1; COPY(Z4, Z5, Z6, Z7)
#define STARTS3 STARTS2; COPY(Z8, Z9, Z10, Z11)
#define STARTS4 STARTS3; COPY(Z12, Z13, Z14, Z15)
#define STARTS5 STARTS4; COPY(Z16, Z17, Z18, Z19)
#define STARTS6 STARTS5; COPY(Z20, Z21, Z22, Z23)

#define SCALES \
	VMOVUPS (R12), Z24 \
	VMOVUPS 64(R12), Z25 \
	VMOVUPS 128(R12), Z26 \
	VMOVUPS 192(R12), Z27

// OUT stores 64 values of a row of y: sums as float32 times the scale of the row
// and those of the channels. DOWN goes to the next row, RIGHT to the next panel.
#define OUT(s0, s1, s2, s3) \
	VBROADCASTSS (R10), Z28 \
	VMULPS  Z28, s0, s0 \
	VMULPS  Z28, s1, s1 \
	VMULPS  Z28, s2, s2 \
	VMULPS  Z28, s3, s3 \
	VMULPS  Z24, s0, s0 \
	VMULPS  Z25, s1, s1 \
	VMULPS  Z26, s2, s2 \
	VMULPS  Z27, s3, s3 \
	VMOVUPS s0, K1, (DI) \
	VMOVUPS s1, K2, 64(DI) \
	VMOVUPS s2, K3, 128(DI) \
	VMOVUPS s3, K4, 192(DI)

#define DOWN ADDQ $4, R10; ADDQ R11, DI
#define RIGHT ADDQ $256, DI; ADDQ $256, R9; ADDQ $256, R12

#define FLOAT(s0, s1, s2, s3) VCVTDQ2PS s0, s0; VCVTDQ2PS s1, s1; VCVTDQ2PS s2, s2; VCVTDQ2PS s3, s3
#define STORE(s0, s1, s2, s3) FLOAT(s0, s1, s2, s3); OUT(s0, s1, s2, s3); DOWN
#define STORES1 STORE(Z0, Z1, Z2, Z3)
#define STORES2 STORES1; STORE(Z4, Z5, Z6, Z7)
#define STORES3 STORES2; STORE(Z8, Z9, Z10, Z11)
#define STORES4 STORES3; STORE(Z12, Z13, Z14, Z15)
#define STORES5 STORES4; STORE(Z16, Z17, Z18, Z19)
#define STORES6 STORES5; STORE(Z20, Z21, Z22, Z23)

#define ARGUMENTS \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ x+16(FP), SI \
	MOVQ ldx+24(FP), DX \
	MOVQ w+32(FP), BX \
	MOVQ start+56(FP), R9 \
	MOVQ rowScales+64(FP), R10 \
	MOVQ scales+72(FP), R12 \
	SHLQ $2, R11 \
	LEAQ (DX)(DX*2), R8 \
	ADDQ SI, R8 \
	MOVQ $64, CX \
	SUBQ cols+48(FP), CX \
	MOVQ $-1, AX \
	SHRQ CX, AX \
	KMOVQ AX, K1 \
	KSHIFTRQ $16, K1, K2 \
	KSHIFTRQ $32, K1, K3 \
	KSHIFTRQ $48, K1, K4 \
	MOVQ steps+40(FP), CX

#define PANELARGUMENTS \
	MOVQ y+0(FP), DI \
	MOVQ x+8(FP), SI \
	MOVQ ldx+16(FP), DX \
	MOVQ w+24(FP), BX \
	MOVQ apart+32(FP), AX \
	MOVQ steps+40(FP), CX \
	MOVQ start+48(FP), R9 \
	MOVQ rowScale+56(FP), R10 \
	MOVQ scales+64(FP), R12 \
	KXNORW K1, K1, K1 \
	KXNORW K2, K2, K2 \
	KXNORW K3, K3, K3 \
	KXNORW K4, K4, K4

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
	PANEL \
	ROWS \
	ADDQ $256, BX \
	ADDQ $4, SI \
	ADDQ $4, R8 \
	DECQ CX \
	JNE  loop

#define TILE(STARTS, ROWS, STORES) \
	ARGUMENTS \
	STARTS \
	LOOP(ROWS) \
	SCALES \
	STORES \
	VZEROUPPER \
	RET

// func gemmU8_6x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU8_6x64_VNNI(SB), NOSPLIT, $0-80
	TILE(STARTS6, ROWS6, STORES6)

// func gemmU8_5x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU8_5x64_VNNI(SB), NOSPLIT, $0-80
	TILE(STARTS5, ROWS5, STORES5)

// func gemmU8_4x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU8_4x64_VNNI(SB), NOSPLIT, $0-80
	TILE(STARTS4, ROWS4, STORES4)

// func gemmU8_3x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU8_3x64_VNNI(SB), NOSPLIT, $0-80
	TILE(STARTS3, ROWS3, STORES3)

// func gemmU8_2x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU8_2x64_VNNI(SB), NOSPLIT, $0-80
	TILE(STARTS2, ROWS2, STORES2)

// One row has sums of its own for each of 4 steps, so that no VPDPBUSD waits for
// the one before.
#define GROUP(p, s0, s1, s2, s3) \
	VPBROADCASTD (4*p)(SI), Z28 \
	VPDPBUSD     (256*p)(BX), Z28, s0 \
	VPDPBUSD     (256*p+64)(BX), Z28, s1 \
	VPDPBUSD     (256*p+128)(BX), Z28, s2 \
	VPDPBUSD     (256*p+192)(BX), Z28, s3

#define ONE \
	ZERO(Z4, Z5, Z6, Z7) \
	ZERO(Z8, Z9, Z10, Z11) \
	ZERO(Z12, Z13, Z14, Z15) \
	SUBQ $4, CX \
	JLT  rest \
four: \
	GROUP(0, Z0, Z1, Z2, Z3) \
	GROUP(1, Z4, Z5, Z6, Z7) \
	GROUP(2, Z8, Z9, Z10, Z11) \
	GROUP(3, Z12, Z13, Z14, Z15) \
	ADDQ $1024, BX \
	ADDQ $16, SI \
	SUBQ $4, CX \
	JGE  four \
rest: \
	ADDQ $4, CX \
	JEQ  done \
one: \
	GROUP(0, Z0, Z1, Z2, Z3) \
	ADDQ $256, BX \
	ADDQ $4, SI \
	DECQ CX \
	JNE  one \
done: \
	VPADDD Z4, Z0, Z0 \
	VPADDD Z5, Z1, Z1 \
	VPADDD Z6, Z2, Z2 \
	VPADDD Z7, Z3, Z3 \
	VPADDD Z12, Z8, Z8 \
	VPADDD Z13, Z9, Z9 \
	VPADDD Z14, Z10, Z10 \
	VPADDD Z15, Z11, Z11 \
	VPADDD Z8, Z0, Z0 \
	VPADDD Z9, Z1, Z1 \
	VPADDD Z10, Z2, Z2 \
	VPADDD Z11, Z3, Z3

// func gemmU8_1x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU8_1x64_VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	START
	ONE
	SCALES
	STORES1
	VZEROUPPER
	RET


// Four panels for one row: four streams are fetched better than one.
#define FROM(w, s0, s1, s2, s3) \
	VPDPBUSD (w), Z28, s0 \
	VPDPBUSD 64(w), Z28, s1 \
	VPDPBUSD 128(w), Z28, s2 \
	VPDPBUSD 192(w), Z28, s3

#define STARTAT(s0, s1, s2, s3) \
	VMOVDQU32 (R9), s0 \
	VMOVDQU32 64(R9), s1 \
	VMOVDQU32 128(R9), s2 \
	VMOVDQU32 192(R9), s3


// func gemvU8_1x256_VNNI(y *float32, x *int8, ldx int, w *int8, apart, steps int, start *int32, rowScale, scales *float32)
TEXT ·gemvU8_1x256_VNNI(SB), NOSPLIT, $0-72
	PANELARGUMENTS
	LEAQ (BX)(AX*1), R8
	LEAQ (BX)(AX*2), R11
	LEAQ (R8)(AX*2), R13
	STARTAT(Z0, Z1, Z2, Z3)
	ADDQ $256, R9
	STARTAT(Z4, Z5, Z6, Z7)
	ADDQ $256, R9
	STARTAT(Z8, Z9, Z10, Z11)
	ADDQ $256, R9
	STARTAT(Z12, Z13, Z14, Z15)
loop:
	VPBROADCASTD (SI), Z28
	FROM(BX, Z0, Z1, Z2, Z3)
	FROM(R8, Z4, Z5, Z6, Z7)
	FROM(R11, Z8, Z9, Z10, Z11)
	FROM(R13, Z12, Z13, Z14, Z15)
	ADDQ $256, BX
	ADDQ $256, R8
	ADDQ $256, R11
	ADDQ $256, R13
	ADDQ $4, SI
	DECQ CX
	JNE  loop
	SCALES
	FLOAT(Z0, Z1, Z2, Z3)
	OUT(Z0, Z1, Z2, Z3)
	RIGHT
	SCALES
	FLOAT(Z4, Z5, Z6, Z7)
	OUT(Z4, Z5, Z6, Z7)
	RIGHT
	SCALES
	FLOAT(Z8, Z9, Z10, Z11)
	OUT(Z8, Z9, Z10, Z11)
	RIGHT
	SCALES
	FLOAT(Z12, Z13, Z14, Z15)
	OUT(Z12, Z13, Z14, Z15)
	VZEROUPPER
	RET

// SUMS stores the sums of a row.
#define SUMS(s0, s1, s2, s3) \
	VMOVDQU32 s0, (DI) \
	VMOVDQU32 s1, 64(DI) \
	VMOVDQU32 s2, 128(DI) \
	VMOVDQU32 s3, 192(DI) \
	ADDQ $256, DI
#define SUMS1 SUMS(Z0, Z1, Z2, Z3)
#define SUMS2 SUMS1; SUMS(Z4, Z5, Z6, Z7)
#define SUMS3 SUMS2; SUMS(Z8, Z9, Z10, Z11)
#define SUMS4 SUMS3; SUMS(Z12, Z13, Z14, Z15)
#define SUMS5 SUMS4; SUMS(Z16, Z17, Z18, Z19)
#define SUMS6 SUMS5; SUMS(Z20, Z21, Z22, Z23)

#define ZEROS1 ZERO(Z0, Z1, Z2, Z3)
#define ZEROS2 ZEROS1; ZERO(Z4, Z5, Z6, Z7)
#define ZEROS3 ZEROS2; ZERO(Z8, Z9, Z10, Z11)
#define ZEROS4 ZEROS3; ZERO(Z12, Z13, Z14, Z15)
#define ZEROS5 ZEROS4; ZERO(Z16, Z17, Z18, Z19)
#define ZEROS6 ZEROS5; ZERO(Z20, Z21, Z22, Z23)

#define RAW(ZEROS, ROWS, SUMS) \
	SUMARGUMENTS \
	ZEROS \
	LOOP(ROWS) \
	SUMS \
	VZEROUPPER \
	RET

// func sumU8_6x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumU8_6x64_VNNI(SB), NOSPLIT, $0-40
	RAW(ZEROS6, ROWS6, SUMS6)

// func sumU8_5x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumU8_5x64_VNNI(SB), NOSPLIT, $0-40
	RAW(ZEROS5, ROWS5, SUMS5)

// func sumU8_4x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumU8_4x64_VNNI(SB), NOSPLIT, $0-40
	RAW(ZEROS4, ROWS4, SUMS4)

// func sumU8_3x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumU8_3x64_VNNI(SB), NOSPLIT, $0-40
	RAW(ZEROS3, ROWS3, SUMS3)

// func sumU8_2x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumU8_2x64_VNNI(SB), NOSPLIT, $0-40
	RAW(ZEROS2, ROWS2, SUMS2)

// func sumU8_1x64_VNNI(sums *int32, x *int8, ldx int, w *int8, steps int)
TEXT ·sumU8_1x64_VNNI(SB), NOSPLIT, $0-40
	RAW(ZEROS1, ROWS1, SUMS1)

// JOIN24 makes one value of the sums a, b and c of the bytes of a row, the upper
// first: 65536 (a + floor(b/256)) + (256 (b mod 256) + c).
#define JOIN24(a, b, c) \
	VPSRAD $8, b, Z28 \
	VPADDD Z28, a, a \
	VPSLLD $24, b, b \
	VPSRLD $16, b, b \
	VPADDD b, c, c \
	VCVTDQ2PS a, a \
	VCVTDQ2PS c, c \
	VFMADD213PS c, Z31, a

#define ROW24(a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3) \
	JOIN24(a0, b0, c0) \
	JOIN24(a1, b1, c1) \
	JOIN24(a2, b2, c2) \
	JOIN24(a3, b3, c3) \
	OUT(a0, a1, a2, a3)

// JOIN32 does it with four bytes. Each sum carries what is above a byte to the one
// before, so that only 2^24 a, if it is large, and the result are rounded.
#define JOIN32(a, b, c, d) \
	VPSRAD $8, d, Z28 \
	VPADDD Z28, c, c \
	VPSRAD $8, c, Z28 \
	VPADDD Z28, b, b \
	VPSRAD $8, b, Z28 \
	VPADDD Z28, a, a \
	VPSLLD $24, b, b \
	VPSRLD $8, b, b \
	VPSLLD $24, c, c \
	VPSRLD $16, c, c \
	VPSLLD $24, d, d \
	VPSRLD $24, d, d \
	VPTERNLOGD $0xFE, b, c, d \
	VCVTDQ2PS a, a \
	VCVTDQ2PS d, d \
	VFMADD213PS d, Z31, a

// BYTES adds the products of a vector of the panel with the bytes of a row.
#define BYTES(w, a, b, c) \
	VMOVDQU32 w, Z24 \
	VPDPBUSD Z24, Z28, a \
	VPDPBUSD Z24, Z29, b \
	VPDPBUSD Z24, Z30, c

// WEIGHT sets Z31 to the weight of the upper sum.
#define WEIGHT(bits) MOVL bits, AX; VPBROADCASTD AX, Z31
#define WEIGHT24 WEIGHT($0x47800000) // 2^16
#define WEIGHT32 WEIGHT($0x4B800000) // 2^24

// func gemmU24_2x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU24_2x64_VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	LEAQ (SI)(DX*4), R8
	START
	COPY(Z12, Z13, Z14, Z15)
	ZERO(Z4, Z5, Z6, Z7)
	ZERO(Z8, Z9, Z10, Z11)
	ZERO(Z16, Z17, Z18, Z19)
	ZERO(Z20, Z21, Z22, Z23)
	LOOP(ROWS6)
	WEIGHT24
	SCALES
	ROW24(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11)
	DOWN
	ROW24(Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)
	VZEROUPPER
	RET

// func gemvU24_1x128_VNNI(y *float32, x *int8, ldx int, w *int8, apart, steps int, start *int32, rowScale, scales *float32)
TEXT ·gemvU24_1x128_VNNI(SB), NOSPLIT, $0-72
	PANELARGUMENTS
	ADDQ BX, AX
	STARTAT(Z0, Z1, Z2, Z3)
	ADDQ $256, R9
	STARTAT(Z12, Z13, Z14, Z15)
	ZERO(Z4, Z5, Z6, Z7)
	ZERO(Z8, Z9, Z10, Z11)
	ZERO(Z16, Z17, Z18, Z19)
	ZERO(Z20, Z21, Z22, Z23)
loop:
	VPBROADCASTD (SI), Z28
	VPBROADCASTD (SI)(DX*1), Z29
	VPBROADCASTD (SI)(DX*2), Z30
	BYTES((BX), Z0, Z4, Z8)
	BYTES(64(BX), Z1, Z5, Z9)
	BYTES(128(BX), Z2, Z6, Z10)
	BYTES(192(BX), Z3, Z7, Z11)
	BYTES((AX), Z12, Z16, Z20)
	BYTES(64(AX), Z13, Z17, Z21)
	BYTES(128(AX), Z14, Z18, Z22)
	BYTES(192(AX), Z15, Z19, Z23)
	ADDQ $256, BX
	ADDQ $256, AX
	ADDQ $4, SI
	DECQ CX
	JNE  loop
	WEIGHT24
	SCALES
	ROW24(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11)
	RIGHT
	SCALES
	ROW24(Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)
	VZEROUPPER
	RET

// func gemmU24_1x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU24_1x64_VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	START
	ZERO(Z4, Z5, Z6, Z7)
	ZERO(Z8, Z9, Z10, Z11)
	LOOP(ROWS3)
	WEIGHT24
	SCALES
	ROW24(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11)
	VZEROUPPER
	RET

// func gemmU32_1x64_VNNI(y *float32, ldy int, x *int8, ldx int, w *int8, steps, cols int, start *int32, rowScales, scales *float32)
TEXT ·gemmU32_1x64_VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	START
	ZERO(Z4, Z5, Z6, Z7)
	ZERO(Z8, Z9, Z10, Z11)
	ZERO(Z12, Z13, Z14, Z15)
	LOOP(ROWS4)
	WEIGHT32
	JOIN32(Z0, Z4, Z8, Z12)
	JOIN32(Z1, Z5, Z9, Z13)
	JOIN32(Z2, Z6, Z10, Z14)
	JOIN32(Z3, Z7, Z11, Z15)
	SCALES
	OUT(Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET
