package kernels

// w8a8Ref keeps the codes output-major, so that every sum is the dot product of
// two contiguous rows.
var w8a8Ref = w8a8Funcs{
	width: 1, group: 1,
	rowBytes: func(k int) int { return k },
	quantize: quantize,
	convert:  func(dst, codes []int8) { copy(dst, codes) },
	mul: func(t *w8a8Task, lo, hi int) {
		for i := range t.y.Rows {
			codes, yi := t.codes[i*t.ldx:][:t.w.k], row(t.y, i)
			for j := lo; j < hi; j++ {
				// The scale of a row that was not finite is NaN, and so is every
				// product with it.
				yi[j] = float32(dotI8(codes, t.w.panel(j))) * t.scales[i] * t.w.scales[j]
			}
		}
	},
}
