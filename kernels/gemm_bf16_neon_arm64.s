//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Bfloat16 widened to float32, from panels of 16 columns in pairs of inputs, which are
// the two halves of 32 bits; docs/kernels.md has the contracts. V31 keeps the upper
// halves.

#define MASK MOVD $0xFFFF0000, R3; VDUP R3, V31.S4

// func widenBF16_NEON(dst *float32, w *uint16, pairs int)
TEXT ·widenBF16_NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD pairs+16(FP), R2
	MASK

loop:
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R1), (F2, F3)
	VSHL    $16, V0.S4, V4.S4
	VSHL    $16, V1.S4, V5.S4
	VSHL    $16, V2.S4, V6.S4
	VSHL    $16, V3.S4, V7.S4
	FSTPQ.P (F4, F5), 32(R0)
	FSTPQ.P (F6, F7), 32(R0)
	VAND    V31.B16, V0.B16, V0.B16
	VAND    V31.B16, V1.B16, V1.B16
	VAND    V31.B16, V2.B16, V2.B16
	VAND    V31.B16, V3.B16, V3.B16
	FSTPQ.P (F0, F1), 32(R0)
	FSTPQ.P (F2, F3), 32(R0)
	SUBS    $1, R2
	BNE     loop
	RET

// One row by two panels, at R4 and R5: eight sums that do not wait for each other. V30
// holds values of x.

// FIRSTS adds the value in lane l times the first of a pair of inputs, SECONDS times
// the second.
#define FIRSTS(l) \
	VSHL $16, V16.S4, V24.S4; FMLA_LANE(30, l, 24, 0) \
	VSHL $16, V17.S4, V25.S4; FMLA_LANE(30, l, 25, 1) \
	VSHL $16, V18.S4, V26.S4; FMLA_LANE(30, l, 26, 2) \
	VSHL $16, V19.S4, V27.S4; FMLA_LANE(30, l, 27, 3) \
	VSHL $16, V20.S4, V24.S4; FMLA_LANE(30, l, 24, 4) \
	VSHL $16, V21.S4, V25.S4; FMLA_LANE(30, l, 25, 5) \
	VSHL $16, V22.S4, V26.S4; FMLA_LANE(30, l, 26, 6) \
	VSHL $16, V23.S4, V27.S4; FMLA_LANE(30, l, 27, 7)

#define SECONDS(l) \
	VAND V31.B16, V16.B16, V16.B16; FMLA_LANE(30, l, 16, 0) \
	VAND V31.B16, V17.B16, V17.B16; FMLA_LANE(30, l, 17, 1) \
	VAND V31.B16, V18.B16, V18.B16; FMLA_LANE(30, l, 18, 2) \
	VAND V31.B16, V19.B16, V19.B16; FMLA_LANE(30, l, 19, 3) \
	VAND V31.B16, V20.B16, V20.B16; FMLA_LANE(30, l, 20, 4) \
	VAND V31.B16, V21.B16, V21.B16; FMLA_LANE(30, l, 21, 5) \
	VAND V31.B16, V22.B16, V22.B16; FMLA_LANE(30, l, 22, 6) \
	VAND V31.B16, V23.B16, V23.B16; FMLA_LANE(30, l, 23, 7)

#define LOADS \
	FLDPQ.P 32(R4), (F16, F17) \
	FLDPQ.P 32(R4), (F18, F19) \
	FLDPQ.P 32(R5), (F20, F21) \
	FLDPQ.P 32(R5), (F22, F23)

// func gemvBF16_1x32_NEON(y, x *float32, w *uint16, apart, k int, accumulate bool)
TEXT ·gemvBF16_1x32_NEON(SB), NOSPLIT, $0-41
	MOVD  y+0(FP), R0
	MOVD  x+8(FP), R2
	MOVD  w+16(FP), R4
	MOVD  apart+24(FP), R5
	MOVD  k+32(FP), R9
	MOVBU accumulate+40(FP), R11
	ADD   R5<<1, R4, R5
	MASK
	ZEROS2
	CBZ   R11, begin
	FLDPQ (R0), (F0, F1)
	FLDPQ 32(R0), (F2, F3)
	FLDPQ 64(R0), (F4, F5)
	FLDPQ 96(R0), (F6, F7)

begin:
	SUBS $4, R9
	BLT  rest

four:
	FMOVQ.P 16(R2), F30
	LOADS
	FIRSTS(0)
	SECONDS(1)
	LOADS
	FIRSTS(2)
	SECONDS(3)
	SUBS    $4, R9
	BGE     four

rest:
	TBZ $1, R9, odd
	FMOVD.P 8(R2), F30
	LOADS
	FIRSTS(0)
	SECONDS(1)

odd:
	TBZ $0, R9, done
	FMOVS (R2), F30
	LOADS
	FIRSTS(0)

done:
	FSTPQ (F0, F1), (R0)
	FSTPQ (F2, F3), 32(R0)
	FSTPQ (F4, F5), 64(R0)
	FSTPQ (F6, F7), 96(R0)
	RET
