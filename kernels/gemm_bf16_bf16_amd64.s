//go:build !noasm

#include "textflag.h"
#include "gemm_bf16_avx512_amd64.h"

// Tiles of 1 to 6 rows by a panel of 64 columns, which multiply pairs of bfloat16.
// Z24 to Z27 hold one pair of inputs of the panel, Z28 to Z31 pairs of x. The
// assembler does not know VDPBF16PS; DOTij adds column vector j times a pair of row i
// to their sums.

#define DOT00 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xC0 // vdpbf16ps %zmm24, %zmm28, %zmm0
#define DOT01 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xC9 // vdpbf16ps %zmm25, %zmm28, %zmm1
#define DOT02 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xD2 // vdpbf16ps %zmm26, %zmm28, %zmm2
#define DOT03 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xDB // vdpbf16ps %zmm27, %zmm28, %zmm3
#define DOT10 BYTE $0x62; BYTE $0x92; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xE0 // vdpbf16ps %zmm24, %zmm29, %zmm4
#define DOT11 BYTE $0x62; BYTE $0x92; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xE9 // vdpbf16ps %zmm25, %zmm29, %zmm5
#define DOT12 BYTE $0x62; BYTE $0x92; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xF2 // vdpbf16ps %zmm26, %zmm29, %zmm6
#define DOT13 BYTE $0x62; BYTE $0x92; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xFB // vdpbf16ps %zmm27, %zmm29, %zmm7
#define DOT20 BYTE $0x62; BYTE $0x12; BYTE $0x0E; BYTE $0x40; BYTE $0x52; BYTE $0xC0 // vdpbf16ps %zmm24, %zmm30, %zmm8
#define DOT21 BYTE $0x62; BYTE $0x12; BYTE $0x0E; BYTE $0x40; BYTE $0x52; BYTE $0xC9 // vdpbf16ps %zmm25, %zmm30, %zmm9
#define DOT22 BYTE $0x62; BYTE $0x12; BYTE $0x0E; BYTE $0x40; BYTE $0x52; BYTE $0xD2 // vdpbf16ps %zmm26, %zmm30, %zmm10
#define DOT23 BYTE $0x62; BYTE $0x12; BYTE $0x0E; BYTE $0x40; BYTE $0x52; BYTE $0xDB // vdpbf16ps %zmm27, %zmm30, %zmm11
#define DOT30 BYTE $0x62; BYTE $0x12; BYTE $0x06; BYTE $0x40; BYTE $0x52; BYTE $0xE0 // vdpbf16ps %zmm24, %zmm31, %zmm12
#define DOT31 BYTE $0x62; BYTE $0x12; BYTE $0x06; BYTE $0x40; BYTE $0x52; BYTE $0xE9 // vdpbf16ps %zmm25, %zmm31, %zmm13
#define DOT32 BYTE $0x62; BYTE $0x12; BYTE $0x06; BYTE $0x40; BYTE $0x52; BYTE $0xF2 // vdpbf16ps %zmm26, %zmm31, %zmm14
#define DOT33 BYTE $0x62; BYTE $0x12; BYTE $0x06; BYTE $0x40; BYTE $0x52; BYTE $0xFB // vdpbf16ps %zmm27, %zmm31, %zmm15
#define DOT40 BYTE $0x62; BYTE $0x82; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xC0 // vdpbf16ps %zmm24, %zmm28, %zmm16
#define DOT41 BYTE $0x62; BYTE $0x82; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xC9 // vdpbf16ps %zmm25, %zmm28, %zmm17
#define DOT42 BYTE $0x62; BYTE $0x82; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xD2 // vdpbf16ps %zmm26, %zmm28, %zmm18
#define DOT43 BYTE $0x62; BYTE $0x82; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xDB // vdpbf16ps %zmm27, %zmm28, %zmm19
#define DOT50 BYTE $0x62; BYTE $0x82; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xE0 // vdpbf16ps %zmm24, %zmm29, %zmm20
#define DOT51 BYTE $0x62; BYTE $0x82; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xE9 // vdpbf16ps %zmm25, %zmm29, %zmm21
#define DOT52 BYTE $0x62; BYTE $0x82; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xF2 // vdpbf16ps %zmm26, %zmm29, %zmm22
#define DOT53 BYTE $0x62; BYTE $0x82; BYTE $0x16; BYTE $0x40; BYTE $0x52; BYTE $0xFB // vdpbf16ps %zmm27, %zmm29, %zmm23

#define ROW(x, v, A, B, C, D) VPBROADCASTD x, v; A; B; C; D
#define ROWS1(o) ROW(o(SI), Z28, DOT00, DOT01, DOT02, DOT03)
#define ROWS2(o) ROWS1(o); ROW(o(SI)(DX*1), Z29, DOT10, DOT11, DOT12, DOT13)
#define ROWS3(o) ROWS2(o); ROW(o(SI)(DX*2), Z30, DOT20, DOT21, DOT22, DOT23)
#define ROWS4(o) ROWS3(o); ROW(o(SI)(R8*1), Z31, DOT30, DOT31, DOT32, DOT33)
#define ROWS5(o) ROWS4(o); ROW(o(R9), Z28, DOT40, DOT41, DOT42, DOT43)
#define ROWS6(o) ROWS5(o); ROW(o(R9)(DX*1), Z29, DOT50, DOT51, DOT52, DOT53)

#define PAIR(p, ROWS) VMOVDQU32 (256*p)(BX), Z24; VMOVDQU32 (256*p+64)(BX), Z25; VMOVDQU32 (256*p+128)(BX), Z26; VMOVDQU32 (256*p+192)(BX), Z27; ROWS(4*p)

#define TILE(ZEROS, LOADS, ROWS, STORES) \
	START(1, ZEROS, LOADS)      \
	INCQ CX                     \
	SHRQ $1, CX                 \
	SUBQ $2, CX                 \
	JLT  last                   \
loop:                           \
	PAIR(0, ROWS)               \
	PAIR(1, ROWS)               \
	ADDQ $512, BX               \
	ADDQ $8, SI                 \
	ADDQ $8, R9                 \
	SUBQ $2, CX                 \
	JGE  loop                   \
last:                           \
	ADDQ $2, CX                 \
	JEQ  done                   \
	PAIR(0, ROWS)               \
done:                           \
	FINISH(STORES)

// func gemmBF16_1x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_1x64_BF16(SB), NOSPLIT, $0-57
	TILE(ZERO1, LOAD1, ROWS1, STORE1)

// func gemmBF16_2x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_2x64_BF16(SB), NOSPLIT, $0-57
	TILE(ZERO2, LOAD2, ROWS2, STORE2)

// func gemmBF16_3x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_3x64_BF16(SB), NOSPLIT, $0-57
	TILE(ZERO3, LOAD3, ROWS3, STORE3)

// func gemmBF16_4x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_4x64_BF16(SB), NOSPLIT, $0-57
	TILE(ZERO4, LOAD4, ROWS4, STORE4)

// func gemmBF16_5x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_5x64_BF16(SB), NOSPLIT, $0-57
	TILE(ZERO5, LOAD5, ROWS5, STORE5)

// func gemmBF16_6x64_BF16(y *float32, ldy int, x *uint16, ldx int, w *uint16, k, cols int, accumulate bool)
TEXT ·gemmBF16_6x64_BF16(SB), NOSPLIT, $0-57
	TILE(ZERO6, LOAD6, ROWS6, STORE6)

// One row by four panels, from BX, R9, R10 and R11: 16 sums that do not wait for each
// other, and four streams from memory. ROWDOTj is DOT0j for the sum in Zj.

#define ROWDOT4 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xE0 // vdpbf16ps %zmm24, %zmm28, %zmm4
#define ROWDOT5 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xE9 // vdpbf16ps %zmm25, %zmm28, %zmm5
#define ROWDOT6 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xF2 // vdpbf16ps %zmm26, %zmm28, %zmm6
#define ROWDOT7 BYTE $0x62; BYTE $0x92; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xFB // vdpbf16ps %zmm27, %zmm28, %zmm7
#define ROWDOT8 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xC0 // vdpbf16ps %zmm24, %zmm28, %zmm8
#define ROWDOT9 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xC9 // vdpbf16ps %zmm25, %zmm28, %zmm9
#define ROWDOT10 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xD2 // vdpbf16ps %zmm26, %zmm28, %zmm10
#define ROWDOT11 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xDB // vdpbf16ps %zmm27, %zmm28, %zmm11
#define ROWDOT12 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xE0 // vdpbf16ps %zmm24, %zmm28, %zmm12
#define ROWDOT13 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xE9 // vdpbf16ps %zmm25, %zmm28, %zmm13
#define ROWDOT14 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xF2 // vdpbf16ps %zmm26, %zmm28, %zmm14
#define ROWDOT15 BYTE $0x62; BYTE $0x12; BYTE $0x1E; BYTE $0x40; BYTE $0x52; BYTE $0xFB // vdpbf16ps %zmm27, %zmm28, %zmm15

#define PANEL(w, A, B, C, D) VMOVDQU32 (w), Z24; VMOVDQU32 64(w), Z25; VMOVDQU32 128(w), Z26; VMOVDQU32 192(w), Z27; A; B; C; D

// func gemvBF16_1x256_BF16(y *float32, x, w *uint16, apart, k int, accumulate bool)
TEXT ·gemvBF16_1x256_BF16(SB), NOSPLIT, $0-41
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
	INCQ CX
	SHRQ $1, CX
loop:
	VPBROADCASTD (SI), Z28
	PANEL(BX, DOT00, DOT01, DOT02, DOT03)
	PANEL(R9, ROWDOT4, ROWDOT5, ROWDOT6, ROWDOT7)
	PANEL(R10, ROWDOT8, ROWDOT9, ROWDOT10, ROWDOT11)
	PANEL(R11, ROWDOT12, ROWDOT13, ROWDOT14, ROWDOT15)
	ADDQ $256, BX
	ADDQ $256, R9
	ADDQ $256, R10
	ADDQ $256, R11
	ADDQ $4, SI
	DECQ CX
	JNE  loop
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
