package kernels

// lowRankRef stores the factors as they are, row-major, and multiplies one row of x
// after the other.
var lowRankRef = lowRankFuncs{
	pack: func(u, v Matrix) lowRankFactors { return &plainFactors{compact(u), compact(v)} },
}

type plainFactors struct {
	u, v Matrix // [k,r], [r,n]
}

func (f *plainFactors) mul(y, x Matrix) {
	t := scratchF32.get(f.u.Cols)
	for i := range x.Rows {
		xi, yi := row(x, i), row(y, i)
		clear(t)
		for p, a := range xi {
			axpy(t, a, row(f.u, p))
		}
		clear(yi)
		for p, a := range t {
			axpy(yi, a, row(f.v, p))
		}
		nanUnlessFinite(yi, xi)
	}
	scratchF32.put(t)
}
