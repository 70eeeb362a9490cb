package kernels

// Int8PerChannel is the weight as int8 codes, row-major [k,n], with one scale
// per output channel, multiplied by float32 activations with the i-k-j loop of
// Dense. The scale is applied once to each finished sum. It holds a quarter of
// the bytes of float32.
//
// With s[j] the scale of channel j, the result is within
//
//	0.50003 s[j] * sum over k of |x|
//
// of xW, plus the rounding of the float32 sums (see Dense). The sums run before
// the scale is applied, so 127 k max|x| must not overflow float32.
type Int8PerChannel struct {
	k, n   int
	codes  []int8    // [k,n]
	scales []float32 // n
}

// NewInt8PerChannel quantizes each column of w[k,n]. It returns a *ShapeError
// when w is malformed and a *NonFiniteError when it is not finite.
func NewInt8PerChannel(w Matrix, opts ...Option) (*Int8PerChannel, error) {
	const op = "NewInt8PerChannel"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	if _, err := refOnly.choose(op, o.impl); err != nil {
		return nil, err
	}
	c, err := quantizeChannels(op, w)
	if err != nil {
		return nil, err
	}
	q := &Int8PerChannel{k: c.k, n: c.n, codes: make([]int8, len(c.codes)), scales: c.scales}
	for j := range q.n {
		for p, code := range c.channel(j) {
			q.codes[p*q.n+j] = code
		}
	}
	return q, nil
}

// Dims returns the shape [k, n] of W.
func (q *Int8PerChannel) Dims() (k, n int) { return q.k, q.n }

// MulTo overwrites y[m,n] with x[m,k] W.
func (q *Int8PerChannel) MulTo(y, x Matrix) {
	CheckMulTo("Int8PerChannel.MulTo", y, x, q.k, q.n)
	for i := range x.Rows {
		xi, yi := row(x, i), row(y, i)
		if firstNonFinite(xi) >= 0 {
			fill(yi, nan)
			continue
		}
		clear(yi)
		for p, a := range xi {
			axpyI8(yi, a, q.codes[p*q.n:][:q.n])
		}
		for j, scale := range q.scales {
			yi[j] *= scale
		}
	}
}

// Dequantize returns the weight [k,n] that the codes and scales stand for.
func (q *Int8PerChannel) Dequantize() Matrix {
	w := New(q.k, q.n)
	for p := range q.k {
		for j, scale := range q.scales {
			w.Data[p*w.Stride+j] = scale * float32(q.codes[p*q.n+j])
		}
	}
	return w
}

// Info describes the prepared weight.
func (q *Int8PerChannel) Info() Info {
	bytes := int64(len(q.codes)) + 4*int64(len(q.scales))
	return Info{Scheme: SchemeInt8PerChannel, Impl: ImplRef, WeightBytes: bytes}
}
