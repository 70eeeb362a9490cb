//go:build !noasm

#include "textflag.h"

// Rows of activations as bytes, 16 values at a time; docs/kernels.md has the
// contracts. SI points to x, DI to the bytes, CX counts the values left.

// TAIL sets K1 to the CX values that are left, 1 to 15.
#define TAIL \
	MOVL $1, AX \
	SHLL CX, AX \
	DECL AX     \
	KMOVW AX, K1

// LARGEST(r) is the largest of the 16 unsigned integers of Z0, in r.
#define LARGEST(r) \
	VEXTRACTI64X4 $1, Z0, Y1    \
	VPMAXUD       Y1, Y0, Y0    \
	VEXTRACTI128  $1, Y0, X1    \
	VPMAXUD       X1, X0, X0    \
	VPSHUFD       $0x4E, X0, X1 \
	VPMAXUD       X1, X0, X0    \
	VPSHUFD       $0xB1, X0, X1 \
	VPMAXUD       X1, X0, X0    \
	VMOVD         X0, r

// The bits of a float32 without its sign, doubled, are in the order of its
// absolute value.

// func absmaxF32_AVX512(x *float32, n int) uint32
TEXT ·absmaxF32_AVX512(SB), NOSPLIT, $0-20
	MOVQ   x+0(FP), SI
	MOVQ   n+8(FP), CX
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	SUBQ   $64, CX
	JLT    rest

four:
	VPSLLD  $1, (SI), Z4
	VPSLLD  $1, 64(SI), Z5
	VPSLLD  $1, 128(SI), Z6
	VPSLLD  $1, 192(SI), Z7
	VPMAXUD Z4, Z0, Z0
	VPMAXUD Z5, Z1, Z1
	VPMAXUD Z6, Z2, Z2
	VPMAXUD Z7, Z3, Z3
	ADDQ    $256, SI
	SUBQ    $64, CX
	JGE     four

rest:
	VPMAXUD Z1, Z0, Z0
	VPMAXUD Z3, Z2, Z2
	VPMAXUD Z2, Z0, Z0
	ADDQ    $48, CX
	JLT     tail

one:
	VPSLLD  $1, (SI), Z4
	VPMAXUD Z4, Z0, Z0
	ADDQ    $64, SI
	SUBQ    $16, CX
	JGE     one

tail:
	ADDQ        $16, CX
	JEQ         done
	TAIL
	VMOVDQU32.Z (SI), K1, Z4
	VPSLLD      $1, Z4, Z4
	VPMAXUD     Z4, Z0, Z0

done:
	LARGEST(AX)
	SHRL $1, AX
	MOVL AX, ret+16(FP)
	VZEROUPPER
	RET

// CODE turns the values of v into codes + 128. Adding the largest float32 below a
// half, with the sign of the value, before cutting off the fraction rounds halves
// away from zero: any larger sum rounds up to the next integer.
#define CODE(v) \
	VMULPS     Z31, v, v       \
	VMOVDQA32  Z30, Z1         \
	VPTERNLOGD $0xF8, Z29, v, Z1 \
	VADDPS     Z1, v, v        \
	VCVTTPS2DQ v, v            \
	VPADDD     Z28, v, v

// func quantizeU8_AVX512(dst *int8, x *float32, n int, inverse float32)
TEXT ·quantizeU8_AVX512(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS inverse+24(FP), Z31
	MOVL         $0x3EFFFFFF, AX
	VPBROADCASTD AX, Z30
	MOVL         $0x80000000, AX
	VPBROADCASTD AX, Z29
	MOVL         $128, AX
	VPBROADCASTD AX, Z28
	SUBQ         $16, CX
	JLT          tail

one:
	VMOVUPS (SI), Z0
	CODE(Z0)
	VPMOVDB Z0, (DI)
	ADDQ    $64, SI
	ADDQ    $16, DI
	SUBQ    $16, CX
	JGE     one

tail:
	ADDQ      $16, CX
	JEQ       done
	TAIL
	VMOVUPS.Z (SI), K1, Z0
	CODE(Z0)
	VPMOVDB   Z0, K1, (DI)

done:
	VZEROUPPER
	RET

// func biasU8_AVX512(dst, codes *int8, n int)
TEXT ·biasU8_AVX512(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         codes+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVL         $0x80808080, AX
	VPBROADCASTD AX, Z31
	SUBQ         $64, CX
	JLT          tail

one:
	VPXORD    (SI), Z31, Z0
	VMOVDQU32 Z0, (DI)
	ADDQ      $64, SI
	ADDQ      $64, DI
	SUBQ      $64, CX
	JGE       one

tail:
	ADDQ       $64, CX
	JEQ        done
	MOVQ       $-1, AX
	SHLQ       CX, AX
	NOTQ       AX
	KMOVQ      AX, K1
	VMOVDQU8.Z (SI), K1, Z0
	VPXORD     Z31, Z0, Z0
	VMOVDQU8   Z0, K1, (DI)

done:
	VZEROUPPER
	RET

// STATS adds the values of v, without their signs, to the statistics: the largest
// in Z0, exponents in Z2, the number of those that are not 0 in R8.
#define STATS(v) \
	VPTESTMD v, v, K2   \
	VPMAXUD  v, Z0, Z0  \
	VPSRLD   $23, v, v  \
	VPADDD   v, Z2, Z2  \
	KMOVW    K2, AX     \
	POPCNTL  AX, AX     \
	ADDQ     AX, R8

// func statsF32_AVX512(x *float32, n int) (absmax uint32, nonzero, exponents int)
TEXT ·statsF32_AVX512(SB), NOSPLIT, $0-40
	MOVQ         x+0(FP), SI
	MOVQ         n+8(FP), CX
	MOVL         $0x7FFFFFFF, AX
	VPBROADCASTD AX, Z31
	VPXORD       Z0, Z0, Z0
	VPXORD       Z2, Z2, Z2
	XORQ         R8, R8
	SUBQ         $32, CX
	JLT          rest

two:
	VPANDD (SI), Z31, Z4
	VPANDD 64(SI), Z31, Z5
	STATS(Z4)
	STATS(Z5)
	ADDQ   $128, SI
	SUBQ   $32, CX
	JGE    two

rest:
	ADDQ   $16, CX
	JLT    tail
	VPANDD (SI), Z31, Z4
	STATS(Z4)
	ADDQ   $64, SI
	SUBQ   $16, CX

tail:
	ADDQ     $16, CX
	JEQ      done
	TAIL
	VPANDD.Z (SI), Z31, K1, Z4
	STATS(Z4)

done:
	LARGEST(AX)
	MOVL          AX, absmax+16(FP)
	MOVQ          R8, nonzero+24(FP)
	VEXTRACTI64X4 $1, Z2, Y1
	VPADDD        Y1, Y2, Y2
	VEXTRACTI128  $1, Y2, X1
	VPADDD        X1, X2, X2
	VPSHUFD       $0x4E, X2, X1
	VPADDD        X1, X2, X2
	VPSHUFD       $0xB1, X2, X1
	VPADDD        X1, X2, X2
	VMOVD         X2, AX
	MOVQ          AX, exponents+32(FP)
	VZEROUPPER
	RET

// INTEGERS24 turns the values of v into integers + 2^23, of 24 bits without a sign.
// A value that rounds to 2^23 itself, from half a step below, becomes the integer
// before.
#define INTEGERS24(v) \
	VMULPS    Z31, v, v \
	VCVTPS2DQ v, v      \
	VPMINSD   Z30, v, v \
	VPADDD    Z29, v, v

// func splitU24_AVX512(dst *int8, apart int, x *float32, n int, inverse float32)
TEXT ·splitU24_AVX512(SB), NOSPLIT, $0-36
	MOVQ         dst+0(FP), DI
	MOVQ         apart+8(FP), R9
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	VBROADCASTSS inverse+32(FP), Z31
	MOVL         $0x7FFFFF, AX
	VPBROADCASTD AX, Z30
	INCL         AX
	VPBROADCASTD AX, Z29
	LEAQ         (DI)(R9*2), R10
	ADDQ         DI, R9
	SUBQ         $16, CX
	JLT          tail

one:
	VMOVUPS (SI), Z0
	INTEGERS24(Z0)
	VPSRLD  $16, Z0, Z1
	VPSRLD  $8, Z0, Z2
	VPMOVDB Z1, (DI)
	VPMOVDB Z2, (R9)
	VPMOVDB Z0, (R10)
	ADDQ    $64, SI
	ADDQ    $16, DI
	ADDQ    $16, R9
	ADDQ    $16, R10
	SUBQ    $16, CX
	JGE     one

tail:
	ADDQ      $16, CX
	JEQ       done
	TAIL
	VMOVUPS.Z (SI), K1, Z0
	INTEGERS24(Z0)
	VPSRLD    $16, Z0, Z1
	VPSRLD    $8, Z0, Z2
	VPMOVDB   Z1, K1, (DI)
	VPMOVDB   Z2, K1, (R9)
	VPMOVDB   Z0, K1, (R10)

done:
	VZEROUPPER
	RET

// INTEGERS32 turns the values of v into integers + 2^31.
#define INTEGERS32(v) \
	VMULPS    Z31, v, v \
	VCVTPS2DQ v, v      \
	VPXORD    Z30, v, v

// func splitU32_AVX512(dst *int8, apart int, x *float32, n int, inverse float32)
TEXT ·splitU32_AVX512(SB), NOSPLIT, $0-36
	MOVQ         dst+0(FP), DI
	MOVQ         apart+8(FP), R9
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	VBROADCASTSS inverse+32(FP), Z31
	MOVL         $0x80000000, AX
	VPBROADCASTD AX, Z30
	LEAQ         (DI)(R9*2), R10
	LEAQ         (R10)(R9*1), R11
	ADDQ         DI, R9
	SUBQ         $16, CX
	JLT          tail

one:
	VMOVUPS (SI), Z0
	INTEGERS32(Z0)
	VPSRLD  $24, Z0, Z1
	VPSRLD  $16, Z0, Z2
	VPSRLD  $8, Z0, Z3
	VPMOVDB Z1, (DI)
	VPMOVDB Z2, (R9)
	VPMOVDB Z3, (R10)
	VPMOVDB Z0, (R11)
	ADDQ    $64, SI
	ADDQ    $16, DI
	ADDQ    $16, R9
	ADDQ    $16, R10
	ADDQ    $16, R11
	SUBQ    $16, CX
	JGE     one

tail:
	ADDQ      $16, CX
	JEQ       done
	TAIL
	VMOVUPS.Z (SI), K1, Z0
	INTEGERS32(Z0)
	VPSRLD    $24, Z0, Z1
	VPSRLD    $16, Z0, Z2
	VPSRLD    $8, Z0, Z3
	VPMOVDB   Z1, K1, (DI)
	VPMOVDB   Z2, K1, (R9)
	VPMOVDB   Z3, K1, (R10)
	VPMOVDB   Z0, K1, (R11)

done:
	VZEROUPPER
	RET
