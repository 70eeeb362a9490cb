//go:build !noasm

#include "textflag.h"

// 16 elements at a time; the Go functions of the same names say what is computed. SI
// points to x, CX counts the elements left. Sums are in Y0 to Y3, constants in the last
// registers.

#define X_AND_CLEAR \
	MOVQ  x_base+0(FP), SI \
	MOVQ  x_len+8(FP), CX  \
	VPXOR Y0, Y0, Y0       \
	VPXOR Y1, Y1, Y1       \
	VPXOR Y2, Y2, Y2       \
	VPXOR Y3, Y3, Y3

// CONSTANT sets y, whose low half is x.
#define CONSTANT(bits, y, x) \
	MOVL         bits, AX \
	VMOVD        AX, x    \
	VPBROADCASTD x, y

// TOTAL adds up the sums of y, whose low half is x, in x.
#define TOTAL(y, x) \
	VEXTRACTF128 $1, y, X4 \
	VADDPD       X4, x, x  \
	VPERMILPD    $1, x, X4 \
	VADDSD       X4, x, x

// COUNT adds up the integers of y, whose low half is x, in AX.
#define COUNT(y, x) \
	VEXTRACTI128 $1, y, X4    \
	VPADDD       X4, x, x     \
	VPSHUFD      $0x4E, x, X4 \
	VPADDD       X4, x, x     \
	VPSHUFD      $0xB1, x, X4 \
	VPADDD       X4, x, x     \
	VMOVD        x, AX

// ERROR adds the squared distances of v times scale to integers to sum.
#define ERROR(scale, v, sum) \
	VMULPD      scale, v, Y6 \
	VROUNDPD    $8, Y6, Y7   \
	VSUBPD      Y7, Y6, Y6   \
	VFMADD231PD Y6, Y6, sum

// ERRORS does 4 elements.
#define ERRORS(at, scaleA, scaleB, sumA, sumB) \
	VCVTPS2PD (at)(SI), Y4  \
	ERROR(scaleA, Y4, sumA) \
	ERROR(scaleB, Y4, sumB)

// func roundingErrors_AVX2(x []float32, a, b float64) (sumA, sumB float64)
TEXT ·roundingErrors_AVX2(SB), NOSPLIT, $0-56
	X_AND_CLEAR
	VBROADCASTSD a+24(FP), Y15
	VBROADCASTSD b+32(FP), Y14
	TESTQ        CX, CX
	JEQ          done

loop:
	ERRORS(0, Y15, Y14, Y0, Y1)
	ERRORS(16, Y15, Y14, Y2, Y3)
	ERRORS(32, Y15, Y14, Y0, Y1)
	ERRORS(48, Y15, Y14, Y2, Y3)
	ADDQ $64, SI
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	TOTAL(Y0, X0)
	TOTAL(Y1, X1)
	VMOVSD X0, sumA+40(FP)
	VMOVSD X1, sumB+48(FP)
	VZEROUPPER
	RET

// WEIGHTED does 4 elements: scales are at BX, weights at DX.
#define WEIGHTED(at, sumA, sumB) \
	VCVTPS2PD   (at)(SI), Y4       \
	VMOVUPD     (2*at)(DX), Y8     \
	VMULPD      (2*at)(BX), Y4, Y4 \
	VMULPD      Y15, Y4, Y5        \
	VROUNDPD    $8, Y4, Y6         \
	VROUNDPD    $8, Y5, Y7         \
	VSUBPD      Y6, Y4, Y4         \
	VSUBPD      Y7, Y5, Y5         \
	VMULPD      Y4, Y8, Y6         \
	VFMADD231PD Y6, Y4, sumA       \
	VMULPD      Y5, Y8, Y7         \
	VFMADD231PD Y7, Y5, sumB

// func weightedErrors_AVX2(x []float32, scale, weight []float64, ratio float64) (sumA, sumB float64)
TEXT ·weightedErrors_AVX2(SB), NOSPLIT, $0-96
	X_AND_CLEAR
	MOVQ         scale_base+24(FP), BX
	MOVQ         weight_base+48(FP), DX
	VBROADCASTSD ratio+72(FP), Y15
	TESTQ        CX, CX
	JEQ          done

loop:
	WEIGHTED(0, Y0, Y1)
	WEIGHTED(16, Y2, Y3)
	WEIGHTED(32, Y0, Y1)
	WEIGHTED(48, Y2, Y3)
	ADDQ $64, SI
	ADDQ $128, BX
	ADDQ $128, DX
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	TOTAL(Y0, X0)
	TOTAL(Y1, X1)
	VMOVSD X0, sumA+80(FP)
	VMOVSD X1, sumB+88(FP)
	VZEROUPPER
	RET

// func groupErrors_AVX2(x []float32, a, b float64) (sumA, sumB float64, largest float32)
TEXT ·groupErrors_AVX2(SB), NOSPLIT, $0-60
	X_AND_CLEAR
	VMOVSD a+24(FP), X12
	VMOVSD b+32(FP), X13
	CONSTANT($0x7FFFFFFF, Y15, X15)
	TESTQ  CX, CX
	JEQ    done

group:
	// The largest magnitude, of all groups in X3.
	VPAND        (SI), Y15, Y4
	VPAND        32(SI), Y15, Y5
	VPAND        64(SI), Y15, Y6
	VPAND        96(SI), Y15, Y7
	VPMAXUD      Y5, Y4, Y4
	VPMAXUD      Y7, Y6, Y6
	VPMAXUD      Y6, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPMAXUD      X5, X4, X4
	VPSHUFD      $0x4E, X4, X5
	VPMAXUD      X5, X4, X4
	VPSHUFD      $0xB1, X4, X5
	VPMAXUD      X5, X4, X4
	VPMAXUD      X4, X3, X3
	VMOVD        X4, AX
	TESTL        AX, AX
	JEQ          next

	VCVTSS2SD    X4, X4, X5
	VDIVSD       X5, X12, X8
	VDIVSD       X5, X13, X9
	VMULSD       X5, X5, X5
	VBROADCASTSD X8, Y8
	VBROADCASTSD X9, Y9
	VBROADCASTSD X5, Y5
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11
	ERRORS(0, Y8, Y9, Y10, Y11)
	ERRORS(16, Y8, Y9, Y10, Y11)
	ERRORS(32, Y8, Y9, Y10, Y11)
	ERRORS(48, Y8, Y9, Y10, Y11)
	ERRORS(64, Y8, Y9, Y10, Y11)
	ERRORS(80, Y8, Y9, Y10, Y11)
	ERRORS(96, Y8, Y9, Y10, Y11)
	ERRORS(112, Y8, Y9, Y10, Y11)
	VFMADD231PD  Y5, Y10, Y0
	VFMADD231PD  Y5, Y11, Y1

next:
	ADDQ $128, SI
	SUBQ $32, CX
	JNE  group

done:
	VMOVSS X3, largest+56(FP)
	TOTAL(Y0, X0)
	TOTAL(Y1, X1)
	VMOVSD X0, sumA+40(FP)
	VMOVSD X1, sumB+48(FP)
	VZEROUPPER
	RET

// SQUARES adds the squares of the 8 float32 of y, whose low half is x, to sum.
#define SQUARES(y, x, sum) \
	VCVTPS2PD    x, Y10       \
	VEXTRACTF128 $1, y, X11   \
	VCVTPS2PD    X11, Y11     \
	VFMADD231PD  Y10, Y10, sum \
	VFMADD231PD  Y11, Y11, sum

// FLOAT16 does 8 elements.
#define FLOAT16(at, bf16, f16) \
	VMOVUPS (at)(SI), Y4       \
	VPAND   Y15, Y4, Y5        \
	VPADDD  Y14, Y5, Y6        \
	VPAND   Y13, Y6, Y6        \
	VPMINUD Y12, Y6, Y6        \
	VSUBPS  Y6, Y5, Y6         \
	VPAND   Y9, Y5, Y7         \
	VPMAXUD minExponent<>(SB), Y7, Y7 \
	VPADDD  toMagic<>(SB), Y7, Y7     \
	VADDPS  Y7, Y4, Y8         \
	VSUBPS  Y7, Y8, Y8         \
	VSUBPS  Y8, Y4, Y8         \
	SQUARES(Y6, X6, bf16)      \
	SQUARES(Y8, X8, f16)

#define EIGHT(name, bits) \
	DATA name<>+0(SB)/4, bits  \
	DATA name<>+4(SB)/4, bits  \
	DATA name<>+8(SB)/4, bits  \
	DATA name<>+12(SB)/4, bits \
	DATA name<>+16(SB)/4, bits \
	DATA name<>+20(SB)/4, bits \
	DATA name<>+24(SB)/4, bits \
	DATA name<>+28(SB)/4, bits \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EIGHT(minExponent, $((127-14)<<23))
EIGHT(toMagic, $(13<<23|1<<22))

// func float16Errors_AVX2(x []float32) (bf16, f16 float64)
TEXT ·float16Errors_AVX2(SB), NOSPLIT, $0-40
	X_AND_CLEAR
	CONSTANT($0x7FFFFFFF, Y15, X15)
	CONSTANT($0x8000, Y14, X14)
	CONSTANT($0xFFFF0000, Y13, X13)
	CONSTANT($0x7F7F0000, Y12, X12)
	CONSTANT($0x7F800000, Y9, X9)
	TESTQ CX, CX
	JEQ   done

loop:
	FLOAT16(0, Y0, Y1)
	FLOAT16(32, Y2, Y3)
	ADDQ $64, SI
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	TOTAL(Y0, X0)
	TOTAL(Y1, X1)
	VMOVSD X0, bf16+24(FP)
	VMOVSD X1, f16+32(FP)
	VZEROUPPER
	RET

// SMALLEST sets y, for 8 elements, to the smallest and the second of each four, twice.
#define SMALLEST(at, y) \
	VPAND      (at)(SI), Y15, Y4 \
	VPSHUFD    $0xB1, Y4, Y5     \
	VPMINUD    Y5, Y4, Y6        \
	VPMAXUD    Y5, Y4, Y7        \
	VPSHUFD    $0x4E, Y6, Y8     \
	VPSHUFD    $0x4E, Y7, Y9     \
	VPMINUD    Y9, Y7, Y7        \
	VPMAXUD    Y8, Y6, Y5        \
	VPMINUD    Y8, Y6, Y6        \
	VPMINUD    Y7, Y5, Y5        \
	VPUNPCKLDQ Y5, Y6, y

// func dropped24_AVX2(x []float32) float64
TEXT ·dropped24_AVX2(SB), NOSPLIT, $0-32
	X_AND_CLEAR
	CONSTANT($0x7FFFFFFF, Y15, X15)
	TESTQ CX, CX
	JEQ   done

loop:
	SMALLEST(0, Y12)
	SMALLEST(32, Y13)
	VPUNPCKLQDQ Y13, Y12, Y12
	SQUARES(Y12, X12, Y0)
	ADDQ        $64, SI
	SUBQ        $16, CX
	JNE         loop

done:
	TOTAL(Y0, X0)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// ABOVE does 8 elements; 30 is "greater".
#define ABOVE(at, sumLow, sumHigh) \
	VPAND        (at)(SI), Y15, Y4      \
	VCMPPS       $30, Y14, Y4, Y5       \
	VPSUBD       Y5, Y8, Y8             \
	VPAND        Y5, Y4, Y4             \
	VCVTPS2PD    X4, Y5                 \
	VEXTRACTF128 $1, Y4, X4             \
	VCVTPS2PD    X4, Y4                 \
	VADDPD       Y5, sumLow, sumLow     \
	VADDPD       Y4, sumHigh, sumHigh

// func sumAbove_AVX2(x []float32, threshold float32) (n int, sum float64)
TEXT ·sumAbove_AVX2(SB), NOSPLIT, $0-48
	X_AND_CLEAR
	CONSTANT($0x7FFFFFFF, Y15, X15)
	VBROADCASTSS threshold+24(FP), Y14
	VPXOR        Y8, Y8, Y8
	TESTQ        CX, CX
	JEQ          done

loop:
	ABOVE(0, Y0, Y1)
	ABOVE(32, Y2, Y3)
	ADDQ $64, SI
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y0, Y0
	TOTAL(Y0, X0)
	COUNT(Y8, X8)
	MOVQ   AX, n+32(FP)
	VMOVSD X0, sum+40(FP)
	VZEROUPPER
	RET

// MOMENTS does 4 elements.
#define MOMENTS(at, m2, m4) \
	VCVTPS2PD   (at)(SI), Y4 \
	VSUBPD      Y15, Y4, Y4  \
	VMULPD      Y4, Y4, Y4   \
	VADDPD      Y4, m2, m2   \
	VFMADD231PD Y4, Y4, m4

// func moments_AVX2(x []float32, mean float64) (m2, m4 float64)
TEXT ·moments_AVX2(SB), NOSPLIT, $0-48
	X_AND_CLEAR
	VBROADCASTSD mean+24(FP), Y15
	TESTQ        CX, CX
	JEQ          done

loop:
	MOMENTS(0, Y0, Y1)
	MOMENTS(16, Y2, Y3)
	MOMENTS(32, Y0, Y1)
	MOMENTS(48, Y2, Y3)
	ADDQ $64, SI
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	TOTAL(Y0, X0)
	TOTAL(Y1, X1)
	VMOVSD X0, m2+32(FP)
	VMOVSD X1, m4+40(FP)
	VZEROUPPER
	RET

// INTEGERS sets x, whose wider register is y, to the integers nearest to 4 elements
// times Y15.
#define INTEGERS(at, y, x) \
	VCVTPS2PD  (at)(SI), y \
	VMULPD     Y15, y, y   \
	VCVTPD2DQY y, x

// func gridCodes_AVX2(dst []uint16, x []float32, inverse float64)
TEXT ·gridCodes_AVX2(SB), NOSPLIT, $0-56
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD inverse+48(FP), Y15
	CONSTANT($0x80008000, Y14, X14)
	TESTQ        CX, CX
	JEQ          done

loop:
	INTEGERS(0, Y4, X4)
	INTEGERS(16, Y5, X5)
	INTEGERS(32, Y6, X6)
	INTEGERS(48, Y7, X7)
	VPACKSSDW X5, X4, X4
	VPACKSSDW X7, X6, X6
	VPXOR     X14, X4, X4
	VPXOR     X14, X6, X6
	VMOVDQU   X4, (DI)
	VMOVDQU   X6, 16(DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNE       loop

done:
	VZEROUPPER
	RET

// FOUR adds 4 elements to their sums.
#define FOUR(at, sum, sumSq, sumAbs) \
	VCVTPS2PD   (at)(SI), Y4       \
	VADDPD      Y4, sum, sum       \
	VFMADD231PD Y4, Y4, sumSq      \
	VPAND       Y14, Y4, Y4        \
	VADDPD      Y4, sumAbs, sumAbs

// LOOK looks at 8 elements. What is not a number leaves the extremes as they are.
#define LOOK(at) \
	VMOVUPS  (at)(SI), Y4     \
	VMINPS   Y12, Y4, Y12     \
	VMAXPS   Y13, Y4, Y13     \
	VPAND    Y15, Y4, Y4      \
	VPMAXUD  (at)(DI), Y4, Y5 \
	VMOVDQU  Y5, (at)(DI)     \
	VPCMPEQD Y9, Y4, Y4       \
	VPSUBD   Y4, Y8, Y8

// EXTREME reduces the 8 values of y, whose low half is x, to one.
#define EXTREME(OP, y, x) \
	VEXTRACTF128 $1, y, X4    \
	OP           X4, x, x     \
	VPERMILPS    $0x4E, x, X4 \
	OP           X4, x, x     \
	VPERMILPS    $0xB1, x, X4 \
	OP           X4, x, x

// func rowSums_AVX2(x []float32, colMax []uint32) (zeros int, sum, sumAbs, sumSq float64, low, high float32)
TEXT ·rowSums_AVX2(SB), NOSPLIT, $0-88
	X_AND_CLEAR
	MOVQ         colMax_base+24(FP), DI
	VPXOR        Y8, Y8, Y8
	VPXOR        Y9, Y9, Y9
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11
	CONSTANT($0x7F800000, Y12, X12) // +Inf
	CONSTANT($0xFF800000, Y13, X13) // -Inf
	CONSTANT($0x7FFFFFFF, Y15, X15)
	VPCMPEQD     Y14, Y14, Y14
	VPSRLQ       $1, Y14, Y14
	TESTQ        CX, CX
	JEQ          done

loop:
	LOOK(0)
	LOOK(32)
	FOUR(0, Y0, Y2, Y10)
	FOUR(16, Y1, Y3, Y11)
	FOUR(32, Y0, Y2, Y10)
	FOUR(48, Y1, Y3, Y11)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y11, Y10, Y10
	TOTAL(Y0, X0)
	TOTAL(Y2, X2)
	TOTAL(Y10, X10)
	EXTREME(VMINPS, Y12, X12)
	EXTREME(VMAXPS, Y13, X13)
	COUNT(Y8, X8)
	MOVQ   AX, zeros+48(FP)
	VMOVSD X0, sum+56(FP)
	VMOVSD X10, sumAbs+64(FP)
	VMOVSD X2, sumSq+72(FP)
	VMOVSS X12, low+80(FP)
	VMOVSS X13, high+84(FP)
	VZEROUPPER
	RET
