package accel

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/rlx-go/gopherscope/kernels"
)

// OneDNN is the opened library of that name. Only its plain functions are used,
// which are the same in its versions 2 and 3.
type OneDNN struct {
	Library
	mu  sync.Mutex // of calls
	dnn dnn
	// u8s8Err is why products of bytes are not used: without a dot product of bytes
	// the library adds pairs in 16 bits, which saturate.
	u8s8Err error
}

// dnn holds functions of dnnl.h, row-major. They return 0 for success.
type dnn struct {
	sgemm    func(transA, transB byte, m, n, k int64, alpha float32, a *float32, lda int64, b *float32, ldb int64, beta float32, c *float32, ldc int64) int32
	gemmU8S8 func(transA, transB, offsetC byte, m, n, k int64, alpha float32, a *uint8, lda int64, ao uint8, b *int8, ldb int64, bo int8, beta float32, c *int32, ldc int64, co *int32) int32
}

// dnnVersion is the struct that dnnl_version returns a pointer to.
type dnnVersion struct {
	major, minor, patch    int32
	hash                   unsafe.Pointer
	cpuRuntime, gpuRuntime uint32
}

var oneDNNSource = source{
	name: "oneDNN",
	env:  "GOPHERSCOPE_ONEDNN",
	files: map[string][]string{
		"linux":   {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"},
		"darwin":  {"libdnnl.3.dylib", "libdnnl.2.dylib", "libdnnl.dylib"},
		"windows": {"dnnl.dll"},
	},
	hint: "on Debian: apt-get install libdnnl2",
}

var oneDNN opened[OneDNN]

// OpenOneDNN opens oneDNN with some threads, at least 1. A second call returns the
// same library, and an error if it asks for another number of threads.
func OpenOneDNN(threads int) (*OneDNN, error) {
	return oneDNN.open(oneDNNSource.name, threads, func() (*OneDNN, error) {
		l := &OneDNN{Library: Library{Name: oneDNNSource.name}}
		var version func() *dnnVersion
		var handle uintptr
		var err error
		l.File, handle, err = oneDNNSource.open([]symbol{
			{"dnnl_sgemm", &l.dnn.sgemm},
			{"dnnl_gemm_u8s8s32", &l.dnn.gemmU8S8},
			{"dnnl_version", &version},
		})
		if err != nil {
			return nil, err
		}
		v := version()
		l.Version = fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
		if l.Threads, err = v.threads(handle, threads); err != nil {
			return nil, fmt.Errorf("accel: %s: %w", l.File, err)
		}
		if err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return l.NewF32(w) }); err != nil {
			return nil, fmt.Errorf("accel: %s: %w", l.File, err)
		}
		l.u8s8Err = verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return l.newU8S8("verify", w) })
		return l, nil
	})
}

// threads returns how many threads the library will use, which depends on what it
// was built with.
func (v *dnnVersion) threads(handle uintptr, asked int) (int, error) {
	const sequential, openMP = 1, 2
	switch v.cpuRuntime {
	case sequential:
		return 1, nil
	case openMP:
		// Of the OpenMP library that this one depends on.
		var maxThreads func() int32
		if err := bindAll(handle, []symbol{{"omp_get_max_threads", &maxThreads}}); err != nil {
			return 0, err
		}
		return int(maxThreads()), nil
	}
	return asked, nil
}

// DNNF32 is a float32 weight for dnnl_sgemm.
type DNNF32 struct {
	library *OneDNN
	w       kernels.Matrix // [k,n]
}

// NewF32 copies w[k,n]. It returns a *kernels.ShapeError when w is malformed.
func (l *OneDNN) NewF32(w kernels.Matrix) (*DNNF32, error) {
	w, err := copyWeight("OneDNN.NewF32", w)
	if err != nil {
		return nil, err
	}
	return &DNNF32{l, w}, nil
}

// Dims returns the shape [k, n] of W.
func (f *DNNF32) Dims() (k, n int) { return f.w.Rows, f.w.Cols }

// MulTo overwrites y[m,n] with x[m,k] W. It panics with a *CallError when the
// library reports a failure.
func (f *DNNF32) MulTo(y, x kernels.Matrix) {
	k, n := f.Dims()
	kernels.CheckMulTo("DNNF32.MulTo", y, x, k, n)
	if trivial(y, k) {
		return
	}
	f.library.mu.Lock()
	defer f.library.mu.Unlock()
	if status := f.library.dnn.sgemm('N', 'N', int64(x.Rows), int64(n), int64(k),
		1, &x.Data[0], int64(x.Stride), &f.w.Data[0], int64(n), 0, &y.Data[0], int64(y.Stride)); status != 0 {
		panic(&CallError{"dnnl_sgemm", int(status)})
	}
}

// Info describes the prepared weight.
func (f *DNNF32) Info() kernels.Info {
	return kernels.Info{Scheme: "onednn-f32", Impl: f.library.Version, WeightBytes: 4 * int64(len(f.w.Data)), Exact: true}
}
