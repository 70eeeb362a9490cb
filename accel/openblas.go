package accel

import (
	"fmt"
	"strings"
	"sync"

	"github.com/rlx-go/gopherscope/kernels"
)

// OpenBLAS is the opened library of that name.
type OpenBLAS struct {
	Library
	mu    sync.Mutex // of calls
	cblas cblas
}

// cblas holds functions of the C interface of the BLAS, row-major, whose int has 32
// bits.
type cblas struct {
	sgemm func(order, transA, transB, m, n, k int32, alpha float32, a *float32, lda int32, b *float32, ldb int32, beta float32, c *float32, ldc int32)
	sgemv func(order, trans, m, n int32, alpha float32, a *float32, lda int32, x *float32, incX int32, beta float32, y *float32, incY int32)
}

// The values of the interface's enumerations.
const (
	rowMajor = 101
	noTrans  = 111
	trans    = 112
)

var openBLASSource = source{
	name: "OpenBLAS",
	env:  "GOPHERSCOPE_OPENBLAS",
	files: map[string][]string{
		// The bare name belongs to the development package.
		"linux":   {"libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so"},
		"darwin":  {"libopenblas.0.dylib", "libopenblas.dylib"},
		"windows": {"libopenblas.dll", "openblas.dll"},
	},
	hint: "on Debian: apt-get install libopenblas0-pthread",
}

var openBLAS opened[OpenBLAS]

// OpenOpenBLAS opens OpenBLAS with some threads, at least 1. A second call returns
// the same library, and an error if it asks for another number of threads.
func OpenOpenBLAS(threads int) (*OpenBLAS, error) {
	return openBLAS.open(openBLASSource.name, threads, func() (*OpenBLAS, error) {
		l := &OpenBLAS{Library: Library{Name: openBLASSource.name}}
		var config, core func() string
		var getThreads func() int32
		var err error
		l.File, _, err = openBLASSource.open([]symbol{
			{"cblas_sgemm", &l.cblas.sgemm},
			{"cblas_sgemv", &l.cblas.sgemv},
			{"openblas_get_config", &config},
			{"openblas_get_corename", &core},
			{"openblas_get_num_threads", &getThreads},
		})
		if err != nil {
			return nil, err
		}
		l.Version, l.Core, l.Threads = openBLASVersion(config()), core(), int(getThreads())
		if err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return l.NewF32(w) }); err != nil {
			return nil, fmt.Errorf("accel: %s: %w", l.File, err)
		}
		return l, nil
	})
}

// openBLASVersion finds the version in a configuration such as
// "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64".
func openBLASVersion(config string) string {
	fields := strings.Fields(config)
	if len(fields) < 2 || fields[0] != "OpenBLAS" {
		return config
	}
	return fields[1]
}

// BLASF32 is a float32 weight for cblas_sgemm, and for cblas_sgemv with one row of x.
type BLASF32 struct {
	library *OpenBLAS
	w       kernels.Matrix // [k,n]
}

// NewF32 copies w[k,n]. It returns a *kernels.ShapeError when w is malformed.
func (l *OpenBLAS) NewF32(w kernels.Matrix) (*BLASF32, error) {
	w, err := copyWeight("OpenBLAS.NewF32", w)
	if err != nil {
		return nil, err
	}
	return &BLASF32{l, w}, nil
}

// Dims returns the shape [k, n] of W.
func (f *BLASF32) Dims() (k, n int) { return f.w.Rows, f.w.Cols }

// MulTo overwrites y[m,n] with x[m,k] W.
func (f *BLASF32) MulTo(y, x kernels.Matrix) {
	k, n := f.Dims()
	kernels.CheckMulTo("BLASF32.MulTo", y, x, k, n)
	if trivial(y, k) {
		return
	}
	w := &f.w.Data[0]
	f.library.mu.Lock()
	defer f.library.mu.Unlock()
	if x.Rows == 1 {
		f.library.cblas.sgemv(rowMajor, trans, int32(k), int32(n), 1, w, int32(n), &x.Data[0], 1, 0, &y.Data[0], 1)
		return
	}
	f.library.cblas.sgemm(rowMajor, noTrans, noTrans, int32(x.Rows), int32(n), int32(k),
		1, &x.Data[0], int32(x.Stride), w, int32(n), 0, &y.Data[0], int32(y.Stride))
}

// Info describes the prepared weight.
func (f *BLASF32) Info() kernels.Info {
	return kernels.Info{Scheme: "openblas-f32", Impl: f.library.Version + " " + f.library.Core, WeightBytes: 4 * int64(len(f.w.Data)), Exact: true}
}
