//go:build !noasm

#include "textflag.h"

// func fmaF32_AVX512(steps int)
TEXT ·fmaF32_AVX512(SB), NOSPLIT, $0-8
	MOVQ         steps+0(FP), CX
	MOVL         $0x3f7fbe77, AX // 0.999
	VPBROADCASTD AX, Z15
	MOVL         $0x3f800347, AX // 1.0001
	VPBROADCASTD AX, Z14
	VPXORD       Z0, Z0, Z0
	VPXORD       Z1, Z1, Z1
	VPXORD       Z2, Z2, Z2
	VPXORD       Z3, Z3, Z3
	VPXORD       Z4, Z4, Z4
	VPXORD       Z5, Z5, Z5
	VPXORD       Z6, Z6, Z6
	VPXORD       Z7, Z7, Z7
	VPXORD       Z8, Z8, Z8
	VPXORD       Z9, Z9, Z9
	VPXORD       Z10, Z10, Z10
	VPXORD       Z11, Z11, Z11

loop:
	VFMADD231PS Z14, Z15, Z0
	VFMADD231PS Z14, Z15, Z1
	VFMADD231PS Z14, Z15, Z2
	VFMADD231PS Z14, Z15, Z3
	VFMADD231PS Z14, Z15, Z4
	VFMADD231PS Z14, Z15, Z5
	VFMADD231PS Z14, Z15, Z6
	VFMADD231PS Z14, Z15, Z7
	VFMADD231PS Z14, Z15, Z8
	VFMADD231PS Z14, Z15, Z9
	VFMADD231PS Z14, Z15, Z10
	VFMADD231PS Z14, Z15, Z11
	DECQ        CX
	JNZ         loop
	VZEROUPPER
	RET

// func dotI8_AVX512(steps int)
//
// Without a dot product of bytes, the exact way is that of 16-bit values, in pairs.
TEXT ·dotI8_AVX512(SB), NOSPLIT, $0-8
	MOVQ         steps+0(FP), CX
	MOVL         $0x00550033, AX
	VPBROADCASTD AX, Z15
	MOVL         $0xffb5002d, AX
	VPBROADCASTD AX, Z14
	VPXORD       Z0, Z0, Z0
	VPXORD       Z1, Z1, Z1
	VPXORD       Z2, Z2, Z2
	VPXORD       Z3, Z3, Z3
	VPXORD       Z4, Z4, Z4
	VPXORD       Z5, Z5, Z5
	VPXORD       Z6, Z6, Z6
	VPXORD       Z7, Z7, Z7
	VPXORD       Z8, Z8, Z8
	VPXORD       Z9, Z9, Z9
	VPXORD       Z10, Z10, Z10
	VPXORD       Z11, Z11, Z11

loop:
	VPMADDWD Z14, Z15, Z12
	VPMADDWD Z14, Z15, Z13
	VPADDD   Z12, Z0, Z0
	VPADDD   Z13, Z1, Z1
	VPMADDWD Z14, Z15, Z12
	VPMADDWD Z14, Z15, Z13
	VPADDD   Z12, Z2, Z2
	VPADDD   Z13, Z3, Z3
	VPMADDWD Z14, Z15, Z12
	VPMADDWD Z14, Z15, Z13
	VPADDD   Z12, Z4, Z4
	VPADDD   Z13, Z5, Z5
	VPMADDWD Z14, Z15, Z12
	VPMADDWD Z14, Z15, Z13
	VPADDD   Z12, Z6, Z6
	VPADDD   Z13, Z7, Z7
	VPMADDWD Z14, Z15, Z12
	VPMADDWD Z14, Z15, Z13
	VPADDD   Z12, Z8, Z8
	VPADDD   Z13, Z9, Z9
	VPMADDWD Z14, Z15, Z12
	VPMADDWD Z14, Z15, Z13
	VPADDD   Z12, Z10, Z10
	VPADDD   Z13, Z11, Z11
	DECQ     CX
	JNZ      loop
	VZEROUPPER
	RET

// func dotI8_VNNI(steps int)
TEXT ·dotI8_VNNI(SB), NOSPLIT, $0-8
	MOVQ         steps+0(FP), CX
	MOVL         $0xb5d37f33, AX
	VPBROADCASTD AX, Z15
	MOVL         $0x9b2d5533, AX
	VPBROADCASTD AX, Z14
	VPXORD       Z0, Z0, Z0
	VPXORD       Z1, Z1, Z1
	VPXORD       Z2, Z2, Z2
	VPXORD       Z3, Z3, Z3
	VPXORD       Z4, Z4, Z4
	VPXORD       Z5, Z5, Z5
	VPXORD       Z6, Z6, Z6
	VPXORD       Z7, Z7, Z7
	VPXORD       Z8, Z8, Z8
	VPXORD       Z9, Z9, Z9
	VPXORD       Z10, Z10, Z10
	VPXORD       Z11, Z11, Z11

loop:
	VPDPBUSD Z14, Z15, Z0
	VPDPBUSD Z14, Z15, Z1
	VPDPBUSD Z14, Z15, Z2
	VPDPBUSD Z14, Z15, Z3
	VPDPBUSD Z14, Z15, Z4
	VPDPBUSD Z14, Z15, Z5
	VPDPBUSD Z14, Z15, Z6
	VPDPBUSD Z14, Z15, Z7
	VPDPBUSD Z14, Z15, Z8
	VPDPBUSD Z14, Z15, Z9
	VPDPBUSD Z14, Z15, Z10
	VPDPBUSD Z14, Z15, Z11
	DECQ     CX
	JNZ      loop
	VZEROUPPER
	RET

// func dotBF16_BF16(steps int)
//
// The assembler does not know VDPBF16PS.
TEXT ·dotBF16_BF16(SB), NOSPLIT, $0-8
	MOVQ         steps+0(FP), CX
	MOVL         $0x3f7f3f80, AX // 0.996 and 1
	VPBROADCASTD AX, Z15
	MOVL         $0x3f813f7e, AX // 1.008 and 0.992
	VPBROADCASTD AX, Z14
	VPXORD       Z0, Z0, Z0
	VPXORD       Z1, Z1, Z1
	VPXORD       Z2, Z2, Z2
	VPXORD       Z3, Z3, Z3
	VPXORD       Z4, Z4, Z4
	VPXORD       Z5, Z5, Z5
	VPXORD       Z6, Z6, Z6
	VPXORD       Z7, Z7, Z7
	VPXORD       Z8, Z8, Z8
	VPXORD       Z9, Z9, Z9
	VPXORD       Z10, Z10, Z10
	VPXORD       Z11, Z11, Z11

loop:
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xc7 // vdpbf16ps %zmm15, %zmm14, %zmm0
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xcf // vdpbf16ps %zmm15, %zmm14, %zmm1
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xd7 // vdpbf16ps %zmm15, %zmm14, %zmm2
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xdf // vdpbf16ps %zmm15, %zmm14, %zmm3
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xe7 // vdpbf16ps %zmm15, %zmm14, %zmm4
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xef // vdpbf16ps %zmm15, %zmm14, %zmm5
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xf7 // vdpbf16ps %zmm15, %zmm14, %zmm6
	BYTE $0x62; BYTE $0xd2; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xff // vdpbf16ps %zmm15, %zmm14, %zmm7
	BYTE $0x62; BYTE $0x52; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xc7 // vdpbf16ps %zmm15, %zmm14, %zmm8
	BYTE $0x62; BYTE $0x52; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xcf // vdpbf16ps %zmm15, %zmm14, %zmm9
	BYTE $0x62; BYTE $0x52; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xd7 // vdpbf16ps %zmm15, %zmm14, %zmm10
	BYTE $0x62; BYTE $0x52; BYTE $0x0e; BYTE $0x48; BYTE $0x52; BYTE $0xdf // vdpbf16ps %zmm15, %zmm14, %zmm11
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// func read_AVX512(p *byte, n, passes int)
//
// Four streams at once, each a quarter of the n bytes: the prefetchers of several
// processors fetch more of them than of one from the last-level cache and from
// memory, up to half as much again.
TEXT ·read_AVX512(SB), NOSPLIT, $0-24
	MOVQ passes+16(FP), DX
	MOVQ n+8(FP), AX
	SHRQ $2, AX
	LEAQ (AX)(AX*2), BX

pass:
	MOVQ p+0(FP), SI
	MOVQ AX, CX

block:
	VMOVDQU64 (SI), Z0
	VMOVDQU64 (SI)(AX*1), Z1
	VMOVDQU64 (SI)(AX*2), Z2
	VMOVDQU64 (SI)(BX*1), Z3
	VMOVDQU64 64(SI), Z4
	VMOVDQU64 64(SI)(AX*1), Z5
	VMOVDQU64 64(SI)(AX*2), Z6
	VMOVDQU64 64(SI)(BX*1), Z7
	ADDQ      $128, SI
	SUBQ      $128, CX
	JNZ       block
	DECQ      DX
	JNZ       pass
	VZEROUPPER
	RET
