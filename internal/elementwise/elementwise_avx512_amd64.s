//go:build !noasm

#include "textflag.h"

// 16 elements at a time; the Go functions of the same names say what is computed. SI
// points to x, CX counts the elements left. Sums are in Z0 to Z3, constants in the last
// registers.

#define X_AND_CLEAR \
	MOVQ   x_base+0(FP), SI \
	MOVQ   x_len+8(FP), CX  \
	VPXORD Z0, Z0, Z0       \
	VPXORD Z1, Z1, Z1       \
	VPXORD Z2, Z2, Z2       \
	VPXORD Z3, Z3, Z3

#define CONSTANT(bits, z) \
	MOVL         bits, AX \
	VPBROADCASTD AX, z

// TOTAL adds up the sums of z, whose halves are y and x, in x.
#define TOTAL(z, y, x) \
	VEXTRACTF64X4 $1, z, Y4 \
	VADDPD        Y4, y, y  \
	VEXTRACTF128  $1, y, X4 \
	VADDPD        X4, x, x  \
	VPERMILPD     $1, x, X4 \
	VADDSD        X4, x, x

// ERROR adds the squared distances of v times scale to integers to sum.
#define ERROR(scale, v, sum) \
	VMULPD      scale, v, Z6 \
	VREDUCEPD   $8, Z6, Z6   \
	VFMADD231PD Z6, Z6, sum

// func roundingErrors_AVX512(x []float32, a, b float64) (sumA, sumB float64)
TEXT ·roundingErrors_AVX512(SB), NOSPLIT, $0-56
	X_AND_CLEAR
	VBROADCASTSD a+24(FP), Z31
	VBROADCASTSD b+32(FP), Z30
	TESTQ        CX, CX
	JEQ          done

loop:
	VCVTPS2PD (SI), Z4
	VCVTPS2PD 32(SI), Z5
	ERROR(Z31, Z4, Z0)
	ERROR(Z30, Z4, Z1)
	ERROR(Z31, Z5, Z2)
	ERROR(Z30, Z5, Z3)
	ADDQ      $64, SI
	SUBQ      $16, CX
	JNE       loop

done:
	VADDPD Z2, Z0, Z0
	VADDPD Z3, Z1, Z1
	TOTAL(Z0, Y0, X0)
	TOTAL(Z1, Y1, X1)
	VMOVSD X0, sumA+40(FP)
	VMOVSD X1, sumB+48(FP)
	VZEROUPPER
	RET

// WEIGHTED does 8 elements: scales are at BX, weights at DX.
#define WEIGHTED(at, sumA, sumB) \
	VCVTPS2PD   (at)(SI), Z4         \
	VMOVUPD     (2*at)(DX), Z7       \
	VMULPD      (2*at)(BX), Z4, Z4   \
	VMULPD      Z31, Z4, Z5          \
	VREDUCEPD   $8, Z4, Z4           \
	VREDUCEPD   $8, Z5, Z5           \
	VMULPD      Z4, Z7, Z6           \
	VFMADD231PD Z6, Z4, sumA         \
	VMULPD      Z5, Z7, Z7           \
	VFMADD231PD Z7, Z5, sumB

// func weightedErrors_AVX512(x []float32, scale, weight []float64, ratio float64) (sumA, sumB float64)
TEXT ·weightedErrors_AVX512(SB), NOSPLIT, $0-96
	X_AND_CLEAR
	MOVQ         scale_base+24(FP), BX
	MOVQ         weight_base+48(FP), DX
	VBROADCASTSD ratio+72(FP), Z31
	TESTQ        CX, CX
	JEQ          done

loop:
	WEIGHTED(0, Z0, Z1)
	WEIGHTED(32, Z2, Z3)
	ADDQ $64, SI
	ADDQ $128, BX
	ADDQ $128, DX
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Z2, Z0, Z0
	VADDPD Z3, Z1, Z1
	TOTAL(Z0, Y0, X0)
	TOTAL(Z1, Y1, X1)
	VMOVSD X0, sumA+80(FP)
	VMOVSD X1, sumB+88(FP)
	VZEROUPPER
	RET

// IN_GROUP does 8 elements with the scales of their group.
#define IN_GROUP(at) \
	VCVTPS2PD (at)(SI), Z5 \
	ERROR(Z8, Z5, Z10)     \
	ERROR(Z9, Z5, Z11)

// func groupErrors_AVX512(x []float32, a, b float64) (sumA, sumB float64, largest float32)
TEXT ·groupErrors_AVX512(SB), NOSPLIT, $0-60
	X_AND_CLEAR
	VMOVSD a+24(FP), X12
	VMOVSD b+32(FP), X13
	CONSTANT($0x7FFFFFFF, Z31)
	TESTQ  CX, CX
	JEQ    done

group:
	// The largest magnitude, of all groups in X3.
	VPANDD        (SI), Z31, Z4
	VPANDD        64(SI), Z31, Z5
	VPMAXUD       Z5, Z4, Z4
	VEXTRACTI64X4 $1, Z4, Y5
	VPMAXUD       Y5, Y4, Y4
	VEXTRACTI128  $1, Y4, X5
	VPMAXUD       X5, X4, X4
	VPSHUFD       $0x4E, X4, X5
	VPMAXUD       X5, X4, X4
	VPSHUFD       $0xB1, X4, X5
	VPMAXUD       X5, X4, X4
	VPMAXUD       X4, X3, X3
	VMOVD         X4, AX
	TESTL         AX, AX
	JEQ           next

	VCVTSS2SD    X4, X4, X4
	VDIVSD       X4, X12, X8
	VDIVSD       X4, X13, X9
	VMULSD       X4, X4, X4
	VBROADCASTSD X8, Z8
	VBROADCASTSD X9, Z9
	VBROADCASTSD X4, Z4
	VPXORD       Z10, Z10, Z10
	VPXORD       Z11, Z11, Z11
	IN_GROUP(0)
	IN_GROUP(32)
	IN_GROUP(64)
	IN_GROUP(96)
	VFMADD231PD  Z4, Z10, Z0
	VFMADD231PD  Z4, Z11, Z1

next:
	ADDQ $128, SI
	SUBQ $32, CX
	JNE  group

done:
	VMOVSS X3, largest+56(FP)
	TOTAL(Z0, Y0, X0)
	TOTAL(Z1, Y1, X1)
	VMOVSD X0, sumA+40(FP)
	VMOVSD X1, sumB+48(FP)
	VZEROUPPER
	RET

// SQUARES adds the squares of the 16 float32 of z, whose lower half is y, to two sums.
#define SQUARES(z, y, s, t) \
	VCVTPS2PD     y, Z9     \
	VEXTRACTF64X4 $1, z, Y10 \
	VCVTPS2PD     Y10, Z10   \
	VFMADD231PD   Z9, Z9, s  \
	VFMADD231PD   Z10, Z10, t

// func float16Errors_AVX512(x []float32) (bf16, f16 float64)
TEXT ·float16Errors_AVX512(SB), NOSPLIT, $0-40
	X_AND_CLEAR
	CONSTANT($0x7FFFFFFF, Z31)
	CONSTANT($0x8000, Z30)
	CONSTANT($0xFFFF0000, Z29)
	CONSTANT($0x7F7F0000, Z28)
	CONSTANT($0x7F800000, Z27)
	CONSTANT($((127-14)<<23), Z26)
	CONSTANT($(13<<23|1<<22), Z25)
	TESTQ CX, CX
	JEQ   done

loop:
	VMOVUPS (SI), Z4
	VPANDD  Z31, Z4, Z5
	VPADDD  Z30, Z5, Z6
	VPANDD  Z29, Z6, Z6
	VPMINUD Z28, Z6, Z6
	VSUBPS  Z6, Z5, Z6
	VPANDD  Z27, Z5, Z7
	VPMAXUD Z26, Z7, Z7
	VPADDD  Z25, Z7, Z7
	VADDPS  Z7, Z4, Z8
	VSUBPS  Z7, Z8, Z8
	VSUBPS  Z8, Z4, Z8
	SQUARES(Z6, Y6, Z0, Z2)
	SQUARES(Z8, Y8, Z1, Z3)
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNE     loop

done:
	VADDPD Z2, Z0, Z0
	VADDPD Z3, Z1, Z1
	TOTAL(Z0, Y0, X0)
	TOTAL(Z1, Y1, X1)
	VMOVSD X0, bf16+24(FP)
	VMOVSD X1, f16+32(FP)
	VZEROUPPER
	RET

// func dropped24_AVX512(x []float32) float64
TEXT ·dropped24_AVX512(SB), NOSPLIT, $0-32
	X_AND_CLEAR
	CONSTANT($0x7FFFFFFF, Z31)
	MOVL  $0x4444, AX
	KMOVW AX, K1
	TESTQ CX, CX
	JEQ   done

loop:
	// The smaller and the larger of each pair, then of the pairs of four.
	VPANDD    (SI), Z31, Z4
	VPSHUFD   $0xB1, Z4, Z5
	VPMINUD   Z5, Z4, Z6
	VPMAXUD   Z5, Z4, Z7
	VPSHUFD   $0x4E, Z6, Z8
	VPSHUFD   $0x4E, Z7, Z9
	VPMINUD   Z9, Z7, Z7
	VPMAXUD   Z8, Z6, Z5
	VPMINUD   Z8, Z6, Z6
	VPMINUD   Z7, Z5, Z5
	// The smallest of each four is in all lanes of Z6, the second in all of Z5.
	VMOVDQA32 Z5, K1, Z6
	VPMOVQD   Z6, Y6
	VCVTPS2PD Y6, Z6
	VFMADD231PD Z6, Z6, Z0
	ADDQ      $64, SI
	SUBQ      $16, CX
	JNE       loop

done:
	TOTAL(Z0, Y0, X0)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func sumAbove_AVX512(x []float32, threshold float32) (n int, sum float64)
TEXT ·sumAbove_AVX512(SB), NOSPLIT, $0-48
	X_AND_CLEAR
	CONSTANT($0x7FFFFFFF, Z31)
	VBROADCASTSS threshold+24(FP), Z30
	XORQ         R8, R8
	TESTQ        CX, CX
	JEQ          done

loop:
	VPANDD        (SI), Z31, Z4
	VCMPPS        $30, Z30, Z4, K1 // greater
	KMOVW         K1, AX
	POPCNTL       AX, AX
	ADDQ          AX, R8
	VMOVAPS.Z     Z4, K1, Z4
	VCVTPS2PD     Y4, Z5
	VEXTRACTF64X4 $1, Z4, Y4
	VCVTPS2PD     Y4, Z4
	VADDPD        Z5, Z0, Z0
	VADDPD        Z4, Z1, Z1
	ADDQ          $64, SI
	SUBQ          $16, CX
	JNE           loop

done:
	VADDPD Z1, Z0, Z0
	TOTAL(Z0, Y0, X0)
	MOVQ   R8, n+32(FP)
	VMOVSD X0, sum+40(FP)
	VZEROUPPER
	RET

// MOMENTS does 8 elements.
#define MOMENTS(at, m2, m4) \
	VCVTPS2PD   (at)(SI), Z4 \
	VSUBPD      Z31, Z4, Z4  \
	VMULPD      Z4, Z4, Z4   \
	VADDPD      Z4, m2, m2   \
	VFMADD231PD Z4, Z4, m4

// func moments_AVX512(x []float32, mean float64) (m2, m4 float64)
TEXT ·moments_AVX512(SB), NOSPLIT, $0-48
	X_AND_CLEAR
	VBROADCASTSD mean+24(FP), Z31
	TESTQ        CX, CX
	JEQ          done

loop:
	MOMENTS(0, Z0, Z1)
	MOMENTS(32, Z2, Z3)
	ADDQ $64, SI
	SUBQ $16, CX
	JNE  loop

done:
	VADDPD Z2, Z0, Z0
	VADDPD Z3, Z1, Z1
	TOTAL(Z0, Y0, X0)
	TOTAL(Z1, Y1, X1)
	VMOVSD X0, m2+32(FP)
	VMOVSD X1, m4+40(FP)
	VZEROUPPER
	RET

// func gridCodes_AVX512(dst []uint16, x []float32, inverse float64)
TEXT ·gridCodes_AVX512(SB), NOSPLIT, $0-56
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD inverse+48(FP), Z31
	CONSTANT($0x8000, Z30)
	TESTQ        CX, CX
	JEQ          done

loop:
	VCVTPS2PD    (SI), Z4
	VCVTPS2PD    32(SI), Z5
	VMULPD       Z31, Z4, Z4
	VMULPD       Z31, Z5, Z5
	VCVTPD2DQ    Z4, Y4
	VCVTPD2DQ    Z5, Y5
	VINSERTI64X4 $1, Y5, Z4, Z4
	VPADDD       Z30, Z4, Z4
	VPMOVDW      Z4, (DI)
	ADDQ         $64, SI
	ADDQ         $32, DI
	SUBQ         $16, CX
	JNE          loop

done:
	VZEROUPPER
	RET

// EXTREME reduces the 16 values of z, whose parts are y and x, to one.
#define EXTREME(OP, z, y, x) \
	VEXTRACTF64X4 $1, z, Y4   \
	OP            Y4, y, y    \
	VEXTRACTF128  $1, y, X4   \
	OP            X4, x, x    \
	VPERMILPS     $0x4E, x, X4 \
	OP            X4, x, x    \
	VPERMILPS     $0xB1, x, X4 \
	OP            X4, x, x

// func rowSums_AVX512(x []float32, colMax []uint32) (zeros int, sum, sumAbs, sumSq float64, low, high float32)
TEXT ·rowSums_AVX512(SB), NOSPLIT, $0-88
	X_AND_CLEAR
	MOVQ         colMax_base+24(FP), DI
	VPXORD       Z10, Z10, Z10
	VPXORD       Z11, Z11, Z11
	XORQ         R8, R8
	CONSTANT($0x7FFFFFFF, Z31)
	MOVQ         $0x7FFFFFFFFFFFFFFF, AX
	VPBROADCASTQ AX, Z30
	CONSTANT($0x7F800000, Z12) // +Inf
	CONSTANT($0xFF800000, Z13) // -Inf
	TESTQ        CX, CX
	JEQ          done

loop:
	VMOVUPS     (SI), Z4
	VPANDD      Z31, Z4, Z5
	VPMAXUD     (DI), Z5, Z6
	VMOVDQU32   Z6, (DI)
	VPTESTNMD   Z5, Z5, K1
	KMOVW       K1, AX
	POPCNTL     AX, AX
	ADDQ        AX, R8
	// What is not a number leaves them as they are.
	VMINPS      Z12, Z4, Z12
	VMAXPS      Z13, Z4, Z13
	VCVTPS2PD   (SI), Z6
	VCVTPS2PD   32(SI), Z7
	VADDPD      Z6, Z0, Z0
	VADDPD      Z7, Z1, Z1
	VFMADD231PD Z6, Z6, Z2
	VFMADD231PD Z7, Z7, Z3
	VPANDQ      Z30, Z6, Z6
	VPANDQ      Z30, Z7, Z7
	VADDPD      Z6, Z10, Z10
	VADDPD      Z7, Z11, Z11
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $16, CX
	JNE         loop

done:
	VADDPD Z1, Z0, Z0
	VADDPD Z3, Z2, Z2
	VADDPD Z11, Z10, Z10
	TOTAL(Z0, Y0, X0)
	TOTAL(Z2, Y2, X2)
	TOTAL(Z10, Y10, X10)
	EXTREME(VMINPS, Z12, Y12, X12)
	EXTREME(VMAXPS, Z13, Y13, X13)
	MOVQ   R8, zeros+48(FP)
	VMOVSD X0, sum+56(FP)
	VMOVSD X10, sumAbs+64(FP)
	VMOVSD X2, sumSq+72(FP)
	VMOVSS X12, low+80(FP)
	VMOVSS X13, high+84(FP)
	VZEROUPPER
	RET
