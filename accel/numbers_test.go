package accel

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
)

func TestQuantizeRowsIsThatOfKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := kernels.New(40, 37)
	for i := range x.Rows {
		scale := math.Pow(10, float64(i-20)*2.2)
		for j := range x.Cols {
			x.Data[i*x.Stride+j] = float32(rng.NormFloat64() * scale)
		}
	}
	// Halves, negative zero, and rows that are not finite.
	copy(x.Data, []float32{127, 0.5, -0.5, 1.5, -2.5, 0.49999997, -126.5, float32(math.Copysign(0, -1))})
	clear(x.Data[8:37])
	x.Data[3*37+4] = float32(math.NaN())
	x.Data[5*37] = float32(math.Inf(-1))
	want := kernels.QuantizeRows(x)
	for _, flip := range []uint8{0, 128} {
		codes, scales := make([]uint8, 40*37), make([]float32, 40)
		quantizeRows(codes, scales, x, flip)
		for i, code := range codes {
			if got := int(int8(code ^ flip)); got != int(want.Codes[i]) || (flip != 0 && int(code)-128 != got) {
				t.Fatalf("flip %d: code %d of %v is %d, want %d", flip, i, x.Data[i], code, want.Codes[i])
			}
		}
		for i := range scales {
			if math.Float32bits(scales[i]) != math.Float32bits(want.Scales[i]) && want.Scales[i] == want.Scales[i] {
				t.Errorf("scale %d is %v, want %v", i, scales[i], want.Scales[i])
			}
		}
		if scales[3] == scales[3] || scales[5] == scales[5] {
			t.Error("rows that are not finite have a scale")
		}
	}
}

func TestRoundBF16(t *testing.T) {
	for _, c := range []struct {
		v    float32
		want uint16
	}{
		{1, 0x3f80},
		{-1, 0xbf80},
		{1 + 0x1p-8, 0x3f80},           // halfway, down to even
		{1 + 3*0x1p-8, 0x3f82},         // halfway, up to even
		{1 + 0x1p-8 + 0x1p-20, 0x3f81}, // above halfway
		{0, 0},
		{float32(math.Copysign(0, -1)), 0x8000},
		{math.MaxFloat32, 0x7f7f},
		{-math.MaxFloat32, 0xff7f},
		{float32(math.Inf(1)), 0x7f80},
		{float32(math.Inf(-1)), 0xff80},
		{math.Float32frombits(0x7f800001), 0x7fc0},
		{math.Float32frombits(0xff800001), 0xffc0},
	} {
		if got := roundBF16(c.v); got != c.want {
			t.Errorf("%v: %#x, want %#x", c.v, got, c.want)
		}
	}
}

func TestBadWeights(t *testing.T) {
	l := &Library{Name: "lib"}
	l.offer("float", nil, float32Scheme(nil))
	l.offer("bytes", nil, func(w kernels.Matrix) (prepared, error) { return newInt8Weight("bytes", w, "f", nil, 128) })
	l.offer("missing", errors.New("it has no function f"), nil)
	for name, w := range map[string]kernels.Matrix{
		"negative":           {Rows: -1, Cols: 1, Stride: 1},
		"stride below width": {Rows: 1, Cols: 2, Stride: 1, Data: make([]float32, 2)},
		"too little data":    {Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 3)},
		"size overflows":     {Rows: 2, Cols: 1, Stride: 1 << 62, Data: make([]float32, 3)},
		"beyond an int32":    {Rows: 1 << 31, Cols: 0, Stride: 1},
	} {
		for _, scheme := range []string{"float", "bytes"} {
			var shape *kernels.ShapeError
			if _, err := l.New(scheme, w); !errors.As(err, &shape) || shape.Op != scheme || shape.Operand != "w" {
				t.Errorf("%s of a weight that is %s: %v, want a *ShapeError of w", scheme, name, err)
			}
		}
	}
	var shape *kernels.ShapeError
	if _, err := l.New("bytes", kernels.New(66312, 1)); !errors.As(err, &shape) {
		t.Errorf("a weight whose sums may overflow: %v, want a *ShapeError", err)
	}
	w := kernels.New(2, 3)
	w.Data[4] = float32(math.Inf(1))
	var nonFinite *kernels.NonFiniteError
	if _, err := l.New("bytes", w); !errors.As(err, &nonFinite) || nonFinite.Row != 1 || nonFinite.Col != 1 {
		t.Errorf("an infinity at [1,1]: %v", err)
	}
	for scheme, want := range map[string]string{"missing": "missing: it has no function f", "other": `lib has no scheme "other"`} {
		if _, err := l.New(scheme, kernels.New(1, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", scheme, err, want)
		}
	}
	closed := &Library{Err: errors.New("no file")}
	if _, err := closed.New("float", kernels.New(1, 1)); err != closed.Err {
		t.Errorf("a library that is not open: %v", err)
	}
}

// plain multiplies and then changes the result.
type plain struct {
	*kernels.Dense
	change func(y kernels.Matrix)
}

func (p plain) MulTo(y, x kernels.Matrix) {
	p.Dense.MulTo(y, x)
	p.change(y)
}

func TestVerifyRefusesWrongProducts(t *testing.T) {
	for name, change := range map[string]func(y kernels.Matrix){
		"zeros":               func(y kernels.Matrix) { clear(y.Data) },
		"off by a few":        func(y kernels.Matrix) { y.Data[0] += 3 },
		"a NaN":               func(y kernels.Matrix) { y.Data[y.Cols-1] = float32(math.NaN()) },
		"wrong for more rows": func(y kernels.Matrix) { y.Data[y.Cols-1] += float32(y.Rows - 1) },
		"wrong with gaps":     func(y kernels.Matrix) { y.Data[0] += float32(y.Stride - y.Cols) },
		"beside the result": func(y kernels.Matrix) {
			if y.Stride > y.Cols {
				y.Data[y.Stride-1]++
			}
		},
		"a failure": func(kernels.Matrix) { panic(&CallError{"f", -1}) },
	} {
		err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) {
			d, err := kernels.NewDense(w)
			return plain{d, change}, err
		}, exact)
		if err == nil {
			t.Errorf("a product that is %s passes", name)
		}
	}
	if err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewDense(w) }, exact); err != nil {
		t.Errorf("the right product: %v", err)
	}
	if err := verify(func(w kernels.Matrix) (kernels.Multiplier, error) { return kernels.NewW8A8(w) }, exact); err != nil {
		t.Errorf("the product by int8 codes: %v", err)
	}
}

func TestCatch(t *testing.T) {
	failed := &CallError{"f", -1}
	if err := Catch(func() { panic(failed) }); err != failed {
		t.Errorf("got %v, want %v", err, failed)
	}
	if err := Catch(func() {}); err != nil {
		t.Errorf("without a failure: %v", err)
	}
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("another panic becomes %v", r)
		}
	}()
	Catch(func() { panic("other") })
	t.Error("another panic is lost")
}
