//go:build !noasm

#include "textflag.h"
#include "gemm_bf16_avx512_amd64.h"

// Tiles of 1 to 6 rows by a panel of 64 columns, which widen the weight to float32.
// Z24 to Z27 hold one input of the panel, Z28 to Z30 values of x, Z31 the mask of the
// odd input of a pair.

#define EVEN(p) VPSLLD $16, (256*p)(BX), Z24; VPSLLD $16, (256*p+64)(BX), Z25; VPSLLD $16, (256*p+128)(BX), Z26; VPSLLD $16, (256*p+192)(BX), Z27
#define ODD(p) VPANDD (256*p)(BX), Z31, Z24; VPANDD (256*p+64)(BX), Z31, Z25; VPANDD (256*p+128)(BX), Z31, Z26; VPANDD (256*p+192)(BX), Z31, Z27

#define ROW(x, v, a, b, c, d) VBROADCASTSS x, v; VFMADD231PS Z24, v, a; VFMADD231PS Z25, v, b; VFMADD231PS Z26, v, c; VFMADD231PS Z27, v, d
#define ROWS1(o) ROW(o(SI), Z28, Z0, Z1, Z2, Z3)
#define ROWS2(o) ROWS1(o); ROW(o(SI)(DX*1), Z29, Z4, Z5, Z6, Z7)
#define ROWS3(o) ROWS2(o); ROW(o(SI)(DX*2), Z30, Z8, Z9, Z10, Z11)
#define ROWS4(o) ROWS3(o); ROW(o(SI)(R8*1), Z28, Z12, Z13, Z14, Z15)
#define ROWS5(o) ROWS4(o); ROW(o(R9), Z29, Z16, Z17, Z18, Z19)
#define ROWS6(o) ROWS5(o); ROW(o(R9)(DX*1), Z30, Z20, Z21, Z22, Z23)

#define TILE(ZEROS, LOADS, ROWS, STORES) \
	START(2, ZEROS, LOADS)      \
	MOVL $0xffff0000, AX        \
	VPBROADCASTD AX, Z31        \
	SUBQ $2, CX                 \
	JLT  last                   \
loop:                           \
	EVEN(0)                     \
	ROWS(0)                     \
	ODD(0)                      \
	ROWS(4)                     \
	ADDQ $256, BX               \
	ADDQ $8, SI                 \
	ADDQ $8, R9                 \
	SUBQ $2, CX                 \
	JGE  loop                   \
last:                           \
	ADDQ $2, CX                 \
	JEQ  done                   \
	EVEN(0)                     \
	ROWS(0)                     \
done:                           \
	FINISH(STORES)

// func gemmBF16_1x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_1x64_AVX512(SB), NOSPLIT, $0-57
	TILE(ZERO1, LOAD1, ROWS1, STORE1)

// func gemmBF16_2x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_2x64_AVX512(SB), NOSPLIT, $0-57
	TILE(ZERO2, LOAD2, ROWS2, STORE2)

// func gemmBF16_3x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_3x64_AVX512(SB), NOSPLIT, $0-57
	TILE(ZERO3, LOAD3, ROWS3, STORE3)

// func gemmBF16_4x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_4x64_AVX512(SB), NOSPLIT, $0-57
	TILE(ZERO4, LOAD4, ROWS4, STORE4)

// func gemmBF16_5x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_5x64_AVX512(SB), NOSPLIT, $0-57
	TILE(ZERO5, LOAD5, ROWS5, STORE5)

// func gemmBF16_6x64_AVX512(y *float32, ldy int, x *float32, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_6x64_AVX512(SB), NOSPLIT, $0-57
	TILE(ZERO6, LOAD6, ROWS6, STORE6)

// One row by four panels, from BX, R9, R10 and R11: 16 sums that do not wait for each
// other, and four streams from memory. Z28 holds an even value of x, Z29 the odd one.

#define WIDEN(o, w, v, sum) VPSLLD $16, o(w), v; VFMADD231PS v, Z28, sum
#define WIDENODD(o, w, v, sum) VPANDD o(w), Z31, v; VFMADD231PS v, Z29, sum
#define PANELEVEN(w, a, b, c, d) WIDEN(0, w, Z24, a); WIDEN(64, w, Z25, b); WIDEN(128, w, Z26, c); WIDEN(192, w, Z27, d)
#define PANELODD(w, a, b, c, d) WIDENODD(0, w, Z24, a); WIDENODD(64, w, Z25, b); WIDENODD(128, w, Z26, c); WIDENODD(192, w, Z27, d)
#define ROWEVEN \
	VBROADCASTSS (SI), Z28            \
	PANELEVEN(BX, Z0, Z1, Z2, Z3)     \
	PANELEVEN(R9, Z4, Z5, Z6, Z7)     \
	PANELEVEN(R10, Z8, Z9, Z10, Z11)  \
	PANELEVEN(R11, Z12, Z13, Z14, Z15)

// func gemvBF16_1x256_AVX512(y, x *float32, w *uint16, apart, k int, accumulate bool)
TEXT ·gemvBF16_1x256_AVX512(SB), NOSPLIT, $0-41
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), BX
	MOVQ apart+24(FP), AX
	MOVQ k+32(FP), CX
	LEAQ (BX)(AX*2), R9
	LEAQ (R9)(AX*2), R10
	LEAQ (R10)(AX*2), R11
	CMPB accumulate+40(FP), $0
	JNE  load
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	JMP  start
load:
	VMOVUPS 0(DI), Z0
	VMOVUPS 64(DI), Z1
	VMOVUPS 128(DI), Z2
	VMOVUPS 192(DI), Z3
	VMOVUPS 256(DI), Z4
	VMOVUPS 320(DI), Z5
	VMOVUPS 384(DI), Z6
	VMOVUPS 448(DI), Z7
	VMOVUPS 512(DI), Z8
	VMOVUPS 576(DI), Z9
	VMOVUPS 640(DI), Z10
	VMOVUPS 704(DI), Z11
	VMOVUPS 768(DI), Z12
	VMOVUPS 832(DI), Z13
	VMOVUPS 896(DI), Z14
	VMOVUPS 960(DI), Z15
start:
	MOVL $0xffff0000, AX
	VPBROADCASTD AX, Z31
	SUBQ $2, CX
	JLT  last
loop:
	ROWEVEN
	VBROADCASTSS 4(SI), Z29
	PANELODD(BX, Z0, Z1, Z2, Z3)
	PANELODD(R9, Z4, Z5, Z6, Z7)
	PANELODD(R10, Z8, Z9, Z10, Z11)
	PANELODD(R11, Z12, Z13, Z14, Z15)
	ADDQ $256, BX
	ADDQ $256, R9
	ADDQ $256, R10
	ADDQ $256, R11
	ADDQ $8, SI
	SUBQ $2, CX
	JGE  loop
last:
	ADDQ $2, CX
	JEQ  done
	ROWEVEN
done:
	VMOVUPS Z0, 0(DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VMOVUPS Z4, 256(DI)
	VMOVUPS Z5, 320(DI)
	VMOVUPS Z6, 384(DI)
	VMOVUPS Z7, 448(DI)
	VMOVUPS Z8, 512(DI)
	VMOVUPS Z9, 576(DI)
	VMOVUPS Z10, 640(DI)
	VMOVUPS Z11, 704(DI)
	VMOVUPS Z12, 768(DI)
	VMOVUPS Z13, 832(DI)
	VMOVUPS Z14, 896(DI)
	VMOVUPS Z15, 960(DI)
	VZEROUPPER
	RET

// Each value gains half of the last bit that stays, or just less when that bit is 0, so
// that a tie goes to an even one, and loses its last 16 bits. Z3 collects the largest
// bits without their sign.

// func roundBF16_AVX512(dst *uint16, src *float32, n int) (largest uint32)
TEXT ·roundBF16_AVX512(SB), NOSPLIT, $0-28
	MOVQ   dst+0(FP), DI
	MOVQ   src+8(FP), SI
	MOVQ   n+16(FP), CX
	MOVL   $0x7fff, AX
	VPBROADCASTD AX, Z29
	MOVL   $1, AX
	VPBROADCASTD AX, Z30
	MOVL   $0x7fffffff, AX
	VPBROADCASTD AX, Z31
	VPXORD Z3, Z3, Z3
	MOVL   $0xffff, AX
	KMOVW  AX, K1
loop:
	CMPQ   CX, $16
	JGE    full
	MOVL   $1, AX
	SHLL   CX, AX
	DECL   AX
	KMOVW  AX, K1
full:
	VMOVDQU32.Z (SI), K1, Z0
	VPANDD Z31, Z0, Z1
	VPMAXUD Z1, Z3, Z3
	VPSRLD $16, Z0, Z1
	VPANDD Z30, Z1, Z1
	VPADDD Z29, Z0, Z0
	VPADDD Z1, Z0, Z0
	VPSRLD $16, Z0, Z0
	VPMOVDW Z0, K1, (DI)
	ADDQ   $64, SI
	ADDQ   $32, DI
	SUBQ   $16, CX
	JGT    loop
	VEXTRACTI64X4 $1, Z3, Y0
	VPMAXUD Y0, Y3, Y3
	VEXTRACTI128 $1, Y3, X0
	VPMAXUD X0, X3, X3
	VPSHUFD $0x4e, X3, X0
	VPMAXUD X0, X3, X3
	VPSHUFD $0xb1, X3, X0
	VPMAXUD X0, X3, X3
	VMOVD  X3, AX
	MOVL   AX, largest+24(FP)
	VZEROUPPER
	RET
