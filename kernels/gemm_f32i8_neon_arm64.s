//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Int8 codes widened to float32, from a panel of 16 channels in groups of 4 inputs;
// docs/kernels.md has the contracts. R1 points to the panel.

// The bytes of 4 channels by 4 inputs, by inputs.
DATA byInputs<>+0(SB)/8, $0x0D0905010C080400
DATA byInputs<>+8(SB)/8, $0x0F0B07030E0A0602
GLOBL byInputs<>(SB), RODATA|NOPTR, $16

// QUARTER turns a vector of codes of 4 channels into four of float32, one an input.
#define QUARTER(i, v, h0, h1, f0, f1, f2, f3) \
	VTBL V31.B16, [v], v \
	SXTL_B(i, h0)   \
	SXTL_B2(i, h1)  \
	SXTL_H(h0, f0)  \
	SXTL_H2(h0, f1) \
	SXTL_H(h1, f2)  \
	SXTL_H2(h1, f3) \
	SCVTF(f0, f0)   \
	SCVTF(f1, f1)   \
	SCVTF(f2, f2)   \
	SCVTF(f3, f3)

// WIDEN leaves channels 4q to 4q+3 of input i in V(4q+i).
#define WIDEN \
	FLDPQ.P 32(R1), (F16, F17) \
	FLDPQ.P 32(R1), (F18, F19) \
	QUARTER(16, V16.B16, 20, 21, 0, 1, 2, 3)    \
	QUARTER(17, V17.B16, 22, 23, 4, 5, 6, 7)    \
	QUARTER(18, V18.B16, 20, 21, 8, 9, 10, 11)  \
	QUARTER(19, V19.B16, 22, 23, 12, 13, 14, 15)

// func widenI8_NEON(dst *float32, w *int8, groups int)
TEXT ·widenI8_NEON(SB), NOSPLIT, $0-24
	MOVD  dst+0(FP), R0
	MOVD  w+8(FP), R1
	MOVD  groups+16(FP), R2
	MOVD  $byInputs<>(SB), R3
	FMOVQ (R3), F31

loop:
	WIDEN
	FSTPQ.P (F0, F4), 32(R0)
	FSTPQ.P (F8, F12), 32(R0)
	FSTPQ.P (F1, F5), 32(R0)
	FSTPQ.P (F9, F13), 32(R0)
	FSTPQ.P (F2, F6), 32(R0)
	FSTPQ.P (F10, F14), 32(R0)
	FSTPQ.P (F3, F7), 32(R0)
	FSTPQ.P (F11, F15), 32(R0)
	SUBS    $1, R2
	BNE     loop
	RET

// Groups of 8 inputs as twice as many groups of 4.

// func regroupI8_NEON(dst, w *int8, groups int)
TEXT ·regroupI8_NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD groups+16(FP), R2

loop:
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R1), (F2, F3)
	FLDPQ.P 32(R1), (F4, F5)
	FLDPQ.P 32(R1), (F6, F7)
	VUZP1   V1.S4, V0.S4, V16.S4
	VUZP1   V3.S4, V2.S4, V17.S4
	VUZP1   V5.S4, V4.S4, V18.S4
	VUZP1   V7.S4, V6.S4, V19.S4
	VUZP2   V1.S4, V0.S4, V20.S4
	VUZP2   V3.S4, V2.S4, V21.S4
	VUZP2   V5.S4, V4.S4, V22.S4
	VUZP2   V7.S4, V6.S4, V23.S4
	FSTPQ.P (F16, F17), 32(R0)
	FSTPQ.P (F18, F19), 32(R0)
	FSTPQ.P (F20, F21), 32(R0)
	FSTPQ.P (F22, F23), 32(R0)
	SUBS    $1, R2
	BNE     loop
	RET

// INPUT adds the value of x in lane l of V28 times its 16 channels.
#define INPUT(l) \
	FMLA_LANE(28, l, l, 24) \
	FMLA_LANE(28, l, 4+l, 25) \
	FMLA_LANE(28, l, 8+l, 26) \
	FMLA_LANE(28, l, 12+l, 27)

#define GROUP WIDEN; INPUT(0); INPUT(1); INPUT(2); INPUT(3)

// func gemvF32I8_1x16_NEON(y, x *float32, w *int8, k int, accumulate bool)
TEXT ·gemvF32I8_1x16_NEON(SB), NOSPLIT, $0-33
	MOVD  y+0(FP), R0
	MOVD  x+8(FP), R2
	MOVD  w+16(FP), R1
	MOVD  k+24(FP), R4
	MOVBU accumulate+32(FP), R5
	MOVD  $byInputs<>(SB), R3
	FMOVQ (R3), F31
	VEOR  V24.B16, V24.B16, V24.B16
	VEOR  V25.B16, V25.B16, V25.B16
	VEOR  V26.B16, V26.B16, V26.B16
	VEOR  V27.B16, V27.B16, V27.B16
	CBZ   R5, begin
	FLDPQ (R0), (F24, F25)
	FLDPQ 32(R0), (F26, F27)

begin:
	SUBS $4, R4
	BLT  rest

four:
	FMOVQ.P 16(R2), F28
	GROUP
	SUBS    $4, R4
	BGE     four

rest:
	ADDS $4, R4
	BEQ  done

	// One to three inputs; the codes of the others are 0, and so are these.
	VEOR V28.B16, V28.B16, V28.B16
	TBZ  $1, R4, odd
	VLD1.P 8(R2), [V28.D1]
	TBZ  $0, R4, last
	VLD1 (R2), V28.S[2]
	B    last

odd:
	FMOVS (R2), F28

last:
	GROUP

done:
	FSTPQ (F24, F25), (R0)
	FSTPQ (F26, F27), 32(R0)
	RET
