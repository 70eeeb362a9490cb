package elementwise

// The rows of Transpose that are read at a time, so that every line of the cache of dst
// is written once or twice, and the columns, so that these lines are in the cache.
const (
	transposeRows = 8
	transposeCols = 64
)

// Transpose sets dst[j*dstStride+i] to src[i*srcStride+j] for i < rows and j < cols.
// Elements may have any bits. dstStride is at least rows, srcStride at least cols.
func Transpose(dst []float32, dstStride int, src []float32, srcStride, rows, cols int) {
	if rows <= 0 || cols <= 0 {
		return
	}
	dst = dst[:(cols-1)*dstStride+rows]
	src = src[:(rows-1)*srcStride+cols]
	for from := 0; from < cols; from += transposeCols {
		to := min(from+transposeCols, cols)
		whole := from + whole(to-from, 4)
		i := 0
		for ; i+transposeRows <= rows; i += transposeRows {
			best.transposeEight(dst[from*dstStride+i:], dstStride, src[i*srcStride+from:], srcStride, whole-from)
			if whole < to {
				transposeEight(dst[whole*dstStride+i:], dstStride, src[i*srcStride+whole:], srcStride, to-whole)
			}
		}
		for ; i < rows; i++ {
			for j := from; j < to; j++ {
				dst[j*dstStride+i] = src[i*srcStride+j]
			}
		}
	}
}

// transposeEight does 8 rows.
func transposeEight(dst []float32, dstStride int, src []float32, srcStride, cols int) {
	row := func(r int) []float32 { return src[r*srcStride:][:cols] }
	r0, r1, r2, r3, r4, r5, r6, r7 := row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)
	for j := range r0 {
		d := (*[transposeRows]float32)(dst[j*dstStride:])
		d[0], d[1], d[2], d[3] = r0[j], r1[j], r2[j], r3[j]
		d[4], d[5], d[6], d[7] = r4[j], r5[j], r6[j], r7[j]
	}
}
