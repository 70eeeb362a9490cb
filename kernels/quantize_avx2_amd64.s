//go:build !noasm

#include "textflag.h"

// Rows of activations as 16-bit codes, 8 or 16 values at a time; docs/kernels.md
// has the contracts. SI points to x, DI to the codes, CX counts the values left.

// The bits of a float32 without its sign, doubled, are in the order of its
// absolute value.

// func absmaxF32_AVX2(x *float32, n int) uint32
TEXT ·absmaxF32_AVX2(SB), NOSPLIT, $0-20
	MOVQ  x+0(FP), SI
	MOVQ  n+8(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	SUBQ  $16, CX
	JLT   rest

two:
	VMOVDQU (SI), Y2
	VMOVDQU 32(SI), Y3
	VPSLLD  $1, Y2, Y2
	VPSLLD  $1, Y3, Y3
	VPMAXUD Y2, Y0, Y0
	VPMAXUD Y3, Y1, Y1
	ADDQ    $64, SI
	SUBQ    $16, CX
	JGE     two

rest:
	ADDQ    $16, CX
	JEQ     done
	VMOVDQU (SI), Y2
	VPSLLD  $1, Y2, Y2
	VPMAXUD Y2, Y0, Y0

done:
	VPMAXUD      Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPMAXUD      X1, X0, X0
	VMOVD        X0, AX
	SHRL         $1, AX
	MOVL         AX, ret+16(FP)
	VZEROUPPER
	RET

// Adding the largest float32 below a half, with the sign of the value, before
// cutting off the fraction rounds halves away from zero: any larger sum rounds up
// to the next integer.

// func quantizeI16_AVX2(dst *int8, x *float32, n int, inverse float32)
TEXT ·quantizeI16_AVX2(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS inverse+24(FP), Y15
	MOVL         $0x3EFFFFFF, AX
	VMOVD        AX, X14
	VPBROADCASTD X14, Y14
	MOVL         $0x80000000, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	SUBQ         $8, CX
	JLT          done

one:
	VMULPS       (SI), Y15, Y0
	VANDPS       Y13, Y0, Y1
	VORPS        Y14, Y1, Y1
	VADDPS       Y1, Y0, Y0
	VCVTTPS2DQ   Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSDW    X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $32, SI
	ADDQ         $16, DI
	SUBQ         $8, CX
	JGE          one

done:
	VZEROUPPER
	RET

// func widenI16_AVX2(dst, codes *int8, n int)
TEXT ·widenI16_AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ n+16(FP), CX
	SUBQ $16, CX
	JLT  done

one:
	VPMOVSXBW (SI), Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $16, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JGE       one

done:
	VZEROUPPER
	RET
