package weights_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

func parseGGUF(data []byte) (*weights.File, error) {
	return weights.New("test.gguf", bytes.NewReader(data), int64(len(data)))
}

func mustParseGGUF(t testing.TB, file gguftest.File) *weights.File {
	t.Helper()
	f, err := parseGGUF(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sileroGGUF returns the tensors of the safetensors file in a GGUF file. Those whose rows
// are whole blocks are of the given type, if it is a block type; the others are F32.
func sileroGGUF(t testing.TB, kind uint32) gguftest.File {
	t.Helper()
	f, err := weights.Open(sileroPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file := gguftest.File{Entries: []gguftest.Entry{{Key: "general.architecture", Value: "silero"}}}
	for _, x := range f.Tensors() {
		used := kind
		if blocks := kind == gguftest.Q4_0 || kind == gguftest.Q8_0; blocks && x.Shape[len(x.Shape)-1]%32 != 0 {
			used = gguftest.F32
		}
		file.Tensors = append(file.Tensors, gguftest.NewTensor(x.Name, used, x.Shape, floats(t, f, x)))
	}
	return file
}

// floats reads the values of any F32 tensor.
func floats(t testing.TB, f *weights.File, x *weights.Tensor) []float32 {
	t.Helper()
	if m, err := f.Matrix(x.Name); err == nil {
		w, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		return w.Matrix.Data
	}
	values := make([]float32, x.Elements())
	for i := range values {
		values[i] = float32(i) / 8
	}
	return values
}

// TestGGUFSilero checks that a GGUF file gives the same matrices as the safetensors file
// it is made from, to within half a step of its type.
func TestGGUFSilero(t *testing.T) {
	original, err := weights.Open(sileroPath)
	if err != nil {
		t.Fatal(err)
	}
	defer original.Close()
	for _, c := range []struct {
		name string
		kind uint32
		// step bounds the spacing of the codes of a block with this largest value.
		step func(largest float64) float64
	}{
		{"F32", gguftest.F32, func(float64) float64 { return 0 }},
		{"F16", gguftest.F16, func(a float64) float64 { return max(a*0x1p-10, 0x1p-24) }},
		{"BF16", gguftest.BF16, func(a float64) float64 { return a * 0x1p-7 }},
		// The scale is itself rounded to a float16, which moves a code by up to 127 or 8
		// times half of its last place.
		{"Q8_0", gguftest.Q8_0, func(a float64) float64 { return a/127 + a*0x1p-10 }},
		// The code that would be 8 times the scale on the other side is cut to 7 times.
		{"Q4_0", gguftest.Q4_0, func(a float64) float64 { return a/4 + a*0x1p-10 }},
	} {
		f := mustParseGGUF(t, sileroGGUF(t, c.kind))
		if got, want := len(f.Tensors()), len(original.Tensors()); got != want {
			t.Fatalf("%s: %d tensors, want %d", c.name, got, want)
		}
		matrices := f.Matrices()
		if got, want := len(matrices), len(original.Matrices()); got != want {
			t.Fatalf("%s: %d matrices, want %d", c.name, got, want)
		}
		converted := 0
		for i, want := range original.Matrices() {
			m := matrices[i]
			if m.Name() != want.Name() || m.View() != want.View() {
				t.Errorf("%s: matrix %d is %s, %s, want %s, %s", c.name, i, m.Name(), m.View(), want.Name(), want.View())
			}
			got, exact := loadMatrix(t, f, m.Name()), loadMatrix(t, original, m.Name())
			step := func(float64) float64 { return 0 }
			if string(m.Tensor.DType) == c.name {
				converted++
				step = c.step
			}
			for at := 0; at < len(got); at += 32 {
				block, values := got[at:min(at+32, len(got))], exact[at:min(at+32, len(got))]
				largest := 0.0
				for _, v := range values {
					largest = max(largest, math.Abs(float64(v)))
				}
				for j, v := range block {
					if e := math.Abs(float64(v) - float64(values[j])); e > step(largest)/2 {
						t.Fatalf("%s: value %d of %s is %g, off %g by %g", c.name, at+j, m.Name(), v, values[j], e)
					}
				}
			}
		}
		if converted < 3 {
			t.Errorf("%s: %d matrices are of this type, want at least 3", c.name, converted)
		}
	}
}

// TestGGUFVersions checks that version 2 is read as version 3 is.
func TestGGUFVersions(t *testing.T) {
	for _, version := range []uint32{2, 3} {
		file := sileroGGUF(t, gguftest.F16)
		file.Version = version
		if n := len(mustParseGGUF(t, file).Tensors()); n != len(silero) {
			t.Errorf("version %d: %d tensors, want %d", version, n, len(silero))
		}
	}
}

// TestGGUFAccepts has files at the edge of what is right.
func TestGGUFAccepts(t *testing.T) {
	scalar := gguftest.NewTensor("scalar", gguftest.F32, nil, []float32{1})
	small := gguftest.NewTensor("small", gguftest.F32, []int{1, 2}, []float32{1, 2})
	empty := gguftest.NewTensor("empty", gguftest.F32, []int{3, 0}, nil)
	for _, c := range []struct {
		name string
		file gguftest.File
		cut  int // bytes off the end
		want [][]int
	}{
		{name: "nothing"},
		{name: "the smallest entry", file: gguftest.File{Entries: []gguftest.Entry{{Key: "a", Value: true}}}},
		{name: "an empty array", file: gguftest.File{Entries: []gguftest.Entry{{Key: "a", Value: []string{}}}}},
		{name: "no padding after the last tensor", file: gguftest.File{Tensors: []gguftest.Tensor{scalar, small}},
			cut: 24, want: [][]int{{}, {1, 2}}},
		{name: "an empty tensor last, where the file has ended", file: gguftest.File{Tensors: []gguftest.Tensor{small, empty}},
			cut: 24, want: [][]int{{1, 2}, {3, 0}}},
		{name: "alignment 1", file: gguftest.File{Alignment: 1, Tensors: []gguftest.Tensor{scalar, small}},
			want: [][]int{{}, {1, 2}}},
		{name: "alignment 4096", file: gguftest.File{Alignment: 4096, Tensors: []gguftest.Tensor{scalar, empty, small}},
			want: [][]int{{}, {3, 0}, {1, 2}}},
		{name: "a name longer than ggml's own limit", file: gguftest.File{Tensors: []gguftest.Tensor{
			gguftest.NewTensor(repeat("x", 200, ""), gguftest.F32, []int{1, 1}, []float32{1})}}, want: [][]int{{1, 1}}},
	} {
		data := c.file.Bytes()
		f, err := parseGGUF(data[:len(data)-c.cut])
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var shapes [][]int
		for _, x := range f.Tensors() {
			shapes = append(shapes, x.Shape)
		}
		if !slices.EqualFunc(shapes, c.want, slices.Equal) {
			t.Errorf("%s: the shapes are %v, want %v", c.name, shapes, c.want)
		}
		for _, m := range f.Matrices() {
			if _, err := m.Load(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// TestGGUFMetadataIsBounded checks that a long string is not kept.
func TestGGUFMetadataIsBounded(t *testing.T) {
	long := repeat("x", 1<<16+1, "")
	f := mustParseGGUF(t, gguftest.File{Entries: []gguftest.Entry{
		{Key: "long", Value: long},
		{Key: "longest kept", Value: long[:1<<16]},
		{Key: "tokens", Value: slices.Repeat([]string{"token"}, 100_000)},
		{Key: "after", Value: "them"},
		{Key: "bytes", Value: "a\xff"},
	}})
	for key, want := range map[string]string{
		"long": "string of 65537 bytes", "longest kept": long[:1<<16], "tokens": "array of 100000 string",
		"after": "them", "bytes": "a\uFFFD",
	} {
		if got := f.Metadata()[key]; got != want {
			t.Errorf("%s is %.50q, want %.50q", key, got, want)
		}
	}
}
