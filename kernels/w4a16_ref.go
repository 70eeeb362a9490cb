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
					yi[j] += fromF16(q.scale(g, j)) * q.dotGroup(xi, g, j)
				}
			}
		}
	},
}

// dotGroup returns the sum of x times the codes of group g of column j.
func (q *W4A16) dotGroup(x []float32, g, j int) float32 {
	var sum float32
	end := min(q.k, (g+1)*q.group)
	for p := g * q.group; p < end; p += 8 {
		codes := q.codesAt(p, j)
		for i, v := range x[p:min(end, p+8)] {
			sum += v * float32(int(codes[i%4]>>(i/4*4)&15)-8)
		}
	}
	return sum
}
