package kerneltest

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/rlx-go/gopherscope/kernels"
)

// plain is a Multiplier made of a function, right or wrong.
type plain struct {
	w     kernels.Matrix
	mulTo func(y, x, w kernels.Matrix)
}

func (p plain) Dims() (k, n int)          { return p.w.Rows, p.w.Cols }
func (p plain) MulTo(y, x kernels.Matrix) { p.mulTo(y, x, p.w) }
func (p plain) Info() kernels.Info {
	return kernels.Info{Scheme: "plain", Impl: "plain", WeightBytes: 1}
}

func preparePlain(mulTo func(y, x, w kernels.Matrix)) Prepare {
	return func(w kernels.Matrix) (kernels.Multiplier, error) { return plain{clone(w), mulTo}, nil }
}

func check(y, x, w kernels.Matrix) { kernels.CheckMulTo("plain", y, x, w.Rows, w.Cols) }

// multiply is right: it sums in float64.
func multiply(y, x, w kernels.Matrix) {
	for i := range y.Rows {
		for j := range y.Cols {
			var sum float64
			for p := range x.Cols {
				sum += float64(x.Data[i*x.Stride+p]) * float64(w.Data[p*w.Stride+j])
			}
			y.Data[i*y.Stride+j] = float32(sum)
		}
	}
}

func TestRightMultiplierPasses(t *testing.T) {
	right := func(y, x, w kernels.Matrix) {
		check(y, x, w)
		multiply(y, x, w)
	}
	for name, bound := range map[string]Bound{"Float32Bound": Float32Bound, "Int8WeightBound": Int8WeightBound, "Int8Bound": Int8Bound} {
		t.Run(name, func(t *testing.T) { Run(t, preparePlain(right), bound) })
	}
}

var sink float32

// at returns the address of the value i places from the start of a.
func at(a kernels.Matrix, i int) *float32 {
	return (*float32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.Data)), 4*i))
}

func TestFaultsAreFound(t *testing.T) {
	var mu sync.Mutex
	shared := make([]float32, 1<<12)
	for _, c := range []struct {
		fault string
		check func(Prepare, Bound) error
		mulTo func(y, x, w kernels.Matrix)
	}{
		{"adds to y", checkLayouts, func(y, x, w kernels.Matrix) {
			before := clone(y)
			multiply(y, x, w)
			fillMatrix(y, func(i, j int) float32 { return y.Data[i*y.Stride+j] + before.Data[i*y.Stride+j] })
		}},
		{"drops the tail of k", checkShapes, func(y, x, w kernels.Matrix) {
			if x.Cols > 8 {
				x.Cols &^= 7
			}
			multiply(y, x, w)
		}},
		{"rounds to bfloat16", checkShapes, func(y, x, w kernels.Matrix) {
			multiply(y, x, w)
			fillMatrix(y, func(i, j int) float32 {
				return math.Float32frombits(math.Float32bits(y.Data[i*y.Stride+j]) &^ 0xffff)
			})
		}},
		{"rounds integers", checkExactIntegers(127), func(y, x, w kernels.Matrix) {
			multiply(y, x, w)
			fillMatrix(y, func(i, j int) float32 { return y.Data[i*y.Stride+j] * (1 + 0x1p-22) })
		}},
		{"clips activations", checkMagnitudes, func(y, x, w kernels.Matrix) {
			x = clone(x)
			fillMatrix(x, func(i, j int) float32 { return max(-1000, min(1000, x.Data[i*x.Stride+j])) })
			multiply(y, x, w)
		}},
		{"divides by a zero scale", checkMagnitudes, func(y, x, w kernels.Matrix) {
			multiply(y, x, w)
			fillMatrix(y, func(i, j int) float32 { return y.Data[i*y.Stride+j] / w.Data[j] * w.Data[j] })
		}},
		{"ignores the stride of x", checkLayouts, func(y, x, w kernels.Matrix) {
			x.Stride = x.Cols
			multiply(y, x, w)
		}},
		{"writes between the rows of y", checkLayouts, func(y, x, w kernels.Matrix) {
			multiply(y, x, w)
			if y.Rows > 1 && y.Stride > y.Cols {
				y.Data[y.Cols] = 0
			}
		}},
		{"writes x", checkLayouts, func(y, x, w kernels.Matrix) {
			multiply(y, x, w)
			fillMatrix(x, func(i, j int) float32 { return 0 })
		}},
		{"does not check shapes", checkBadOperands, multiply},
		{"does not check for overlap", checkBadOperands, func(y, x, w kernels.Matrix) {
			apart := y
			apart.Data = make([]float32, len(y.Data))
			check(apart, x, w)
			multiply(y, x, w)
		}},
		{"writes before it refuses", checkBadOperands, func(y, x, w kernels.Matrix) {
			if len(y.Data) > 0 {
				y.Data[0] = 0
			}
			check(y, x, w)
		}},
		{"refuses with another type", checkBadOperands, func(y, x, w kernels.Matrix) {
			if caught(func() { check(y, x, w) }) != nil {
				panic("wrong shape")
			}
		}},
		{"refuses interleaved views", checkInterleavedViews, func(y, x, w kernels.Matrix) {
			if at(y, 0) == at(x, x.Cols) {
				panic(&kernels.ShapeError{})
			}
			multiply(y, x, w)
		}},
		{"takes NaN for zero", checkNonFiniteActivations, func(y, x, w kernels.Matrix) {
			x = clone(x)
			fillMatrix(x, func(i, j int) float32 {
				if v := x.Data[i*x.Stride+j]; v == v {
					return v
				}
				return 0
			})
			multiply(y, x, w)
		}},
		{"saturates infinities", checkNonFiniteActivations, func(y, x, w kernels.Matrix) {
			x = clone(x)
			fillMatrix(x, func(i, j int) float32 {
				v := x.Data[i*x.Stride+j]
				if math.IsInf(float64(v), 0) {
					return 1
				}
				return v
			})
			multiply(y, x, w)
		}},
		{"spreads NaN over all rows", checkNonFiniteActivations, func(y, x, w kernels.Matrix) {
			var sum float32
			for _, v := range x.Data {
				sum += v
			}
			multiply(y, x, w)
			fillMatrix(y, func(i, j int) float32 { return y.Data[i*y.Stride+j] + 0*sum })
		}},
		{"shares scratch memory between callers", checkConcurrent, func(y, x, w kernels.Matrix) {
			// The lock keeps the fault from being a data race as well.
			mu.Lock()
			copy(shared, x.Data)
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			defer mu.Unlock()
			x.Data = shared
			multiply(y, x, w)
		}},
		{"depends on the number of threads", checkThreads, func(y, x, w kernels.Matrix) {
			multiply(y, x, w)
			y.Data[0] += float32(kernels.Threads())
		}},
		{"allocates on several threads", checkThreads, func(y, x, w kernels.Matrix) {
			if kernels.Threads() > 1 {
				x = clone(x)
			}
			multiply(y, x, w)
		}},
		{"allocates", checkNoAllocations, func(y, x, w kernels.Matrix) {
			multiply(y, clone(x), w)
		}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			if err := c.check(preparePlain(c.mulTo), Float32Bound); err == nil {
				t.Error("the suite accepts it")
			} else {
				t.Log(err)
			}
		})
	}
}

func TestWrongInfoIsFound(t *testing.T) {
	transposed := func(w kernels.Matrix) (kernels.Multiplier, error) {
		return plain{kernels.New(w.Cols, w.Rows), multiply}, nil
	}
	if checkInfo(transposed, Float32Bound) == nil {
		t.Error("the suite accepts a Multiplier with k and n exchanged")
	}
}

func TestKeptWeightIsFound(t *testing.T) {
	keep := func(w kernels.Matrix) (kernels.Multiplier, error) { return plain{w, multiply}, nil }
	if checkWeightIsCopied(keep, Float32Bound) == nil {
		t.Error("the suite accepts a Multiplier that keeps the caller's weight")
	}
}

func TestAccessOutsideOperandsIsFound(t *testing.T) {
	type access struct {
		name  string
		mulTo func(y, x, w kernels.Matrix)
	}
	cases := []access{
		{"writes past y", func(y, x, w kernels.Matrix) { *at(y, len(y.Data)) = 1 }},
		{"writes before y", func(y, x, w kernels.Matrix) { *at(y, -1) = 1 }},
	}
	if runtime.GOOS != "windows" { // where there are no guard pages
		cases = append(cases,
			access{"reads past x", func(y, x, w kernels.Matrix) { sink = *at(x, len(x.Data)) }},
			access{"reads before x", func(y, x, w kernels.Matrix) { sink = *at(x, -1) }})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := checkGuardPages(preparePlain(func(y, x, w kernels.Matrix) {
				multiply(y, x, w)
				c.mulTo(y, x, w)
			}), Float32Bound)
			if err == nil {
				t.Error("the suite accepts it")
			} else {
				t.Log(err)
			}
		})
	}
}

func TestFloat32BoundIsReached(t *testing.T) {
	// 1 + 2^-24 + ... + 2^-24 in order never leaves 1: the error of k-1 terms is
	// (k-1) u, which a bound much below k u would not allow.
	const k = 1000
	w, x := kernels.New(k, 1), kernels.New(1, k)
	fillMatrix(w, func(p, _ int) float32 {
		if p == 0 {
			return 1
		}
		return unit
	})
	fillMatrix(x, func(int, int) float32 { return 1 })
	y := kernels.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: []float32{1}}
	if err := compare(y, w, x, Float32Bound); err != nil {
		t.Error(err)
	}
	y.Data[0] = 1 - 10*unit
	if compare(y, w, x, Float32Bound) == nil {
		t.Error("accepts a value beyond the bound")
	}
}
