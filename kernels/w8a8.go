package kernels

import "fmt"

// W8A8 is the weight as int8 codes, output-major [n,k], with one scale per
// output channel, multiplied by activations that are quantized to int8 with one
// scale per row, inside MulTo or before it. The sums of products of codes are
// exact integers for every k; only the two scales round, in float32:
//
//	y[i,j] = (float32(sum) * scale of row i) * scale of channel j
//
// With s and t the two scales, the result is within
//
//	0.50003 * (s sum|x| + t sum|W| + 0.50003 k s t) + 2^-22 |y|
//
// of xW, where s belongs to channel j, t to row i, and the sums run over k.
type W8A8 struct {
	w channels
}

// NewW8A8 quantizes each column of w[k,n]. It returns a *ShapeError when w is
// malformed and a *NonFiniteError when it is not finite.
func NewW8A8(w Matrix, opts ...Option) (*W8A8, error) {
	const op = "NewW8A8"
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
	return &W8A8{c}, nil
}

// Dims returns the shape [k, n] of W.
func (q *W8A8) Dims() (k, n int) { return q.w.k, q.w.n }

// MulTo quantizes the rows of x and overwrites y[m,n] with x[m,k] W.
func (q *W8A8) MulTo(y, x Matrix) {
	CheckMulTo("W8A8.MulTo", y, x, q.w.k, q.w.n)
	codes := scratchI8.get(q.w.k)
	for i := range x.Rows {
		scale := quantize(codes, row(x, i))
		q.mulRow(row(y, i), codes, scale)
	}
	scratchI8.put(codes)
}

// MulQuantizedTo overwrites y[m,n] with x W, for activations x[m,k] that
// QuantizeRows, or the caller, quantized. It gives exactly what MulTo gives for
// the same activations, without the time to quantize them. It panics with a
// *ShapeError when a shape does not fit.
func (q *W8A8) MulQuantizedTo(y Matrix, x QuantizedRows) {
	const op = "W8A8.MulQuantizedTo"
	if x.Rows < 0 || x.Cols != q.w.k {
		panic(&ShapeError{Op: op, Operand: "x", Got: shape(x.Rows, x.Cols), Want: fmt.Sprintf("[m,%d]", q.w.k)})
	}
	if len(x.Scales) < x.Rows || x.Cols > 0 && len(x.Codes)/x.Cols < x.Rows {
		panic(&ShapeError{
			Op: op, Operand: "x",
			Got:  fmt.Sprintf("%d codes and %d scales", len(x.Codes), len(x.Scales)),
			Want: fmt.Sprintf("enough for %s", shape(x.Rows, x.Cols)),
		})
	}
	checkOutput(op, y, x.Rows, q.w.n)
	for i := range x.Rows {
		q.mulRow(row(y, i), x.row(i), x.Scales[i])
	}
}

// mulRow sets y[n] to the product of one quantized row. The scale of a row that
// was not finite is NaN, and so is every product with it.
func (q *W8A8) mulRow(y []float32, codes []int8, scale float32) {
	for j, channelScale := range q.w.scales {
		y[j] = float32(dotI8(codes, q.w.channel(j))) * scale * channelScale
	}
}

// Dequantize returns the weight [k,n] that the codes and scales stand for.
func (q *W8A8) Dequantize() Matrix { return q.w.dequantize() }

// Info describes the prepared weight.
func (q *W8A8) Info() Info {
	return Info{Scheme: SchemeW8A8, Impl: ImplRef, WeightBytes: q.w.bytes()}
}
