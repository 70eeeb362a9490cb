package weights_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// lying returns a file whose header length says n.
func lying(n uint64, rest string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, n), rest...)
}

// manyKeys returns n members of a JSON object.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":0`, i)
	}
	return b.String()[1:]
}

func TestRefused(t *testing.T) {
	const start = 8 // of the header
	tests := []struct {
		name   string
		file   []byte
		offset int64  // -1: not checked
		tensor string // named by the error
		reason string // part of the error
	}{
		{"empty", nil, 0, "", "the file is empty"},
		{"7 bytes", []byte("1234567"), 0, "", "the file has 7 bytes"},
		{"header length zero", lying(0, ""), start, "", "does not begin with {"},
		{"header length past the end", lying(3, "{}"), 0, "", "the header length is 3, but only 2 bytes follow"},
		{"header length at the limit", lying(100_000_000, "{}"), 0, "", "only 2 bytes follow"},
		{"header length above the limit", lying(100_000_001, "{}"), 0, "", "not a safetensors file"},
		{"header length of all ones", lying(math.MaxUint64, "{}"), 0, "", "not a safetensors file"},
		{"leading space", tensorFile(" {}", nil), start, "", "does not begin with {"},
		{"byte order mark", tensorFile("\ufeff{}", nil), start, "", "does not begin with {"},
		{"null header", tensorFile("null", nil), start, "", "does not begin with {"},
		{"not UTF-8", tensorFile("{\"a\xff\":1}", nil), start + 3, "", "not UTF-8"},
		{"cut UTF-8", tensorFile("{}\xc3", nil), start + 2, "", "not UTF-8"},

		{"not JSON", tensorFile(`{"a":{"x":tru}}`, nil), start + 10, "a", `not JSON: 't' where a value should be`},
		{"number with a leading zero", tensorFile(`{"a":{"x":01}}`, nil), start + 11, "a", "not JSON"},
		{"number without digits", tensorFile(`{"a":{"x":-}}`, nil), -1, "a", "not JSON"},
		{"number that ends in a point", tensorFile(`{"a":{"x":1.}}`, nil), -1, "a", "not JSON"},
		{"number that ends in an exponent", tensorFile(`{"a":{"x":1e+}}`, nil), -1, "a", "not JSON"},
		{"unquoted key", tensorFile(`{a:1}`, nil), start + 1, "", "'a' where a key should be"},
		{"no colon", tensorFile(`{"a" 1}`, nil), start + 5, "", "where a colon should be"},
		{"no comma", tensorFile(`{"__metadata__":{} "a":{}}`, nil), start + 19, "", "where a comma or } should be"},
		{"a comma first", tensorFile(`{,}`, nil), start + 1, "", "not JSON"},
		{"a comma last in an array", tensorFile(`{"a":{"shape":[1,]}}`, nil), -1, "a", "shape holds something that is not a number"},
		{"a line break in a string", tensorFile("{\"a\nb\":1}", nil), start + 3, "", "where a character of a string should be"},
		{"a tab after an escape", tensorFile("{\"a\\n\tb\":1}", nil), start + 5, "", "where a character of a string should be"},
		{"unknown escape", tensorFile(`{"a\x41":1}`, nil), start + 4, "", "where an escape should be"},
		{"escape cut short", tensorFile(`{"a\u00`, nil), -1, "", "unexpected end of JSON input"},
		{"escape that is not hexadecimal", tensorFile(`{"a\u00zz":1}`, nil), -1, "", "four hexadecimal digits"},
		{"backslash at the end", tensorFile(`{"a\`, nil), -1, "", "unexpected end of JSON input"},
		{"a high surrogate alone", tensorFile(`{"\ud800":1}`, nil), -1, "", "half a surrogate pair"},
		{"a low surrogate alone", tensorFile(`{"\udc00":1}`, nil), -1, "", "half a surrogate pair"},
		{"two high surrogates", tensorFile(`{"\ud800\ud800":1}`, nil), -1, "", "half a surrogate pair"},
		{"only a brace", tensorFile(`{`, nil), start + 1, "", "unexpected end of JSON input"},
		{"JSON cut in a string", tensorFile(`{"a`, nil), -1, "", "unexpected end of JSON input"},
		{"JSON cut in a tensor", tensorFile(`{"a":{"dtype":"F32"`, nil), -1, "a", "unexpected end of JSON input"},
		{"trailing comma", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},}`, nil), -1, "", "not JSON"},
		{"mismatched bracket", tensorFile(`{"a":{"dtype":"U8","shape":[0},"data_offsets":[0,0]}`, nil), -1, "a", "not JSON"},
		{"a second object", tensorFile(`{}{}`, nil), start + 2, "", "goes on after its JSON object"},
		{"padded with zeros", tensorFile("{}  \x00", nil), start + 4, "", "goes on after its JSON object"},

		{"tensor twice", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil),
			-1, "", `the header has the key "a" twice`},
		{"tensor twice, escaped", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil),
			-1, "", `the header has the key "a" twice`},
		{"metadata twice", tensorFile(`{"__metadata__":{},"__metadata__":{}}`, nil), -1, "", `the key "__metadata__" twice`},
		{"metadata key twice", tensorFile(`{"__metadata__":{"a":"1","a":"1"}}`, nil), -1, "", `__metadata__ has the key "a" twice`},
		{"dtype twice", tensorFile(`{"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil), -1, "a", `the key "dtype" twice`},
		{"unknown member twice", tensorFile(`{"a":{"x":1,"x":1,"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil), -1, "a", `the key "x" twice`},
		{"nested key twice", tensorFile(`{"a":{"x":[{"y":{"z":1,"z":2}}],"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil), -1, "a", `the key "z" twice`},
		{"nested too deep", tensorFile(`{"a":{"x":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}}`, nil), -1, "a", "nested more than 64 deep"},

		{"too many members", tensorFile(`{"a":{"x":{`+manyKeys(65_537)+`}}}`, nil), -1, "a", "a nested object has more than 65536 members"},
		{"too many members of an entry", tensorFile(`{"a":{`+manyKeys(65_537)+`}}`, nil), -1, "a", "the entry has more than 65536 members"},
		{"too much metadata", tensorFile(`{"__metadata__":{`+strings.ReplaceAll(manyKeys(65_537), ":0", `:""`)+`}}`, nil), -1, "", "__metadata__ has more than 65536 members"},
		{"metadata is a string", tensorFile(`{"__metadata__":"pt"}`, nil), -1, "", "__metadata__ does not begin with {"},
		{"metadata is null", tensorFile(`{"__metadata__":null}`, nil), -1, "", "__metadata__ does not begin with {"},
		{"metadata holds a number", tensorFile(`{"__metadata__":{"epoch":3}}`, nil), -1, "", `the value of "epoch" in __metadata__ is not a string`},
		{"metadata holds an object", tensorFile(`{"__metadata__":{"epoch":{}}}`, nil), -1, "", `the value of "epoch" in __metadata__ is not a string`},

		{"entry is a number", tensorFile(`{"a":1}`, nil), -1, "a", "the entry does not begin with {"},
		{"entry is an array", tensorFile(`{"a":["U8",[0],[0,0]]}`, nil), -1, "a", "the entry does not begin with {"},
		{"no dtype", tensorFile(`{"a":{"shape":[0],"data_offsets":[0,0]}}`, nil), -1, "a", "no dtype"},
		{"no shape", tensorFile(`{"a":{"dtype":"U8","data_offsets":[0,0]}}`, nil), -1, "a", "no shape"},
		{"no offsets", tensorFile(`{"a":{"dtype":"U8","shape":[0]}}`, nil), -1, "a", "no data_offsets"},
		{"keys are case sensitive", tensorFile(`{"a":{"DType":"U8","shape":[0],"data_offsets":[0,0]}}`, nil), -1, "a", "no dtype"},
		{"dtype is a number", tensorFile(`{"a":{"dtype":8,"shape":[0],"data_offsets":[0,0]}}`, nil), -1, "a", "dtype is not a string"},
		{"dtype is null", tensorFile(`{"a":{"dtype":null,"shape":[0],"data_offsets":[0,0]}}`, nil), -1, "a", "dtype is not a string"},
		{"shape is a number", tensorFile(`{"a":{"dtype":"U8","shape":0,"data_offsets":[0,0]}}`, nil), -1, "a", "shape does not begin with ["},
		{"shape is an object", tensorFile(`{"a":{"dtype":"U8","shape":{},"data_offsets":[0,0]}}`, nil), -1, "a", "shape does not begin with ["},
		{"negative dimension", tensorFile(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}}`, nil), -1, "a", `shape holds "-1"`},
		{"fractional dimension", tensorFile(`{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}`, []byte{1}), -1, "a", `shape holds "1.0"`},
		{"exponent in a dimension", tensorFile(`{"a":{"dtype":"U8","shape":[1e0],"data_offsets":[0,1]}}`, []byte{1}), -1, "a", `shape holds "1e0"`},
		{"dimension as text", tensorFile(`{"a":{"dtype":"U8","shape":["1"],"data_offsets":[0,1]}}`, []byte{1}), -1, "a", "shape holds something that is not a number"},
		{"dimension of 2^63", tensorFile(`{"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,0]}}`, nil), -1, "a", `shape holds "9223372036854775808"`},
		{"dimension with a leading zero", tensorFile(`{"a":{"dtype":"U8","shape":[01],"data_offsets":[0,1]}}`, []byte{1}), -1, "a", `shape holds "01"`},
		{"65 axes", tensorFile(`{"a":{"dtype":"U8","shape":[`+repeat("1", 65, ",")+`],"data_offsets":[0,1]}}`, []byte{1}), -1, "a", "more than 64 axes"},
		{"dimension of 2^64", tensorFile(`{"a":{"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,0]}}`, nil), -1, "a", `shape holds "18446744073709551616"`},
		{"nested shape", tensorFile(`{"a":{"dtype":"U8","shape":[[1]],"data_offsets":[0,1]}}`, []byte{1}), -1, "a", "shape holds something that is not a number"},

		// 2^32 * 2^32 is 0 modulo 2^64, 2^61 * 64 bits too.
		{"count overflows to 0", tensorFile(`{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, nil), -1, "a", "overflows"},
		{"count overflows before a 0", tensorFile(`{"a":{"dtype":"U8","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}}`, nil), -1, "a", "overflows"},
		{"bits overflow to 0", tensorFile(`{"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}}`, nil), -1, "a", "overflows"},
		{"count of an unknown dtype overflows", tensorFile(`{"a":{"dtype":"X","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, nil), -1, "a", "overflows"},

		{"too few bytes for the shape", tensorFile(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, make([]byte, 4)), -1, "a", "shape [2] of F32 needs 8 bytes, it has 4"},
		{"too many bytes for the shape", tensorFile(`{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,5]}}`, make([]byte, 5)), -1, "a", "needs 4 bytes, it has 5"},
		{"no bytes for a scalar", tensorFile(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,0]}}`, nil), -1, "a", "shape [] of F32 needs 4 bytes"},
		{"half a byte", tensorFile(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, make([]byte, 2)), -1, "a", "3 values of F4 do not fill whole blocks of 2"},
		{"6-bit values", tensorFile(`{"a":{"dtype":"F6_E2M3","shape":[2],"data_offsets":[0,2]}}`, make([]byte, 2)), -1, "a", "2 values of F6_E2M3 do not fill whole blocks of 4"},

		{"offsets are one number", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}}`, nil), -1, "a", "data_offsets has 1 of two numbers"},
		{"offsets are three numbers", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}}`, nil), -1, "a", "data_offsets has more than two numbers"},
		{"offsets are text", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":"0,0"}}`, nil), -1, "a", "data_offsets does not begin with ["},
		{"negative offset", tensorFile(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}}`, nil), -1, "a", `data_offsets holds "-1"`},
		{"offset of 2^63", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[9223372036854775808,9223372036854775808]}}`, nil), -1, "a", `data_offsets holds "9223372036854775808"`},
		{"end before begin", tensorFile(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[1,0]}}`, []byte{1}), -1, "a", "data_offsets [1, 0] ends before it begins"},

		{"hole at the start", tensorFile(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, make([]byte, 2)), start + 53, "a", "a hole: data_offsets [1, 2] should begin at 0"},
		{"hole between", tensorFile(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, make([]byte, 3)), -1, "b", "a hole: data_offsets [2, 3] should begin at 1"},
		{"overlap", tensorFile(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, make([]byte, 3)), -1, "b", `overlap those of tensor "a"`},
		{"two names for the same bytes", tensorFile(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, make([]byte, 2)), -1, "b", `overlap those of tensor "a"`},
		{"an empty tensor inside another", tensorFile(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, make([]byte, 2)), -1, "b", `overlap those of tensor "a"`},
		{"truncated values", tensorFile(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}`, make([]byte, 3)), start + 105 + 2, "b", "data_offsets [2, 4] pass the end of the file, which has 3 bytes of values"},
		{"values far past the end", tensorFile(`{"a":{"dtype":"U8","shape":[1152921504606846975],"data_offsets":[0,1152921504606846975]}}`, make([]byte, 3)), -1, "a", "pass the end of the file"},
		{"trailing bytes", tensorFile(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, make([]byte, 5)), start + 53 + 2, "", "3 bytes follow the last tensor"},
		{"values without a tensor", tensorFile(`{}`, make([]byte, 5)), start + 2, "", "5 bytes follow the last tensor"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := parse(tt.file)
			if err == nil {
				t.Fatalf("accepted, with %d tensors", len(f.Tensors()))
			}
			var fault *weights.FormatError
			if !errors.As(err, &fault) {
				t.Fatalf("error %v is not a *FormatError", err)
			}
			if fault.File != "test.safetensors" || fault.Tensor != tt.tensor {
				t.Errorf("error is about file %q, tensor %q; want tensor %q", fault.File, fault.Tensor, tt.tensor)
			}
			if tt.offset >= 0 && fault.Offset != tt.offset {
				t.Errorf("error is at byte %d, want %d", fault.Offset, tt.offset)
			}
			if fault.Offset > int64(len(tt.file)) {
				t.Errorf("error is at byte %d of %d", fault.Offset, len(tt.file))
			}
			text := err.Error()
			if !strings.Contains(text, tt.reason) {
				t.Errorf("error %q does not say %q", text, tt.reason)
			}
			if !strings.HasPrefix(text, "test.safetensors: byte ") || strings.Contains(text, "\n") {
				t.Errorf("error %q is not one line that begins with the file", text)
			}
			if tt.tensor != "" && !strings.Contains(text, fmt.Sprintf("tensor %q", tt.tensor)) {
				t.Errorf("error %q does not name the tensor", text)
			}
		})
	}
}

// Every proper prefix of a file is a truncated file.
func TestTruncatedEverywhere(t *testing.T) {
	whole := tensorFile(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, make([]byte, 8))
	if _, err := parse(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := parse(whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", n, len(whole))
		}
	}
}

func TestAccepted(t *testing.T) {
	tests := []struct {
		name   string
		header string
		bytes  int
		want   []string // tensors, in the order of their bytes
	}{
		{"no tensor", `{}`, 0, nil},
		{"padded", "{}      ", 0, nil},
		{"padded with other white space", "{}\n\t \r", 0, nil},
		{"only metadata", `{"__metadata__":{"format":"pt"}}`, 0, nil},
		{"scalar", `{"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 4, []string{"s F32 [] 1"}},
		{"empty with a huge axis", `{"e":{"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,0]}}`, 0, []string{"e F32 [0 9223372036854775807] 0"}},
		{"members in any order", `{"a":{"data_offsets":[0,2],"shape":[2],"dtype":"U8"}}`, 2, []string{"a U8 [2] 2"}},
		{"unknown members", `{"a":{"x":null,"dtype":"U8","y":{"z":[1,{"z":true}]},"shape":[2],"data_offsets":[0,2]}}`, 2, []string{"a U8 [2] 2"}},
		{"header not in the order of the bytes", `{"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]},"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`, 3, []string{"a F16 [1] 1", "b U8 [1] 1"}},
		{"empty tensor between two", `{"c":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 2,
			[]string{"a U8 [1] 1", "b U8 [0] 0", "c U8 [1] 1"}},
		{"4-bit values", `{"a":{"dtype":"F4","shape":[2,8],"data_offsets":[0,8]}}`, 8, []string{"a F4 [2 8] 16"}},
		{"6-bit values", `{"a":{"dtype":"F6_E3M2","shape":[4],"data_offsets":[0,3]}}`, 3, []string{"a F6_E3M2 [4] 4"}},
		{"unknown dtype of any size", `{"a":{"dtype":"Q9","shape":[7],"data_offsets":[0,5]}}`, 5, []string{"a Q9 [7] 7"}},
		{"64 axes", `{"a":{"dtype":"U8","shape":[` + repeat("1", 64, ",") + `],"data_offsets":[0,1]}}`, 1, []string{"a U8 [" + repeat("1", 64, " ") + "] 1"}},
		{"white space everywhere", "{ \"a\" :\t{\"dtype\"\n:\r\"U8\" , \"shape\" : [ 1 , 2 ] ,\"data_offsets\": [ 0 , 2 ] } , \"__metadata__\" : { } }", 2, []string{"a U8 [1 2] 2"}},
		{"escapes", `{"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, []string{"\"\\/\b\f\n\r\té😀\x00 U8 [1] 1"}},
		{"members of every kind", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":[-0,0.5,-1.5e+9,1E3,10,true,false,null,"",{},[]]}}`, 1, []string{"a U8 [1] 1"}},
		{"empty name", `{"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, []string{" U8 [1] 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := mustParse(t, tt.header, make([]byte, tt.bytes))
			var got []string
			next := int64(8 + len(tt.header))
			for _, x := range f.Tensors() {
				got = append(got, fmt.Sprintf("%s %s %v %d", x.Name, x.DType, x.Shape, x.Elements()))
				if x.Offset != next {
					t.Errorf("tensor %q begins at %d, want %d", x.Name, x.Offset, next)
				}
				next += x.Bytes
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("tensors are %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMetadata(t *testing.T) {
	f := mustParse(t, `{"__metadata__":{"format":"pt","note":"\u00e9"}}`, nil)
	if m := f.Metadata(); len(m) != 2 || m["format"] != "pt" || m["note"] != "é" {
		t.Errorf("metadata is %q", m)
	}
	if m := mustParse(t, `{}`, nil).Metadata(); m != nil {
		t.Errorf("metadata of a file without any is %q", m)
	}
}

// failing is a reader that fails at every byte from limit on.
type failing struct {
	data  []byte
	limit int64
	err   error
}

func (r failing) ReadAt(b []byte, offset int64) (int, error) {
	if offset+int64(len(b)) > r.limit {
		return 0, r.err
	}
	return bytes.NewReader(r.data).ReadAt(b, offset)
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("medium error")
	header := `{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`
	data := tensorFile(header, make([]byte, 8))
	for _, limit := range []int{0, 8} {
		_, err := weights.New("disk", failing{data, int64(limit), broken}, int64(len(data)))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), fmt.Sprintf("disk: byte %d: ", limit)) {
			t.Errorf("reading from byte %d failed with: %v", limit, err)
		}
	}
	for _, cause := range []error{broken, io.EOF} {
		f, err := weights.New("disk", failing{data, int64(len(data) - 1), cause}, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Matrices()[0].Load()
		want := fmt.Sprintf("disk: byte %d: tensor \"a\": ", 8+len(header))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("loading failed with: %v; want %q...", err, want)
		}
	}
}

// A header may ask for anything; what it gets is bounded by the size of the file.
func TestAllocationBounded(t *testing.T) {
	huge := "9223372036854775807"
	entry := `"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`
	var many, overlapping strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, ","+entry, i)
		fmt.Fprintf(&overlapping, `,"%d":{"dtype":"U8","shape":[1000],"data_offsets":[0,1000]}`, i)
	}
	tests := []struct {
		name string
		file []byte
	}{
		{"header length", lying(99_999_999, "{}")},
		{"header length of all ones", lying(math.MaxUint64, "{}")},
		{"empty tensor with a huge axis", tensorFile(`{"a":{"dtype":"F32","shape":[`+huge+`,0],"data_offsets":[0,0]}}`, nil)},
		{"huge stack of empty experts", tensorFile(`{"experts.a":{"dtype":"F32","shape":[`+huge+`,0,0],"data_offsets":[0,0]}}`, nil)},
		{"values past the end", tensorFile(`{"a":{"dtype":"X","shape":[`+huge+`],"data_offsets":[0,`+huge+`]}}`, nil)},
		{"long name in a stack", tensorFile(`{"experts.`+strings.Repeat("a", 100_000)+`":{"dtype":"F32","shape":[2500,2,2],"data_offsets":[0,40000]}}`, make([]byte, 40_000))},
		{"stack of small experts", tensorFile(`{"experts":{"dtype":"F16","shape":[5000,2,2],"data_offsets":[0,40000]}}`, make([]byte, 40_000))},
		{"stack of vectors", tensorFile(`{"experts":{"dtype":"F4","shape":[40000,1,2],"data_offsets":[0,40000]}}`, make([]byte, 40_000))},
		{"many members", tensorFile(`{"a":{"x":{`+manyKeys(60_000)+`}}}`, nil)},
		{"many axes", tensorFile(`{"a":{"dtype":"U8","shape":[`+repeat("1", 50_000, ",")+`],"data_offsets":[0,1]}}`, []byte{1})},
		{"dots", tensorFile(`{"`+strings.Repeat(".", 100_000)+`":{"dtype":"F32","shape":[1,1,1],"data_offsets":[0,4]}}`, make([]byte, 4))},
		{"many tensors", tensorFile("{"+many.String()[1:]+"}", nil)},
		{"many overlapping tensors", tensorFile("{"+overlapping.String()[1:]+"}", make([]byte, 1000))},
		{"nested", tensorFile(`{"a":{"x":`+strings.Repeat("[", 100_000), nil)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := parse(tt.file)
			if err == nil {
				f.Matrices()
				f.Skipped()
			}
			runtime.ReadMemStats(&after)
			limit := uint64(64<<10 + 24*len(tt.file)) // the garbage of parsing included
			if got := after.TotalAlloc - before.TotalAlloc; got > limit {
				t.Errorf("a file of %d bytes made the reader allocate %d bytes, above %d", len(tt.file), got, limit)
			}
		})
	}
}

// counted counts the bytes that are read from it.
type counted struct {
	r    io.ReaderAt
	read int
}

func (c *counted) ReadAt(b []byte, offset int64) (int, error) {
	n, err := c.r.ReadAt(b, offset)
	c.read += n
	return n, err
}

// A large file that is something else is not read on.
func TestLittleIsReadOfOtherFiles(t *testing.T) {
	for _, head := range []string{"", "\x80\x04", "PK\x03\x04", "\x00\xe1\xf5\x05\x00\x00\x00\x00", "\x93NUMPY\x02\x00\x00\xe1\xf5\x05"} {
		c := &counted{r: sparse(head)}
		if _, err := weights.New("zeros", c, 256<<30); err == nil || c.read > 64 {
			t.Errorf("of a file that begins with %q, %d bytes are read: %v", head, c.read, err)
		}
	}
}

// An error about a name that fills the header is still a line to read.
func TestLongNamesAreCut(t *testing.T) {
	name := strings.Repeat("é", 10_000)
	_, err := parse(tensorFile(`{"`+name+`":{"dtype":"`+name+`","shape":[0],"data_offsets":[1,1]}}`, nil))
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("the error is %v", err)
	}
}

// A model of this many tensors should open at once.
func BenchmarkHeader(b *testing.B) {
	var header strings.Builder
	const tensors = 100_000
	for i := range tensors {
		fmt.Fprintf(&header, `,"model.layers.%d.mlp.experts.%d.down_proj.weight":{"dtype":"BF16","shape":[2,4],"data_offsets":[%d,%d]}`,
			i/256, i%256, 16*i, 16*i+16)
	}
	file := tensorFile("{"+header.String()[1:]+"}", make([]byte, 16*tensors))
	b.SetBytes(int64(header.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(file); err != nil {
			b.Fatal(err)
		}
	}
}
