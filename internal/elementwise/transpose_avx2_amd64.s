//go:build !noasm

#include "textflag.h"

// ROWS sets y, whose low half is x, to 4 elements of a row and of the fourth row after it.
#define ROWS(row, fourth, y, x) \
	VMOVUPS     row, x           \
	VINSERTF128 $1, fourth, y, y

// func transposeEight_AVX2(dst []float32, dstStride int, src []float32, srcStride, cols int)
// cols is a multiple of 4.
TEXT ·transposeEight_AVX2(SB), NOSPLIT, $0-72
	MOVQ  dst_base+0(FP), DI
	MOVQ  dstStride+24(FP), BX
	MOVQ  src_base+32(FP), SI
	MOVQ  srcStride+56(FP), DX
	MOVQ  cols+64(FP), CX
	SHLQ  $2, BX
	SHLQ  $2, DX
	LEAQ  (BX)(BX*2), R8
	LEAQ  (DX)(DX*2), R9
	LEAQ  (SI)(DX*4), R10
	TESTQ CX, CX
	JEQ   done

loop:
	ROWS((SI), (R10), Y0, X0)
	ROWS((SI)(DX*1), (R10)(DX*1), Y1, X1)
	ROWS((SI)(DX*2), (R10)(DX*2), Y2, X2)
	ROWS((SI)(R9*1), (R10)(R9*1), Y3, X3)
	VUNPCKLPS Y1, Y0, Y4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7
	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3
	VMOVUPS   Y0, (DI)
	VMOVUPS   Y1, (DI)(BX*1)
	VMOVUPS   Y2, (DI)(BX*2)
	VMOVUPS   Y3, (DI)(R8*1)
	ADDQ      $16, SI
	ADDQ      $16, R10
	LEAQ      (DI)(BX*4), DI
	SUBQ      $4, CX
	JNE       loop

done:
	VZEROUPPER
	RET
