package weights_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// FuzzNew reads any bytes.
func FuzzNew(f *testing.F) {
	silero, err := os.ReadFile(sileroPath)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(silero[:8+binary.LittleEndian.Uint64(silero)])
	f.Add(tensorFile(`{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}`, make([]byte, 16)))
	f.Add(lying(99_999_999, "{}"))
	f.Fuzz(checkFile)
}

// FuzzHeader reads any header, with its true length and so many bytes of values.
func FuzzHeader(f *testing.F) {
	f.Add(`{}`, uint16(0))
	f.Add(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}  `, uint16(16))
	f.Add(`{"b":{"dtype":"BF16","shape":[2,1,2],"data_offsets":[8,16]},"experts.a":{"dtype":"F16","shape":[2,1,2],"data_offsets":[0,8]}}`, uint16(16))
	f.Add(`{"a":{"dtype":"F4","shape":[2,8],"data_offsets":[0,8]},"s":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}`, uint16(12))
	f.Add(`{"a":{"dtype":"?","shape":[1,1,1,1,1],"x":[{"y":[null,true,1e9,"\ud83d\ude00"]}],"data_offsets":[0,3]}}`, uint16(3))
	f.Add(`{"a":{"dtype":"F16","shape":[0,9223372036854775807],"data_offsets":[0,0]},"a":{}}`, uint16(0))
	f.Add(`{"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}}`, uint16(0))
	f.Add(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, uint16(3))
	f.Fuzz(func(t *testing.T, header string, values uint16) {
		checkFile(t, tensorFile(header, make([]byte, values)))
	})
}

// checkFile checks of any bytes: no panic; what is accepted is JSON that encoding/json
// reads to the same tensors; the tensors fill the file; each is either a matrix or
// skipped; and each matrix loads with the size it says.
func checkFile(t *testing.T, data []byte) {
	file, err := parse(data)
	if err != nil {
		return
	}
	header := data[8 : 8+binary.LittleEndian.Uint64(data)]
	var members map[string]json.RawMessage
	if err := json.Unmarshal(header, &members); err != nil {
		t.Fatalf("a header is accepted that is not a JSON object: %v", err)
	}
	next := int64(8 + len(header))
	for _, x := range file.Tensors() {
		var entry map[string]json.RawMessage
		if err := json.Unmarshal(members[x.Name], &entry); err != nil {
			t.Fatal(err)
		}
		var dtype string
		var shape []int
		var offsets []int64
		for key, into := range map[string]any{"dtype": &dtype, "shape": &shape, "data_offsets": &offsets} {
			if err := json.Unmarshal(entry[key], into); err != nil {
				t.Fatal(err)
			}
		}
		if dtype != string(x.DType) || len(shape) != len(x.Shape) || len(offsets) != 2 || offsets[1]-offsets[0] != x.Bytes {
			t.Fatalf("tensor %q is read as %v from %s", x.Name, x, members[x.Name])
		}
		if x.Offset != next {
			t.Fatalf("tensor %q begins at %d, want %d", x.Name, x.Offset, next)
		}
		next += x.Bytes
	}
	if next != int64(len(data)) {
		t.Fatalf("the tensors end at %d of %d bytes", next, len(data))
	}

	seen := map[*weights.Tensor]bool{}
	for _, m := range file.Matrices() {
		seen[m.Tensor] = true
		w, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		rows, cols := m.Dims()
		if w.Matrix.Rows != rows || w.Matrix.Cols != cols || len(w.Matrix.Data) != rows*cols || rows*cols == 0 {
			t.Fatalf("%q is %d x %d, loaded as %d x %d", m.Name(), rows, cols, w.Matrix.Rows, w.Matrix.Cols)
		}
	}
	for _, s := range file.Skipped() {
		if seen[s.Tensor] {
			t.Fatalf("%q is a matrix and skipped", s.Tensor.Name)
		}
		seen[s.Tensor] = true
	}
	if len(seen) != len(file.Tensors()) {
		t.Fatalf("%d of %d tensors are mentioned", len(seen), len(file.Tensors()))
	}
}
