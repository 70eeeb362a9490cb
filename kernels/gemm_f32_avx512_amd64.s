//go:build !noasm

#include "textflag.h"

// Tiles of 1 to 12 rows by a panel of 32 columns; docs/kernels.md has the
// contract. The sums of row i are in Z(2i) and Z(2i+1), one step of the panel in
// Z24 and Z25, values of x in Z26 to Z29. SI, R9 and R10 point to rows 0, 4 and 8
// of x, DX is the distance between its rows in bytes and R8 three times that. BX
// points to the panel, CX counts the steps left. R12 points to what is fetched
// ahead and moves by R13 in 4 steps. DI points to y, R11 is the distance between
// its rows in bytes, K1 and K2 are its columns.

// ROW adds the value at x times a step of the panel to the sums of a row.
#define ROW(x, v, s0, s1) VBROADCASTSS x, v; VFMADD231PS Z24, v, s0; VFMADD231PS Z25, v, s1

// ROWSn does step p, counted from the pointers, for n rows.
#define ROWS1(p) ROW((4*p)(SI), Z26, Z0, Z1)
#define ROWS2(p) ROWS1(p); ROW((4*p)(SI)(DX*1), Z27, Z2, Z3)
#define ROWS3(p) ROWS2(p); ROW((4*p)(SI)(DX*2), Z28, Z4, Z5)
#define ROWS4(p) ROWS3(p); ROW((4*p)(SI)(R8*1), Z29, Z6, Z7)
#define ROWS5(p) ROWS4(p); ROW((4*p)(R9), Z26, Z8, Z9)
#define ROWS6(p) ROWS5(p); ROW((4*p)(R9)(DX*1), Z27, Z10, Z11)
#define ROWS7(p) ROWS6(p); ROW((4*p)(R9)(DX*2), Z28, Z12, Z13)
#define ROWS8(p) ROWS7(p); ROW((4*p)(R9)(R8*1), Z29, Z14, Z15)
#define ROWS9(p) ROWS8(p); ROW((4*p)(R10), Z26, Z16, Z17)
#define ROWS10(p) ROWS9(p); ROW((4*p)(R10)(DX*1), Z27, Z18, Z19)
#define ROWS11(p) ROWS10(p); ROW((4*p)(R10)(DX*2), Z28, Z20, Z21)
#define ROWS12(p) ROWS11(p); ROW((4*p)(R10)(R8*1), Z29, Z22, Z23)

// ZEROSn, LOADSn and STORESn set n rows of sums to 0, load them from y and store
// them; LINESn asks for the lines of y before they are needed.
#define ZEROS1 VPXORD Z0, Z0, Z0; VPXORD Z1, Z1, Z1
#define ZEROS2 ZEROS1; VPXORD Z2, Z2, Z2; VPXORD Z3, Z3, Z3
#define ZEROS3 ZEROS2; VPXORD Z4, Z4, Z4; VPXORD Z5, Z5, Z5
#define ZEROS4 ZEROS3; VPXORD Z6, Z6, Z6; VPXORD Z7, Z7, Z7
#define ZEROS5 ZEROS4; VPXORD Z8, Z8, Z8; VPXORD Z9, Z9, Z9
#define ZEROS6 ZEROS5; VPXORD Z10, Z10, Z10; VPXORD Z11, Z11, Z11
#define ZEROS7 ZEROS6; VPXORD Z12, Z12, Z12; VPXORD Z13, Z13, Z13
#define ZEROS8 ZEROS7; VPXORD Z14, Z14, Z14; VPXORD Z15, Z15, Z15
#define ZEROS9 ZEROS8; VPXORD Z16, Z16, Z16; VPXORD Z17, Z17, Z17
#define ZEROS10 ZEROS9; VPXORD Z18, Z18, Z18; VPXORD Z19, Z19, Z19
#define ZEROS11 ZEROS10; VPXORD Z20, Z20, Z20; VPXORD Z21, Z21, Z21
#define ZEROS12 ZEROS11; VPXORD Z22, Z22, Z22; VPXORD Z23, Z23, Z23

#define LOAD(s0, s1) VMOVUPS.Z (DI), K1, s0; VMOVUPS.Z 64(DI), K2, s1; ADDQ R11, DI
#define LOADS1 LOAD(Z0, Z1)
#define LOADS2 LOADS1; LOAD(Z2, Z3)
#define LOADS3 LOADS2; LOAD(Z4, Z5)
#define LOADS4 LOADS3; LOAD(Z6, Z7)
#define LOADS5 LOADS4; LOAD(Z8, Z9)
#define LOADS6 LOADS5; LOAD(Z10, Z11)
#define LOADS7 LOADS6; LOAD(Z12, Z13)
#define LOADS8 LOADS7; LOAD(Z14, Z15)
#define LOADS9 LOADS8; LOAD(Z16, Z17)
#define LOADS10 LOADS9; LOAD(Z18, Z19)
#define LOADS11 LOADS10; LOAD(Z20, Z21)
#define LOADS12 LOADS11; LOAD(Z22, Z23)

#define STORE(s0, s1) VMOVUPS s0, K1, (DI); VMOVUPS s1, K2, 64(DI); ADDQ R11, DI
#define STORES1 STORE(Z0, Z1)
#define STORES2 STORES1; STORE(Z2, Z3)
#define STORES3 STORES2; STORE(Z4, Z5)
#define STORES4 STORES3; STORE(Z6, Z7)
#define STORES5 STORES4; STORE(Z8, Z9)
#define STORES6 STORES5; STORE(Z10, Z11)
#define STORES7 STORES6; STORE(Z12, Z13)
#define STORES8 STORES7; STORE(Z14, Z15)
#define STORES9 STORES8; STORE(Z16, Z17)
#define STORES10 STORES9; STORE(Z18, Z19)
#define STORES11 STORES10; STORE(Z20, Z21)
#define STORES12 STORES11; STORE(Z22, Z23)

#define LINE PREFETCHT0 (DI); PREFETCHT0 64(DI); ADDQ R11, DI
#define LINES1 LINE
#define LINES2 LINES1; LINE
#define LINES3 LINES2; LINE
#define LINES4 LINES3; LINE
#define LINES5 LINES4; LINE
#define LINES6 LINES5; LINE
#define LINES7 LINES6; LINE
#define LINES8 LINES7; LINE
#define LINES9 LINES8; LINE
#define LINES10 LINES9; LINE
#define LINES11 LINES10; LINE
#define LINES12 LINES11; LINE

// The same for the first 16 columns of a panel, HALFn for n rows: the last panel
// of a weight may have no more.
#define HALF(x, s0) VFMADD231PS.BCST x, Z24, s0
#define HALF1(p) HALF((4*p)(SI), Z0)
#define HALF2(p) HALF1(p); HALF((4*p)(SI)(DX*1), Z2)
#define HALF3(p) HALF2(p); HALF((4*p)(SI)(DX*2), Z4)
#define HALF4(p) HALF3(p); HALF((4*p)(SI)(R8*1), Z6)
#define HALF5(p) HALF4(p); HALF((4*p)(R9), Z8)
#define HALF6(p) HALF5(p); HALF((4*p)(R9)(DX*1), Z10)
#define HALF7(p) HALF6(p); HALF((4*p)(R9)(DX*2), Z12)
#define HALF8(p) HALF7(p); HALF((4*p)(R9)(R8*1), Z14)
#define HALF9(p) HALF8(p); HALF((4*p)(R10), Z16)
#define HALF10(p) HALF9(p); HALF((4*p)(R10)(DX*1), Z18)
#define HALF11(p) HALF10(p); HALF((4*p)(R10)(DX*2), Z20)
#define HALF12(p) HALF11(p); HALF((4*p)(R10)(R8*1), Z22)

#define WHOLESTEP(p, ROWS) VMOVUPS (128*p)(BX), Z24; VMOVUPS (128*p+64)(BX), Z25; ROWS(p)
#define HALFSTEP(p, ROWS) VMOVUPS (128*p)(BX), Z24; ROWS(p)

// AHEAD fetches the next panel, NEVER does not.
#define AHEAD(p) PREFETCHT0 (128*p)(R12); PREFETCHT0 (128*p+64)(R12)
#define NEVER(p)

// COLUMNS makes masks of the low CX bits.
#define COLUMNS MOVQ $-1, AX; SHLQ CX, AX; NOTQ AX; KMOVW AX, K1; SHRQ $16, AX; KMOVW AX, K2

#define TILE(STEP, ROWS, ZEROS, LOADS, STORES, LINES, FETCH) \
	MOVQ y+0(FP), DI \
	MOVQ ldy+8(FP), R11 \
	MOVQ x+16(FP), SI \
	MOVQ ldx+24(FP), DX \
	MOVQ w+32(FP), BX \
	MOVQ cols+48(FP), CX \
	MOVQ next+56(FP), R12 \
	MOVQ pace+64(FP), R13 \
	SHLQ $2, R11 \
	SHLQ $2, DX \
	LEAQ (DX)(DX*2), R8 \
	LEAQ (SI)(DX*4), R9 \
	LEAQ (SI)(DX*8), R10 \
	COLUMNS \
	MOVQ k+40(FP), CX \
	CMPB accumulate+72(FP), $0 \
	JEQ fresh \
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
	ADDQ $512, BX \
	ADDQ $16, SI \
	ADDQ $16, R9 \
	ADDQ $16, R10 \
	SUBQ $4, CX \
	JGE four \
rest: \
	ADDQ $4, CX \
	JEQ done \
one: \
	STEP(0, ROWS) \
	ADDQ $128, BX \
	ADDQ $4, SI \
	ADDQ $4, R9 \
	ADDQ $4, R10 \
	DECQ CX \
	JNE one \
done: \
	STORES \
	VZEROUPPER \
	RET

// func gemmF32_12x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_12x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS12, ZEROS12, LOADS12, STORES12, LINES12, AHEAD)

// func gemmF32_11x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_11x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS11, ZEROS11, LOADS11, STORES11, LINES11, AHEAD)

// func gemmF32_10x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_10x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS10, ZEROS10, LOADS10, STORES10, LINES10, AHEAD)

// func gemmF32_9x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_9x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS9, ZEROS9, LOADS9, STORES9, LINES9, AHEAD)

// func gemmF32_8x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_8x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS8, ZEROS8, LOADS8, STORES8, LINES8, AHEAD)

// func gemmF32_7x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_7x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS7, ZEROS7, LOADS7, STORES7, LINES7, AHEAD)

// func gemmF32_6x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_6x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS6, ZEROS6, LOADS6, STORES6, LINES6, AHEAD)

// func gemmF32_5x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_5x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS5, ZEROS5, LOADS5, STORES5, LINES5, AHEAD)

// func gemmF32_4x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_4x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS4, ZEROS4, LOADS4, STORES4, LINES4, NEVER)

// func gemmF32_3x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_3x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS3, ZEROS3, LOADS3, STORES3, LINES3, NEVER)

// func gemmF32_2x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_2x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS2, ZEROS2, LOADS2, STORES2, LINES2, NEVER)

// func gemmF32_1x32_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_1x32_AVX512(SB), NOSPLIT, $0-73
	TILE(WHOLESTEP, ROWS1, ZEROS1, LOADS1, STORES1, LINES1, NEVER)

// func gemmF32_12x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_12x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF12, ZEROS12, LOADS12, STORES12, LINES12, NEVER)

// func gemmF32_11x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_11x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF11, ZEROS11, LOADS11, STORES11, LINES11, NEVER)

// func gemmF32_10x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_10x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF10, ZEROS10, LOADS10, STORES10, LINES10, NEVER)

// func gemmF32_9x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_9x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF9, ZEROS9, LOADS9, STORES9, LINES9, NEVER)

// func gemmF32_8x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_8x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF8, ZEROS8, LOADS8, STORES8, LINES8, NEVER)

// func gemmF32_7x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_7x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF7, ZEROS7, LOADS7, STORES7, LINES7, NEVER)

// func gemmF32_6x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_6x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF6, ZEROS6, LOADS6, STORES6, LINES6, NEVER)

// func gemmF32_5x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_5x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF5, ZEROS5, LOADS5, STORES5, LINES5, NEVER)

// func gemmF32_4x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_4x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF4, ZEROS4, LOADS4, STORES4, LINES4, NEVER)

// func gemmF32_3x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_3x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF3, ZEROS3, LOADS3, STORES3, LINES3, NEVER)

// func gemmF32_2x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_2x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF2, ZEROS2, LOADS2, STORES2, LINES2, NEVER)

// func gemmF32_1x16_AVX512(y *float32, ldy int, x *float32, ldx int, w *float32, k, cols int, next *float32, pace int, accumulate bool)
TEXT ·gemmF32_1x16_AVX512(SB), NOSPLIT, $0-73
	TILE(HALFSTEP, HALF1, ZEROS1, LOADS1, STORES1, LINES1, NEVER)

// One row by four panels, 128 columns: eight sums that do not wait for each other.
// The panels are at BX, R9, R10 and R11, and K1 and K2 are the columns of y in the
// last.
#define QUAD(p) \
	VBROADCASTSS (4*p)(SI), Z24 \
	VFMADD231PS (128*p)(BX), Z24, Z0 \
	VFMADD231PS (128*p+64)(BX), Z24, Z1 \
	VFMADD231PS (128*p)(R9), Z24, Z2 \
	VFMADD231PS (128*p+64)(R9), Z24, Z3 \
	VFMADD231PS (128*p)(R10), Z24, Z4 \
	VFMADD231PS (128*p+64)(R10), Z24, Z5 \
	VFMADD231PS (128*p)(R11), Z24, Z6 \
	VFMADD231PS (128*p+64)(R11), Z24, Z7

// func gemvF32_1x128_AVX512(y, x, w *float32, apart, k, cols int, accumulate bool)
TEXT ·gemvF32_1x128_AVX512(SB), NOSPLIT, $0-49
	MOVQ cols+40(FP), CX
	SUBQ $96, CX
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
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
	VMOVUPS 128(DI), Z2
	VMOVUPS 192(DI), Z3
	VMOVUPS 256(DI), Z4
	VMOVUPS 320(DI), Z5
	VMOVUPS.Z 384(DI), K1, Z6
	VMOVUPS.Z 448(DI), K2, Z7
begin:
	SUBQ $4, CX
	JLT rest
four:
	QUAD(0)
	QUAD(1)
	QUAD(2)
	QUAD(3)
	ADDQ $512, BX
	ADDQ $512, R9
	ADDQ $512, R10
	ADDQ $512, R11
	ADDQ $16, SI
	SUBQ $4, CX
	JGE four
rest:
	ADDQ $4, CX
	JEQ done
one:
	QUAD(0)
	ADDQ $128, BX
	ADDQ $128, R9
	ADDQ $128, R10
	ADDQ $128, R11
	ADDQ $4, SI
	DECQ CX
	JNE one
done:
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VMOVUPS Z4, 256(DI)
	VMOVUPS Z5, 320(DI)
	VMOVUPS Z6, K1, 384(DI)
	VMOVUPS Z7, K2, 448(DI)
	VZEROUPPER
	RET
