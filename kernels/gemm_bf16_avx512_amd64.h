// Parts of the tiles of gemm_bf16_avx512_amd64.s and gemm_bf16_bf16_amd64.s.

// y is at DI with R11 bytes between its rows, x at SI, or in R9 from row 4 on, with
// DX bytes between its rows and R8 three times that; BX points to the panel. The
// sums of row i are in Z(4i) to Z(4i+3); K1 to K4 hold their columns.

#define ZERO(a, b, c, d) VPXORD a, a, a; VPXORD b, b, b; VPXORD c, c, c; VPXORD d, d, d
#define ZERO1 ZERO(Z0, Z1, Z2, Z3)
#define ZERO2 ZERO1; ZERO(Z4, Z5, Z6, Z7)
#define ZERO3 ZERO2; ZERO(Z8, Z9, Z10, Z11)
#define ZERO4 ZERO3; ZERO(Z12, Z13, Z14, Z15)
#define ZERO5 ZERO4; ZERO(Z16, Z17, Z18, Z19)
#define ZERO6 ZERO5; ZERO(Z20, Z21, Z22, Z23)

#define LOAD(a, b, c, d) VMOVUPS.Z (DI), K1, a; VMOVUPS.Z 64(DI), K2, b; VMOVUPS.Z 128(DI), K3, c; VMOVUPS.Z 192(DI), K4, d; ADDQ R11, DI
#define LOAD1 LOAD(Z0, Z1, Z2, Z3)
#define LOAD2 LOAD1; LOAD(Z4, Z5, Z6, Z7)
#define LOAD3 LOAD2; LOAD(Z8, Z9, Z10, Z11)
#define LOAD4 LOAD3; LOAD(Z12, Z13, Z14, Z15)
#define LOAD5 LOAD4; LOAD(Z16, Z17, Z18, Z19)
#define LOAD6 LOAD5; LOAD(Z20, Z21, Z22, Z23)

#define STORE(a, b, c, d) VMOVUPS a, K1, (DI); VMOVUPS b, K2, 64(DI); VMOVUPS c, K3, 128(DI); VMOVUPS d, K4, 192(DI); ADDQ R11, DI
#define STORE1 STORE(Z0, Z1, Z2, Z3)
#define STORE2 STORE1; STORE(Z4, Z5, Z6, Z7)
#define STORE3 STORE2; STORE(Z8, Z9, Z10, Z11)
#define STORE4 STORE3; STORE(Z12, Z13, Z14, Z15)
#define STORE5 STORE4; STORE(Z16, Z17, Z18, Z19)
#define STORE6 STORE5; STORE(Z20, Z21, Z22, Z23)

// START reads the arguments, SHIFT being the binary logarithm of the bytes of an
// element of x.
#define START(SHIFT, ZEROS, LOADS) \
	MOVQ y+0(FP), DI           \
	MOVQ ldy+8(FP), R11        \
	MOVQ x+16(FP), SI          \
	MOVQ ldx+24(FP), DX        \
	MOVQ w+32(FP), BX          \
	MOVQ cols+48(FP), CX       \
	SHLQ $2, R11               \
	SHLQ $SHIFT, DX            \
	LEAQ (DX)(DX*2), R8        \
	LEAQ (SI)(DX*4), R9        \
	MOVQ $-1, AX               \
	NEGQ CX                    \
	SHRQ CX, AX                \
	KMOVW AX, K1               \
	SHRQ $16, AX               \
	KMOVW AX, K2               \
	SHRQ $16, AX               \
	KMOVW AX, K3               \
	SHRQ $16, AX               \
	KMOVW AX, K4               \
	MOVQ k+40(FP), CX          \
	ZEROS                      \
	CMPB accumulate+56(FP), $0 \
	JEQ  start                 \
	LOADS                      \
	MOVQ y+0(FP), DI           \
start:

#define FINISH(STORES) \
	STORES     \
	VZEROUPPER \
	RET
