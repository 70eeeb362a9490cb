package kernels

// gemmLowRank makes an implementation of LowRank out of the micro-kernels for few
// columns and those of F32.
func gemmLowRank(tiles *dotTiles, f32 impl[f32Funcs]) lowRankFuncs {
	return lowRankFuncs{
		pack: func(u, v Matrix) lowRankFactors {
			f := &packedFactors{
				r:   u.Cols,
				ldt: ceilDiv(u.Cols, tiles.columns) * tiles.columns,
				v:   &F32{v.Rows, v.Cols, f32.funcs.pack(v), f32},
			}
			if tiles.faster(u.Cols, f32.funcs.width) {
				f.u = newSkinnyF32(u, tiles)
			} else {
				f.u = &F32{u.Rows, u.Cols, f32.funcs.pack(u), f32}
			}
			return f
		},
	}
}

// faster reports whether dot products with r columns take less time than panels of
// width columns, the last of them padded. Dot products take up to 1/8 more for a
// column: they read the weight more often, and their sums have to be reduced.
func (tiles *dotTiles) faster(r, width int) bool {
	dots, panels := ceilDiv(r, tiles.columns)*tiles.columns, ceilDiv(r, width)*width
	return 9*dots < 8*panels
}

type packedFactors struct {
	r   int
	ldt int // distance between the rows of t
	u   interface{ MulTo(t, x Matrix) }
	v   *F32
}

// lowRankBlock is the number of values of t = xU, 192 KiB, that wait in the L2 cache
// for the second product.
const lowRankBlock = 48 << 10

// scratchLowRank is apart from scratchF32, which F32 uses while t is in use.
var scratchLowRank scratch[float32]

func (f *packedFactors) mul(y, x Matrix) {
	block := min(x.Rows, max(lowRankBlock/f.ldt, 1))
	buf := scratchLowRank.get(block * f.ldt)
	for i := 0; i < x.Rows; i += block {
		m := min(block, x.Rows-i)
		t := Matrix{Rows: m, Cols: f.r, Stride: f.ldt, Data: buf}
		xi, yi := rows(x, i, m), rows(y, i, m)
		f.u.MulTo(t, xi)
		f.v.MulTo(yi, t)
		for r := range m {
			// A value of x that is not finite reaches every column of t.
			if v := t.Data[r*t.Stride]; v-v != 0 {
				nanUnlessFinite(row(yi, r), row(xi, r))
			}
		}
	}
	scratchLowRank.put(buf)
}
