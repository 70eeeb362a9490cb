package kernels

// bf16Ref stores the weight output-major, [n,k].
var bf16Ref = bf16Funcs{
	width: 16,
	pack: func(w Matrix) []uint16 {
		t := make([]uint16, w.Rows*w.Cols)
		for p := range w.Rows {
			for j, v := range row(w, p) {
				t[j*w.Rows+p] = toBF16(v)
			}
		}
		return t
	},
	mul: func(y, x Matrix, w []uint16, lo, hi int) {
		k := x.Cols
		for i := range x.Rows {
			xi, yi := row(x, i), row(y, i)
			for j := lo * 16; j < min(y.Cols, hi*16); j++ {
				yi[j] = dotF32BF16(xi, w[j*k:][:k])
			}
		}
	},
}
