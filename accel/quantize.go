package accel

import (
	"math"
	"runtime"
	"sync"

	"github.com/rlx-go/gopherscope/kernels"
)

// quantizeRows writes what kernels.QuantizeRows returns for x: codes without gaps,
// with the bits of flip changed, and one scale a row.
func quantizeRows(codes []uint8, scales []float32, x kernels.Matrix, flip uint8) {
	for i := range x.Rows {
		scales[i] = quantizeRow(codes[i*x.Cols:][:x.Cols], x.Data[i*x.Stride:][:x.Cols], flip)
	}
}

func quantizeRow(codes []uint8, v []float32, flip uint8) (scale float32) {
	const infinity = 0x7f800000
	var largest uint32 // of the bits, which are in the order of the absolute values
	for _, f := range v {
		largest = max(largest, math.Float32bits(f)&^(1<<31))
	}
	if largest >= infinity {
		for i := range codes {
			codes[i] = flip
		}
		return float32(math.NaN())
	}
	scale = max(math.Float32frombits(largest)/127, 0x1p-126)
	inverse := 1 / scale
	codes = codes[:len(v)]
	for i, f := range v {
		// Halves go away from zero: adding the largest float32 below a half rounds any
		// larger sum up to the next integer.
		const belowHalf, sign = 0x3effffff, 1 << 31
		scaled := f * inverse
		scaled += math.Float32frombits(math.Float32bits(scaled)&sign | belowHalf)
		codes[i] = uint8(int32(scaled)) ^ flip
	}
	return scale
}

// transposed returns [n,k] of w[k,n].
func transposed(w kernels.Matrix) kernels.Matrix {
	t := kernels.New(w.Cols, w.Rows)
	for p := range w.Rows {
		for j, v := range w.Data[p*w.Stride:][:w.Cols] {
			t.Data[j*t.Stride+p] = v
		}
	}
	return t
}

// checkFinite returns a *kernels.NonFiniteError for the first value that is not.
func checkFinite(op string, w kernels.Matrix) error {
	for p := range w.Rows {
		for j, v := range w.Data[p*w.Stride:][:w.Cols] {
			if v-v != 0 {
				return &kernels.NonFiniteError{Op: op, Operand: "w", Row: p, Col: j, Value: v}
			}
		}
	}
	return nil
}

// A freeList keeps the memory of calls for the next ones, at most one piece for each
// thread that Go code may run on.
type freeList[T any] struct {
	mu   sync.Mutex
	free []T
}

// take returns the zero value if there is none.
func (l *freeList[T]) take() (v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := len(l.free) - 1; last >= 0 {
		v, l.free = l.free[last], l.free[:last]
	}
	return v
}

func (l *freeList[T]) put(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) < runtime.GOMAXPROCS(0) {
		l.free = append(l.free, v)
	}
}

// resize returns n elements of arbitrary contents: those of buf if it has so many.
func resize[T any](buf []T, n int) []T {
	if cap(buf) < n {
		return make([]T, n)
	}
	return buf[:n]
}
