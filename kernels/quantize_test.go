package kernels_test

import (
	"math"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

// weightError is the relative error of W in symmetric absmax int8 per channel of
// k standard normal values: the square root of the mean of (x-q)^2 under the
// distribution of the largest of k, integrated numerically.
var weightError = map[int]float64{1024: 0.00786, 3072: 0.00851}

func TestInt8ErrorOfGaussianWeight(t *testing.T) {
	for k, want := range weightError {
		w := normal(k, 512, uint64(k))
		int8Weight, err := kernels.NewInt8PerChannel(w)
		if err != nil {
			t.Fatal(err)
		}
		w8a16, err := kernels.NewW8A16(w)
		if err != nil {
			t.Fatal(err)
		}
		w8a8, err := kernels.NewW8A8(w)
		if err != nil {
			t.Fatal(err)
		}
		got := kernels.RelErr(int8Weight.Dequantize(), w)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("k=%d: error %.5f, want %.5f within 2%%", k, got, want)
		}
		for _, same := range []kernels.Matrix{w8a16.Dequantize(), w8a8.Dequantize()} {
			if !equalBits(same.Data, int8Weight.Dequantize().Data) {
				t.Errorf("k=%d: the three int8 schemes disagree about the weight", k)
			}
		}
	}
}

// Independent errors of the weight and of the activations add in squares. With
// 32 rows, the scatter of their largest values moves the error by more than 1%
// from draw to draw, hence the mean of several.
func TestInt8ErrorOfGaussianProduct(t *testing.T) {
	const m, n, draws = 32, 128, 5
	w8a8Error := map[int]float64{1024: 0.0111, 3072: 0.0120}
	for k := range weightError {
		w := normal(k, n, uint64(k)+1)
		want := map[string]float64{
			kernels.SchemeInt8PerChannel: weightError[k],
			kernels.SchemeW8A16:          weightError[k],
			kernels.SchemeW8A8:           w8a8Error[k],
		}
		var xs, products [draws]kernels.Matrix
		for d := range xs {
			xs[d] = normal(m, k, uint64(k)+2+uint64(d))
			products[d] = float64Product(w, xs[d])
		}
		for _, s := range schemes {
			if want[s.name] == 0 {
				continue
			}
			mul, mean := mustPrepare(t, s.prepare, w), 0.0
			for d := range xs {
				mean += kernels.RelErr(kernels.Mul(mul, xs[d]), products[d]) / draws
			}
			if math.Abs(mean/want[s.name]-1) > 0.03 {
				t.Errorf("%s, k=%d: error %.5f, want %.5f within 3%%", s, k, mean, want[s.name])
			}
			t.Logf("%s, k=%d: error %.5f, theory %.5f", s, k, mean, want[s.name])
		}
	}
}

func float64Product(w, x kernels.Matrix) kernels.Matrix {
	return build(x.Rows, w.Cols, func(i, j int) float32 {
		var sum float64
		for p := range x.Cols {
			sum += float64(x.Data[i*x.Stride+p]) * float64(w.Data[p*w.Stride+j])
		}
		return float32(sum)
	})
}

func TestQuantizeRowsExactCases(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name  string
		row   []float32
		scale float32
		codes []int8
	}{
		{"halves round away from zero", []float32{254, 1, -1, 3, -3, 0.99}, 2, []int8{127, 1, -1, 2, -2, 0}},
		{"the extremes are 127 and -127", []float32{-4, 4, 1}, 4. / 127, []int8{-127, 127, 32}},
		{"zeros", []float32{0, float32(math.Copysign(0, -1)), 0}, 0x1p-126, []int8{0, 0, 0}},
		{"the smallest subnormal", []float32{0x1p-149, 0}, 0x1p-126, []int8{0, 0}},
		{"the scale stops at the smallest normal", []float32{0x1p-126, 0x1p-124}, 0x1p-126, []int8{1, 4}},
		{"the largest float32", []float32{math.MaxFloat32, -math.MaxFloat32 / 4}, math.MaxFloat32 / 127, []int8{127, -32}},
		{"NaN", []float32{1, nan, 2}, nan, []int8{0, 0, 0}},
		{"infinity", []float32{1, 2, -inf}, nan, []int8{0, 0, 0}},
		{"nothing", nil, 0x1p-126, nil},
	} {
		q := kernels.QuantizeRows(kernels.Matrix{Rows: 1, Cols: len(c.row), Stride: len(c.row), Data: c.row})
		if !slices.Equal(q.Codes, c.codes) || !equalBits(q.Scales, []float32{c.scale}) {
			t.Errorf("%s: codes %v scale %v, want %v and %v", c.name, q.Codes, q.Scales, c.codes, c.scale)
		}
	}
}

func TestQuantizeRowsUsesStridesAndRefusesMalformedX(t *testing.T) {
	x := kernels.Matrix{Rows: 2, Cols: 2, Stride: 3, Data: []float32{127, 1, 999, 2, 254}}
	q := kernels.QuantizeRows(x)
	if !slices.Equal(q.Codes, []int8{127, 1, 1, 127}) || !slices.Equal(q.Scales, []float32{1, 2}) {
		t.Errorf("codes %v scales %v, want [127 1 1 127] and [1 2]", q.Codes, q.Scales)
	}
	x.Data = x.Data[:4]
	if err, ok := panicked(func() { kernels.QuantizeRows(x) }).(*kernels.ShapeError); !ok || err.Operand != "x" {
		t.Errorf("short data: got %v, want a *ShapeError about x", err)
	}
}

func TestQuantizeRowsErrorIsHalfAStep(t *testing.T) {
	x := normal(50, 301, 9)
	q := kernels.QuantizeRows(x)
	for i := range x.Rows {
		for p := range x.Cols {
			v, code := float64(x.Data[i*x.Stride+p]), q.Codes[i*q.Cols+p]
			if e := math.Abs(v - float64(q.Scales[i])*float64(code)); e > 0.50003*float64(q.Scales[i]) || code < -127 {
				t.Fatalf("x[%d,%d] = %v became code %d of scale %v: off by %v", i, p, v, code, q.Scales[i], e)
			}
		}
	}
}

func TestMulQuantizedToEqualsMulTo(t *testing.T) {
	for _, d := range []struct{ m, k, n int }{{0, 3, 2}, {1, 1, 1}, {5, 33, 17}, {3, 0, 4}, {2, 7, 0}} {
		mul, err := kernels.NewW8A8(normal(d.k, d.n, 10))
		if err != nil {
			t.Fatal(err)
		}
		x := normal(d.m, d.k, 11)
		if d.m > 2 && d.k > 0 {
			x.Data[2*d.k] = float32(math.NaN())
		}
		y := build(d.m, d.n, func(int, int) float32 { return float32(math.NaN()) })
		mul.MulQuantizedTo(y, kernels.QuantizeRows(x))
		if want := kernels.Mul(mul, x); !equalBits(y.Data, want.Data) {
			t.Errorf("m=%d k=%d n=%d: got %v, want %v", d.m, d.k, d.n, y.Data, want.Data)
		}
	}
}

func TestMulQuantizedToRefuses(t *testing.T) {
	mul, err := kernels.NewW8A8(normal(3, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	good := kernels.QuantizeRows(normal(4, 3, 1))
	for _, c := range []struct {
		name    string
		change  func(*kernels.QuantizedRows)
		y       kernels.Matrix
		operand string
	}{
		{"wrong columns", func(q *kernels.QuantizedRows) { q.Cols = 2 }, kernels.New(4, 2), "x"},
		{"negative rows", func(q *kernels.QuantizedRows) { q.Rows = -1 }, kernels.New(4, 2), "x"},
		{"a code too few", func(q *kernels.QuantizedRows) { q.Codes = q.Codes[:11] }, kernels.New(4, 2), "x"},
		{"a scale too few", func(q *kernels.QuantizedRows) { q.Scales = q.Scales[:3] }, kernels.New(4, 2), "x"},
		{"more rows than codes", func(q *kernels.QuantizedRows) { q.Rows = math.MaxInt }, kernels.New(4, 2), "x"},
		{"y too small", func(q *kernels.QuantizedRows) {}, kernels.New(3, 2), "y"},
	} {
		q := good
		c.change(&q)
		err, ok := panicked(func() { mul.MulQuantizedTo(c.y, q) }).(*kernels.ShapeError)
		if !ok || err.Operand != c.operand {
			t.Errorf("%s: got %v, want a *ShapeError about %s", c.name, err, c.operand)
		}
	}
}

// The sums of products of codes pass 2^31 here; floats hold them to 2^-24.
func TestInt8SumsDoNotOverflow(t *testing.T) {
	const k = 1<<18 + 3
	w := build(k, 2, func(_, j int) float32 { return float32(127 - 254*j) })
	mul, err := kernels.NewW8A8(w)
	if err != nil {
		t.Fatal(err)
	}
	y := kernels.Mul(mul, build(1, k, func(int, int) float32 { return -127 }))
	if want := float32(127 * 127 * k); y.Data[0] != -want || y.Data[1] != want {
		t.Errorf("y = %v, want [%v %v]", y.Data, -want, want)
	}

	// Codes of -128 cannot come from QuantizeRows, but a caller may have them.
	q := kernels.QuantizedRows{Rows: 1, Cols: k, Codes: slices.Repeat([]int8{-128}, k), Scales: []float32{1}}
	mul.MulQuantizedTo(y, q)
	if want := float32(128 * 127 * k); y.Data[0] != -want || y.Data[1] != want {
		t.Errorf("y = %v, want [%v %v]", y.Data, -want, want)
	}
}

// The product with the identity shows the weight that a scheme multiplies by.
func TestDequantizeIsTheWeightMultipliedBy(t *testing.T) {
	const k, n = 40, 23
	w := normal(k, n, 12)
	int8Weight, err := kernels.NewInt8PerChannel(w)
	if err != nil {
		t.Fatal(err)
	}
	w8a16, err := kernels.NewW8A16(w)
	if err != nil {
		t.Fatal(err)
	}
	if got := kernels.Mul(int8Weight, identity(k)); !slices.Equal(got.Data, int8Weight.Dequantize().Data) {
		t.Error("Int8PerChannel multiplies by another weight than it dequantizes to")
	}
	if got := kernels.Mul(w8a16, identity(k)); !slices.Equal(got.Data, w8a16.Dequantize().Data) {
		t.Error("W8A16 multiplies by another weight than it dequantizes to")
	}
}
