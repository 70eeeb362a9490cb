package accel

import (
	"errors"
	"runtime"
	"structs"
	"sync"
	"unsafe"

	"github.com/rlx-go/gopherscope/kernels"
)

// bnns holds functions of BNNS, Apple's Basic Neural Network Subroutines, which are
// part of Accelerate.
type bnns struct {
	params *bnnsFilterParameters // nil for the defaults

	matMul               func(transA, transB bool, alpha float32, a, b, c *bnnsArray, workspace unsafe.Pointer, params *bnnsFilterParameters) int32
	createFullyConnected func(layer *bnnsFullyConnected, params *bnnsFilterParameters) uintptr
	applyBatch           func(filter uintptr, batch uintptr, in *uint8, inStride uintptr, out *float32, outStride uintptr) int32
	destroy              func(filter uintptr)
}

// Values of BNNSDataType and BNNSDataLayout.
const (
	bnnsFloat32  = 0x10000 | 32
	bnnsInt8     = 0x20000 | 8
	bnnsVector   = 0x10000
	bnnsRowMajor = 0x20000 // size[0] is the number of columns, size[1] of rows
)

// bnnsArray is BNNSNDArrayDescriptor. Integers stand for their product with scale.
type bnnsArray struct {
	_             structs.HostLayout
	flags, layout uint32
	size, stride  [8]uintptr
	data          unsafe.Pointer
	dataType      uint32
	table         unsafe.Pointer
	tableType     uint32
	scale, bias   float32
}

// bnnsActivation is BNNSActivation. Zero is the identity.
type bnnsActivation struct {
	_                                            structs.HostLayout
	function                                     uint32
	alpha, beta                                  float32
	scale, offset, shift                         int32
	channelScales, channelOffsets, channelShifts unsafe.Pointer
}

// bnnsFullyConnected is BNNSLayerParametersFullyConnected.
type bnnsFullyConnected struct {
	_                   structs.HostLayout
	in, w, out, offsets bnnsArray
	activation          bnnsActivation
}

// bnnsFilterParameters is BNNSFilterParameters.
type bnnsFilterParameters struct {
	_              structs.HostLayout
	flags          uint32
	threads        uintptr
	allocate, free unsafe.Pointer
}

// bnnsParams returns what limits BNNS to one thread. It has no other use of the
// number: by default it takes what it finds best.
func bnnsParams(threads int) *bnnsFilterParameters {
	if threads == 1 {
		return &bnnsFilterParameters{threads: 1}
	}
	return nil
}

// matrix describes a float32 matrix.
func (a *bnnsArray) matrix(m kernels.Matrix) {
	*a = bnnsArray{
		layout: bnnsRowMajor, dataType: bnnsFloat32, scale: 1,
		data: unsafe.Pointer(&m.Data[0]),
		size: [8]uintptr{uintptr(m.Cols), uintptr(m.Rows)},
	}
	if m.Stride != m.Cols { // else zeros, which say that there are no gaps
		a.stride = [8]uintptr{1, uintptr(m.Stride)}
	}
}

// matMulWeight is a weight for BNNSMatMul. Integers it refuses, whatever the
// descriptors say; with float32 it shows that they are right.
type matMulWeight struct {
	bnns    *bnns
	w       kernels.Matrix
	scratch freeList[*[3]bnnsArray]
}

func (f *matMulWeight) weight() (bytes int64, exact bool) { return 4 * int64(len(f.w.Data)), true }

func (f *matMulWeight) mulTo(y, x kernels.Matrix, callers slots) error {
	arrays := f.scratch.take()
	if arrays == nil {
		arrays = new([3]bnnsArray)
	}
	defer f.scratch.put(arrays)
	// Descriptors that are kept do not keep the caller's matrices.
	defer clear(arrays[:])
	callers.enter()
	defer callers.leave()
	return f.multiply(arrays, y, x)
}

func (f *matMulWeight) ready(x kernels.Matrix) func() error {
	y := kernels.New(x.Rows, f.w.Cols)
	return func() error { return f.multiply(new([3]bnnsArray), y, x) }
}

func (f *matMulWeight) multiply(arrays *[3]bnnsArray, y, x kernels.Matrix) error {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	for i, m := range [3]kernels.Matrix{x, f.w, y} {
		pinner.Pin(&m.Data[0])
		arrays[i].matrix(m)
	}
	return status("BNNSMatMul", f.bnns.matMul(false, false, 1, &arrays[0], &arrays[1], &arrays[2], nil, f.bnns.params))
}

// fullyConnected is a weight as int8 codes with one scale for all, for a fully
// connected layer of BNNS. Activations get one scale per row, which multiplies the
// row of the result afterwards, since a layer has the scale of its input for life.
type fullyConnected struct {
	bnns    *bnns
	mu      sync.Mutex // of calls with the filter
	filter  uintptr
	k, n    int
	codes   []int8 // [n,k] = [out,in], which the filter may refer to
	pinner  runtime.Pinner
	scratch freeList[int8Scratch]
}

// errNoFilter is the only thing that BNNS says of a layer that it refuses.
var errNoFilter = errors.New("accel: BNNSFilterCreateLayerFullyConnected returned NULL")

func newFullyConnected(b *bnns, w kernels.Matrix) (*fullyConnected, error) {
	if err := checkFinite("bnns-i8", w); err != nil {
		return nil, err
	}
	f := &fullyConnected{bnns: b, k: w.Rows, n: w.Cols}
	// One row of all the values has one scale.
	t := transposed(w)
	q := kernels.QuantizeRows(kernels.Matrix{Rows: 1, Cols: len(t.Data), Stride: len(t.Data), Data: t.Data})
	f.codes = q.Codes
	f.pinner.Pin(&f.codes[0])
	layer := &bnnsFullyConnected{
		in: bnnsArray{layout: bnnsVector, dataType: bnnsInt8, scale: 1, size: [8]uintptr{uintptr(f.k)}},
		w: bnnsArray{
			layout: bnnsRowMajor, dataType: bnnsInt8, scale: q.Scales[0],
			size: [8]uintptr{uintptr(f.k), uintptr(f.n)}, data: unsafe.Pointer(&f.codes[0]),
		},
		out: bnnsArray{layout: bnnsVector, dataType: bnnsFloat32, scale: 1, size: [8]uintptr{uintptr(f.n)}},
	}
	f.filter = b.createFullyConnected(layer, b.params)
	if f.filter == 0 {
		f.pinner.Unpin()
		return nil, errNoFilter
	}
	runtime.SetFinalizer(f, func(f *fullyConnected) {
		f.bnns.destroy(f.filter)
		f.pinner.Unpin()
	})
	return f, nil
}

func (f *fullyConnected) weight() (bytes int64, exact bool) { return int64(len(f.codes)) + 4, false }

func (f *fullyConnected) mulTo(y, x kernels.Matrix, callers slots) error {
	s := f.scratch.take()
	s.codes, s.scales = resize(s.codes, x.Rows*f.k), resize(s.scales, x.Rows)
	defer f.scratch.put(s)
	quantizeRows(s.codes, s.scales, x, 0)
	if err := f.multiply(y, s.codes, callers); err != nil {
		return err
	}
	scaleRows(y, s.scales)
	return nil
}

func scaleRows(y kernels.Matrix, scales []float32) {
	for i, scale := range scales {
		yi := y.Data[i*y.Stride:][:y.Cols]
		for j := range yi {
			yi[j] *= scale
		}
	}
}

func (f *fullyConnected) multiply(y kernels.Matrix, codes []uint8, callers slots) error {
	callers.enter()
	defer callers.leave()
	return f.apply(y, codes)
}

func (f *fullyConnected) ready(x kernels.Matrix) func() error {
	codes, y := make([]uint8, x.Rows*f.k), kernels.New(x.Rows, f.n)
	quantizeRows(codes, make([]float32, x.Rows), x, 0)
	return func() error { return f.apply(y, codes) }
}

func (f *fullyConnected) apply(y kernels.Matrix, codes []uint8) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := status("BNNSFilterApplyBatch", f.bnns.applyBatch(f.filter, uintptr(y.Rows), &codes[0], uintptr(f.k), &y.Data[0], uintptr(y.Stride)))
	runtime.KeepAlive(f)
	return err
}
