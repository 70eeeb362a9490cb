package kernels

import "math"

const (
	maxCode  = 127      // the largest code of symmetric int8
	minScale = 0x1p-126 // the smallest normal float32
)

// quantize writes the int8 codes of v, in [-127, 127], and returns their scale,
// by the formula of the package comment. If v is not finite, the scale is NaN
// and the codes are 0.
func quantize(codes []int8, v []float32) (scale float32) {
	codes = codes[:len(v)]
	absmax := absmaxBits(v)
	scale = rowScale(absmax)
	if absmax >= infinityBits {
		clear(codes)
		return scale
	}
	inverse := 1 / scale
	for i, f := range v {
		// |f*inverse| < 127 (1 + 2^-22), which rounds to 127: no clamp needed.
		codes[i] = int8(roundAway(f * inverse))
	}
	return scale
}

// roundAway is math.Round for |f| < 2^22. It is several times as fast where the
// processor has no instruction for that rounding, as amd64. The sum is exact in
// float64, and a cast to an integer leaves out the fraction.
func roundAway(f float32) int32 {
	return int32(float64(f) + math.Copysign(0.5, float64(f)))
}

// absmaxBits returns the bits of the largest absolute value of v, 0 if there is
// none. They are infinityBits or more if and only if v is not finite.
func absmaxBits(v []float32) uint32 {
	var largest uint32
	for _, f := range v {
		largest = max(largest, math.Float32bits(f)&math.MaxInt32)
	}
	return largest
}

// rowScale returns the scale of a vector from the bits of its largest absolute
// value; NaN for those of a NaN or an infinity.
func rowScale(absmax uint32) float32 {
	if absmax >= infinityBits {
		return nan
	}
	return max(math.Float32frombits(absmax)/maxCode, minScale)
}

// channels is a weight [k,n] as int8 codes with one scale per output channel.
type channels struct {
	k, n   int
	codes  []int8    // output-major, [n,k]
	scales []float32 // n
}

// quantizeChannels quantizes each column of w[k,n].
func quantizeChannels(op string, w Matrix) (channels, error) {
	if err := checkFiniteMatrix(op, "w", w); err != nil {
		return channels{}, err
	}
	c := channels{
		k: w.Rows, n: w.Cols,
		codes:  make([]int8, w.Rows*w.Cols),
		scales: make([]float32, w.Cols),
	}
	eachColumn(w, 4*c.k, func(j int, v []float32) {
		c.scales[j] = quantize(c.channel(j), v)
	})
	return c, nil
}

// channel returns the k codes of output channel j.
func (c *channels) channel(j int) []int8 { return c.codes[j*c.k:][:c.k] }

// QuantizedRows holds activations x[m,k] as int8 codes with one scale a row:
// Scales[i] * Codes[i*Cols+p] stands for x[i,p]. The scale of a row that was not
// finite is NaN.
type QuantizedRows struct {
	Rows, Cols int       // m and k
	Codes      []int8    // Rows*Cols, row-major
	Scales     []float32 // Rows
}

// QuantizeRows quantizes each row of x[m,k]. It panics with a *ShapeError when x
// is malformed.
func QuantizeRows(x Matrix) QuantizedRows {
	if err := checkMatrix("QuantizeRows", "x", x); err != nil {
		panic(err)
	}
	q := QuantizedRows{
		Rows: x.Rows, Cols: x.Cols,
		Codes:  make([]int8, x.Rows*x.Cols),
		Scales: make([]float32, x.Rows),
	}
	for i := range x.Rows {
		q.Scales[i] = quantize(q.row(i), row(x, i))
	}
	return q
}

func (q *QuantizedRows) row(i int) []int8 { return q.Codes[i*q.Cols:][:q.Cols] }
