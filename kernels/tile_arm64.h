// The steps of a tile of 1 to 6 rows by a panel of 16 columns. A step is a value of
// 32 bits of each row, one float32 or four bytes, by the 64 bytes of the panel that
// it meets; MUL(x, l, w, s) multiplies lane l of x by the four lanes of w and adds to
// those of s.
//
// The sums of row i are in V(4i) to V(4i+3) and its values of four steps in V(24+i).
// V30 and V31 are half a step of the panel. R2 to R7 point to the rows of x, R8 to the
// panel, R9 counts the steps left.

// FOURn and ONEn load the values of four steps, or of one, of n rows.
#define FOUR1 FMOVQ.P 16(R2), F24
#define FOUR2 FOUR1; FMOVQ.P 16(R3), F25
#define FOUR3 FOUR2; FMOVQ.P 16(R4), F26
#define FOUR4 FOUR3; FMOVQ.P 16(R5), F27
#define FOUR5 FOUR4; FMOVQ.P 16(R6), F28
#define FOUR6 FOUR5; FMOVQ.P 16(R7), F29

#define ONE1 FMOVS.P 4(R2), F24
#define ONE2 ONE1; FMOVS.P 4(R3), F25
#define ONE3 ONE2; FMOVS.P 4(R4), F26
#define ONE4 ONE3; FMOVS.P 4(R5), F27
#define ONE5 ONE4; FMOVS.P 4(R6), F28
#define ONE6 ONE5; FMOVS.P 4(R7), F29

// LEFTn and RIGHTn do half the columns of a step, for n rows.
#define LEFT1(MUL, l) MUL(24, l, 30, 0); MUL(24, l, 31, 1)
#define LEFT2(MUL, l) LEFT1(MUL, l); MUL(25, l, 30, 4); MUL(25, l, 31, 5)
#define LEFT3(MUL, l) LEFT2(MUL, l); MUL(26, l, 30, 8); MUL(26, l, 31, 9)
#define LEFT4(MUL, l) LEFT3(MUL, l); MUL(27, l, 30, 12); MUL(27, l, 31, 13)
#define LEFT5(MUL, l) LEFT4(MUL, l); MUL(28, l, 30, 16); MUL(28, l, 31, 17)
#define LEFT6(MUL, l) LEFT5(MUL, l); MUL(29, l, 30, 20); MUL(29, l, 31, 21)

#define RIGHT1(MUL, l) MUL(24, l, 30, 2); MUL(24, l, 31, 3)
#define RIGHT2(MUL, l) RIGHT1(MUL, l); MUL(25, l, 30, 6); MUL(25, l, 31, 7)
#define RIGHT3(MUL, l) RIGHT2(MUL, l); MUL(26, l, 30, 10); MUL(26, l, 31, 11)
#define RIGHT4(MUL, l) RIGHT3(MUL, l); MUL(27, l, 30, 14); MUL(27, l, 31, 15)
#define RIGHT5(MUL, l) RIGHT4(MUL, l); MUL(28, l, 30, 18); MUL(28, l, 31, 19)
#define RIGHT6(MUL, l) RIGHT5(MUL, l); MUL(29, l, 30, 22); MUL(29, l, 31, 23)

#define STEP(MUL, LEFT, RIGHT, l) \
	FLDPQ (64*l)(R8), (F30, F31) \
	LEFT(MUL, l) \
	FLDPQ (64*l+32)(R8), (F30, F31) \
	RIGHT(MUL, l)

#define STEPS(MUL, FOUR, ONE, LEFT, RIGHT) \
	SUBS $4, R9 \
	BLT rest \
four: \
	FOUR \
	STEP(MUL, LEFT, RIGHT, 0) \
	STEP(MUL, LEFT, RIGHT, 1) \
	STEP(MUL, LEFT, RIGHT, 2) \
	STEP(MUL, LEFT, RIGHT, 3) \
	ADD $256, R8 \
	SUBS $4, R9 \
	BGE four \
rest: \
	ADDS $4, R9 \
	BEQ done \
one: \
	ONE \
	STEP(MUL, LEFT, RIGHT, 0) \
	ADD $64, R8 \
	SUBS $1, R9 \
	BNE one \
done:
