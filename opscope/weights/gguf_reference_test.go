package weights_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

// referencePath is a file that ggml's own gguf_write_to_file wrote (d99724f2). For each
// type that is decoded it has a tensor [2, 256] of that name and one named with .f32 that
// holds what ggml's to_float makes of it. The first row is what ggml_quantize_chunk makes
// of the first 256 values of decoder.rnn.weight_hh of Silero VAD, the second is random
// bits with finite scales. Of every other type it has a tensor of zeros, of F64 of
// multiples of 1/3.
const referencePath = "testdata/ggml_reference.gguf"

func TestGGUFReferenceValues(t *testing.T) {
	f, err := weights.Open(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Format() != "GGUF" {
		t.Errorf("the format is %q", f.Format())
	}
	decoded := 0
	for _, x := range f.Tensors() {
		name := string(x.DType)
		if !slices.ContainsFunc(f.Tensors(), func(y *weights.Tensor) bool { return y.Name == x.Name+".f32" }) {
			continue
		}
		decoded++
		got, want := loadMatrix(t, f, x.Name), loadMatrix(t, f, x.Name+".f32")
		for i := range want {
			if math.IsNaN(float64(want[i])) || got[i] != want[i] {
				t.Errorf("%s: value %d is %g, want %g", name, i, got[i], want[i])
				break
			}
		}
	}
	if decoded != 15 {
		t.Errorf("%d types are compared, want 15", decoded)
	}
}

func TestGGUFReferenceMetadata(t *testing.T) {
	f, err := weights.Open(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]string{
		"general.architecture": "reference",
		"test.u8":              "200",
		"test.i8":              "-100",
		"test.u16":             "60000",
		"test.i16":             "-30000",
		"test.u32":             "4000000000",
		"test.i32":             "-2000000000",
		"test.f32":             "0.1",
		"test.u64":             "18446744073709551615",
		"test.i64":             "-9223372036854775807",
		"test.f64":             "0.1",
		"test.bool":            "true",
		"test.floats":          "array of 3 float32",
		"test.strings":         "array of 2 string",
	}
	if got := f.Metadata(); !maps.Equal(got, want) {
		t.Errorf("the metadata is %v, want %v", got, want)
	}
}

// TestGGUFReferenceTypes has the size of every type as ggml_type_size and ggml_blck_size
// give it.
func TestGGUFReferenceTypes(t *testing.T) {
	f, err := weights.Open(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	blockBytes := map[string]struct{ values, bytes int }{
		"F32": {1, 4}, "F16": {1, 2}, "BF16": {1, 2}, "F64": {1, 8},
		"I8": {1, 1}, "I16": {1, 2}, "I32": {1, 4}, "I64": {1, 8},
		"Q4_0": {32, 18}, "Q4_1": {32, 20}, "Q5_0": {32, 22}, "Q5_1": {32, 24}, "Q8_0": {32, 34}, "Q8_1": {32, 36},
		"Q2_K": {256, 84}, "Q3_K": {256, 110}, "Q4_K": {256, 144}, "Q5_K": {256, 176}, "Q6_K": {256, 210}, "Q8_K": {256, 292},
		"IQ1_S": {256, 50}, "IQ1_M": {256, 56}, "IQ2_XXS": {256, 66}, "IQ2_XS": {256, 74}, "IQ2_S": {256, 82},
		"IQ3_XXS": {256, 98}, "IQ3_S": {256, 110}, "IQ4_NL": {32, 18}, "IQ4_XS": {256, 136},
		"TQ1_0": {256, 54}, "TQ2_0": {256, 66}, "MXFP4": {32, 17}, "NVFP4": {64, 36}, "Q1_0": {128, 18}, "Q2_0": {64, 18},
	}
	seen := map[string]bool{}
	for _, x := range f.Tensors() {
		size, known := blockBytes[string(x.DType)]
		if !known {
			t.Errorf("%s is of type %s", x.Name, x.DType)
			continue
		}
		seen[string(x.DType)] = true
		if want := int64(x.Elements() / size.values * size.bytes); x.Bytes != want {
			t.Errorf("%s has %d bytes, want %d", x.Name, x.Bytes, want)
		}
		if x.Offset%32 != 0 {
			t.Errorf("%s begins at %d", x.Name, x.Offset)
		}
		if size.values == 1 && len(x.Shape) == 4 && !slices.Equal(x.Shape, []int{2, 1, 2, 3}) {
			t.Errorf("%s has shape %v, want the axes of the file turned round, [2, 1, 2, 3]", x.Name, x.Shape)
		}
	}
	if len(seen) != len(blockBytes) {
		t.Errorf("%d types are in the file, want %d", len(seen), len(blockBytes))
	}
	for _, s := range f.Skipped() {
		if !strings.Contains(s.Reason, string(s.Tensor.DType)) {
			t.Errorf("%s is skipped with a reason that does not name the type: %s", s.Tensor.Name, s.Reason)
		}
	}
	// All but the 15 pairs and F64.
	if n := len(f.Skipped()); n != 18 {
		t.Errorf("%d tensors are skipped, want 18", n)
	}
	for i, v := range loadMatrix(t, f, "F64") {
		if v != float32(float64(i)/3) {
			t.Errorf("F64: value %d is %g", i, v)
		}
	}
}

// TestGGUFEncoders compares what the tests write with what ggml makes of the same values.
func TestGGUFEncoders(t *testing.T) {
	f, err := weights.Open(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	silero, err := weights.Open(sileroPath)
	if err != nil {
		t.Fatal(err)
	}
	defer silero.Close()
	values := loadMatrix(t, silero, "decoder.rnn.weight_hh")[:256]
	for name, kind := range map[string]uint32{"F16": gguftest.F16, "BF16": gguftest.BF16, "Q4_0": gguftest.Q4_0, "Q8_0": gguftest.Q8_0} {
		file := gguftest.File{Tensors: []gguftest.Tensor{gguftest.NewTensor("x", kind, []int{1, 256}, values)}}
		if got, want := loadMatrix(t, mustParseGGUF(t, file), "x"), loadMatrix(t, f, name)[:256]; !slices.Equal(got, want) {
			t.Errorf("%s: the values are not those of ggml's own encoder", name)
		}
	}
}
