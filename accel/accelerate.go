package accel

import (
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

var accelerateSource = source{
	name: "accelerate",
	env:  "GOPHERSCOPE_ACCELERATE",
	files: map[string][]string{
		// There is no such file: the loader has it in its cache.
		"darwin": {"/System/Library/Frameworks/Accelerate.framework/Accelerate"},
	},
	hint:   "it is part of macOS",
	symbol: "cblas_sgemm",
}

// The values of BLAS_THREADING, which macOS 15 and later have functions for.
const (
	blasMultiThreaded  = 0
	blasSingleThreaded = 1
)

func attachAccelerate(handle uintptr, threads int) (*Library, error) {
	var blas cblas
	if err := bindAll(handle, blas.symbols()...); err != nil {
		return nil, err
	}
	l := &Library{Version: systemVersion(), Threads: threads}
	var setThreading func(threading uint32) int32
	var getThreading func() uint32
	if bindAll(handle, symbol{"BLASSetThreading", &setThreading}, symbol{"BLASGetThreading", &getThreading}) == nil {
		if threads == 1 {
			setThreading(blasSingleThreaded)
		} else {
			setThreading(blasMultiThreaded)
		}
		if getThreading() == blasSingleThreaded {
			l.Threads = 1
		}
	}
	l.callers = newSlots(l.Threads, math.MaxInt32)
	l.offer("accelerate-f32", nil, float32Scheme(blas.multiply))

	b := &bnns{params: bnnsParams(l.Threads)}
	missing := bindAll(handle, symbol{"BNNSMatMul", &b.matMul})
	l.offer("bnns-f32", missing, func(w kernels.Matrix) (prepared, error) { return &matMulWeight{bnns: b, w: w}, nil })
	missing = bindAll(handle,
		symbol{"BNNSFilterCreateLayerFullyConnected", &b.createFullyConnected},
		symbol{"BNNSFilterApplyBatch", &b.applyBatch},
		symbol{"BNNSFilterDestroy", &b.destroy},
	)
	l.offer("bnns-i8", missing, func(w kernels.Matrix) (prepared, error) { return newFullyConnected(b, w) })
	return l, nil
}
