//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// The nonzeros of a row of x as a list of pairs, 4 inputs at a time; docs/kernels.md has
// the contract. R1 points to x and R2 counts the inputs left. R0 points to the end of the
// list, which begins at R6, R7 to the next of ends and R8 is the distance between them in
// bytes. V0 holds values, V29 their inputs, V28 four times 4, V30 one bit for each lane,
// V20 the largest bits of all values, doubled to have no sign. R11 points to places, R12
// to sizes.

// For each set of 4 lanes the bytes of these, the lowest first.
DATA places<>+0(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+8(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+16(SB)/8, $0xFFFFFFFF03020100
DATA places<>+24(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+32(SB)/8, $0xFFFFFFFF07060504
DATA places<>+40(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+48(SB)/8, $0x0706050403020100
DATA places<>+56(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+64(SB)/8, $0xFFFFFFFF0B0A0908
DATA places<>+72(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+80(SB)/8, $0x0B0A090803020100
DATA places<>+88(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+96(SB)/8, $0x0B0A090807060504
DATA places<>+104(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+112(SB)/8, $0x0706050403020100
DATA places<>+120(SB)/8, $0xFFFFFFFF0B0A0908
DATA places<>+128(SB)/8, $0xFFFFFFFF0F0E0D0C
DATA places<>+136(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+144(SB)/8, $0x0F0E0D0C03020100
DATA places<>+152(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+160(SB)/8, $0x0F0E0D0C07060504
DATA places<>+168(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+176(SB)/8, $0x0706050403020100
DATA places<>+184(SB)/8, $0xFFFFFFFF0F0E0D0C
DATA places<>+192(SB)/8, $0x0F0E0D0C0B0A0908
DATA places<>+200(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA places<>+208(SB)/8, $0x0B0A090803020100
DATA places<>+216(SB)/8, $0xFFFFFFFF0F0E0D0C
DATA places<>+224(SB)/8, $0x0B0A090807060504
DATA places<>+232(SB)/8, $0xFFFFFFFF0F0E0D0C
DATA places<>+240(SB)/8, $0x0706050403020100
DATA places<>+248(SB)/8, $0x0F0E0D0C0B0A0908
GLOBL places<>(SB), RODATA|NOPTR, $256

// The bytes of as many pairs.
DATA sizes<>+0(SB)/8, $0x1810100810080800
DATA sizes<>+8(SB)/8, $0x2018181018101008
GLOBL sizes<>(SB), RODATA|NOPTR, $16

DATA firsts<>+0(SB)/8, $0x0000000100000000
DATA firsts<>+8(SB)/8, $0x0000000300000002
GLOBL firsts<>(SB), RODATA|NOPTR, $16

DATA bits<>+0(SB)/8, $0x0000000200000001
DATA bits<>+8(SB)/8, $0x0000000800000004
GLOBL bits<>(SB), RODATA|NOPTR, $16

#define FOUR \
	VSHL $1, V0.S4, V1.S4 \
	VUMAX V1.S4, V20.S4, V20.S4 \
	VCMTST V1.S4, V1.S4, V1.S4 \
	VAND V30.B16, V1.B16, V1.B16 \
	VADDV V1.S4, V1 \
	FMOVS F1, R3 \
	ADD R3<<4, R11, R4 \
	MOVBU (R12)(R3), R5 \
	FMOVQ (R4), F2 \
	VTBL V2.B16, [V0.B16], V3.B16 \
	VTBL V2.B16, [V29.B16], V4.B16 \
	VZIP1 V4.S4, V3.S4, V5.S4 \
	VZIP2 V4.S4, V3.S4, V6.S4 \
	FSTPQ (F5, F6), (R0) \
	ADD R5, R0 \
	VADD V28.S4, V29.S4, V29.S4

#define END SUB R6, R0, R3; LSR $3, R3; MOVW R3, (R7); ADD R8, R7

// func compressF32_NEON(list *nonzero, ends *int32, ldEnds int, x *float32, k int) bool
TEXT ·compressF32_NEON(SB), NOSPLIT, $0-41
	MOVD  list+0(FP), R0
	MOVD  ends+8(FP), R7
	MOVD  ldEnds+16(FP), R8
	MOVD  x+24(FP), R1
	MOVD  k+32(FP), R2
	MOVD  R0, R6
	LSL   $2, R8
	MOVD  $places<>(SB), R11
	MOVD  $sizes<>(SB), R12
	MOVD  $firsts<>(SB), R3
	FMOVQ (R3), F29
	MOVD  $bits<>(SB), R3
	FMOVQ (R3), F30
	MOVD  $4, R3
	VDUP  R3, V28.S4
	VEOR  V20.B16, V20.B16, V20.B16
	SUBS  $16, R2
	BLT   rest

sixteen:
	FMOVQ.P 16(R1), F0
	FOUR
	FMOVQ.P 16(R1), F0
	FOUR
	FMOVQ.P 16(R1), F0
	FOUR
	FMOVQ.P 16(R1), F0
	FOUR
	END
	SUBS    $16, R2
	BGE     sixteen

rest:
	ADDS $16, R2
	BEQ  done
	SUBS $4, R2
	BLT  few

four:
	FMOVQ.P 16(R1), F0
	FOUR
	SUBS    $4, R2
	BGE     four

few:
	ADDS $4, R2
	BEQ  last
	VEOR V0.B16, V0.B16, V0.B16
	TBZ  $1, R2, one
	VLD1.P 8(R1), [V0.D1]
	TBZ  $0, R2, some
	VLD1 (R1), V0.S[2]
	B    some

one:
	FMOVS (R1), F0

some:
	FOUR

last:
	END

done:
	UMAXV(20, 20)
	FMOVS F20, R3
	MOVD  $0xFF000000, R4
	CMPW  R4, R3
	CSET  LO, R3
	MOVB  R3, ret+40(FP)
	RET
