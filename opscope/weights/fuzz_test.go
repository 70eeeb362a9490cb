package weights_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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
	written, err := filepath.Glob("testdata/numpy_*.npy")
	if err != nil || len(written) == 0 {
		f.Fatal(err, written)
	}
	for _, path := range written {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, "test.safetensors", data) })
}

// FuzzHeader reads any safetensors header, with its true length and so many bytes of
// values.
func FuzzHeader(f *testing.F) {
	f.Add(`{}`, uint16(0))
	f.Add(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}  `, uint16(16))
	f.Add(`{"b":{"dtype":"BF16","shape":[2,1,2],"data_offsets":[8,16]},"experts.a":{"dtype":"F16","shape":[2,1,2],"data_offsets":[0,8]}}`, uint16(16))
	f.Add(`{"a":{"dtype":"F4","shape":[2,7],"data_offsets":[0,7]},"s":{"dtype":"F32","shape":[],"data_offsets":[7,11]}}`, uint16(11))
	f.Add(`{"a":{"dtype":"?","shape":[1,1,1,1,1],"x":[{"y":[null,true,1e9,"\ud83d\ude00"]}],"data_offsets":[0,3]}}`, uint16(3))
	f.Add(`{"a":{"dtype":"F16","shape":[0,9223372036854775807],"data_offsets":[0,0]},"a":{}}`, uint16(0))
	f.Add(`{"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}}`, uint16(0))
	f.Add(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, uint16(3))
	f.Add(`{"c.kernel":{"dtype":"F8_E4M3","shape":[2,3,2],"data_offsets":[0,12]},"\u00e9\/\"":{"dtype":"F8_E8M0","shape":[1,2],"data_offsets":[12,14]}}`, uint16(14))
	f.Fuzz(func(t *testing.T, header string, values uint16) {
		checkFile(t, "test.safetensors", tensorFile(header, random(int(values))))
	})
}

// FuzzNPY reads any NPY header, with its true length and so many bytes of values.
func FuzzNPY(f *testing.F) {
	f.Add(byte(1), npy2x3, uint16(24))
	f.Add(byte(2), `{"shape":(2,3,),"fortran_order":True,"descr":">f8"}`, uint16(48))
	f.Add(byte(3), "{'descr': '<f2', 'fortran_order': False, 'shape': (2L,), }", uint16(4))
	f.Add(byte(1), "{'descr': '|O', 'fortran_order': False, 'shape': (), }", uint16(8))
	f.Add(byte(1), "{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (4294967296, 4294967296), }", uint16(0))
	f.Fuzz(func(t *testing.T, version byte, header string, values uint16) {
		checkFile(t, "test.npy", npyFile(version, header, random(int(values))))
	})
}

// FuzzTensor reads any .tensor file.
func FuzzTensor(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{0, 0, 0, 0x80, 0, 0, 0, 0x80})
	f.Add([]byte{0, 0, 0, 0, 5, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, "test.tensor", data) })
}

// checkColumn reads all values of a tensor, if it can be read as a column.
func checkColumn(t *testing.T, x *weights.Tensor) {
	m, err := x.Column()
	if err != nil {
		return
	}
	w, err := m.Load()
	if err != nil {
		if !strings.Contains(err.Error(), "beyond the range of float32") {
			t.Fatal(err)
		}
		return
	}
	values := 1
	for _, n := range x.Shape {
		values *= n
	}
	if w.Matrix.Rows != values || w.Matrix.Cols != 1 || len(w.Matrix.Data) != values || values == 0 {
		t.Fatalf("the column of %q, of shape %v, is %d x %d", x.Name, x.Shape, w.Matrix.Rows, w.Matrix.Cols)
	}
}

// checkFile checks of any bytes: no panic; an error of one line that names the file; the
// tensors lie within the file without an overlap; each is either a matrix or skipped; and
// each matrix is found by its name and loads with the size it says.
func checkFile(t *testing.T, name string, data []byte) {
	file, err := parseAs(name, data)
	if err != nil {
		if !strings.HasPrefix(err.Error(), name+": ") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("error %q", err)
		}
		return
	}
	if file.Format() == "safetensors" {
		checkJSON(t, file, data[8:8+binary.LittleEndian.Uint64(data)])
	}
	end := int64(0)
	for _, x := range file.Tensors() {
		if x.Offset < end || x.Bytes < 0 || x.Bytes > int64(len(data))-x.Offset {
			t.Fatalf("tensor %q has %d bytes at %d of %d; the one before ends at %d", x.Name, x.Bytes, x.Offset, len(data), end)
		}
		end = x.Offset + x.Bytes
		checkColumn(t, x)
	}
	if end != int64(len(data)) && file.Format() != "GGUF" && len(file.Tensors()) > 0 {
		t.Fatalf("the tensors end at %d of %d bytes", end, len(data))
	}

	seen := map[*weights.Tensor]bool{}
	for _, m := range file.Matrices() {
		seen[m.Tensor] = true
		if found, err := file.Matrix(m.Name()); err != nil || found.Tensor != m.Tensor && file.Format() == "NPY" {
			t.Fatalf("%q by its name: %v, %v", m.Name(), found, err)
		}
		m.GuessLayout()
		w, err := m.Load()
		if err != nil {
			if !strings.Contains(err.Error(), "beyond the range of float32") {
				t.Fatal(err)
			}
			continue
		}
		rows, cols := m.Dims()
		if w.Matrix.Rows != rows || w.Matrix.Cols != cols || len(w.Matrix.Data) != rows*cols || rows*cols == 0 {
			t.Fatalf("%q is %d x %d, loaded as %d x %d", m.Name(), rows, cols, w.Matrix.Rows, w.Matrix.Cols)
		}
		row := make([]float32, cols)
		if err := m.ReadRows(row, rows-1); err != nil || !sameBits(row, w.Matrix.Data[(rows-1)*cols:]) {
			t.Fatalf("the last row of %q: %v", m.Name(), err)
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

// checkJSON checks that a header is JSON that encoding/json reads to the same tensors.
func checkJSON(t *testing.T, file *weights.File, header []byte) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(header, &members); err != nil {
		t.Fatalf("a header is accepted that is not a JSON object: %v", err)
	}
	delete(members, "__metadata__")
	if len(members) != len(file.Tensors()) {
		t.Fatalf("%d tensors are read from %d", len(file.Tensors()), len(members))
	}
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
		if dtype != string(x.DType) || len(shape) != len(x.Shape) || len(offsets) != 2 || offsets[1]-offsets[0] != x.Bytes ||
			offsets[0]+8+int64(len(header)) != x.Offset {
			t.Fatalf("tensor %q is read as %v from %s", x.Name, x, members[x.Name])
		}
	}
}
