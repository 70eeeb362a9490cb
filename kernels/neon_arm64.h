// Instructions that the assembler does not know. The arguments are the numbers of
// registers, sources first, and a lane l or a shift s.

#define FADDP(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d)) // faddp vd.4s, vn.4s, vm.4s
#define FMLA_LANE(m, l, n, d) WORD $(0x4F801000 | ((l)&1)<<21 | ((l)>>1)<<11 | (m)<<16 | (n)<<5 | (d)) // fmla vd.4s, vn.4s, vm.s[l]
