// The end of a tile of int8 codes by a panel of 16 channels. R0 points to y, R1 is the
// distance between its rows in bytes, R10 points to rowScales, R12 to the scales of the
// channels, which are then in V24 to V27. V28 is the scale of a row.

#define SCALES FLDPQ (R12), (F24, F25); FLDPQ 32(R12), (F26, F27)

// SCALED stores four vectors of float32 times the scales.
#define SCALED(i0, i1, i2, i3, s0, s1, s2, s3) \
	FMOVS.P 4(R10), F28 \
	FMUL_LANE(28, 0, i0, i0); FMUL_LANE(28, 0, i1, i1); FMUL_LANE(28, 0, i2, i2); FMUL_LANE(28, 0, i3, i3) \
	FMUL(24, i0, i0); FMUL(25, i1, i1); FMUL(26, i2, i2); FMUL(27, i3, i3) \
	FSTPQ (s0, s1), (R0) \
	FSTPQ (s2, s3), 32(R0) \
	ADD R1, R0

#define STORE(i0, i1, i2, i3, s0, s1, s2, s3) \
	SCVTF(i0, i0); SCVTF(i1, i1); SCVTF(i2, i2); SCVTF(i3, i3) \
	SCALED(i0, i1, i2, i3, s0, s1, s2, s3)

// TOTALn turns the sums s of n rows of codes that make up a row of integers, the upper
// first, into float32 in the first. PLACE multiplies totals of 64 bits by 256 and adds
// the sums in s.
#define PLACE(s, t0, t1, u0, u1) VSHL $8, u0, u0; VSHL $8, u1, u1; SADDW(s, t0, t0); SADDW2(s, t1, t1)

#define TOTAL3(s0, s1, s2) \
	SSHLL8(s0, 29); SSHLL8_2(s0, 30) \
	SADDW(s1, 29, 29); SADDW2(s1, 30, 30) \
	PLACE(s2, 29, 30, V29.D2, V30.D2) \
	SCVTF_D(29, 29); SCVTF_D(30, 30) \
	FCVTN(29, s0); FCVTN2(30, s0)

#define TOTAL4(s0, s1, s2, s3) \
	SSHLL8(s0, 29); SSHLL8_2(s0, 30) \
	SADDW(s1, 29, 29); SADDW2(s1, 30, 30) \
	PLACE(s2, 29, 30, V29.D2, V30.D2) \
	PLACE(s3, 29, 30, V29.D2, V30.D2) \
	SCVTF_D(29, 29); SCVTF_D(30, 30) \
	FCVTN(29, s0); FCVTN2(30, s0)
