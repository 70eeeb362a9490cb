package kernels

// W8A16 is the weight as int8 codes, output-major [n,k], with one scale per
// output channel, multiplied by float32 activations. It is Int8PerChannel in the
// layout of F32: the same codes, the same error bound. The name is the field's
// usual one for 8-bit weights with activations that are not quantized, whether
// those have 16 bits or, as here, 32.
type W8A16 struct {
	w channels
}

// NewW8A16 quantizes each column of w[k,n]. It returns a *ShapeError when w is
// malformed and a *NonFiniteError when it is not finite.
func NewW8A16(w Matrix, opts ...Option) (*W8A16, error) {
	const op = "NewW8A16"
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
	return &W8A16{c}, nil
}

// Dims returns the shape [k, n] of W.
func (q *W8A16) Dims() (k, n int) { return q.w.k, q.w.n }

// MulTo overwrites y[m,n] with x[m,k] W.
func (q *W8A16) MulTo(y, x Matrix) {
	CheckMulTo("W8A16.MulTo", y, x, q.w.k, q.w.n)
	for i := range x.Rows {
		xi, yi := row(x, i), row(y, i)
		if firstNonFinite(xi) >= 0 {
			fill(yi, nan)
			continue
		}
		for j, scale := range q.w.scales {
			yi[j] = scale * dotF32I8(xi, q.w.channel(j))
		}
	}
}

// Dequantize returns the weight [k,n] that the codes and scales stand for.
func (q *W8A16) Dequantize() Matrix { return q.w.dequantize() }

// Info describes the prepared weight.
func (q *W8A16) Info() Info {
	return Info{Scheme: SchemeW8A16, Impl: ImplRef, WeightBytes: q.w.bytes()}
}
