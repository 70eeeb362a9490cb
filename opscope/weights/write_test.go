package weights_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/weights"
)

// The bytes of a file with a value of each type, worked out by hand.
func TestWriteSafetensorsBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	err := weights.WriteSafetensors(path, []weights.Named{
		{Name: "h", DType: weights.F16, Shape: []int{1, 2}, Data: []float32{1, -2}},
		{Name: "b", DType: weights.BF16, Shape: []int{1}, Data: []float32{1}},
		{Name: "s", Data: []float32{1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := `{"b":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]},` +
		`"h":{"dtype":"F16","shape":[1,2],"data_offsets":[4,8]},` +
		`"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := tensorFile(header, []byte{0, 0, 0x80, 0x3f, 0, 0x3c, 0, 0xc0, 0x80, 0x3f})
	if !slices.Equal(got, want) {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestWriteSafetensorsAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	values := []float32{0, 1, -1, 0.5, 3, -0.25}
	tensors := []weights.Named{
		{Name: "a.weight", Shape: []int{2, 3}, Data: values},
		{Name: `quoted "é" <&>` + "\n", Shape: []int{3, 2, 1, 1}, DType: weights.F16, Data: values},
		{Name: "", Shape: []int{6, 1}, DType: weights.BF16, Data: values},
		{Name: "empty", Shape: []int{0, 7}},
		{Name: "deep", Shape: []int{1, 1, 1, 1, 1, 6}, Data: values},
		{Name: "scalar", Data: values[:1]},
	}
	for range 2 { // the second time over the first file
		if err := weights.WriteSafetensors(path, tensors); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, path)
	if n := len(f.Tensors()); n != len(tensors) || f.Format() != "safetensors" {
		t.Fatalf("%d tensors of %s", n, f.Format())
	}
	for _, x := range f.Tensors() {
		i := slices.IndexFunc(tensors, func(n weights.Named) bool { return n.Name == x.Name })
		if i < 0 || !slices.Equal(x.Shape, tensors[i].Shape) && len(x.Shape) > 0 {
			t.Errorf("read %q %v", x.Name, x.Shape)
		}
		if x.Offset%int64(x.DType.Bits()/8) != 0 {
			t.Errorf("%q of %s is at byte %d", x.Name, x.DType, x.Offset)
		}
	}
	if n := len(f.Matrices()); n != 3 {
		t.Errorf("%d matrices, want 3", n)
	}
	for _, m := range f.Matrices() {
		w, err := m.Load()
		if err != nil || !slices.Equal(w.Matrix.Data, values) {
			t.Errorf("%q reads as %v, %v", m.Name(), w.Matrix.Data, err)
		}
	}
}

// Rounding to 16 bits: the nearest of all values of the type, and at a tie the even one.
func TestWriteRounds(t *testing.T) {
	cases := []float32{
		0, float32(math.Copysign(0, -1)), 1, -1, 1.0 / 3, 1e-8, -2e-8, 3e-8, 4e-8, 5.9604645e-08, 6.1e-5, 6.103515625e-05, 6.0975552e-05,
		2049, 2051, 2050.5, 65504, 65519, -65519, 1.00048828125, 1.00146484375, 1.0039062, 1.00390625, 1.01171875, 3.3e38, 1e-40, 1e-45,
		float32(math.Inf(1)), float32(math.Inf(-1)), math.SmallestNonzeroFloat32,
	}
	for bits := uint32(0x33000000); bits < 0x477fe000; bits += 0x12345 { // through the range of F16
		cases = append(cases, math.Float32frombits(bits))
	}
	for _, dtype := range []weights.DType{weights.F16, weights.BF16} {
		all := load(t, dtype, 256, 256, all16()) // tested by itself
		var finite []float32                     // not negative, rising
		for h, v := range all[:1<<15] {
			if !math.IsInf(float64(v), 0) && v == v {
				if h > 0 && v <= finite[len(finite)-1] {
					t.Fatal("the patterns do not rise")
				}
				finite = append(finite, v)
			}
		}
		var in []float32
		for _, v := range cases {
			if math.Abs(float64(v)) < 65520 || dtype == weights.BF16 || math.IsInf(float64(v), 0) {
				in = append(in, v)
			}
		}
		path := filepath.Join(t.TempDir(), "w.safetensors")
		if err := weights.WriteSafetensors(path, []weights.Named{{Name: "w", DType: dtype, Shape: []int{1, len(in)}, Data: in}}); err != nil {
			t.Fatal(err)
		}
		w, err := open(t, path).Matrices()[0].Load()
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range w.Matrix.Data {
			want := nearest(finite, in[i])
			if got != want || math.Signbit(float64(got)) != math.Signbit(float64(in[i])) {
				t.Errorf("%s: %g becomes %g, want %g", dtype, in[i], got, want)
			}
		}
	}
}

// nearest returns the value nearest to v; values are not negative and rise with their
// patterns from 0.
func nearest(values []float32, v float32) float32 {
	x := math.Abs(float64(v))
	if math.IsInf(x, 0) {
		return v
	}
	i, _ := slices.BinarySearch(values, float32(x))
	best := min(i, len(values)-1)
	if i > 0 && i < len(values) {
		below, above := x-float64(values[i-1]), float64(values[i])-x
		if below < above || below == above && (i-1)%2 == 0 {
			best = i - 1
		}
	}
	return float32(math.Copysign(float64(values[best]), float64(v)))
}

func TestWriteSafetensorsRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.safetensors")
	if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := []float32{1}
	for _, tt := range []struct {
		reason  string
		tensors []weights.Named
	}{
		{"the name is used twice", []weights.Named{{Name: "a", Shape: []int{1}, Data: one}, {Name: "a", Shape: []int{1}, Data: one}}},
		{"shape [2] of F32 needs 8 bytes, it has 4", []weights.Named{{Name: "a", Shape: []int{2}, Data: one}}},
		{"overflows", []weights.Named{{Name: "a", Shape: []int{math.MaxInt, 2}, Data: one}}},
		{"shape [-1] cannot be written", []weights.Named{{Name: "a", Shape: []int{-1}, Data: one}}},
		{`dtype "F64" is not written`, []weights.Named{{Name: "a", DType: weights.F64, Shape: []int{1}, Data: one}}},
		{`dtype "x" is not written`, []weights.Named{{Name: "a", DType: "x", Shape: []int{1}, Data: one}}},
		{"not a name for a tensor", []weights.Named{{Name: "__metadata__", Shape: []int{1}, Data: one}}},
		{"not a name for a tensor", []weights.Named{{Name: "a\xff", Shape: []int{1}, Data: one}}},
		{"value 1, 65520, is beyond the range of F16", []weights.Named{{Name: "a", DType: weights.F16, Shape: []int{2}, Data: []float32{65519, 65520}}}},
		{"value 0, -3.4028235e+38, is beyond the range of BF16", []weights.Named{{Name: "a", DType: weights.BF16, Shape: []int{1}, Data: []float32{-math.MaxFloat32}}}},
	} {
		err := weights.WriteSafetensors(path, tt.tensors)
		if err == nil || !strings.Contains(err.Error(), tt.reason) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want %q", err, tt.reason)
		}
	}
	if got, _ := os.ReadFile(path); string(got) != "kept" {
		t.Errorf("a failed write left %q", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	missing := filepath.Join(dir, "no", "w.safetensors")
	if err := weights.WriteSafetensors(missing, nil); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("writing where no folder is: %v", err)
	}
}

// The file is the one that NumPy writes, but for its padding.
func TestWriteNPY(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.npy")
	m := kernels.Matrix{Rows: 2, Cols: 3, Stride: 4, Data: []float32{0, -1, 1.5, 9, 1024, -0.25, 3}}
	if err := weights.WriteNPY(path, m); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	numpy, err := os.ReadFile("testdata/numpy_f4_v1.npy")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, numpy) {
		t.Errorf("wrote %q, want %q", got, numpy)
	}
}
