//go:build !noasm

#include "textflag.h"

// A product of latency 5 issued twice a cycle needs ten sums in flight; there are
// 12 here, as in the tiles of package kernels.

// func fmaF32_AVX2(steps int)
TEXT ·fmaF32_AVX2(SB), NOSPLIT, $0-8
	MOVQ         steps+0(FP), CX
	MOVL         $0x3f7fbe77, AX // 0.999
	MOVQ         AX, X15
	VBROADCASTSS X15, Y15
	MOVL         $0x3f800347, AX // 1.0001
	MOVQ         AX, X14
	VBROADCASTSS X14, Y14
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1
	VXORPS       Y2, Y2, Y2
	VXORPS       Y3, Y3, Y3
	VXORPS       Y4, Y4, Y4
	VXORPS       Y5, Y5, Y5
	VXORPS       Y6, Y6, Y6
	VXORPS       Y7, Y7, Y7
	VXORPS       Y8, Y8, Y8
	VXORPS       Y9, Y9, Y9
	VXORPS       Y10, Y10, Y10
	VXORPS       Y11, Y11, Y11

loop:
	VFMADD231PS Y14, Y15, Y0
	VFMADD231PS Y14, Y15, Y1
	VFMADD231PS Y14, Y15, Y2
	VFMADD231PS Y14, Y15, Y3
	VFMADD231PS Y14, Y15, Y4
	VFMADD231PS Y14, Y15, Y5
	VFMADD231PS Y14, Y15, Y6
	VFMADD231PS Y14, Y15, Y7
	VFMADD231PS Y14, Y15, Y8
	VFMADD231PS Y14, Y15, Y9
	VFMADD231PS Y14, Y15, Y10
	VFMADD231PS Y14, Y15, Y11
	DECQ        CX
	JNZ         loop
	VZEROUPPER
	RET

// func dotI8_AVX2(steps int)
//
// Without a dot product of bytes, the exact way is that of 16-bit values, in pairs.
TEXT ·dotI8_AVX2(SB), NOSPLIT, $0-8
	MOVQ         steps+0(FP), CX
	MOVL         $0x00550033, AX
	MOVQ         AX, X15
	VPBROADCASTD X15, Y15
	MOVL         $0xffb5002d, AX
	MOVQ         AX, X14
	VPBROADCASTD X14, Y14
	VPXOR        Y0, Y0, Y0
	VPXOR        Y1, Y1, Y1
	VPXOR        Y2, Y2, Y2
	VPXOR        Y3, Y3, Y3
	VPXOR        Y4, Y4, Y4
	VPXOR        Y5, Y5, Y5
	VPXOR        Y6, Y6, Y6
	VPXOR        Y7, Y7, Y7
	VPXOR        Y8, Y8, Y8
	VPXOR        Y9, Y9, Y9
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11

loop:
	VPMADDWD Y14, Y15, Y12
	VPMADDWD Y14, Y15, Y13
	VPADDD   Y12, Y0, Y0
	VPADDD   Y13, Y1, Y1
	VPMADDWD Y14, Y15, Y12
	VPMADDWD Y14, Y15, Y13
	VPADDD   Y12, Y2, Y2
	VPADDD   Y13, Y3, Y3
	VPMADDWD Y14, Y15, Y12
	VPMADDWD Y14, Y15, Y13
	VPADDD   Y12, Y4, Y4
	VPADDD   Y13, Y5, Y5
	VPMADDWD Y14, Y15, Y12
	VPMADDWD Y14, Y15, Y13
	VPADDD   Y12, Y6, Y6
	VPADDD   Y13, Y7, Y7
	VPMADDWD Y14, Y15, Y12
	VPMADDWD Y14, Y15, Y13
	VPADDD   Y12, Y8, Y8
	VPADDD   Y13, Y9, Y9
	VPMADDWD Y14, Y15, Y12
	VPMADDWD Y14, Y15, Y13
	VPADDD   Y12, Y10, Y10
	VPADDD   Y13, Y11, Y11
	DECQ     CX
	JNZ      loop
	VZEROUPPER
	RET

// func read_AVX2(p *byte, n, passes int)
//
// Four streams at once, each a quarter of the n bytes: the prefetchers of several
// processors fetch more of them than of one from the last-level cache and from
// memory, up to half as much again.
TEXT ·read_AVX2(SB), NOSPLIT, $0-24
	MOVQ passes+16(FP), DX
	MOVQ n+8(FP), AX
	SHRQ $2, AX
	LEAQ (AX)(AX*2), BX

pass:
	MOVQ p+0(FP), SI
	MOVQ AX, CX

block:
	VMOVDQU (SI), Y0
	VMOVDQU (SI)(AX*1), Y1
	VMOVDQU (SI)(AX*2), Y2
	VMOVDQU (SI)(BX*1), Y3
	VMOVDQU 32(SI), Y4
	VMOVDQU 32(SI)(AX*1), Y5
	VMOVDQU 32(SI)(AX*2), Y6
	VMOVDQU 32(SI)(BX*1), Y7
	VMOVDQU 64(SI), Y8
	VMOVDQU 64(SI)(AX*1), Y9
	VMOVDQU 64(SI)(AX*2), Y10
	VMOVDQU 64(SI)(BX*1), Y11
	VMOVDQU 96(SI), Y12
	VMOVDQU 96(SI)(AX*1), Y13
	VMOVDQU 96(SI)(AX*2), Y14
	VMOVDQU 96(SI)(BX*1), Y15
	ADDQ    $128, SI
	SUBQ    $128, CX
	JNZ     block
	DECQ    DX
	JNZ     pass
	VZEROUPPER
	RET
