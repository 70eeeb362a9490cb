package main

import (
	"fmt"
	"os"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/rlx-go/gopherscope/accel"
	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
)

// benchPeers are the other libraries that are open, by their name.
type benchPeers struct {
	libraries map[string]*accel.Library
	notes     []string
}

// openPeers opens the libraries that the schemes need.
func openPeers(schemes []benchScheme, threads int) *benchPeers {
	p := &benchPeers{libraries: map[string]*accel.Library{}}
	chooseByProcessor()
	if err := accel.SetThreads(threads); err != nil {
		p.notes = append(p.notes, err.Error())
		return p
	}
	var tried []string
	for _, s := range schemes {
		if s.library == "" || slices.Contains(tried, s.library) {
			continue
		}
		tried = append(tried, s.library)
		if l, err := accel.Open(s.library); err != nil {
			p.notes = append(p.notes, err.Error())
		} else if p.usable(*l, threads) {
			p.libraries[s.library] = l
		}
	}
	return p
}

// chooseByProcessor removes variables with which OpenBLAS would not choose its code
// for this processor.
func chooseByProcessor() {
	os.Unsetenv("OPENBLAS_CORETYPE")
	os.Unsetenv("OPENBLAS_L2_SIZE")
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

// vendorScheme is the call of a library alone, whatever it takes: activations that are
// not float32 are converted before, as those of w8a8-q are.
func vendorScheme(library, name string, peak func(bench.Machine) float64) benchScheme {
	return benchScheme{name: name, peak: peak, peer: true, library: library, prepare: func(in *benchInputs) (*benchProduct, error) {
		l := in.peers.libraries[library]
		if l == nil {
			return nil, errNotOpen
		}
		w, err := l.New(name, in.w)
		if err != nil {
			return nil, notMeasured(err.Error())
		}
		p := in.product(w)
		p.call = w.Call(in.x)
		if err := accel.Catch(p.call); err != nil {
			return nil, notMeasured(err.Error())
		}
		p.y = func() kernels.Matrix { return kernels.Mul(w, in.x) }
		return p, nil
	}}
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
