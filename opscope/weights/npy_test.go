package weights_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// npyFile puts an NPY file together.
func npyFile(version byte, header string, values []byte) []byte {
	b := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), values...)
}

func parseAs(name string, data []byte) (*weights.File, error) {
	return weights.New(name, bytes.NewReader(data), int64(len(data)))
}

const npy2x3 = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"

func TestNPYAccepted(t *testing.T) {
	tests := []struct {
		name    string
		version byte
		header  string
		bytes   int
		want    string // dtype and shape
	}{
		{"as NumPy writes it", 1, npy2x3, 24, "F32 [2 3]"},
		{"version 2", 2, npy2x3, 24, "F32 [2 3]"},
		{"version 3", 3, npy2x3, 24, "F32 [2 3]"},
		{"padded", 1, strings.TrimSpace(npy2x3) + "      \n", 24, "F32 [2 3]"},
		{"no trailing comma, no line break", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 24, "F32 [2 3]"},
		{"no white space, other quotes, other order", 1, `{"shape":(2,3,),"fortran_order":False,"descr":"<f4"}`, 24, "F32 [2 3]"},
		{"Python 2", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }", 24, "F32 [2 3]"},
		{"scalar", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8, "F64 []"},
		{"vector", 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", 6, "F16 [3]"},
		{"empty", 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (0, 5), }", 0, "F16 [0 5]"},
		{"Fortran order", 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24, "F32 [3 2]"},
		{"big-endian", 1, "{'descr': '>f2', 'fortran_order': False, 'shape': (2, 3), }", 12, ">f2 [2 3]"},
		{"signed bytes", 1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }", 6, "I8 [2 3]"},
		{"booleans", 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }", 6, "BOOL [2 3]"},
		{"big-endian integers", 1, "{'descr': '>i4', 'fortran_order': False, 'shape': (2, 3), }", 24, "I32 [2 3]"},
		{"bytes that may be BF16", 1, "{'descr': '|V2', 'fortran_order': False, 'shape': (2, 3), }", 12, "|V2 [2 3]"},
		{"text", 1, "{'descr': '<U5', 'fortran_order': False, 'shape': (2, 3), }", 120, "<U5 [2 3]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := npyFile(tt.version, tt.header, make([]byte, tt.bytes))
			f, err := parseAs("dir/w.x.npy", file)
			if err != nil {
				t.Fatal(err)
			}
			tensors := f.Tensors()
			if len(tensors) != 1 || f.Format() != "NPY" {
				t.Fatalf("%d tensors of %s", len(tensors), f.Format())
			}
			x := tensors[0]
			if got := fmt.Sprint(x.DType, " ", x.Shape); got != tt.want || x.Name != "w.x" || x.File != "dir/w.x.npy" {
				t.Errorf("tensor %s of %s is %s, want %s", x.Name, x.File, got, tt.want)
			}
			if x.Bytes != int64(tt.bytes) || x.Offset != int64(len(file)-tt.bytes) {
				t.Errorf("%d bytes at %d", x.Bytes, x.Offset)
			}
		})
	}
}

func TestNPYRefused(t *testing.T) {
	dict := func(descr, fortran, shape string) []byte {
		return npyFile(1, "{'descr': "+descr+", 'fortran_order': "+fortran+", 'shape': "+shape+", }\n", make([]byte, 24))
	}
	tests := []struct {
		name   string
		file   []byte
		offset int64 // -1: not checked
		reason string
	}{
		{"only the magic", []byte("\x93NUMPY"), 6, "ends within the first 10 bytes"},
		{"9 bytes", []byte("\x93NUMPY\x01\x00\x00"), 9, "ends within the first 10 bytes"},
		{"11 bytes of version 2", []byte("\x93NUMPY\x02\x00\x00\x00\x00"), 11, "ends within the first 12 bytes"},
		{"version 0", npyFile(0, npy2x3, make([]byte, 24)), 6, "version 0.0 is not known"},
		{"version 4", npyFile(4, npy2x3, make([]byte, 24)), 6, "version 4.0 is not known"},
		{"version 1.1", []byte("\x93NUMPY\x01\x01\x00\x00  "), 6, "version 1.1"},
		{"header length past the end", npyFile(1, npy2x3, nil)[:40], 8, "but only 30 bytes follow"},
		{"header length of all ones", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), 8, "the header length is 4294967295, but only 2 bytes follow"},
		{"header too long", npyFile(2, npy2x3+strings.Repeat(" ", 1<<16), make([]byte, 24)), 8, "above the limit of 65536 bytes"},
		{"not UTF-8 in version 3", npyFile(3, "{'\xff': 1}", nil), 14, "not UTF-8"},
		{"no header", npyFile(1, "", nil), 10, "the header ends where { should be"},
		{"no dict", npyFile(1, "(1,)", nil), 10, "where { should be"},
		{"dict cut short", npyFile(1, "{'descr': '<f4'", nil), -1, "the header ends where a comma or } should be"},
		{"string cut short", npyFile(1, "{'descr': '<f4", nil), -1, "a string that does not end"},
		{"backslash", dict(`'<f\x34'`, "False", "(2, 3)"), -1, "has a backslash"},
		{"code after the dict", npyFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }+x", make([]byte, 24)), 10 + 59, "goes on after its dict"},
		{"a call", dict("f()", "False", "(2, 3)"), -1, "where a string should be"},
		{"key twice", npyFile(1, "{'descr': '<f4', 'descr': '<f8'}", nil), -1, `the key "descr" comes twice`},
		{"unknown key", npyFile(1, "{'descr': '<f4', 'x': 1}", nil), -1, `the key "x" is not known`},
		{"no shape", npyFile(1, "{'descr': '<f4', 'fortran_order': False}", nil), -1, `the key "shape" is missing`},
		{"no descr", npyFile(1, "{'shape': (2, 3), 'fortran_order': False}", nil), -1, `the key "descr" is missing`},
		{"no fortran_order", npyFile(1, "{'shape': (2, 3), 'descr': '<f4'}", nil), -1, `the key "fortran_order" is missing`},
		{"fortran_order is a number", dict("'<f4'", "0", "(2, 3)"), -1, "where True or False should be"},
		{"objects", dict("'|O'", "False", "(2, 3)"), -1, "an array of Python objects"},
		{"records", dict("[('a', '<f4')]", "False", "(2, 3)"), 20, "a structured array"},
		{"shape is a number", dict("'<f4'", "False", "6"), -1, "where ( should be"},
		{"shape is a number in brackets", dict("'<f4'", "False", "(6)"), -1, "a comma, without which this is no tuple"},
		{"shape is a list", dict("'<f4'", "False", "[2, 3]"), -1, "where ( should be"},
		{"no comma", dict("'<f4'", "False", "(2 3)"), -1, "a comma"},
		{"two commas", dict("'<f4'", "False", "(2,, 3)"), -1, "a whole number"},
		{"negative dimension", dict("'<f4'", "False", "(-2, -3)"), -1, "a whole number"},
		{"fractional dimension", dict("'<f4'", "False", "(2.0, 3)"), -1, "where a comma"},
		{"leading zero", dict("'<f4'", "False", "(02, 3)"), -1, "a whole number"},
		{"dimension of 2^63", dict("'<f4'", "False", "(9223372036854775808,)"), -1, "a whole number"},
		{"nested tuple", dict("'<f4'", "False", "((2, 3),)"), -1, "a whole number"},
		{"65 axes", dict("'<f4'", "False", "("+repeat("1", 65, ",")+")"), -1, "more than 64 axes"},
		{"product overflows", dict("'<f4'", "False", "(4294967296, 4294967296)"), 10, "overflows"},
		{"bytes overflow", dict("'<f4'", "False", "(4611686018427387904, 2)"), 10, "overflows"},
		{"truncated", npyFile(1, npy2x3, make([]byte, 23)), 10, "shape [2, 3] of F32 needs 24 bytes, it has 23"},
		{"trailing bytes", npyFile(1, npy2x3, make([]byte, 25)), 10, "needs 24 bytes, it has 25"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseAs("w.npy", tt.file)
			var fault *weights.FormatError
			if !errors.As(err, &fault) {
				t.Fatalf("error %v is not a *FormatError", err)
			}
			if fault.File != "w.npy" || fault.Tensor != "w" {
				t.Errorf("error is about file %q, tensor %q", fault.File, fault.Tensor)
			}
			if tt.offset >= 0 && fault.Offset != tt.offset || fault.Offset > int64(len(tt.file)) {
				t.Errorf("error is at byte %d of %d, want %d: %v", fault.Offset, len(tt.file), tt.offset, err)
			}
			if !strings.Contains(err.Error(), tt.reason) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q does not say %q", err, tt.reason)
			}
		})
	}
}

// The same six values in each type and order.
func TestNPYValues(t *testing.T) {
	values := []float64{0, -1, 1.5, 1024, -0.25, 3}
	put := map[string]func([]byte, float64) []byte{
		"<f2": func(b []byte, v float64) []byte { return binary.LittleEndian.AppendUint16(b, half(v)) },
		">f2": func(b []byte, v float64) []byte { return binary.BigEndian.AppendUint16(b, half(v)) },
		"<f4": func(b []byte, v float64) []byte {
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		},
		">f4": func(b []byte, v float64) []byte {
			return binary.BigEndian.AppendUint32(b, math.Float32bits(float32(v)))
		},
		"<f8": func(b []byte, v float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) },
		">f8": func(b []byte, v float64) []byte { return binary.BigEndian.AppendUint64(b, math.Float64bits(v)) },
	}
	for descr, appendValue := range put {
		for _, fortran := range []string{"False", "True"} {
			var raw []byte
			for _, v := range values {
				raw = appendValue(raw, v)
			}
			f, err := parseAs("w.npy", npyFile(1, "{'descr': '"+descr+"', 'fortran_order': "+fortran+", 'shape': (2, 3), }", raw))
			if err != nil {
				t.Fatal(err)
			}
			m, err := f.Matrix("w")
			if err != nil {
				t.Fatal(err)
			}
			w, err := m.Load()
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range w.Matrix.Data {
				if float64(v) != values[i] {
					t.Errorf("%s: value %d is %g, want %g", descr, i, v, values[i])
				}
			}
			// The array is [out, in] = [2, 3]; in Fortran order its transpose is stored.
			in := w.AsInOut().Matrix
			want := []float32{0, 1024, -1, -0.25, 1.5, 3}
			if fortran == "True" {
				want = []float32{0, -1, 1.5, 1024, -0.25, 3}
			}
			if in.Rows != 3 || in.Cols != 2 || !slices.Equal(in.Data, want) {
				t.Errorf("%s, Fortran order %s: as [in, out] it is %d x %d %v, want %v", descr, fortran, in.Rows, in.Cols, in.Data, want)
			}
		}
	}
}

// half is the binary16 of a value that has one.
func half(v float64) uint16 {
	if v == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(math.Abs(v)) // in [1/2, 1)
	h := uint16(exponent+14)<<10 | uint16(fraction*2048)&0x3ff
	if v < 0 {
		h |= 0x8000
	}
	return h
}

// A 64-bit value that no float32 holds is an error that says where it is; an infinity
// is a value.
func TestF64BeyondFloat32(t *testing.T) {
	for _, tt := range []struct {
		third float64
		fails bool
	}{
		{math.Inf(1), false}, {math.NaN(), false}, {math.MaxFloat32, false}, {-math.MaxFloat32, false}, {5e-324, false},
		{1e39, true}, {-math.MaxFloat64, true},
	} {
		for _, order := range []string{"<", ">"} {
			var raw []byte
			for _, v := range []float64{1, math.Inf(-1), tt.third, 1} {
				if order == "<" {
					raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
				} else {
					raw = binary.BigEndian.AppendUint64(raw, math.Float64bits(v))
				}
			}
			header := "{'descr': '" + order + "f8', 'fortran_order': False, 'shape': (2, 2)}"
			f, err := parseAs("w.npy", npyFile(1, header, raw))
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Matrices()[0].Load()
			want := fmt.Sprintf(`w.npy: byte %d: tensor "w": a value is beyond the range of float32`, 10+len(header)+16)
			if tt.fails && (err == nil || err.Error() != want) || !tt.fails && err != nil {
				t.Errorf("%g: %v, want %s", tt.third, err, want)
			}
		}
	}
}

func TestTensorFiles(t *testing.T) {
	file := func(rows, cols uint32, values int) []byte {
		b := binary.LittleEndian.AppendUint32(nil, rows)
		b = binary.LittleEndian.AppendUint32(b, cols)
		for i := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(i)))
		}
		return b
	}
	f, err := parseAs("dump/layer.0.tensor", file(2, 3, 6))
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Matrix("layer.0")
	if err != nil {
		t.Fatal(err)
	}
	w, err := m.Load()
	if err != nil || f.Format() != "tensor" || w.Matrix.Rows != 2 || !slices.Equal(w.Matrix.Data, []float32{0, 1, 2, 3, 4, 5}) {
		t.Errorf("%s %v %v", f.Format(), w, err)
	}
	for _, tt := range []struct {
		name   string
		data   []byte
		reason string
	}{
		{"7 bytes", file(1, 1, 1)[:7], "too few for the 8 bytes of rows and columns"},
		{"empty", nil, "the file has 0 bytes"},
		{"truncated", file(2, 3, 6)[:31], "2 x 3 values need 4 bytes each, but 23 bytes follow"},
		{"a byte too many", append(file(2, 3, 6), 0), "but 25 bytes follow"},
		{"a value too few", file(2, 3, 5), "but 20 bytes follow"},
		{"2^64 values", file(1<<31, 1<<31, 6), "2147483648 x 2147483648 values need 4 bytes each"},
		{"2^32 values, 4 of them 0 modulo 2^32", file(1<<16, 1<<14, 0), "65536 x 16384 values"},
	} {
		_, err := parseAs("w.tensor", tt.data)
		var fault *weights.FormatError
		if !errors.As(err, &fault) || fault.Tensor != "w" || fault.File != "w.tensor" || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.reason)
		}
	}
}

// The format is told by the bytes, not by the name.
func TestFormatByFirstBytes(t *testing.T) {
	for _, name := range []string{"w.safetensors", "w.npy", "w.gguf", "w.tensor", "w"} {
		for format, data := range map[string][]byte{
			"safetensors": tensorFile(`{"w":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`, make([]byte, 4)),
			"NPY":         npyFile(1, npy2x3, make([]byte, 24)),
		} {
			f, err := parseAs(name, data)
			if err != nil || f.Format() != format {
				t.Errorf("%s named %s: %v", format, name, err)
			}
		}
	}
}

// Files that NumPy 1.24.2 wrote, of one array in its versions, orders and types.
func TestNumPyFiles(t *testing.T) {
	values := []float32{0, -1, 1.5, 1024, -0.25, 3}
	for _, name := range []string{"f4_v1", "f2_v2", "f8_v3", "f2_big", "f4_fortran", "f8_big_fortran"} {
		m, err := open(t, "testdata/numpy_"+name+".npy").Matrix("numpy_" + name)
		if err != nil {
			t.Error(err)
			continue
		}
		w, err := m.Load()
		if err != nil {
			t.Error(err)
			continue
		}
		if strings.Contains(name, "fortran") { // the transpose is stored
			if w.Layout != weights.InOut {
				t.Errorf("%s is %s", name, w.Layout)
			}
			w.Layout = weights.OutIn
			w = w.AsInOut()
		}
		if w.Matrix.Rows != 2 || w.Matrix.Cols != 3 || !slices.Equal(w.Matrix.Data, values) {
			t.Errorf("%s is %d x %d %v", name, w.Matrix.Rows, w.Matrix.Cols, w.Matrix.Data)
		}
	}
	conv := open(t, "testdata/numpy_conv.npy").Matrices()[0]
	w, err := conv.Load()
	if err != nil || w.View != "[2, 3, 4] as [o, i*k] = [2, 12]" || w.Matrix.Data[23] != 23 {
		t.Errorf("%v, %v", w, err)
	}
}
