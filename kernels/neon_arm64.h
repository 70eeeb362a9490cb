// Instructions that the assembler does not know. The arguments are the numbers of
// registers, sources first, after a lane l.

#define ADDP(m, n, d) WORD $(0x4EA0BC00 | (m)<<16 | (n)<<5 | (d)) // addp vd.4s, vn.4s, vm.4s
#define SADALP(n, d) WORD $(0x4E606800 | (n)<<5 | (d)) // sadalp vd.4s, vn.8h
#define SDOT_LANE(m, l, n, d) WORD $(0x4F80E000 | ((l)&1)<<21 | ((l)>>1)<<11 | (m)<<16 | (n)<<5 | (d)) // sdot vd.4s, vn.16b, vm.4b[l]
#define SADDLP(n, d) WORD $(0x4E602800 | (n)<<5 | (d)) // saddlp vd.4s, vn.8h
#define SMLAL(m, n, d) WORD $(0x0E208000 | (m)<<16 | (n)<<5 | (d)) // smlal vd.8h, vn.8b, vm.8b
#define SMLAL2(m, n, d) WORD $(0x4E208000 | (m)<<16 | (n)<<5 | (d)) // smlal2 vd.8h, vn.16b, vm.16b
#define SMMLA(m, n, d) WORD $(0x4E80A400 | (m)<<16 | (n)<<5 | (d)) // smmla vd.4s, vn.16b, vm.16b
#define SMULL(m, n, d) WORD $(0x0E20C000 | (m)<<16 | (n)<<5 | (d)) // smull vd.8h, vn.8b, vm.8b
#define UMAXV(n, d) WORD $(0x6EB0A800 | (n)<<5 | (d)) // umaxv sd, vn.4s

#define FADD(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // fadd vd.4s, vn.4s, vm.4s
#define FADDP(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d)) // faddp vd.4s, vn.4s, vm.4s
#define FCVTAS(n, d) WORD $(0x4E21C800 | (n)<<5 | (d)) // fcvtas vd.4s, vn.4s
#define FCVTL(n, d) WORD $(0x0E217800 | (n)<<5 | (d)) // fcvtl vd.4s, vn.4h
#define FCVTL2(n, d) WORD $(0x4E217800 | (n)<<5 | (d)) // fcvtl2 vd.4s, vn.8h
#define FCVTN(n, d) WORD $(0x0E616800 | (n)<<5 | (d)) // fcvtn vd.2s, vn.2d
#define FCVTN2(n, d) WORD $(0x4E616800 | (n)<<5 | (d)) // fcvtn2 vd.4s, vn.2d
#define FCVTNS(n, d) WORD $(0x4E21A800 | (n)<<5 | (d)) // fcvtns vd.4s, vn.4s
#define FMLA_LANE(m, l, n, d) WORD $(0x4F801000 | ((l)&1)<<21 | ((l)>>1)<<11 | (m)<<16 | (n)<<5 | (d)) // fmla vd.4s, vn.4s, vm.s[l]
#define FMUL(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // fmul vd.4s, vn.4s, vm.4s
#define FMUL_LANE(m, l, n, d) WORD $(0x4F809000 | ((l)&1)<<21 | ((l)>>1)<<11 | (m)<<16 | (n)<<5 | (d)) // fmul vd.4s, vn.4s, vm.s[l]
#define SADDW(m, n, d) WORD $(0x0EA01000 | (m)<<16 | (n)<<5 | (d)) // saddw vd.2d, vn.2d, vm.2s
#define SADDW2(m, n, d) WORD $(0x4EA01000 | (m)<<16 | (n)<<5 | (d)) // saddw2 vd.2d, vn.2d, vm.4s
#define SCVTF(n, d) WORD $(0x4E21D800 | (n)<<5 | (d)) // scvtf vd.4s, vn.4s
#define SCVTF_D(n, d) WORD $(0x4E61D800 | (n)<<5 | (d)) // scvtf vd.2d, vn.2d
#define SRSHR8(n, d) WORD $(0x4F382400 | (n)<<5 | (d)) // srshr vd.4s, vn.4s, #8
#define SSHLL8(n, d) WORD $(0x0F28A400 | (n)<<5 | (d)) // sshll vd.2d, vn.2s, #8
#define SSHLL8_2(n, d) WORD $(0x4F28A400 | (n)<<5 | (d)) // sshll2 vd.2d, vn.4s, #8
#define SXTL_B(n, d) WORD $(0x0F08A400 | (n)<<5 | (d)) // sxtl vd.8h, vn.8b
#define SXTL_B2(n, d) WORD $(0x4F08A400 | (n)<<5 | (d)) // sxtl2 vd.8h, vn.16b
#define SXTL_H(n, d) WORD $(0x0F10A400 | (n)<<5 | (d)) // sxtl vd.4s, vn.4h
#define SXTL_H2(n, d) WORD $(0x4F10A400 | (n)<<5 | (d)) // sxtl2 vd.4s, vn.8h

// ZEROSn clears V0 to V(4n-1).
#define ZEROS1 VEOR V0.B16, V0.B16, V0.B16; VEOR V1.B16, V1.B16, V1.B16; VEOR V2.B16, V2.B16, V2.B16; VEOR V3.B16, V3.B16, V3.B16
#define ZEROS2 ZEROS1; VEOR V4.B16, V4.B16, V4.B16; VEOR V5.B16, V5.B16, V5.B16; VEOR V6.B16, V6.B16, V6.B16; VEOR V7.B16, V7.B16, V7.B16
#define ZEROS3 ZEROS2; VEOR V8.B16, V8.B16, V8.B16; VEOR V9.B16, V9.B16, V9.B16; VEOR V10.B16, V10.B16, V10.B16; VEOR V11.B16, V11.B16, V11.B16
#define ZEROS4 ZEROS3; VEOR V12.B16, V12.B16, V12.B16; VEOR V13.B16, V13.B16, V13.B16; VEOR V14.B16, V14.B16, V14.B16; VEOR V15.B16, V15.B16, V15.B16
#define ZEROS5 ZEROS4; VEOR V16.B16, V16.B16, V16.B16; VEOR V17.B16, V17.B16, V17.B16; VEOR V18.B16, V18.B16, V18.B16; VEOR V19.B16, V19.B16, V19.B16
#define ZEROS6 ZEROS5; VEOR V20.B16, V20.B16, V20.B16; VEOR V21.B16, V21.B16, V21.B16; VEOR V22.B16, V22.B16, V22.B16; VEOR V23.B16, V23.B16, V23.B16
