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
