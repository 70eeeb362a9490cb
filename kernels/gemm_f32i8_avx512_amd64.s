//go:build !noasm

#include "textflag.h"

// Tiles of float32 by int8 codes widened to float32: rows of activations by a
// panel of 64 channels in groups of 4 inputs; docs/kernels.md has the contract.
// The sums of row i are in Z(4i) to Z(4i+3), 4 inputs of 16 channels in Z24, each of
// them as float32 in Z25, Z26, Z27 and Z24, constants in Z28 to Z31. SI and R8 point to rows 0 and 3 of x, DX is the
// distance between its rows. BX points to the panel and CX counts the inputs left.
// DI points to y, R11 is the distance between its rows, K1 to K4 hold its columns.
// R12 points to scales.

// ROWS<rows>_<v>(p, f) adds input p of each row times f to its sums of vector v.
#define ROWS1_0(p, f) VFMADD231PS.BCST (4*p)(SI), f, Z0
#define ROWS2_0(p, f) ROWS1_0(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*1), f, Z4
#define ROWS3_0(p, f) ROWS2_0(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*2), f, Z8
#define ROWS4_0(p, f) ROWS3_0(p, f); VFMADD231PS.BCST (4*p)(R8), f, Z12
#define ROWS5_0(p, f) ROWS4_0(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*1), f, Z16
#define ROWS6_0(p, f) ROWS5_0(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*2), f, Z20
#define ROWS1_1(p, f) VFMADD231PS.BCST (4*p)(SI), f, Z1
#define ROWS2_1(p, f) ROWS1_1(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*1), f, Z5
#define ROWS3_1(p, f) ROWS2_1(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*2), f, Z9
#define ROWS4_1(p, f) ROWS3_1(p, f); VFMADD231PS.BCST (4*p)(R8), f, Z13
#define ROWS5_1(p, f) ROWS4_1(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*1), f, Z17
#define ROWS6_1(p, f) ROWS5_1(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*2), f, Z21
#define ROWS1_2(p, f) VFMADD231PS.BCST (4*p)(SI), f, Z2
#define ROWS2_2(p, f) ROWS1_2(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*1), f, Z6
#define ROWS3_2(p, f) ROWS2_2(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*2), f, Z10
#define ROWS4_2(p, f) ROWS3_2(p, f); VFMADD231PS.BCST (4*p)(R8), f, Z14
#define ROWS5_2(p, f) ROWS4_2(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*1), f, Z18
#define ROWS6_2(p, f) ROWS5_2(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*2), f, Z22
#define ROWS1_3(p, f) VFMADD231PS.BCST (4*p)(SI), f, Z3
#define ROWS2_3(p, f) ROWS1_3(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*1), f, Z7
#define ROWS3_3(p, f) ROWS2_3(p, f); VFMADD231PS.BCST (4*p)(SI)(DX*2), f, Z11
#define ROWS4_3(p, f) ROWS3_3(p, f); VFMADD231PS.BCST (4*p)(R8), f, Z15
#define ROWS5_3(p, f) ROWS4_3(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*1), f, Z19
#define ROWS6_3(p, f) ROWS5_3(p, f); VFMADD231PS.BCST (4*p)(R8)(DX*2), f, Z23

// The inputs of a group are the bytes of a word, the first the lowest. A byte of
// code + 128 in the last place of 2^23 as a float32 is 2^23 + 128 + code.
#define INPUT0(f) VMOVDQA32 Z24, f; VPTERNLOGD $0xEA, Z30, Z29, f; VSUBPS Z31, f, f
#define INPUT1(f) VPSRLD $8, Z24, f; VPTERNLOGD $0xEA, Z30, Z29, f; VSUBPS Z31, f, f
#define INPUT2(f) VPSRLD $16, Z24, f; VPTERNLOGD $0xEA, Z30, Z29, f; VSUBPS Z31, f, f
#define INPUT3(f) VPSRLD $24, Z24, f; VPORD Z30, f, f; VSUBPS Z31, f, f

#define GROUP(v, ROWS) \
	VPXORD (64*v)(BX), Z28, Z24 \
	INPUT0(Z25) \
	INPUT1(Z26) \
	INPUT2(Z27) \
	INPUT3(Z24) \
	ROWS(0, Z25) \
	ROWS(1, Z26) \
	ROWS(2, Z27) \
	ROWS(3, Z24)

// LAST adds one input of the 1 to 3 of the last group.
#define LAST(p, INPUT, ROWS0, ROWS1, ROWS2, ROWS3) \
	VPXORD (BX), Z28, Z24 \
	INPUT(Z25) \
	ROWS0(p, Z25) \
	VPXORD 64(BX), Z28, Z24 \
	INPUT(Z26) \
	ROWS1(p, Z26) \
	VPXORD 128(BX), Z28, Z24 \
	INPUT(Z27) \
	ROWS2(p, Z27) \
	VPXORD 192(BX), Z28, Z24 \
	INPUT(Z25) \
	ROWS3(p, Z25)

#define ZERO(s0, s1, s2, s3) VPXORD s0, s0, s0; VPXORD s1, s1, s1; VPXORD s2, s2, s2; VPXORD s3, s3, s3
#define ZEROS1 ZERO(Z0, Z1, Z2, Z3)
#define ZEROS2 ZEROS1; ZERO(Z4, Z5, Z6, Z7)
#define ZEROS3 ZEROS2; ZERO(Z8, Z9, Z10, Z11)
#define ZEROS4 ZEROS3; ZERO(Z12, Z13, Z14, Z15)
#define ZEROS5 ZEROS4; ZERO(Z16, Z17, Z18, Z19)
#define ZEROS6 ZEROS5; ZERO(Z20, Z21, Z22, Z23)

#define LOAD(s0, s1, s2, s3) \
	VMOVUPS.Z (DI), K1, s0 \
	VMOVUPS.Z 64(DI), K2, s1 \
	VMOVUPS.Z 128(DI), K3, s2 \
	VMOVUPS.Z 192(DI), K4, s3 \
	ADDQ R11, DI
#define LOADS1 LOAD(Z0, Z1, Z2, Z3)
#define LOADS2 LOADS1; LOAD(Z4, Z5, Z6, Z7)
#define LOADS3 LOADS2; LOAD(Z8, Z9, Z10, Z11)
#define LOADS4 LOADS3; LOAD(Z12, Z13, Z14, Z15)
#define LOADS5 LOADS4; LOAD(Z16, Z17, Z18, Z19)
#define LOADS6 LOADS5; LOAD(Z20, Z21, Z22, Z23)

#define STORE(s0, s1, s2, s3) \
	VMULPS (R12), s0, s0 \
	VMULPS 64(R12), s1, s1 \
	VMULPS 128(R12), s2, s2 \
	VMULPS 192(R12), s3, s3 \
	VMOVUPS s0, K1, (DI) \
	VMOVUPS s1, K2, 64(DI) \
	VMOVUPS s2, K3, 128(DI) \
	VMOVUPS s3, K4, 192(DI) \
	ADDQ R11, DI
#define STORES1 STORE(Z0, Z1, Z2, Z3)
#define STORES2 STORES1; STORE(Z4, Z5, Z6, Z7)
#define STORES3 STORES2; STORE(Z8, Z9, Z10, Z11)
#define STORES4 STORES3; STORE(Z12, Z13, Z14, Z15)
#define STORES5 STORES4; STORE(Z16, Z17, Z18, Z19)
#define STORES6 STORES5; STORE(Z20, Z21, Z22, Z23)

#define CONSTANT(bits, z) MOVL bits, AX; VPBROADCASTD AX, z

#define TILE(ZEROS, LOADS, ROWS0, ROWS1, ROWS2, ROWS3, STORES) \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ x+16(FP), SI \
	MOVQ ldx+24(FP), DX \
	MOVQ w+32(FP), BX \
	MOVQ scales+56(FP), R12 \
	SHLQ $2, R11 \
	SHLQ $2, DX \
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
	CONSTANT($0x80808080, Z28) \
	CONSTANT($0xFF, Z29) \
	CONSTANT($0x4B000000, Z30) \
	CONSTANT($0x4B000080, Z31) \
	MOVQ k+40(FP), CX \
	ZEROS \
	CMPB accumulate+64(FP), $0 \
	JEQ begin \
	LOADS \
	MOVQ y+0(FP), DI \
begin: \
	SUBQ $4, CX \
	JLT rest \
group: \
	GROUP(0, ROWS0) \
	GROUP(1, ROWS1) \
	GROUP(2, ROWS2) \
	GROUP(3, ROWS3) \
	ADDQ $256, BX \
	ADDQ $16, SI \
	ADDQ $16, R8 \
	SUBQ $4, CX \
	JGE group \
rest: \
	ADDQ $4, CX \
	JEQ done \
	LAST(0, INPUT0, ROWS0, ROWS1, ROWS2, ROWS3) \
	DECQ CX \
	JEQ done \
	LAST(1, INPUT1, ROWS0, ROWS1, ROWS2, ROWS3) \
	DECQ CX \
	JEQ done \
	LAST(2, INPUT2, ROWS0, ROWS1, ROWS2, ROWS3) \
done: \
	STORES \
	VZEROUPPER \
	RET

// func gemmF32I8_6x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_6x64_AVX512(SB), NOSPLIT, $0-65
	TILE(ZEROS6, LOADS6, ROWS6_0, ROWS6_1, ROWS6_2, ROWS6_3, STORES6)

// func gemmF32I8_5x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_5x64_AVX512(SB), NOSPLIT, $0-65
	TILE(ZEROS5, LOADS5, ROWS5_0, ROWS5_1, ROWS5_2, ROWS5_3, STORES5)

// func gemmF32I8_4x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_4x64_AVX512(SB), NOSPLIT, $0-65
	TILE(ZEROS4, LOADS4, ROWS4_0, ROWS4_1, ROWS4_2, ROWS4_3, STORES4)

// func gemmF32I8_3x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_3x64_AVX512(SB), NOSPLIT, $0-65
	TILE(ZEROS3, LOADS3, ROWS3_0, ROWS3_1, ROWS3_2, ROWS3_3, STORES3)

// func gemmF32I8_2x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_2x64_AVX512(SB), NOSPLIT, $0-65
	TILE(ZEROS2, LOADS2, ROWS2_0, ROWS2_1, ROWS2_2, ROWS2_3, STORES2)

// func gemmF32I8_1x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *int8, k, cols int, scales *float32, accumulate bool)
TEXT ·gemmF32I8_1x64_AVX512(SB), NOSPLIT, $0-65
	TILE(ZEROS1, LOADS1, ROWS1_0, ROWS1_1, ROWS1_2, ROWS1_3, STORES1)
