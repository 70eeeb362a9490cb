package accel

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/rlx-go/gopherscope/kernels"
)

var oneDNNSource = source{
	name: "onednn",
	env:  "GOPHERSCOPE_ONEDNN",
	files: map[string][]string{
		"linux":   {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"},
		"darwin":  {"libdnnl.3.dylib", "libdnnl.2.dylib", "libdnnl.dylib"},
		"windows": {"dnnl.dll"},
	},
	hint:   "on Debian: apt-get install libdnnl2; elsewhere: conda install onednn",
	symbol: "dnnl_sgemm",
}

// dnn holds plain functions of oneDNN, which are the same in its versions 2 and 3 and
// take row-major matrices. They return 0 for success.
type dnn struct {
	sgemm    func(transA, transB byte, m, n, k int64, alpha float32, a *float32, lda int64, b *float32, ldb int64, beta float32, c *float32, ldc int64) int32
	gemmBF16 func(transA, transB byte, m, n, k int64, alpha float32, a *uint16, lda int64, b *uint16, ldb int64, beta float32, c *float32, ldc int64) int32
	gemmS8S8 dnnGemmInt8
	gemmU8S8 dnnGemmInt8
}

// dnnGemmInt8 is the type of both functions for bytes. The first says whether a has
// signed ones.
type dnnGemmInt8 func(transA, transB, offsetC byte, m, n, k int64, alpha float32, a *uint8, lda int64, ao uint8, b *int8, ldb int64, bo int8, beta float32, c *int32, ldc int64, co *int32) int32

// dnnVersion is the struct that dnnl_version returns a pointer to.
type dnnVersion struct {
	major, minor, patch    int32
	hash                   unsafe.Pointer
	cpuRuntime, gpuRuntime uint32
}

func attachOneDNN(handle uintptr, threads int) (*Library, error) {
	var d dnn
	var version func() *dnnVersion
	if err := bindAll(handle, symbol{"dnnl_sgemm", &d.sgemm}, symbol{"dnnl_version", &version}); err != nil {
		return nil, err
	}
	v := version()
	if v == nil {
		return nil, errors.New("dnnl_version returned NULL")
	}
	l := &Library{Version: fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)}
	var err error
	if l.Threads, err = v.threads(handle, threads); err != nil {
		return nil, err
	}
	l.callers = newSlots(l.Threads, math.MaxInt32)

	var isa func() int32
	var isaName func(isa int32) string
	if bindAll(handle, symbol{"dnnl_get_effective_cpu_isa", &isa}, symbol{"dnnl_cpu_isa2str", &isaName}) == nil {
		l.Core = strings.TrimPrefix(isaName(isa()), "cpu_isa_")
	}

	l.offer("onednn-f32", nil, float32Scheme(func(y, x, w kernels.Matrix) error {
		return status("dnnl_sgemm", d.sgemm('N', 'N', int64(x.Rows), int64(w.Cols), int64(w.Rows),
			1, &x.Data[0], int64(x.Stride), &w.Data[0], int64(w.Cols), 0, &y.Data[0], int64(y.Stride)))
	}))
	// Not in the public header, though the library has it.
	bf16Missing := bindAll(handle, symbol{"dnnl_gemm_bf16bf16f32", &d.gemmBF16})
	l.offer("onednn-bf16", bf16Missing, func(w kernels.Matrix) (prepared, error) { return newBF16Weight(&d, w), nil })
	s8s8Missing := bindAll(handle, symbol{"dnnl_gemm_s8s8s32", &d.gemmS8S8})
	l.offer("onednn-s8s8", s8s8Missing, func(w kernels.Matrix) (prepared, error) {
		return newInt8Weight("onednn-s8s8", w, "dnnl_gemm_s8s8s32", d.gemmS8S8, 0)
	})
	u8s8Missing := bindAll(handle, symbol{"dnnl_gemm_u8s8s32", &d.gemmU8S8})
	l.offer("onednn-u8s8", u8s8Missing, func(w kernels.Matrix) (prepared, error) {
		return newInt8Weight("onednn-u8s8", w, "dnnl_gemm_u8s8s32", d.gemmU8S8, 128)
	})
	return l, nil
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
		if err := bindAll(handle, symbol{"omp_get_max_threads", &maxThreads}); err != nil {
			return 0, err
		}
		return int(maxThreads()), nil
	}
	return asked, nil
}
