package crosscheck

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio"
	gguf "github.com/gpustack/gguf-parser-go"
	"github.com/nlpodyssey/safetensors"
	"github.com/x448/float16"
	"gonum.org/v1/gonum/mat"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope/weights"
	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

const (
	sileroPath    = "../../../notebooks/data/silero_vad_v5.safetensors"
	ggmlReference = "../testdata/ggml_reference.gguf"
)

func open(t *testing.T, path string) *weights.File {
	t.Helper()
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func load(t *testing.T, f *weights.File, name string) []float32 {
	t.Helper()
	m, err := f.Matrix(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := m.Load()
	if err != nil {
		t.Fatal(err)
	}
	return w.Matrix.Data
}

// same reports whether two values are equal or both not a number.
func same(a, b float32) bool { return a == b || a != a && b != b }

// every16 holds every pattern of 16 bits.
func every16() []byte {
	var b []byte
	for h := range 1 << 16 {
		b = binary.LittleEndian.AppendUint16(b, uint16(h))
	}
	return b
}

// random returns values of every magnitude that binary16 and bfloat16 have.
func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.Ldexp(r.Float64()*2-1, r.IntN(42)-26))
	}
	return values
}

func TestFloat16(t *testing.T) {
	view, err := safetensors.NewTensorView(safetensors.F16, []uint64{256, 256}, every16())
	if err != nil {
		t.Fatal(err)
	}
	data, err := safetensors.Serialize(map[string]safetensors.TensorView{"x": view}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := weights.New("x", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for h, v := range load(t, f, "x") {
		if want := float16.Frombits(uint16(h)).Float32(); !same(v, want) || math.Signbit(float64(v)) != math.Signbit(float64(want)) {
			t.Errorf("binary16 %#04x is %g, x448/float16 has %g", h, v, want)
		}
	}
}

func TestFloat16Written(t *testing.T) {
	values := append(random(100_000), 0, 2049, 2051, 65504, 65519.996, -65519.996, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-26, 0x1.ffcp-15)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	err := weights.WriteSafetensors(path, []weights.Named{{Name: "x", DType: weights.F16, Shape: []int{1, len(values)}, Data: values}})
	if err != nil {
		t.Fatal(err)
	}
	got := load(t, open(t, path), "x")
	for i, v := range values {
		h := float16.Fromfloat32(v)
		if got[i] != h.Float32() {
			t.Errorf("%g is written as %g, x448/float16 has %g", v, got[i], h.Float32())
		}
		if gguftest.Half(v) != h.Bits() {
			t.Errorf("%g is %#04x in GGUF, x448/float16 has %#04x", v, gguftest.Half(v), h.Bits())
		}
	}
}

// compareSafetensors checks that both readers find the same tensors in a file.
func compareSafetensors(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := safetensors.Deserialize(data)
	if err != nil {
		t.Fatal(err)
	}
	ours := open(t, path).Tensors()
	if theirs.Len() != len(ours) {
		t.Fatalf("%d tensors, nlpodyssey/safetensors has %d", len(ours), theirs.Len())
	}
	for _, x := range ours {
		view, found := theirs.Tensor(x.Name)
		if !found {
			t.Errorf("nlpodyssey/safetensors has no %s", x.Name)
			continue
		}
		var shape []uint64
		for _, d := range x.Shape {
			shape = append(shape, uint64(d))
		}
		if string(x.DType) != view.DType().String() || !slices.Equal(shape, view.Shape()) {
			t.Errorf("%s is %s %v, nlpodyssey/safetensors has %s %v", x.Name, x.DType, x.Shape, view.DType(), view.Shape())
		}
		if !bytes.Equal(data[x.Offset:x.Offset+x.Bytes], view.Data()) {
			t.Errorf("%s has other bytes than nlpodyssey/safetensors finds", x.Name)
		}
	}
}

func TestSafetensorsRead(t *testing.T) {
	compareSafetensors(t, sileroPath)

	views := map[string]safetensors.TensorView{}
	for _, dtype := range []safetensors.DType{
		safetensors.BOOL, safetensors.U8, safetensors.I8, safetensors.I16, safetensors.U16, safetensors.F16, safetensors.BF16,
		safetensors.I32, safetensors.U32, safetensors.F32, safetensors.F64, safetensors.I64, safetensors.U64,
	} {
		for _, shape := range [][]uint64{{6}, {2, 3}, {2, 0}, {3, 1, 2, 1}} {
			n := dtype.Size()
			for _, d := range shape {
				n *= d
			}
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(i * 7)
			}
			view, err := safetensors.NewTensorView(dtype, shape, data)
			if err != nil {
				t.Fatal(err)
			}
			views[fmt.Sprint(dtype, shape)] = view
		}
	}
	data, err := safetensors.Serialize(views, map[string]string{"note": "é"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	compareSafetensors(t, path)
	if note := open(t, path).Metadata()["note"]; note != "é" {
		t.Errorf("the metadata has the note %q", note)
	}
}

func TestSafetensorsWritten(t *testing.T) {
	values := random(24)
	var tensors []weights.Named
	for _, dtype := range []weights.DType{weights.F16, weights.F32, weights.BF16} {
		for _, shape := range [][]int{{24}, {4, 6}, {2, 3, 2, 2}} {
			tensors = append(tensors, weights.Named{Name: fmt.Sprint(dtype, shape), DType: dtype, Shape: shape, Data: values})
		}
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := weights.WriteSafetensors(path, tensors); err != nil {
		t.Fatal(err)
	}
	compareSafetensors(t, path)
	f := open(t, path)
	for i, v := range load(t, f, "F32[4 6]") {
		if v != values[i] {
			t.Errorf("value %d is %g, want %g", i, v, values[i])
		}
	}
}

// compareGGUF checks that both readers find the same tensors and metadata in a file.
func compareGGUF(t *testing.T, path string) {
	t.Helper()
	theirs, err := gguf.ParseGGUFFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	ours := f.Tensors()
	if len(theirs.TensorInfos) != len(ours) {
		t.Fatalf("%s: %d tensors, gguf-parser-go has %d", path, len(ours), len(theirs.TensorInfos))
	}
	for i, x := range ours {
		y := theirs.TensorInfos[i]
		var axes []uint64
		for _, d := range slices.Backward(x.Shape) {
			axes = append(axes, uint64(d))
		}
		offset := theirs.TensorDataStartOffset + int64(y.Offset)
		if x.Name != y.Name || string(x.DType) != y.Type.String() || !slices.Equal(axes, y.Dimensions) ||
			x.Offset != offset || x.Bytes != int64(y.Bytes()) || x.Elements() != int(y.Elements()) {
			t.Errorf("%s: tensor %d is %s %s %v, %d bytes from %d on; gguf-parser-go has %s %s %v, %d bytes from %d on", path, i,
				x.Name, x.DType, axes, x.Bytes, x.Offset, y.Name, y.Type, y.Dimensions, y.Bytes(), offset)
		}
	}
	if len(f.Metadata()) != len(theirs.Header.MetadataKV) {
		t.Errorf("%s: %d metadata entries, gguf-parser-go has %d", path, len(f.Metadata()), len(theirs.Header.MetadataKV))
	}
	for _, kv := range theirs.Header.MetadataKV {
		want := fmt.Sprint(kv.Value)
		if array, ok := kv.Value.(gguf.GGUFMetadataKVArrayValue); ok {
			want = fmt.Sprintf("array of %d %s", array.Len, strings.ToLower(array.Type.String()))
		}
		if got := f.Metadata()[kv.Key]; got != want {
			t.Errorf("%s: %s is %q, gguf-parser-go has %q", path, kv.Key, got, want)
		}
	}
}

func TestGGUF(t *testing.T) {
	compareGGUF(t, ggmlReference)

	values := random(4 * 3 * 64)
	for _, version := range []uint32{2, 3} {
		for _, alignment := range []uint32{0, 8, 64, 4096} {
			file := gguftest.File{
				Version: version, Alignment: alignment,
				Entries: []gguftest.Entry{
					{Key: "general.architecture", Value: "test"},
					{Key: "tokenizer.ggml.tokens", Value: []string{"a", "", "cd"}},
					{Key: "tokenizer.ggml.token_type", Value: []int32{1, 2, 3}},
					{Key: "test.rope.freq_base", Value: float32(500_000)},
					{Key: "test.block_count", Value: uint32(7)},
				},
			}
			for _, kind := range []uint32{gguftest.F32, gguftest.F16, gguftest.BF16, gguftest.Q8_0, gguftest.Q4_0} {
				for _, shape := range [][]int{{768}, {12, 64}, {4, 3, 64}, {2, 2, 3, 64}} {
					file.Tensors = append(file.Tensors, gguftest.NewTensor(fmt.Sprint(kind, shape), kind, shape, values))
				}
			}
			path := filepath.Join(t.TempDir(), "x.gguf")
			if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			compareGGUF(t, path)
		}
	}
}

func TestNPYRead(t *testing.T) {
	values := random(21)
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	var file bytes.Buffer
	if err := npyio.Write(&file, mat.NewDense(3, 7, wide)); err != nil {
		t.Fatal(err)
	}
	f, err := weights.New("x.npy", bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	m := f.Matrices()[0]
	if rows, cols := m.Dims(); rows != 3 || cols != 7 || m.Tensor.DType != weights.F64 {
		t.Errorf("the matrix is %s %d x %d, want F64 3 x 7", m.Tensor.DType, rows, cols)
	}
	if got := load(t, f, m.Name()); !slices.Equal(got, values) {
		t.Errorf("the values are %v, want %v", got, values)
	}
}

func TestNPYWritten(t *testing.T) {
	values := random(24)
	path := filepath.Join(t.TempDir(), "x.npy")
	// Seven columns of eight, so that the rows do not touch.
	if err := weights.WriteNPY(path, kernels.Matrix{Rows: 3, Cols: 7, Stride: 8, Data: values}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := npyio.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if shape := r.Header.Descr.Shape; !slices.Equal(shape, []int{3, 7}) || r.Header.Descr.Fortran {
		t.Fatalf("npyio reads the shape %v, want [3 7]", shape)
	}
	var got []float32
	if err := r.Read(&got); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(values[:7], values[8:15], values[16:23])
	if !slices.Equal(got, want) {
		t.Errorf("npyio reads %v, want %v", got, want)
	}
}
