package kernels

import "github.com/rlx-go/gopherscope/internal/cpu"

// F32 is the float32 weight packed for the implementation that multiplies by it.
// Sums run in float32, each product and its addition rounded once (a fused
// multiply-add) where the processor has that; the error bound is that of Dense.
type F32 struct {
	k, n int
	w    []float32 // as impl.funcs.pack arranged it
	impl impl[f32Funcs]
}

// f32Funcs is an implementation of F32.
type f32Funcs struct {
	// width is the number of columns of a unit of work.
	width int
	pack  func(w Matrix) []float32
	// mul overwrites the columns lo*width <= j < min(n, hi*width) of y[m,n] with
	// those of x[m,k] W. y and x have been checked, and no dimension is 0.
	mul func(y, x Matrix, w []float32, lo, hi int)
}

var f32Table = append(table[f32Funcs]{{cpu.Ref, f32Ref}}, f32Asm...)

// NewF32 packs w[k,n]. It returns a *ShapeError when w is malformed.
func NewF32(w Matrix, opts ...Option) (*F32, error) {
	const op = "NewF32"
	o, err := applyOptions(op, opts)
	if err != nil {
		return nil, err
	}
	impl, err := f32Table.choose(op, o.impl)
	if err != nil {
		return nil, err
	}
	if err := checkMatrix(op, "w", w); err != nil {
		return nil, err
	}
	return &F32{w.Rows, w.Cols, impl.funcs.pack(w), impl}, nil
}

// Dims returns the shape [k, n] of W.
func (f *F32) Dims() (k, n int) { return f.k, f.n }

// MulTo overwrites y[m,n] with x[m,k] W.
func (f *F32) MulTo(y, x Matrix) {
	CheckMulTo("F32.MulTo", y, x, f.k, f.n)
	if emptyProduct(y, f.k) {
		return
	}
	t := f32Tasks.get()
	*t = f32Task{f, y, x}
	split(t, ceilDiv(f.n, f.impl.funcs.width), f32Nanoseconds(x.Rows, f.k, f.n))
	f32Tasks.put(t)
}

// f32Nanoseconds estimates the time of a product on one thread from 100 GFLOP/s
// and 50 GB/s.
func f32Nanoseconds(m, k, n int) int { return k * n / 50 * max(m, 4) }

type f32Task struct {
	f    *F32
	y, x Matrix
}

func (t *f32Task) run(lo, hi int) { t.f.impl.funcs.mul(t.y, t.x, t.f.w, lo, hi) }

var f32Tasks taskList[f32Task]

// Info describes the prepared weight.
func (f *F32) Info() Info {
	return Info{Scheme: SchemeF32, Impl: f.impl.name(), WeightBytes: 4 * int64(f.k) * int64(f.n), Exact: true}
}
