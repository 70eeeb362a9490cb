package main

import (
	"math/rand/v2"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/bench"
	"github.com/rlx-go/gopherscope/opscope/experiment"
)

// A benchScheme is a way to compute the product.
type benchScheme struct {
	name string
	// peak is the limit of the scheme's arithmetic.
	peak func(bench.Machine) float64
	// prepare returns nil, and the reason, for a product that is not measured.
	prepare func(in *benchInputs) (*benchProduct, error)
	// structured schemes need a weight, or activations, that others do not.
	structured bool
	// peer schemes are of other libraries, which accel opens by the name in library
	// if that is not empty.
	peer    bool
	library string
}

// benchProduct is a scheme ready to be called.
type benchProduct struct {
	call func()
	// y returns the result of a call.
	y    func() kernels.Matrix
	x, w kernels.Matrix // of which y is the product
	info kernels.Info
	ops  float64 // of one call

	density     float64 // of x
	rank, group int     // 0 where there is none
}

// benchSchemes lists all schemes in the order of the report. The first is the one
// that the others are compared with.
var benchSchemes = []benchScheme{
	{name: "f32", peak: f32Peak, prepare: multiplier(kernels.NewF32)},
	{name: "bf16", peak: bf16Peak, prepare: multiplier(kernels.NewBF16)},
	{name: "w8a16", peak: activationsOf(3), prepare: multiplier(kernels.NewW8A16)},
	{name: "w8a8", peak: int8Peak, prepare: func(in *benchInputs) (*benchProduct, error) {
		w, err := in.w8a8()
		if err != nil {
			return nil, err
		}
		return in.product(w), nil
	}},
	{name: experiment.SchemeW8A8Q, peak: int8Peak, prepare: func(in *benchInputs) (*benchProduct, error) {
		w, err := in.w8a8()
		if err != nil {
			return nil, err
		}
		p := in.product(w)
		x, y := kernels.QuantizeRows(p.x), kernels.New(in.shape.m, in.shape.n)
		p.call = func() { w.MulQuantizedTo(y, x) }
		p.y = func() kernels.Matrix { return y }
		return p, nil
	}},
	{name: "w4a16", peak: activationsOf(2), prepare: func(in *benchInputs) (*benchProduct, error) {
		p, err := multiplier(kernels.NewW4A16)(in)
		if err == nil {
			p.group = defaultGroup
		}
		return p, err
	}},
	{name: "lowrank", peak: f32Peak, structured: true, prepare: prepareLowRank},
	{name: "skipzeros", peak: f32Peak, structured: true, prepare: func(in *benchInputs) (*benchProduct, error) {
		w, err := kernels.NewSkipZeros(in.w)
		if err != nil {
			return nil, err
		}
		return in.skipZeros(w, sparseDensity), nil
	}},
	{name: "ref", peak: f32Peak, prepare: func(in *benchInputs) (*benchProduct, error) {
		if in.multiplyAdds() > maxRefMultiplyAdds {
			return nil, notMeasured("the plain loop would take minutes")
		}
		return multiplier(kernels.NewDense)(in)
	}},
	vendorScheme("accelerate", "accelerate-f32", f32Peak),
	vendorScheme("accelerate", "bnns-f32", f32Peak),
	vendorScheme("accelerate", "bnns-i8", int8Peak),
	vendorScheme("openblas", "openblas-f32", f32Peak),
	vendorScheme("onednn", "onednn-f32", f32Peak),
	vendorScheme("onednn", "onednn-bf16", bf16Peak),
	vendorScheme("onednn", "onednn-s8s8", int8Peak),
	vendorScheme("onednn", "onednn-u8s8", int8Peak),
	{name: "gonum-f32", peak: f32Peak, peer: true, prepare: prepareGonum},
}

const (
	// The group size that NewW4A16 takes by itself.
	defaultGroup = 32
	// The rank of lowrank, and of the weight it gets.
	benchRank = 8
	// The share of nonzeros in the activations that skipzeros gets.
	sparseDensity = 0.1
	// The plain loop makes about 1e9 multiply-adds a second.
	maxRefMultiplyAdds = 4e9
)

// notMeasured is why a product is left out.
type notMeasured string

func (n notMeasured) Error() string { return string(n) }

func schemeNames() []string {
	var names []string
	for _, s := range benchSchemes {
		names = append(names, s.name)
	}
	return names
}

func f32Peak(m bench.Machine) float64  { return m.F32Peak }
func int8Peak(m bench.Machine) float64 { return m.Int8Peak }
func bf16Peak(m bench.Machine) float64 { return m.BF16Peak }

// activationsOf is the limit of products of int8 codes and activations of some
// bytes, each of which takes a dot product of its own: three bytes for the precision
// of float32, two for 16 bits. Where multiplying float32 is faster it is that.
func activationsOf(bytes float64) func(bench.Machine) float64 {
	return func(m bench.Machine) float64 { return max(m.F32Peak, m.Int8Peak/bytes) }
}

// benchInputs are the operands of a shape, which its schemes share.
type benchInputs struct {
	shape benchShape
	w, x  kernels.Matrix
	peers *benchPeers

	int8Weight *kernels.W8A8 // made when it is first asked for
}

func newBenchInputs(s benchShape, peers *benchPeers) *benchInputs {
	rng := rand.New(rand.NewPCG(1, 2))
	return &benchInputs{shape: s, w: normal(s.k, s.n, rng), x: normal(s.m, s.k, rng), peers: peers}
}

func (in *benchInputs) multiplyAdds() float64 {
	return float64(in.shape.m) * float64(in.shape.k) * float64(in.shape.n)
}

// product is a call of MulTo with the operands.
func (in *benchInputs) product(w kernels.Multiplier) *benchProduct {
	y := kernels.New(in.shape.m, in.shape.n)
	return &benchProduct{
		call: func() { w.MulTo(y, in.x) },
		y:    func() kernels.Matrix { return y },
		x:    in.x, w: in.w, info: w.Info(), ops: 2 * in.multiplyAdds(), density: 1,
	}
}

// multiplier is the product of a scheme that takes any weight.
func multiplier[T kernels.Multiplier](construct func(kernels.Matrix, ...kernels.Option) (T, error)) func(*benchInputs) (*benchProduct, error) {
	return func(in *benchInputs) (*benchProduct, error) {
		w, err := construct(in.w)
		if err != nil {
			return nil, err
		}
		return in.product(w), nil
	}
}

func (in *benchInputs) w8a8() (*kernels.W8A8, error) {
	if in.int8Weight == nil {
		w, err := kernels.NewW8A8(in.w)
		if err != nil {
			return nil, err
		}
		in.int8Weight = w
	}
	return in.int8Weight, nil
}

// prepareLowRank multiplies by a weight of rank 8, which its factors make exactly.
func prepareLowRank(in *benchInputs) (*benchProduct, error) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := in.shape
	u, v := normal(s.k, benchRank, rng), normal(benchRank, s.n, rng)
	w, err := kernels.NewLowRankFactors(u, v)
	if err != nil {
		return nil, err
	}
	p := in.product(w)
	p.w = multiplied(u, v)
	p.rank = benchRank
	p.ops = 2 * float64(s.m) * float64(benchRank) * float64(s.k+s.n)
	return p, nil
}

// skipZeros multiplies activations of which a share is not zero.
func (in *benchInputs) skipZeros(w *kernels.SkipZeros, density float64) *benchProduct {
	p := in.product(w)
	y := p.y()
	x, nonzeros := sparse(in.shape.m, in.shape.k, density)
	p.call = func() { w.MulTo(y, x) }
	p.x = x
	p.density = float64(nonzeros) / float64(len(x.Data))
	p.ops = 2 * float64(nonzeros) * float64(in.shape.n)
	// It reads the rows of W that meet a nonzero in any row of x.
	met := 0
	for j := range x.Cols {
		for i := range x.Rows {
			if x.Data[i*x.Stride+j] != 0 {
				met++
				break
			}
		}
	}
	p.info.WeightBytes = 4 * int64(met) * int64(in.shape.n)
	return p
}

// sparse returns a matrix of normal values at places chosen at random, zero at the
// others, and how many they are.
func sparse(rows, cols int, density float64) (x kernels.Matrix, nonzeros int) {
	rng := rand.New(rand.NewPCG(5, 6))
	x = normal(rows, cols, rng)
	nonzeros = int(density*float64(len(x.Data)) + 0.5)
	for i, place := range rng.Perm(len(x.Data)) {
		if i >= nonzeros {
			x.Data[place] = 0
		}
	}
	return x, nonzeros
}

func normal(rows, cols int, rng *rand.Rand) kernels.Matrix {
	a := kernels.New(rows, cols)
	for i := range a.Data {
		a.Data[i] = float32(rng.NormFloat64())
	}
	return a
}

// multiplied returns u[k,r] v[r,n], summed in float64.
func multiplied(u, v kernels.Matrix) kernels.Matrix {
	w := kernels.New(u.Rows, v.Cols)
	for p := range u.Rows {
		for j := range v.Cols {
			var sum float64
			for r := range u.Cols {
				sum += float64(u.Data[p*u.Stride+r]) * float64(v.Data[r*v.Stride+j])
			}
			w.Data[p*w.Stride+j] = float32(sum)
		}
	}
	return w
}
