package kernels

import (
	"math"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// W8A16 is the weight as int8 codes with one scale per output channel, the codes of
// Int8PerChannel, multiplied by float32 activations at float32 precision. The name
// is the field's usual one for 8-bit weights with activations that are not
// quantized, whether those have 16 bits or, as here, 32.
//
// Processors without fast products of bytes widen the codes to float32, and the
// error bound is that of Int8PerChannel. On the others a row of x becomes integers
// of 24 or 32 bits times a power of two, whose products with the codes are exact,
// provided that the largest value of the row is near enough to the others for that
// to be as good as float32; else it too is multiplied by widened codes. With s the
// scale of channel j, N of the x being not 0 and the sums over these, the result of
// the integers is within
//
//	0.50003 s sum|x| + 2^-22 sum|x| sum|W| / sqrt(N) + 2^-22 |y|
//
// of xW, where the second term is less than sqrt(N)/16000 of the first: nothing
// but the weight is less precise than in F32.
type W8A16 struct {
	w    int8Panels
	impl impl[w8a16Funcs]
}

// A rowForm is how a row of activations is multiplied. The form depends on nothing
// but the row, so that its products do not depend on the other rows of a call.
type rowForm int8

const (
	rowNotFinite rowForm = iota // its products are NaN
	rowOfFloats                 // as it is, by codes widened to float32
	rowOf24Bits                 // as integers in 3 rows of bytes
	rowOf32Bits                 // as integers in 4 rows of bytes
)

// w8a16Funcs is an implementation of W8A16.
type w8a16Funcs struct {
	// The arrangement of the weight; see packChannels. A panel is a unit of work.
	width, group, offset int
	// rowBytes is the size of the integers of a row of k activations.
	rowBytes func(k int) int
	// prepare chooses the form of a row and writes its integers: the activations
	// divided by step.
	prepare func(dst []int8, x []float32) (form rowForm, step float32)
	// These overwrite the columns of the panels lo to hi-1 of y with x w, the rows
	// of x being of one form. No dimension is 0.
	widen        func(y, x Matrix, w *int8Panels, lo, hi int)
	mul24, mul32 func(y Matrix, x []int8, ldx int, steps []float32, w *int8Panels, lo, hi int)
}

var w8a16Table = append(table[w8a16Funcs]{{cpu.Ref, w8a16Ref}}, w8a16Asm...)

// NewW8A16 quantizes each column of w[k,n]. It returns a *ShapeError when w is
// malformed and a *NonFiniteError when it is not finite.
func NewW8A16(w Matrix, opts ...Option) (*W8A16, error) {
	const op = "NewW8A16"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	impl, err := w8a16Table.choose(op, o.impl)
	if err != nil {
		return nil, err
	}
	c, err := quantizeChannels(op, w)
	if err != nil {
		return nil, err
	}
	return &W8A16{packChannels(c, impl.funcs.width, impl.funcs.group, impl.funcs.offset), impl}, nil
}

// Dims returns the shape [k, n] of W.
func (q *W8A16) Dims() (k, n int) { return q.w.k, q.w.n }

// MulTo overwrites y[m,n] with x[m,k] W.
func (q *W8A16) MulTo(y, x Matrix) {
	CheckMulTo("W8A16.MulTo", y, x, q.w.k, q.w.n)
	if emptyProduct(y, q.w.k) {
		return
	}
	funcs := &q.impl.funcs
	ldx := funcs.rowBytes(q.w.k)
	block := rowBlock(y.Rows, max(ldx, q.w.k))
	t := w8a16Tasks.take()
	if t == nil {
		t = new(w8a16Task)
	}
	t.funcs, t.w, t.ldx = funcs, &q.w, ldx
	t.integers, t.steps, t.forms = resize(t.integers, block*ldx), resize(t.steps, block), resize(t.forms, block)
	for i := 0; i < y.Rows; i += block {
		rows := min(block, y.Rows-i)
		t.y, t.floats = rowsOf(y, i, rows), rowsOf(x, i, rows)
		t.prepare = true
		split(t, rows, rows*q.w.k/8)
		t.prepare = false
		split(t, ceilDiv(q.w.n, funcs.width), w8a16Nanoseconds(rows, q.w.k, q.w.n))
	}
	*t = w8a16Task{integers: t.integers, steps: t.steps, forms: t.forms}
	w8a16Tasks.put(t)
}

// w8a16Nanoseconds estimates the time of a product on one thread from 130 GOP/s
// and 70 GB/s.
func w8a16Nanoseconds(m, k, n int) int { return k * n / 64 * m }

// widenW8A16 makes an implementation of W8A16 out of micro-kernels that widen the
// codes. absmax returns the bits of the largest absolute value of a row, those of a
// NaN or an infinity if there is one.
func widenW8A16(tiles *f32i8Tiles, absmax func(x []float32) uint32) w8a16Funcs {
	return w8a16Funcs{
		width: tiles.width, group: tiles.group,
		rowBytes: func(int) int { return 0 },
		prepare: func(_ []int8, x []float32) (rowForm, float32) {
			if absmax(x) >= infinityBits {
				return rowNotFinite, 0
			}
			return rowOfFloats, 0
		},
		widen: tiles.mul,
	}
}

// bytesW8A16 makes one out of micro-kernels that multiply bytes and, for the rows
// that are better multiplied in float32, others for the same panels.
func bytesW8A16(mul24, mul32 *int8Tiles, prepare func(dst []int8, x []float32) (rowForm, float32), widen *f32i8Tiles) w8a16Funcs {
	return w8a16Funcs{
		width: mul24.width, group: mul24.group, offset: mul24.offset,
		rowBytes: func(k int) int { return mul32.planes * mul32.rowBytes(k) },
		prepare:  prepare,
		widen:    widen.mul,
		mul24:    mul24.mul,
		mul32:    mul32.mul,
	}
}

// chooseForm returns the form of a row of activations and the step of its integers,
// from the bits of its largest absolute value, the number of values that are not
// zero and the sum of their exponents as float32 stores them. docs/kernels.md has
// the reasons and the bound.
func chooseForm(absmax uint32, nonzero, exponents int) (rowForm, float32) {
	const (
		bias           = 127
		small, large   = -90, 90 // exponents that leave room for the arithmetic
		few            = 16      // so few values that their last bits count
		bits24, bits32 = 22, 30  // of the largest integer, after the first
	)
	top := int(absmax >> 23)
	switch {
	case absmax == 0:
		return rowOf24Bits, 1
	case absmax >= infinityBits:
		return rowNotFinite, 0
	case top-bias < small || top-bias > large:
		return rowOfFloats, 0
	}
	// How many bits the largest value is above the geometric mean of the others,
	// less those by which a float32 sum of so many products is less precise than
	// one product.
	excess := 0.0
	if nonzero > 1 {
		excess = float64(top) - float64(exponents-top)/float64(nonzero-1) - math.Log2(float64(nonzero))/2
	}
	switch {
	case nonzero >= few && excess <= 0:
		return rowOf24Bits, float32(math.Ldexp(1, top-bias-bits24))
	case excess <= bits32-bits24-1:
		return rowOf32Bits, float32(math.Ldexp(1, top-bias-bits32))
	}
	return rowOfFloats, 0
}

// A w8a16Task is the product of a block of rows: first, when prepare is set, the
// forms of the rows, then the panels.
type w8a16Task struct {
	funcs   *w8a16Funcs
	w       *int8Panels
	prepare bool

	floats   Matrix
	integers []int8
	ldx      int
	steps    []float32 // one a row
	forms    []rowForm
	y        Matrix
}

// w8a16Tasks keeps tasks with their integers, steps and forms.
var w8a16Tasks freeList[*w8a16Task]

func (t *w8a16Task) run(lo, hi int) {
	if t.prepare {
		for i := lo; i < hi; i++ {
			t.forms[i], t.steps[i] = t.funcs.prepare(t.integers[i*t.ldx:][:t.ldx], row(t.floats, i))
		}
		return
	}
	for i, end := 0, 0; i < t.y.Rows; i = end {
		for end = i + 1; end < t.y.Rows && t.forms[end] == t.forms[i]; end++ {
		}
		y, steps, integers := rowsOf(t.y, i, end-i), t.steps[i:end], t.integers[i*t.ldx:]
		switch t.forms[i] {
		case rowNotFinite:
			for r := range y.Rows {
				fill(row(y, r)[lo*t.funcs.width:min(y.Cols, hi*t.funcs.width)], nan)
			}
		case rowOfFloats:
			t.funcs.widen(y, rowsOf(t.floats, i, end-i), t.w, lo, hi)
		case rowOf24Bits:
			t.funcs.mul24(y, integers, t.ldx/4, steps, t.w, lo, hi)
		case rowOf32Bits:
			t.funcs.mul32(y, integers, t.ldx/4, steps, t.w, lo, hi)
		}
	}
}

// Dequantize returns the weight [k,n] that the codes and scales stand for.
func (q *W8A16) Dequantize() Matrix { return q.w.dequantize() }

// Info describes the prepared weight.
func (q *W8A16) Info() Info {
	return Info{Scheme: SchemeW8A16, Impl: q.impl.name(), WeightBytes: q.w.bytes()}
}
