package accel

import (
	"fmt"
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// DNNU8S8 is a weight as int8 codes with one scale per output channel, those of
// kernels.W8A8, for dnnl_gemm_u8s8s32.
type DNNU8S8 struct {
	library *OneDNN
	k, n    int
	codes   []int8    // [n,k]
	scales  []float32 // n
	offsets []int32   // n, what activations that are 128 too high add to a sum
}

// offset makes an activation's code, from -127 to 127, a uint8.
const offset = 128

// maxU8S8K is the largest k whose sums an int32 holds.
const maxU8S8K = math.MaxInt32 / (255 * 127)

// NewU8S8 quantizes each column of w[k,n]. It returns a *kernels.ShapeError when w
// is malformed or has more than 66311 rows, whose sums an int32 might not hold, a
// *kernels.NonFiniteError when it is not finite, and an error where the library's
// sums are not exact.
func (l *OneDNN) NewU8S8(w kernels.Matrix) (*DNNU8S8, error) {
	const op = "OneDNN.NewU8S8"
	if l.u8s8Err != nil {
		return nil, fmt.Errorf("accel: %s: %s: %w", op, l.File, l.u8s8Err)
	}
	return l.newU8S8(op, w)
}

func (l *OneDNN) newU8S8(op string, w kernels.Matrix) (*DNNU8S8, error) {
	w, err := copyWeight(op, w)
	if err != nil {
		return nil, err
	}
	k, n := w.Rows, w.Cols
	if k > maxU8S8K {
		return nil, &kernels.ShapeError{Op: op, Operand: "w", Got: fmt.Sprintf("[%d,%d]", k, n), Want: fmt.Sprintf("at most %d rows", maxU8S8K)}
	}
	t := kernels.New(n, k)
	for p := range k {
		for j := range n {
			v := w.Data[p*w.Stride+j]
			if v-v != 0 {
				return nil, &kernels.NonFiniteError{Op: op, Operand: "w", Row: p, Col: j, Value: v}
			}
			t.Data[j*t.Stride+p] = v
		}
	}
	channels := kernels.QuantizeRows(t)
	q := &DNNU8S8{library: l, k: k, n: n, codes: channels.Codes, scales: channels.Scales, offsets: make([]int32, n)}
	for j := range n {
		for _, code := range q.codes[j*k:][:k] {
			q.offsets[j] += offset * int32(code)
		}
	}
	return q, nil
}

// Dims returns the shape [k, n] of W.
func (q *DNNU8S8) Dims() (k, n int) { return q.k, q.n }

// MulTo overwrites y[m,n] with x[m,k] W: it quantizes the rows of x as kernels.W8A8
// does, calls MulCodesTo, and multiplies by the scales. It panics with a *CallError
// when the library reports a failure.
func (q *DNNU8S8) MulTo(y, x kernels.Matrix) {
	kernels.CheckMulTo("DNNU8S8.MulTo", y, x, q.k, q.n)
	if trivial(y, q.k) {
		return
	}
	rows := kernels.QuantizeRows(x)
	codes := make([]uint8, len(rows.Codes))
	for i, code := range rows.Codes {
		codes[i] = uint8(int(code) + offset)
	}
	sums := make([]int32, x.Rows*q.n)
	q.MulCodesTo(sums, codes)
	for i, scale := range rows.Scales {
		yi, si := y.Data[i*y.Stride:][:q.n], sums[i*q.n:][:q.n]
		for j := range yi {
			yi[j] = float32(si[j]-q.offsets[j]) * scale * q.scales[j]
		}
	}
}

// MulCodesTo is the library's call alone: it overwrites sums[m,n] with the product of
// codes[m,k] and the codes of the weight. It panics unless the lengths are those of
// the same number of rows.
func (q *DNNU8S8) MulCodesTo(sums []int32, codes []uint8) {
	m := 0
	if q.k > 0 {
		m = len(codes) / q.k
	}
	if len(codes) != m*q.k || len(sums) != m*q.n {
		panic(fmt.Sprintf("accel: DNNU8S8.MulCodesTo: %d codes and %d sums for a weight of [%d,%d]", len(codes), len(sums), q.k, q.n))
	}
	if len(codes) == 0 || len(sums) == 0 {
		return
	}
	var zero int32
	q.library.mu.Lock()
	defer q.library.mu.Unlock()
	if status := q.library.dnn.gemmU8S8('N', 'T', 'F', int64(m), int64(q.n), int64(q.k),
		1, &codes[0], int64(q.k), 0, &q.codes[0], int64(q.k), 0, 0, &sums[0], int64(q.n), &zero); status != 0 {
		panic(&CallError{"dnnl_gemm_u8s8s32", int(status)})
	}
}

// Info describes the prepared weight.
func (q *DNNU8S8) Info() kernels.Info {
	bytes := int64(len(q.codes)) + 4*int64(len(q.scales)) + 4*int64(len(q.offsets))
	return kernels.Info{Scheme: "onednn-u8s8", Impl: q.library.Version, WeightBytes: bytes}
}
