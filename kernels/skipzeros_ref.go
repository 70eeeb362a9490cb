package kernels

// skipZerosRef stores the weight as it is, row-major: for each nonzero of a row of
// x, the loop of Dense adds its multiple of a row of W.
var skipZerosRef = skipZerosFuncs{
	pack: func(w Matrix) []float32 { return compact(w).Data },
	mul: func(y, x Matrix, w []float32) {
		n := y.Cols
		for i := range x.Rows {
			xi, yi := row(x, i), row(y, i)
			clear(yi)
			for p, a := range xi {
				if a != 0 {
					axpy(yi, a, w[p*n:][:n])
				}
			}
			nanUnlessFinite(yi, xi)
		}
	},
}
