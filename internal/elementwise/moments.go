package elementwise

// Moments returns the sums of the second and fourth powers of x[i]-mean.
func Moments(x []float32, mean float64) (m2, m4 float64) {
	n := whole(len(x), lanes)
	m2, m4 = best.moments(x[:n], mean)
	rest2, rest4 := moments(x[n:], mean)
	return m2 + rest2, m4 + rest4
}

func moments(x []float32, mean float64) (m2, m4 float64) {
	for _, v := range x {
		d := float64(v) - mean
		d *= d
		m2 += d
		m4 += d * d
	}
	return m2, m4
}
