package kernels

// int4Ref adds, for each group, the scale times the sum of x times the codes.
var int4Ref = int4Funcs{
	width: 1,
	mul: func(t *int4Task, lo, hi int) {
		q := t.q
		for i := range t.x.Rows {
			xi, yi := row(t.x, i), row(t.y, i)
			if firstNonFinite(xi) >= 0 {
				fill(yi[lo:hi], nan)
				continue
			}
			for j := lo; j < hi; j++ {
				yi[j] = 0
				for g := range q.groups() {
					var sum float32
					for p := g * q.group; p < min(q.k, (g+1)*q.group); p++ {
						sum += xi[p] * float32(q.code(p, j))
					}
					yi[j] += fromF16(q.scale(g, j)) * sum
				}
			}
		}
	},
}
