package kernels

import (
	"fmt"
	"math"
	"slices"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// W4A16 is the weight as codes of 4 bits, in [-7, 7], with a scale in binary16 for
// each group of consecutive inputs of an output channel: the weight w of a group is
// the code c times the scale s,
//
//	s = max|w| / 7 to the nearest binary16
//	c = round(w / s), ties to even
//
// so that |w - s c| <= s/2 (1 + 2^-20). The code belongs to the scale as it was
// rounded, which loses less than a code of the exact one would.
//
// Where s would be below the smallest normal binary16, 2^-14, it is the nearest one
// that keeps c within [-7, 7]. An output channel whose largest s would be below that
// or above the largest binary16, 65504, has a power of two of its own, which its
// product is multiplied by. A scale is therefore at most max|w|/7 (1 + 2^-11) or that
// plus 2^-10 of the largest of its channel.
//
// The activations of the implementation "ref" are in float32. The others take 32
// inputs at a time and round them to multiples of a power of two, 16 bits each, which
// changes none by more than the largest of the 32 over 32512, or 2^-127. That is
// below 1.4% of what the rounding of the weight allows, whatever the values are. With
// W4 for the weight that Dequantize returns,
//
//	|y - x W4| <= sum over k of (largest of the 32 inputs with k / 32512 + 2^-127) |W4|
//
// and the rounding of float32 sums. Integers up to 32512 are exact.
type W4A16 struct {
	k, n, group int
	w           []uint8   // in panels, as gemm_int4.go says
	factors     []float32 // of each output channel; nil if all are 1
	impl        impl[int4Funcs]
}

// int4Funcs is an implementation of W4A16.
type int4Funcs struct {
	// width is the number of columns of a panel, which is the unit of work.
	width int
	// mul overwrites the columns lo*width <= j < min(n, hi*width) of the task's y with
	// those of the product. No dimension is 0.
	mul func(t *int4Task, lo, hi int)
	// quantize prepares whole blocks of int4Block activations for mul; nil if mul takes
	// them as they are.
	quantize func(dst []uint8, x []float32)
}

var int4Table = append(table[int4Funcs]{{cpu.Ref, int4Ref}}, int4Asm...)

// GroupSize sets how many consecutive inputs of an output channel share a scale in
// NewW4A16: a multiple of 32, up to 4096. The default is 32.
func GroupSize(g int) Option {
	return Option{name: "GroupSize", set: func(o *options) { o.group = g }}
}

// NewW4A16 quantizes each group of each column of w[k,n]. The last group of a column
// is shorter when k is not a multiple of the group size. It returns a *ShapeError when
// w is malformed, a *NonFiniteError when it is not finite, and an error when the group
// size is not one that GroupSize allows.
func NewW4A16(w Matrix, opts ...Option) (*W4A16, error) {
	const op = "NewW4A16"
	o, err := applyOptions(op, append([]Option{GroupSize(int4Block)}, opts...), "GroupSize")
	if err != nil {
		return nil, err
	}
	impl, err := int4Table.choose(op, o.impl)
	if err != nil {
		return nil, err
	}
	if o.group <= 0 || o.group > maxInt4Group || o.group%int4Block != 0 {
		return nil, fmt.Errorf("kernels: %s: group size %d, want a multiple of %d from %d to %d",
			op, o.group, int4Block, int4Block, maxInt4Group)
	}
	if err := checkFiniteMatrix(op, "w", w); err != nil {
		return nil, err
	}
	// A longer group than the columns is one group.
	group := min(o.group, ceilDiv(max(1, w.Rows), int4Block)*int4Block)
	q := &W4A16{k: w.Rows, n: w.Cols, group: group, impl: impl}
	q.pack(w)
	return q, nil
}

// Dims returns the shape [k, n] of W.
func (q *W4A16) Dims() (k, n int) { return q.k, q.n }

// Group returns how many consecutive inputs share a scale.
func (q *W4A16) Group() int { return q.group }

// int4QuantizedRows is how many rows of x are quantized before they are multiplied.
const int4QuantizedRows = 128

// MulTo overwrites y[m,n] with x[m,k] W. A row of x that is not finite gives a row of
// NaN.
func (q *W4A16) MulTo(y, x Matrix) {
	CheckMulTo("W4A16.MulTo", y, x, q.k, q.n)
	if emptyProduct(y, q.k) {
		return
	}
	f := &q.impl.funcs
	units := ceilDiv(q.n, f.width)
	t := int4Tasks.get()
	if f.quantize == nil {
		*t = int4Task{q: q, y: y, x: x}
		split(t, units, int4Nanoseconds(x.Rows, q.k, q.n))
	} else {
		ldx := int4RecordStride(q.k)
		records := scratchU8.get(min(x.Rows, int4QuantizedRows) * ldx)
		for i := 0; i < x.Rows; i += int4QuantizedRows {
			m := min(int4QuantizedRows, x.Rows-i)
			for r := range m {
				quantizeInt4Row(f.quantize, records[r*ldx:], row(x, i+r))
			}
			*t = int4Task{q: q, y: rows(y, i, m), records: records, ldx: ldx}
			split(t, units, int4Nanoseconds(m, q.k, q.n))
		}
		scratchU8.put(records)
	}
	int4Tasks.put(t)
	if q.factors != nil {
		for i := range y.Rows {
			for j, v := range row(y, i) {
				y.Data[i*y.Stride+j] = v * q.factors[j]
			}
		}
	}
}

// int4Nanoseconds estimates the time of a product on one thread from 150 GFLOP/s and
// 40 GB/s.
func int4Nanoseconds(m, k, n int) int { return k * n / 75 * max(m, 1) }

type int4Task struct {
	q       *W4A16
	y, x    Matrix  // x is empty when its rows were quantized
	records []uint8 // of the rows of x, with a distance of ldx between them
	ldx     int
}

func (t *int4Task) run(lo, hi int) { t.q.impl.funcs.mul(t, lo, hi) }

var int4Tasks taskList[int4Task]

// Dequantize returns the weight [k,n] that the codes and scales stand for.
func (q *W4A16) Dequantize() Matrix {
	w := New(q.k, q.n)
	for j := range q.n {
		factor := float32(1)
		if q.factors != nil {
			factor = q.factors[j]
		}
		for p := range q.k {
			w.Data[p*w.Stride+j] = factor * (fromF16(q.scale(p/q.group, j)) * float32(q.code(p, j)))
		}
	}
	return w
}

// Info describes the prepared weight.
func (q *W4A16) Info() Info {
	codes := (int64(q.k)*int64(q.n) + 1) / 2
	scales := int64(ceilDiv(q.k, q.group)) * int64(q.n)
	return Info{Scheme: SchemeW4A16, Impl: q.impl.name(), WeightBytes: codes + 2*scales + 4*int64(len(q.factors))}
}

const (
	maxInt4Group      = 1 << 12
	maxInt4Code       = 7
	largestF16        = 65504
	smallestNormalF16 = 0x1p-14
)

// pack quantizes w.
func (q *W4A16) pack(w Matrix) {
	q.w = aligned[uint8](ceilDiv(q.n, q.impl.funcs.width) * q.panelBytes())
	for i := range q.w {
		q.w[i] = 0x88 // two codes of 0; the scales are set below, or belong to no column
	}
	factors := make([]float32, q.n)
	eachColumn(w, 5*q.k, func(j int, v []float32) {
		factors[j] = int4Factor(largestAbs(v))
		q.packColumn(j, v, factors[j])
	})
	if slices.ContainsFunc(factors, func(factor float32) bool { return factor != 1 }) {
		q.factors = factors
	}
}

// packColumn quantizes column j, which is v.
func (q *W4A16) packColumn(j int, v []float32, factor float32) {
	for g := 0; len(v) > 0; g++ {
		group := v[:min(q.group, len(v))]
		v = v[len(group):]
		scale := int4Scale(largestAbs(group), factor)
		q.setScale(g, j, scale)
		if scale == 0 {
			continue
		}
		// In float64, where the quotient of any two float32 is normal.
		inverse := 1 / (float64(factor) * float64(fromF16(scale)))
		for i := 0; i < len(group); i += 8 {
			var eight [8]int
			for c, f := range group[i:min(len(group), i+8)] {
				eight[c] = roundQuotient(float64(f) * inverse)
			}
			q.setCodes(g*q.group+i, j, &eight)
		}
	}
}

// roundQuotient rounds to the nearest integer, ties to even, the quotient of a float32
// by a number of 11 bits, given within 2^-48 and below 8. The quotient is a tie, or
// more than 2^-26 from one, so that its nearest multiple of 2^-30 decides as itself
// would: a product with the inverse is as good as a division, and faster.
func roundQuotient(quotient float64) int {
	const grid = 0x1.8p22 // its sums with less than 8 are multiples of 2^-30
	return int(math.RoundToEven((quotient + grid) - grid))
}

// int4Factor returns the power of two that belongs to an output channel with that
// largest absolute value: 1 unless its largest scale is outside the normal numbers of
// binary16.
func int4Factor(largest float32) float32 {
	scale := float64(largest) / maxInt4Code
	if scale == 0 || scale >= smallestNormalF16 && scale <= largestF16 {
		return 1
	}
	_, exponent := math.Frexp(scale)
	return float32(math.Ldexp(1, max(exponent, -126)))
}

// int4Scale returns the scale of a group with that largest absolute value, in units of
// factor: 0 only if all codes are to be 0.
func int4Scale(largest, factor float32) uint16 {
	top := float64(largest) / float64(factor)
	scale := toF16(float32(top / maxInt4Code))
	// Subnormal numbers are so far apart that the nearest may be too small; next to 0,
	// half a step of the next one decides.
	if top >= (maxInt4Code+0.5)*float64(fromF16(scale)) && (scale > 0 || top > 0x1p-25) {
		scale++
	}
	return scale
}

// largestAbs returns the largest absolute value of v, which is finite, 0 if there is
// none.
func largestAbs(v []float32) float32 { return math.Float32frombits(absmaxBits(v)) }
