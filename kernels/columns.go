package kernels

// eachColumn calls f with the number and the values of each column of w, from
// several goroutines at once. f may use the values until it returns. One call of f
// is estimated to take the given time.
func eachColumn(w Matrix, nanoseconds int, f func(j int, v []float32)) {
	// As many columns at a time as share a line of the cache.
	const block = alignment / 4
	run := func(lo, hi int) {
		// One line more than a column, lest the values of a row of w compete for the
		// same set of the cache when the columns are a power of two long.
		stride := w.Rows + alignment/4
		columns := make([]float32, block*stride)
		for first := lo * block; first < min(w.Cols, hi*block); first += block {
			width := min(block, w.Cols-first)
			for p := range w.Rows {
				for c, v := range row(w, p)[first:][:width] {
					columns[c*stride+p] = v
				}
			}
			for c := range width {
				f(first+c, columns[c*stride:][:w.Rows])
			}
		}
	}
	split(taskFunc(run), ceilDiv(w.Cols, block), w.Cols*nanoseconds)
}
