package accel

import (
	"fmt"
	"math"
	"runtime"

	"github.com/rlx-go/gopherscope/kernels"
)

// A Multiplier is a weight W[k,n] prepared for a scheme of a library. It is a
// kernels.Multiplier.
type Multiplier struct {
	prepared // nil if k or n is 0
	op       string
	k, n     int
	info     kernels.Info
	callers  slots
}

// prepared is a weight in the form that a scheme takes. The operands of its methods
// have the right shapes, and neither m, k nor n is 0.
type prepared interface {
	// weight returns the bytes that a call reads of it, and whether products differ
	// from those in float32 by the rounding of sums alone.
	weight() (bytes int64, exact bool)
	// mulTo overwrites y with x W. It makes the library's call between enter and
	// leave of callers, and returns a *CallError if it fails.
	mulTo(y, x kernels.Matrix, callers slots) error
	// ready converts x, and returns the library's call alone.
	ready(x kernels.Matrix) (call func() error)
}

// A CallError is a failure that a library reported. MulTo panics with it; see [Catch].
type CallError struct {
	Function string // of the library
	Status   int    // that it returned
}

func (e *CallError) Error() string {
	return fmt.Sprintf("accel: %s returned %d", e.Function, e.Status)
}

// status returns the error of a function that returns 0 for success.
func status(function string, result int32) error {
	if result == 0 {
		return nil
	}
	return &CallError{function, int(result)}
}

// Catch calls f and returns the *CallError that it panics with; nil if it does not.
func Catch(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(*CallError)
			if !ok {
				panic(r)
			}
			err = failed
		}
	}()
	f()
	return nil
}

// Dims returns the shape [k, n] of W.
func (m *Multiplier) Dims() (k, n int) { return m.k, m.n }

// Info describes the prepared weight.
func (m *Multiplier) Info() kernels.Info { return m.info }

// MulTo overwrites y[m,n] with x[m,k] W. It panics with a *kernels.ShapeError as every
// kernels.Multiplier does, and with a *CallError when the library reports a failure.
func (m *Multiplier) MulTo(y, x kernels.Matrix) {
	kernels.CheckMulTo(m.op, y, x, m.k, m.n)
	if m.prepared == nil || y.Rows == 0 {
		for i := 0; i < y.Rows && y.Cols > 0; i++ {
			clear(y.Data[i*y.Stride:][:y.Cols])
		}
		return
	}
	if err := m.mulTo(y, x, m.callers); err != nil {
		panic(err)
	}
}

// Call returns the library's call alone, for timing: x[m,k] is converted beforehand
// where the scheme asks for that, the result goes to memory of the call's own, and
// what MulTo does to it afterwards is left out. Calls of one function must not run at
// the same time; they panic with a *CallError as MulTo does. Call panics with a
// *kernels.ShapeError when x does not fit.
func (m *Multiplier) Call(x kernels.Matrix) func() {
	kernels.CheckMulTo(m.op, kernels.New(x.Rows, m.n), x, m.k, m.n)
	if m.prepared == nil || x.Rows == 0 {
		return func() {}
	}
	call := m.ready(x)
	return func() {
		m.callers.enter()
		defer m.callers.leave()
		if err := call(); err != nil {
			panic(err)
		}
	}
}

// multiplyOnce multiplies one row of zeros.
func (m *Multiplier) multiplyOnce() error {
	if m.prepared == nil {
		return nil
	}
	return m.mulTo(kernels.New(1, m.n), kernels.New(1, m.k), m.callers)
}

// slots limits how many callers are in a library at the same time.
type slots chan struct{}

// newSlots gives a library with several threads one caller at a time, and one with a
// single thread as many as Go runs, but at most limit.
func newSlots(threads, limit int) slots {
	n := 1
	if threads == 1 {
		n = max(1, min(runtime.GOMAXPROCS(0), limit))
	}
	return make(slots, n)
}

func (s slots) enter() { s <- struct{}{} }
func (s slots) leave() { <-s }

// copyWeight returns w[k,n] without gaps between its rows. It returns a
// *kernels.ShapeError when w is malformed or has a dimension that an int32 does not
// hold.
func copyWeight(op string, w kernels.Matrix) (kernels.Matrix, error) {
	bad := func(got, want string) (kernels.Matrix, error) {
		return kernels.Matrix{}, &kernels.ShapeError{Op: op, Operand: "w", Got: got, Want: want}
	}
	shape := fmt.Sprintf("[%d,%d]", w.Rows, w.Cols)
	switch {
	case w.Rows < 0 || w.Cols < 0 || w.Rows > math.MaxInt32 || w.Cols > math.MaxInt32:
		return bad(shape, "dimensions from 0 to 2^31-1")
	case w.Stride < w.Cols:
		return bad(fmt.Sprintf("stride %d", w.Stride), fmt.Sprintf("at least its %d columns", w.Cols))
	case w.Rows == 0 || w.Cols == 0:
		return kernels.New(w.Rows, w.Cols), nil
	// The product (Rows-1)*Stride can overflow, the quotient cannot.
	case len(w.Data) < w.Cols || (len(w.Data)-w.Cols)/w.Stride < w.Rows-1:
		return bad(fmt.Sprintf("%d values of data", len(w.Data)), fmt.Sprintf("enough for %s with stride %d", shape, w.Stride))
	}
	c := kernels.New(w.Rows, w.Cols)
	for i := range w.Rows {
		copy(c.Data[i*c.Stride:][:w.Cols], w.Data[i*w.Stride:])
	}
	return c, nil
}
