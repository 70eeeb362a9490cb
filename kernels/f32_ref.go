package kernels

// f32Ref stores the weight output-major, [n,k], so that every element of y is a
// dot product of two contiguous rows and a call with one row of x reads the
// weight once, in order.
var f32Ref = f32Funcs{
	width: 16,
	pack:  func(w Matrix) []float32 { return transposed(w).Data },
	mul: func(y, x Matrix, w []float32, lo, hi int) {
		k := x.Cols
		for i := range x.Rows {
			xi, yi := row(x, i), row(y, i)
			for j := lo * 16; j < min(y.Cols, hi*16); j++ {
				yi[j] = dot(xi, w[j*k:][:k])
			}
		}
	},
}
