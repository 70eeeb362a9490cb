package weights_test

import (
	"math"
	"os"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

// FuzzGGUF reads any bytes.
func FuzzGGUF(f *testing.F) {
	reference, err := os.ReadFile(referencePath)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(reference[:4<<10]) // little more than the header
	for _, c := range badGGUF {
		if len(c.data) < 1<<10 {
			f.Add(c.data)
		}
	}
	f.Add(gguftest.File{
		Alignment: 8,
		Entries:   []gguftest.Entry{{Key: "general.architecture", Value: "x"}, {Key: "a", Value: []string{"b", ""}}},
		Tensors: []gguftest.Tensor{
			gguftest.NewTensor("blk.0.ffn_up_exps.weight", gguftest.Q4_0, []int{2, 1, 32}, make([]float32, 64)),
			gguftest.NewTensor("b", gguftest.F16, []int{3}, make([]float32, 3)),
		},
	}.Bytes())
	f.Fuzz(checkGGUF)
}

// FuzzGGUFHeader reads any entries and descriptions, with so many zeros for values.
func FuzzGGUFHeader(f *testing.F) {
	f.Add(uint8(0), []byte{}, uint8(1), describe("a", kindQ4, 0, 32, 2), uint16(60))
	f.Add(uint8(1), gguf("general.alignment", 4, 1), uint8(2),
		append(describe("a", kindF32, 0, 1, 1), describe("b", 39, 4, 32, 2, 2)...), uint16(100))
	f.Add(uint8(1), gguf("k", 9, 9, uint64(1), 8, uint64(1), "x"), uint8(0), []byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, entries uint8, metadata []byte, tensors uint8, descriptions []byte, values uint16) {
		checkGGUF(t, head(uint64(tensors), uint64(entries), metadata, descriptions, make([]byte, values)))
	})
}

// checkGGUF checks of any bytes: no panic; the tensors of what is accepted follow each
// other in the file, each at a multiple of the alignment; each is either a matrix or
// skipped; every matrix loads, and its last row read alone is the last row of it.
func checkGGUF(t *testing.T, data []byte) {
	file, err := parseGGUF(data)
	if err != nil || file.Format() != "GGUF" {
		return
	}
	alignment := int64(32)
	if text, given := file.Metadata()["general.alignment"]; given {
		alignment = 0
		for _, digit := range text {
			alignment = 10*alignment + int64(digit-'0')
		}
	}
	var end int64 // of the tensors so far
	names := map[string]bool{}
	for _, x := range file.Tensors() {
		if names[x.Name] {
			t.Fatalf("two tensors are named %q", x.Name)
		}
		names[x.Name] = true
		hole := x.Offset - end
		if end > 0 && (hole < 0 || hole >= alignment) {
			t.Fatalf("tensor %q begins at %d, those before end at %d", x.Name, x.Offset, end)
		}
		end = x.Offset + x.Bytes
		if x.Bytes > 0 && end > int64(len(data)) {
			t.Fatalf("tensor %q ends at %d of %d bytes", x.Name, end, len(data))
		}
		if n := x.Elements(); n < 0 || float64(n) > float64(x.Bytes)*8 {
			t.Fatalf("tensor %q has %d values in %d bytes", x.Name, n, x.Bytes)
		}
	}
	seen := map[*weights.Tensor]bool{}
	for _, m := range file.Matrices() {
		seen[m.Tensor] = true
		rows, cols := m.Dims()
		w, err := m.Load()
		if err != nil {
			if m.Tensor.DType == weights.F64 { // beyond the range of float32
				continue
			}
			t.Fatal(err)
		}
		last := make([]float32, cols)
		if err := m.ReadRows(last, rows-1); err != nil {
			t.Fatal(err)
		}
		for i, v := range w.Matrix.Data[(rows-1)*cols:] {
			if math.Float32bits(v) != math.Float32bits(last[i]) {
				t.Fatalf("value %d of the last row of %q is %g read alone, %g read with all", i, m.Name(), last[i], v)
			}
		}
	}
	for _, s := range file.Skipped() {
		seen[s.Tensor] = true
	}
	if len(seen) != len(file.Tensors()) {
		t.Fatalf("%d of %d tensors are mentioned", len(seen), len(file.Tensors()))
	}
}
