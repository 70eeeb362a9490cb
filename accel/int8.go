package accel

import (
	"fmt"
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// int8Weight is a weight as int8 codes with one scale per output channel, those of
// kernels.W8A8, for a function of oneDNN. Activations get one scale per row; their
// codes are signed, or 128 too high for the function that takes unsigned ones.
type int8Weight struct {
	function string
	gemm     dnnGemmInt8
	k, n     int
	codes    []int8    // [n,k]
	scales   []float32 // n
	flip     uint8     // the bit that adds 128 to the code of an activation, or 0
	offsets  []int32   // n, what the 128 add to a sum
	scratch  freeList[int8Scratch]
}

// int8Scratch is the memory of a call of MulTo.
type int8Scratch struct {
	codes  []uint8
	scales []float32
	sums   []int32
}

// maxInt8K is the largest k whose sums of products of a byte and an int8 an int32
// holds.
const maxInt8K = math.MaxInt32 / (255 * 127)

// newInt8Weight quantizes each column of w[k,n]. flip is 128 for a function that takes
// unsigned activations.
func newInt8Weight(op string, w kernels.Matrix, function string, gemm dnnGemmInt8, flip uint8) (*int8Weight, error) {
	k, n := w.Rows, w.Cols
	if k > maxInt8K {
		return nil, &kernels.ShapeError{Op: op, Operand: "w", Got: fmt.Sprintf("[%d,%d]", k, n), Want: fmt.Sprintf("at most %d rows, whose sums an int32 holds", maxInt8K)}
	}
	if err := checkFinite(op, w); err != nil {
		return nil, err
	}
	channels := kernels.QuantizeRows(transposed(w))
	q := &int8Weight{function: function, gemm: gemm, k: k, n: n, codes: channels.Codes, scales: channels.Scales, flip: flip, offsets: make([]int32, n)}
	if flip != 0 {
		for j := range n {
			for _, code := range q.codes[j*k:][:k] {
				q.offsets[j] += 128 * int32(code)
			}
		}
	}
	return q, nil
}

func (q *int8Weight) weight() (bytes int64, exact bool) {
	return int64(len(q.codes)) + 4*int64(len(q.scales)), false
}

func (q *int8Weight) mulTo(y, x kernels.Matrix, callers slots) error {
	s := q.scratch.take()
	s.codes, s.scales, s.sums = resize(s.codes, x.Rows*q.k), resize(s.scales, x.Rows), resize(s.sums, x.Rows*q.n)
	defer q.scratch.put(s)
	quantizeRows(s.codes, s.scales, x, q.flip)
	if err := q.multiply(s.sums, s.codes, x.Rows, callers); err != nil {
		return err
	}
	q.scale(y, s.sums, s.scales)
	return nil
}

// scale writes the products that sums of codes stand for.
func (q *int8Weight) scale(y kernels.Matrix, sums []int32, rowScales []float32) {
	for i, scale := range rowScales {
		yi, si := y.Data[i*y.Stride:][:q.n], sums[i*q.n:][:q.n]
		offsets, scales := q.offsets[:q.n], q.scales[:q.n]
		for j := range yi {
			yi[j] = float32(si[j]-offsets[j]) * scale * scales[j]
		}
	}
}

func (q *int8Weight) multiply(sums []int32, codes []uint8, m int, callers slots) error {
	callers.enter()
	defer callers.leave()
	return q.call(sums, codes, m)
}

func (q *int8Weight) ready(x kernels.Matrix) func() error {
	codes, sums := make([]uint8, x.Rows*q.k), make([]int32, x.Rows*q.n)
	quantizeRows(codes, make([]float32, x.Rows), x, q.flip)
	return func() error { return q.call(sums, codes, x.Rows) }
}

// noOffset is the constant that the sums of a call start from.
var noOffset int32

func (q *int8Weight) call(sums []int32, codes []uint8, m int) error {
	k, n := int64(q.k), int64(q.n)
	return status(q.function, q.gemm('N', 'T', 'F', int64(m), n, k,
		1, &codes[0], k, 0, &q.codes[0], k, 0, 0, &sums[0], n, &noOffset))
}
