package kernels

import (
	"math"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// BF16 is the weight rounded to bfloat16, a float32 without its last 16 bits,
// with sums in float32. Rounding is to nearest, ties to even; a finite value
// beyond the largest bfloat16, 3.39e38, becomes that and not an infinity. So each
// weight w is off by at most 2^-8 |w| + 2^-134.
//
// The implementation "bf16" rounds the activations in the same way, which the
// processor's dot product of bfloat16 pairs wants, and takes every value and sum
// below 2^-126 for 0, as that instruction does. The others multiply by the
// float32 activations. Of standard normal weights and activations the product is
// off by 0.17% of its norm, by 0.24% where both are rounded.
type BF16 struct {
	k, n int
	w    []uint16 // as impl.funcs.pack arranged it
	impl impl[bf16Funcs]
}

// bf16Funcs is an implementation of BF16. It has either mul or mulRounded.
type bf16Funcs struct {
	// width is the number of columns of a unit of work.
	width int
	pack  func(w Matrix) []uint16
	// mul overwrites the columns lo*width <= j < min(n, hi*width) of y[m,n] with
	// those of x[m,k] W. y and x have been checked, and no dimension is 0.
	mul func(y, x Matrix, w []uint16, lo, hi int)
	// mulRounded is mul for activations that were rounded to bfloat16: row i of x
	// is at x[i*ldx:], k values and one 0 more when k is odd.
	mulRounded func(y Matrix, x []uint16, ldx, k int, w []uint16, lo, hi int)
	// round sets dst to src in bfloat16.
	round func(dst []uint16, src []float32)
}

var bf16Table = append(table[bf16Funcs]{{cpu.Ref, bf16Ref}}, bf16Asm...)

// NewBF16 rounds and packs w[k,n]. It returns a *ShapeError when w is malformed.
// Values that are not finite stay what they are.
func NewBF16(w Matrix, opts ...Option) (*BF16, error) {
	const op = "NewBF16"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	impl, err := bf16Table.choose(op, o.impl)
	if err != nil {
		return nil, err
	}
	if err := checkMatrix(op, "w", w); err != nil {
		return nil, err
	}
	return &BF16{w.Rows, w.Cols, impl.funcs.pack(w), impl}, nil
}

// Dims returns the shape [k, n] of W.
func (b *BF16) Dims() (k, n int) { return b.k, b.n }

// bf16RoundedRows is how many rows of x are rounded before they are multiplied:
// enough that reading the weight again for the next ones costs little.
const bf16RoundedRows = 256

// MulTo overwrites y[m,n] with x[m,k] W.
func (b *BF16) MulTo(y, x Matrix) {
	CheckMulTo("BF16.MulTo", y, x, b.k, b.n)
	if emptyProduct(y, b.k) {
		return
	}
	f := &b.impl.funcs
	units := ceilDiv(b.n, f.width)
	t := bf16Tasks.get()
	if f.mul != nil {
		*t = bf16Task{b: b, y: y, x: x}
		split(t, units, bf16Nanoseconds(x.Rows, b.k, b.n))
	} else {
		// Rows an odd number of lines apart do not compete for the same sets of the
		// caches.
		ldx := 32 * (ceilDiv(b.k, 32) | 1)
		rounded := scratchU16.get(min(x.Rows, bf16RoundedRows) * ldx)
		for i := 0; i < x.Rows; i += bf16RoundedRows {
			m := min(bf16RoundedRows, x.Rows-i)
			for r := range m {
				dst := rounded[r*ldx:][:b.k+b.k%2]
				dst[len(dst)-1] = 0
				f.round(dst, row(x, i+r))
			}
			*t = bf16Task{b: b, y: rows(y, i, m), rounded: rounded, ldx: ldx}
			split(t, units, bf16Nanoseconds(m, b.k, b.n))
		}
		scratchU16.put(rounded)
	}
	bf16Tasks.put(t)
}

// bf16Nanoseconds estimates the time of a product on one thread from 200 GFLOP/s
// and 50 GB/s.
func bf16Nanoseconds(m, k, n int) int { return k * n / 100 * max(m, 4) }

type bf16Task struct {
	b       *BF16
	y, x    Matrix   // x is empty when its rows were rounded
	rounded []uint16 // with a distance of ldx between rows
	ldx     int
}

func (t *bf16Task) run(lo, hi int) {
	f := &t.b.impl.funcs
	if f.mul != nil {
		f.mul(t.y, t.x, t.b.w, lo, hi)
		return
	}
	f.mulRounded(t.y, t.rounded, t.ldx, t.b.k, t.b.w, lo, hi)
}

var bf16Tasks taskList[bf16Task]

// Info describes the prepared weight.
func (b *BF16) Info() Info {
	return Info{Scheme: SchemeBF16, Impl: b.impl.name(), WeightBytes: 2 * int64(b.k) * int64(b.n)}
}

const (
	infinityBits    = 0x7f800000 // of a float32
	largestBF16Bits = 0x7f7f0000 // of the largest finite bfloat16 as a float32
)

// toBF16 returns the first 16 bits of f, rounded to nearest even.
func toBF16(f float32) uint16 {
	bits := math.Float32bits(f)
	switch abs := bits &^ (1 << 31); {
	case abs > infinityBits:
		return uint16(bits>>16) | 0x40 // a NaN without its last bits may look like an infinity
	case abs > largestBF16Bits && abs < infinityBits:
		return uint16((bits&(1<<31) | largestBF16Bits) >> 16)
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// fromBF16 returns the value of a bfloat16.
func fromBF16(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }
