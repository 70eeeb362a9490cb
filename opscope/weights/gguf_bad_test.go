package weights_test

import (
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
	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

// gguf puts the parts of a GGUF file together: an int has 4 bytes, an uint64 has 8, a
// string has its length before it, and bytes are as they are.
func gguf(parts ...any) []byte {
	var b []byte
	for _, part := range parts {
		switch v := part.(type) {
		case int:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case string:
			b = gguftest.AppendString(b, v)
		case []byte:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("a part of type %T", part))
		}
	}
	return b
}

// head is the head of a file.
func head(tensors, entries uint64, rest ...any) []byte {
	return gguf(append([]any{[]byte("GGUF"), 3, tensors, entries}, rest...)...)
}

// describe is the description of a tensor, the contiguous axis first.
func describe(name string, kind int, offset uint64, axes ...uint64) []byte {
	b := gguf(name, len(axes))
	for _, d := range axes {
		b = gguf(b, d)
	}
	return gguf(b, kind, offset)
}

const kindF32, kindF64, kindQ4 = 0, 28, 2

func zeros(n int) []byte { return make([]byte, n) }

// badGGUF has every class of fault, with the byte and the tensor that the error must
// name and words of its reason.
var badGGUF = []struct {
	name   string
	data   []byte
	offset int64
	tensor string
	reason string
}{
	{"only the magic", []byte("GGUF"), 0, "", "the file ends within the head"},
	{"a byte short of a head", head(0, 0)[:23], 0, "", "the file ends within the head"},
	{"version 0", gguf([]byte("GGUF"), 0, uint64(0), uint64(0)), 4, "", "version 0"},
	{"version 1", gguf([]byte("GGUF"), 1, uint64(0), uint64(0)), 4, "", "version 1"},
	{"version 4", gguf([]byte("GGUF"), 4, uint64(0), uint64(0)), 4, "", "version 4"},
	{"big-endian", gguf([]byte("GGUF"), 3<<24, uint64(0), uint64(0)), 4, "", "big-endian"},

	{"2^64-1 tensors", head(math.MaxUint64, 0, zeros(100)), 8, "", "counts 18446744073709551615 tensors, but only 100 bytes"},
	{"a tensor too many for the bytes", head(5, 0, zeros(119)), 8, "", "counts 5 tensors"},
	{"2^63 entries", head(0, 1<<63, zeros(100)), 16, "", "counts 9223372036854775808 metadata entries"},
	{"an entry too many for the bytes", head(0, 2, zeros(27)), 16, "", "counts 2 metadata entries"},
	{"an entry more than there are", head(0, 2, "key", 8, "a value"), 24 + 11 + 4 + 15, "", "the file ends within the key"},
	{"a tensor more than there are", head(2, 0, describe("a", kindF32, 0, 4), zeros(16)), 24 + 33 + 16, "", "the file ends within the offset"},

	{"a key as long as memory", head(0, 1, uint64(math.MaxUint64), zeros(12)), 24, "", "the key of a metadata entry has 18446744073709551615 bytes, but only 12"},
	{"a key a byte too long", head(0, 1, uint64(13), zeros(12)), 24, "", "has 13 bytes, but only 12"},
	{"an empty key", head(0, 1, "", 4, 0), 24, "", "key is empty"},
	{"a key over the limit", head(0, 1, strings.Repeat("k", 1<<16), 4, 0), 24, "", "has 65536 bytes, more than 65535"},
	{"a key that is not ASCII", head(0, 1, "clé", 4, 0), 34, "", "not ASCII"},
	{"a key that is not UTF-8", head(0, 1, "k\xff", 4, 0), 33, "", "not ASCII"},
	{"a key twice", head(0, 2, "k", 4, 0, "k", 4, 0), 24 + 17, "", `the key "k" twice`},
	{"a value of an unknown type", head(0, 1, "k", 13, uint64(0)), 33, "", "type 13, which is not known"},
	{"a value of type 2^32-1", head(0, 1, "k", -1, uint64(0)), 33, "", "type 4294967295"},
	{"a bool of 2", head(0, 1, "k", 7, []byte{2}), 37, "", "bool of 2"},
	{"a number cut short", head(0, 1, "k", 12, zeros(7)), 37, "", "the file ends within"},

	{"36 bytes with a string of 2^62", head(0, 1, uint64(1<<62), 8), 16, "", "counts 1 metadata entries, but only 12 bytes"},
	{"a string as long as memory", head(0, 1, "k", 8, uint64(math.MaxUint64)), 37, "", "has 18446744073709551615 bytes, but only 0"},
	{"a string a byte too long", head(0, 1, "k", 8, uint64(5), zeros(4)), 37, "", "has 5 bytes, but only 4"},
	{"an array as long as memory", head(0, 1, "k", 9, 4, uint64(math.MaxUint64), zeros(64)), 41, "", "array of 18446744073709551615 uint32"},
	{"an array whose bytes overflow", head(0, 1, "k", 9, 10, uint64(1<<61), zeros(64)), 41, "", "array of 2305843009213693952 uint64"},
	{"an array an element too long", head(0, 1, "k", 9, 4, uint64(5), zeros(19)), 41, "", "array of 5 uint32, but only 19"},
	{"an array of strings too long", head(0, 1, "k", 9, 8, uint64(3), zeros(23)), 41, "", "array of 3 string"},
	{"a string of an array too long", head(0, 1, "k", 9, 8, uint64(2), "abc", uint64(9), zeros(8)), 60, "", "has 9 bytes, but only 8"},
	{"an array of an unknown type", head(0, 1, "k", 9, 13, uint64(0)), 37, "", "type 13"},
	{"an array of arrays too long", head(0, 1, "k", 9, 9, uint64(3), zeros(35)), 41, "", "array of 3 array"},
	{"arrays nested deep", head(0, 1, "k", 9, []byte(strings.Repeat("\x09\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", 10_000)), zeros(12)),
		37 + 8*12, "", "nested more than 8 deep"},

	{"an alignment of uint64", head(0, 1, "general.alignment", 10, uint64(32)), 49, "", "of type uint64, not uint32"},
	{"an alignment of int32", head(0, 1, "general.alignment", 5, 32), 49, "", "of type int32, not uint32"},
	{"an alignment of a string", head(0, 1, "general.alignment", 8, "32"), 49, "", "of type string, not uint32"},
	{"alignment 0", head(0, 1, "general.alignment", 4, 0), 53, "", "alignment is 0"},
	{"alignment 7", head(0, 1, "general.alignment", 4, 7), 53, "", "alignment is 7"},
	{"alignment 48", head(0, 1, "general.alignment", 4, 48), 53, "", "alignment is 48"},
	{"alignment 2^32-1", head(0, 1, "general.alignment", 4, -1), 53, "", "alignment is 4294967295"},
	{"alignment 2^31 in a small file", head(1, 1, "general.alignment", 4, -1<<31, describe("a", kindF32, 0, 1), zeros(64)), 1 << 31, "a", "cut short"},
	{"an architecture of a number", head(0, 1, "general.architecture", 4, 1), 52, "", "of type uint32, not string"},
	{"a split count of uint32", head(0, 1, "split.count", 4, 2), 43, "", "of type uint32, not uint16"},

	{"a name as long as memory", head(1, 0, uint64(math.MaxUint64), zeros(30)), 24, "", "the name of a tensor has 18446744073709551615 bytes"},
	{"a name over the limit", head(1, 0, describe(strings.Repeat("n", 1025), kindF32, 0, 1), zeros(64)), 24, "", "has 1025 bytes, more than 1024"},
	{"a name that is not UTF-8", head(1, 0, describe("n\xff", kindF32, 0, 1), zeros(64)), 24, "", "not UTF-8"},
	{"a name twice", head(2, 0, describe("a", kindF32, 0, 1), describe("a", kindF32, 32, 1), zeros(96)), 57, "a", "two tensors of this name"},

	{"5 axes", head(1, 0, describe("a", kindF32, 0, 1, 1, 1, 1, 1), zeros(64)), 33, "a", "5 axes, more than 4"},
	{"2^32-1 axes", head(1, 0, "a", -1, zeros(64)), 33, "a", "4294967295 axes"},
	{"a negative axis", head(1, 0, describe("a", kindF32, 0, 1, math.MaxUint64), zeros(64)), 45, "a", "18446744073709551615"},
	{"an axis of 2^63", head(1, 0, describe("a", kindF32, 0, 1<<63), zeros(64)), 37, "a", "9223372036854775808"},
	{"values that overflow to 0", head(1, 0, describe("a", kindF32, 0, 1<<32, 1<<32), zeros(64)), 24, "a", "values of shape [4294967296, 4294967296] overflows"},
	{"values that overflow to a few", head(1, 0, describe("a", kindF32, 0, 0x5555555555555556, 3), zeros(64)), 24, "a", "overflows"},
	{"values that overflow to a negative number", head(1, 0, describe("a", kindF32, 0, 1<<32, 1<<31), zeros(64)), 24, "a", "overflows"},
	{"values that overflow on four axes", head(1, 0, describe("a", kindF32, 0, 1<<16, 1<<16, 1<<16, 1<<16), zeros(64)), 24, "a", "overflows"},
	{"bytes that overflow", head(1, 0, describe("a", kindF64, 0, 1<<61), zeros(64)), 24, "a", "more bytes than the file has"},
	{"bytes that overflow in blocks", head(1, 0, describe("a", kindQ4, 0, 1<<62), zeros(64)), 24, "a", "more bytes than the file has"},
	{"bytes whose sum overflows", head(2, 0, describe("a", kindF32, 0, 1<<60), describe("b", kindF32, 1<<62, 1<<60), zeros(64)), 24, "a", "more bytes than the file has"},

	{"a removed type", head(1, 0, describe("a", 4, 0, 32), zeros(64)), 45, "a", "type 4, Q4_2, was removed"},
	{"another removed type", head(1, 0, describe("a", 31, 0, 32), zeros(64)), 45, "a", "type 31, Q4_0_4_4, was removed"},
	{"an unknown type", head(1, 0, describe("a", 43, 0, 32), zeros(64)), 45, "a", "type 43 is not known"},
	{"type 2^32-1", head(1, 0, describe("a", -1, 0, 32), zeros(64)), 45, "a", "type 4294967295 is not known"},
	{"a row that is not whole blocks", head(1, 0, describe("a", kindQ4, 0, 33, 32), zeros(1024)), 24, "a", "not a multiple of the 32 values of a block"},
	{"a scalar of blocks", head(1, 0, describe("a", kindQ4, 0), zeros(64)), 24, "a", "not a multiple of the 32 values of a block"},

	{"an offset that is not aligned", head(2, 0, describe("a", kindF32, 0, 1), describe("b", kindF32, 4, 1), zeros(96)), 82, "b", "not a multiple of the alignment 32"},
	{"a first offset that is not 0", head(1, 0, describe("a", kindF32, 32, 1), zeros(96)), 49, "a", "a hole"},
	{"a hole", head(2, 0, describe("a", kindF32, 0, 1), describe("b", kindF32, 64, 1), zeros(128)), 82, "b", "a hole"},
	{"an overlap", head(2, 0, describe("a", kindF32, 0, 16), describe("b", kindF32, 32, 1), zeros(128)), 82, "b", "overlap"},
	{"the same bytes twice", head(2, 0, describe("a", kindF32, 0, 1), describe("b", kindF32, 0, 1), zeros(128)), 82, "b", "overlap"},
	{"an offset past the file", head(1, 0, describe("a", kindF32, 1<<40, 1), zeros(96)), 49, "a", "a hole"},
	{"an offset that overflows", head(1, 0, describe("a", kindF32, math.MaxUint64-31, 1), zeros(96)), 49, "a", "a hole"},

	{"a region shorter than its type needs", head(1, 0, describe("a", kindQ4, 0, 256, 4), zeros(31+4*144-1)), 96, "a", "the tensor has 576 bytes, and 575 follow"},
	{"a last tensor cut short", head(2, 0, describe("a", kindF32, 0, 8), describe("b", kindF32, 32, 8), zeros(6+32+31)), 128, "b", "the tensor has 32 bytes, and 31 follow"},
	{"no values at all", head(1, 0, describe("a", kindF32, 0, 4)), 64, "a", "the tensor has 16 bytes, and 0 follow"},
}

func TestGGUFRefuses(t *testing.T) {
	for _, c := range badGGUF {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := parseGGUF(c.data)
			runtime.ReadMemStats(&after)
			var fault *weights.FormatError
			if !errors.As(err, &fault) {
				t.Fatalf("the error is %v, not a FormatError", err)
			}
			if fault.File != "test.gguf" || fault.Offset != c.offset || fault.Tensor != c.tensor || !strings.Contains(fault.Reason, c.reason) {
				t.Errorf("the error is %q; want byte %d, tensor %q, %q", err, c.offset, c.tensor, c.reason)
			}
			limit := uint64(64<<10 + 16*len(c.data))
			if got := after.TotalAlloc - before.TotalAlloc; got > limit {
				t.Errorf("a file of %d bytes made the reader allocate %d bytes, above %d", len(c.data), got, limit)
			}
		})
	}
}

// TestGGUFCutShort cuts a good file at every byte of its header and at some of its values.
func TestGGUFCutShort(t *testing.T) {
	data := gguftest.File{
		Alignment: 64,
		Entries: []gguftest.Entry{
			{Key: "general.architecture", Value: "x"}, {Key: "tokens", Value: []string{"a", "", "bc"}},
			{Key: "scores", Value: []float32{1, 2}}, {Key: "flag", Value: true}, {Key: "f", Value: 1.5},
		},
		Tensors: []gguftest.Tensor{
			gguftest.NewTensor("a", gguftest.Q8_0, []int{1, 32}, make([]float32, 32)),
			gguftest.NewTensor("b", gguftest.F32, []int{2, 2, 4}, make([]float32, 16)),
		},
	}.Bytes()
	if _, err := parseGGUF(data); err != nil {
		t.Fatal(err)
	}
	for n := range data {
		_, err := parseGGUF(data[:n])
		var fault *weights.FormatError
		if !errors.As(err, &fault) || fault.Offset < 0 {
			t.Errorf("cut to %d of %d bytes: %v", n, len(data), err)
		}
	}
}

func TestGGUFReaderFails(t *testing.T) {
	broken := errors.New("medium error")
	data := gguftest.File{
		Entries: []gguftest.Entry{{Key: "long", Value: strings.Repeat("x", 100_000)}},
		Tensors: []gguftest.Tensor{gguftest.NewTensor("a", gguftest.Q8_0, []int{1, 32}, make([]float32, 32))},
	}.Bytes()
	for _, limit := range []int{0, 8, 70_000, len(data) - 1} {
		_, err := weights.New("disk", failing{data, int64(limit), broken}, int64(len(data)))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "disk: byte ") {
			t.Errorf("reading with a fault at byte %d failed with: %v", limit, err)
		}
	}
	// A file that has become shorter since its size was asked for.
	_, err := weights.New("disk", failing{data, 70_000, io.EOF}, int64(len(data)))
	var fault *weights.FormatError
	if !errors.As(err, &fault) {
		t.Errorf("reading a file that has become shorter failed with: %v", err)
	}
}

// numbered is a file without an end: a head, and then one unit again and again, with its
// number in the eight bytes at place.
type numbered struct {
	head, unit []byte
	place      int
}

func (r numbered) ReadAt(b []byte, offset int64) (int, error) {
	n := 0
	if offset < int64(len(r.head)) {
		n = copy(b, r.head[offset:])
	}
	for n < len(b) {
		at := offset + int64(n) - int64(len(r.head))
		unit := slices.Clone(r.unit)
		copy(unit[r.place:], fmt.Sprintf("%08d", at/int64(len(unit))))
		n += copy(b[n:], unit[at%int64(len(unit)):])
	}
	return n, nil
}

// TestGGUFKeepsABoundedHeader reads headers without an end that are right as far as they
// go: the reader must give up before it has kept more than a header may have.
func TestGGUFKeepsABoundedHeader(t *testing.T) {
	const size = 1 << 40
	for _, c := range []struct {
		name string
		file numbered
	}{
		{"entries", numbered{head(0, size/200_000), gguf(strings.Repeat("k", 5e4), 8, strings.Repeat("v", 5e4)), 8}},
		{"names", numbered{head(size/2000, 0), describe(strings.Repeat("n", 1000), kindF32, 0, 0), 8}},
	} {
		_, err := weights.New("huge.gguf", c.file, size)
		var fault *weights.FormatError
		if !errors.As(err, &fault) || !strings.Contains(fault.Reason, "more than 100000000 bytes") {
			t.Errorf("%s: the error is %v", c.name, err)
		}
	}
}
