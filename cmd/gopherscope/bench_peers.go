package main

import (
	"fmt"
	"os"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/rlx-go/gopherscope/accel"
	"github.com/rlx-go/gopherscope/kernels"
)

// benchPeers are the other libraries that are open; nil where one is not.
type benchPeers struct {
	openBLAS *accel.OpenBLAS
	oneDNN   *accel.OneDNN
	notes    []string
}

// openPeers opens the libraries that the schemes need.
func openPeers(schemes []benchScheme, threads int) *benchPeers {
	p := &benchPeers{}
	wanted := func(names ...string) bool {
		return slices.ContainsFunc(schemes, func(s benchScheme) bool { return slices.Contains(names, s.name) })
	}
	if wanted("openblas-f32") {
		// With these set it would not choose its code for this processor.
		os.Unsetenv("OPENBLAS_CORETYPE")
		os.Unsetenv("OPENBLAS_L2_SIZE")
		if l, err := accel.OpenOpenBLAS(threads); err != nil {
			p.notes = append(p.notes, err.Error())
		} else if p.usable(l.Library, threads) {
			p.openBLAS = l
		}
	}
	if wanted("onednn-f32", "onednn-u8s8") {
		if l, err := accel.OpenOneDNN(threads); err != nil {
			p.notes = append(p.notes, err.Error())
		} else if p.usable(l.Library, threads) {
			p.oneDNN = l
		}
	}
	return p
}

// usable notes what a library is, and reports whether it uses as many threads as it
// was asked to.
func (p *benchPeers) usable(l accel.Library, threads int) bool {
	note := fmt.Sprintf("%s %s (%s)", l.Name, l.Version, l.File)
	if l.Core != "" {
		note += ", code for " + l.Core
	}
	if l.Threads != threads {
		note += fmt.Sprintf(": left out, since it uses %d threads in place of %d", l.Threads, threads)
	}
	p.notes = append(p.notes, note)
	return l.Threads == threads
}

// errNotOpen stands for the note that says why.
const errNotOpen = notMeasured("")

func prepareOpenBLAS(in *benchInputs) (*benchProduct, error) {
	if in.peers.openBLAS == nil {
		return nil, errNotOpen
	}
	w, err := in.peers.openBLAS.NewF32(in.w)
	if err != nil {
		return nil, err
	}
	return in.product(w), nil
}

func prepareOneDNN(in *benchInputs) (*benchProduct, error) {
	if in.peers.oneDNN == nil {
		return nil, errNotOpen
	}
	w, err := in.peers.oneDNN.NewF32(in.w)
	if err != nil {
		return nil, err
	}
	return in.product(w), nil
}

// prepareU8S8 times the product of codes, as w8a8-q does.
func prepareU8S8(in *benchInputs) (*benchProduct, error) {
	if in.peers.oneDNN == nil {
		return nil, errNotOpen
	}
	w, err := in.peers.oneDNN.NewU8S8(in.w)
	if err != nil {
		return nil, notMeasured(err.Error())
	}
	p := in.product(w)
	whole := p.call
	y := p.y()
	codes, sums := make([]uint8, in.shape.m*in.shape.k), make([]int32, in.shape.m*in.shape.n)
	for i := range codes {
		codes[i] = uint8(i * 37)
	}
	p.call = func() { w.MulCodesTo(sums, codes) }
	p.y = func() kernels.Matrix {
		whole()
		return y
	}
	return p, nil
}

// gonumF32 is a weight as it is, for gonum's own BLAS.
type gonumF32 struct{ w kernels.Matrix }

func (g gonumF32) Dims() (k, n int) { return g.w.Rows, g.w.Cols }

func (g gonumF32) MulTo(y, x kernels.Matrix) {
	if x.Rows == 1 {
		blas32.Gemv(blas.Trans, 1, g.w, blas32.Vector{N: x.Cols, Inc: 1, Data: x.Data}, 0, blas32.Vector{N: y.Cols, Inc: 1, Data: y.Data})
		return
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, g.w, 0, y)
}

func (g gonumF32) Info() kernels.Info {
	return kernels.Info{Scheme: "gonum-f32", Impl: "gonum", WeightBytes: 4 * int64(len(g.w.Data)), Exact: true}
}

func prepareGonum(in *benchInputs) (*benchProduct, error) { return in.product(gonumF32{in.w}), nil }
