package kernels

import (
	"fmt"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// W8A8 is the weight as int8 codes with one scale per output channel, multiplied
// by activations that are quantized to int8 with one scale per row, inside MulTo
// or before it. The sums of products of codes are exact integers for every k;
// only the two scales round, in float32:
//
//	y[i,j] = (float32(sum) * scale of row i) * scale of channel j
//
// so every implementation gives the same bits. With s and t the two scales, the
// result is within
//
//	0.50003 * (s sum|x| + t sum|W| + 0.50003 k s t) + 2^-22 |y|
//
// of xW, where s belongs to channel j, t to row i, and the sums run over k.
type W8A8 struct {
	w    int8Panels
	impl impl[w8a8Funcs]
}

// w8a8Funcs is an implementation of W8A8.
type w8a8Funcs struct {
	// The arrangement of the weight; see packChannels. A panel is a unit of work.
	width, group, offset int
	// rowBytes is the size of a row of k activations in the form that mul reads.
	rowBytes func(k int) int
	// quantize writes a row of activations in that form and returns its scale.
	quantize func(dst []int8, x []float32) (scale float32)
	// convert writes codes in that form.
	convert func(dst, codes []int8)
	// mul overwrites the columns of the panels lo to hi-1. No dimension is 0.
	mul func(t *w8a8Task, lo, hi int)
}

var w8a8Table = append(table[w8a8Funcs]{{cpu.Ref, w8a8Ref}}, w8a8Asm...)

// NewW8A8 quantizes each column of w[k,n]. It returns a *ShapeError when w is
// malformed and a *NonFiniteError when it is not finite.
func NewW8A8(w Matrix, opts ...Option) (*W8A8, error) {
	const op = "NewW8A8"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	impl, err := w8a8Table.choose(op, o.impl)
	if err != nil {
		return nil, err
	}
	c, err := quantizeChannels(op, w)
	if err != nil {
		return nil, err
	}
	return &W8A8{packChannels(c, impl.funcs.width, impl.funcs.group, impl.funcs.offset), impl}, nil
}

// Dims returns the shape [k, n] of W.
func (q *W8A8) Dims() (k, n int) { return q.w.k, q.w.n }

// MulTo quantizes the rows of x and overwrites y[m,n] with x[m,k] W.
func (q *W8A8) MulTo(y, x Matrix) {
	CheckMulTo("W8A8.MulTo", y, x, q.w.k, q.w.n)
	q.mul(y, x, nil)
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
	q.mul(y, Matrix{}, &x)
}

// mul multiplies by the rows of x, or by those of quantized when it is not nil.
func (q *W8A8) mul(y, x Matrix, quantized *QuantizedRows) {
	if emptyProduct(y, q.w.k) {
		return
	}
	funcs := &q.impl.funcs
	ldx := funcs.rowBytes(q.w.k)
	block := rowBlock(y.Rows, ldx)
	t := w8a8Tasks.take()
	if t == nil {
		t = new(w8a8Task)
	}
	t.funcs, t.w, t.ldx = funcs, &q.w, ldx
	t.codes, t.rowScales = resize(t.codes, block*ldx), resize(t.rowScales, block)
	for i := 0; i < y.Rows; i += block {
		rows := min(block, y.Rows-i)
		t.y = rowsOf(y, i, rows)
		if quantized != nil {
			t.quantized, t.scales = quantized.Codes[i*q.w.k:], quantized.Scales[i:]
		} else {
			t.floats, t.scales = rowsOf(x, i, rows), t.rowScales
		}
		t.prepare = true
		split(t, rows, rows*q.w.k/8)
		t.prepare = false
		split(t, ceilDiv(q.w.n, funcs.width), w8a8Nanoseconds(rows, q.w.k, q.w.n))
	}
	*t = w8a8Task{codes: t.codes, rowScales: t.rowScales}
	w8a8Tasks.put(t)
}

// w8a8Nanoseconds estimates the time of a product on one thread from 400 GOP/s
// and 100 GB/s.
func w8a8Nanoseconds(m, k, n int) int { return k * n / 200 * max(m, 2) }

// gemmW8A8 makes an implementation of W8A8 out of micro-kernels, and functions
// that write activations as the micro-kernels read them.
func gemmW8A8(tiles *int8Tiles, quantize func(dst []int8, x []float32) float32, convert func(dst, codes []int8)) w8a8Funcs {
	return w8a8Funcs{
		width: tiles.width, group: tiles.group, offset: tiles.offset,
		rowBytes: tiles.rowBytes,
		quantize: quantize,
		convert:  convert,
		mul: func(t *w8a8Task, lo, hi int) {
			tiles.mul(t.y, t.codes, t.ldx, t.scales, t.w, lo, hi)
		},
	}
}

// A w8a8Task is the product of a block of rows: first, when prepare is set, the
// rows in the form that the micro-kernels read, then the panels.
type w8a8Task struct {
	funcs   *w8a8Funcs
	w       *int8Panels
	prepare bool

	floats    Matrix // the activations, unless they came as codes:
	quantized []int8

	codes  []int8 // the rows as rowBytes and quantize or convert define them
	ldx    int
	scales []float32 // one a row: rowScales, or the caller's
	y      Matrix

	rowScales []float32
}

// w8a8Tasks keeps tasks with their codes and rowScales.
var w8a8Tasks freeList[*w8a8Task]

func (t *w8a8Task) run(lo, hi int) {
	if !t.prepare {
		t.funcs.mul(t, lo, hi)
		return
	}
	for i := lo; i < hi; i++ {
		dst := t.codes[i*t.ldx:][:t.ldx]
		if t.quantized != nil {
			t.funcs.convert(dst, t.quantized[i*t.w.k:][:t.w.k])
		} else {
			t.scales[i] = t.funcs.quantize(dst, row(t.floats, i))
		}
	}
}

// Dequantize returns the weight [k,n] that the codes and scales stand for.
func (q *W8A8) Dequantize() Matrix { return q.w.dequantize() }

// Info describes the prepared weight.
func (q *W8A8) Info() Info {
	return Info{Scheme: SchemeW8A8, Impl: q.impl.name(), WeightBytes: q.w.bytes()}
}
