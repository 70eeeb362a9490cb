//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Rows of x, as lists of their nonzeros, by a panel of 16 to 64 columns;
// docs/kernels.md has the contract. The sums of a row are in V0 to V15, a value of x in
// V31, vectors of the panel in V16 to V23. R0 points to y and R1 is the distance between
// its rows in bytes, R2 counts the rows. R3 points to the list of a row and R4 is the
// distance between lists in bytes. R5 points to where the row begins in its list and R6
// is the distance to where it ends in bytes; R10 and R11 point to these pairs. R7 points
// to the panel and R13 is the size of one of its rows, R14 points to one.

// PAIR adds a value times 8 columns from o bytes on, SUMSn times n times 16.
#define PAIR(o, w0, w1, f0, f1, s0, s1) FLDPQ o(R14), (f0, f1); FMLA_LANE(31, 0, w0, s0); FMLA_LANE(31, 0, w1, s1)
#define SUMS1 PAIR(0, 16, 17, F16, F17, 0, 1); PAIR(32, 18, 19, F18, F19, 2, 3)
#define SUMS2 SUMS1; PAIR(64, 20, 21, F20, F21, 4, 5); PAIR(96, 22, 23, F22, F23, 6, 7)
#define SUMS3 SUMS2; PAIR(128, 16, 17, F16, F17, 8, 9); PAIR(160, 18, 19, F18, F19, 10, 11)
#define SUMS4 SUMS3; PAIR(192, 20, 21, F20, F21, 12, 13); PAIR(224, 22, 23, F22, F23, 14, 15)

#define LOADS1 FLDPQ (R0), (F0, F1); FLDPQ 32(R0), (F2, F3)
#define LOADS2 LOADS1; FLDPQ 64(R0), (F4, F5); FLDPQ 96(R0), (F6, F7)
#define LOADS3 LOADS2; FLDPQ 128(R0), (F8, F9); FLDPQ 160(R0), (F10, F11)
#define LOADS4 LOADS3; FLDPQ 192(R0), (F12, F13); FLDPQ 224(R0), (F14, F15)

#define STORES1 FSTPQ (F0, F1), (R0); FSTPQ (F2, F3), 32(R0)
#define STORES2 STORES1; FSTPQ (F4, F5), 64(R0); FSTPQ (F6, F7), 96(R0)
#define STORES3 STORES2; FSTPQ (F8, F9), 128(R0); FSTPQ (F10, F11), 160(R0)
#define STORES4 STORES3; FSTPQ (F12, F13), 192(R0); FSTPQ (F14, F15), 224(R0)

// FETCHn asks for a row of the panel of n times 64 bytes.
#define FETCH1 PRFM (R14), PLDL1KEEP
#define FETCH2 FETCH1; PRFM 64(R14), PLDL1KEEP
#define FETCH3 FETCH2; PRFM 128(R14), PLDL1KEEP
#define FETCH4 FETCH3; PRFM 192(R14), PLDL1KEEP

#define NONZERO(SUMS) \
	MOVWU 4(R10), R12 \
	FMOVS.P 8(R10), F31 \
	MADD R13, R7, R12, R14 \
	SUMS

#define ROWS(n, SUMS, ZEROS, LOADS, STORES, FETCH) \
	MOVD y+0(FP), R0 \
	MOVD ldy+8(FP), R1 \
	MOVD rows+16(FP), R2 \
	MOVD lists+24(FP), R3 \
	MOVD ld+32(FP), R4 \
	MOVD ends+40(FP), R5 \
	MOVD span+48(FP), R6 \
	MOVD w+56(FP), R7 \
	MOVBU accumulate+64(FP), R8 \
	MOVBU ahead+65(FP), R9 \
	LSL $2, R1 \
	LSL $3, R4 \
	LSL $2, R6 \
	MOVD $(64*n), R13 \
row: \
	MOVWU (R5)(R6), R11 \
	MOVWU.P 4(R5), R10 \
	CMP R10, R11 \
	ADD R11<<3, R3, R11 \
	ADD R10<<3, R3, R10 \
	CBZ R8, fresh \
	BEQ done \
	LOADS \
	B begin \
fresh: \
	ZEROS \
	BEQ store \
begin: \
	CBNZ R9, far \
nonzero: \
	NONZERO(SUMS) \
	CMP R11, R10 \
	BLO nonzero \
store: \
	STORES \
done: \
	ADD R1, R0 \
	ADD R4, R3 \
	SUBS $1, R2 \
	BNE row \
	RET \
far: \
	MOVWU 132(R10), R12 \
	MADD R13, R7, R12, R14 \
	FETCH \
	NONZERO(SUMS) \
	CMP R11, R10 \
	BLO far \
	B store

// func sparseF32_16_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)
TEXT ·sparseF32_16_NEON(SB), NOSPLIT, $0-66
	ROWS(1, SUMS1, ZEROS1, LOADS1, STORES1, FETCH1)

// func sparseF32_32_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)
TEXT ·sparseF32_32_NEON(SB), NOSPLIT, $0-66
	ROWS(2, SUMS2, ZEROS2, LOADS2, STORES2, FETCH2)

// func sparseF32_48_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)
TEXT ·sparseF32_48_NEON(SB), NOSPLIT, $0-66
	ROWS(3, SUMS3, ZEROS3, LOADS3, STORES3, FETCH3)

// func sparseF32_64_NEON(y *float32, ldy, rows int, lists *nonzero, ld int, ends *int32, span int, w *float32, accumulate, ahead bool)
TEXT ·sparseF32_64_NEON(SB), NOSPLIT, $0-66
	ROWS(4, SUMS4, ZEROS4, LOADS4, STORES4, FETCH4)
