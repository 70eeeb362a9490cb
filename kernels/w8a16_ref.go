package kernels

// w8a16Ref keeps the codes output-major, so that every sum is the dot product of
// two contiguous rows.
var w8a16Ref = w8a16Funcs{
	width: 1, group: 1,
	rowBytes: func(int) int { return 0 },
	prepare: func(_ []int8, x []float32) (rowForm, float32) {
		if firstNonFinite(x) >= 0 {
			return rowNotFinite, 0
		}
		return rowOfFloats, 0
	},
	widen: func(y, x Matrix, w *int8Panels, lo, hi int) {
		for i := range y.Rows {
			xi, yi := row(x, i), row(y, i)
			for j := lo; j < hi; j++ {
				yi[j] = w.scales[j] * dotF32I8(xi, w.panel(j))
			}
		}
	},
}
