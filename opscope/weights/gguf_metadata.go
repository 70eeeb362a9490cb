package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ggufKind is the type of a metadata value, by its number in the file.
type ggufKind uint32

const (
	ggufUint8 ggufKind = iota
	ggufInt8
	ggufUint16
	ggufInt16
	ggufUint32
	ggufInt32
	ggufFloat32
	ggufBool
	ggufString
	ggufArray
	ggufUint64
	ggufInt64
	ggufFloat64
)

// ggufKinds has the name of each type of value and its least size: a string begins with
// its length, an array with its type and its length.
var ggufKinds = [...]struct {
	name string
	size int
}{
	ggufUint8:   {"uint8", 1},
	ggufInt8:    {"int8", 1},
	ggufUint16:  {"uint16", 2},
	ggufInt16:   {"int16", 2},
	ggufUint32:  {"uint32", 4},
	ggufInt32:   {"int32", 4},
	ggufFloat32: {"float32", 4},
	ggufBool:    {"bool", 1},
	ggufString:  {"string", 8},
	ggufArray:   {"array", 12},
	ggufUint64:  {"uint64", 8},
	ggufInt64:   {"int64", 8},
	ggufFloat64: {"float64", 8},
}

func (k ggufKind) String() string { return ggufKinds[k].name }

// ggufExpected has the type of the entries that this package uses.
var ggufExpected = map[string]ggufKind{
	"general.architecture": ggufString,
	"general.alignment":    ggufUint32,
	splitPart:              ggufUint16,
	splitCount:             ggufUint16,
	splitTensors:           ggufInt32,
}

// entry reads one entry of the metadata.
func (r *ggufReader) entry() error {
	start := r.at
	key, err := r.text("the key of a metadata entry", ggufMaxKey)
	if err != nil {
		return err
	}
	if key == "" {
		return r.failAt(start, "a metadata key is empty")
	}
	if i := strings.IndexFunc(key, func(c rune) bool { return c >= utf8.RuneSelf }); i >= 0 {
		return r.failAt(start+8+int64(i), "the metadata key %s is not ASCII", quote(key))
	}
	if _, twice := r.metadata[key]; twice {
		return r.failAt(start, "the metadata has the key %s twice", quote(key))
	}
	what := "the metadata value of " + quote(key)
	kindAt := r.at
	kind, err := r.kind(what)
	if err != nil {
		return err
	}
	if want, known := ggufExpected[key]; known && kind != want {
		return r.failAt(kindAt, "%s is of type %s, not %s", what, kind, want)
	}
	valueAt := r.at
	value, err := r.value(kind, what)
	if err != nil {
		return err
	}
	r.metadata[key] = value
	if key == "general.alignment" {
		a, _ := strconv.ParseInt(value, 10, 64) // it is a number: its type is checked
		if a == 0 || a&(a-1) != 0 {
			return r.failAt(valueAt, "the alignment is %s, not a power of two", value)
		}
		r.alignment = a
	}
	return r.keep(start, int64(len(key)+len(value)))
}

// kind reads the type of a value.
func (r *ggufReader) kind(what string) (ggufKind, error) {
	start := r.at
	n, err := r.uint32(what)
	if err != nil {
		return 0, err
	}
	if int64(n) >= int64(len(ggufKinds)) {
		return 0, r.failAt(start, "%s is of type %d, which is not known", what, n)
	}
	return ggufKind(n), nil
}

// value reads a value and returns it as text.
func (r *ggufReader) value(kind ggufKind, what string) (string, error) {
	start := r.at
	switch kind {
	case ggufString:
		n, err := r.length(what)
		if err != nil {
			return "", err
		}
		if n > ggufMaxText {
			r.at += n
			return fmt.Sprintf("string of %d bytes", n), nil
		}
		text, err := r.bytes(int(n), what)
		return strings.ToValidUTF8(string(text), "\uFFFD"), err
	case ggufArray:
		return r.array(what, 1)
	}
	b, err := r.bytes(ggufKinds[kind].size, what)
	if err != nil {
		return "", err
	}
	var full [8]byte
	copy(full[:], b)
	u := binary.LittleEndian.Uint64(full[:])
	switch shift := 64 - 8*len(b); kind {
	case ggufBool:
		if u > 1 {
			return "", r.failAt(start, "%s is a bool of %d, not 0 or 1", what, u)
		}
		return strconv.FormatBool(u == 1), nil
	case ggufFloat32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(u))), 'g', -1, 32), nil
	case ggufFloat64:
		return strconv.FormatFloat(math.Float64frombits(u), 'g', -1, 64), nil
	case ggufInt8, ggufInt16, ggufInt32, ggufInt64:
		return strconv.FormatInt(int64(u)<<shift>>shift, 10), nil
	}
	return strconv.FormatUint(u, 10), nil
}

// array passes over an array and says what it is.
func (r *ggufReader) array(what string, depth int) (string, error) {
	start := r.at
	if depth > ggufNesting {
		return "", r.failAt(start, "%s has arrays nested more than %d deep", what, ggufNesting)
	}
	kind, err := r.kind(what)
	if err != nil {
		return "", err
	}
	count, err := r.uint64(what)
	if err != nil {
		return "", err
	}
	least := ggufKinds[kind].size
	if left := uint64(r.size - r.at); count > left/uint64(least) {
		return "", r.failAt(start+4, "%s is an array of %d %s, but only %d bytes follow", what, count, kind, left)
	}
	switch kind {
	case ggufString:
		for range count {
			n, err := r.length(what)
			if err != nil {
				return "", err
			}
			r.at += n
		}
	case ggufArray:
		for range count {
			if _, err := r.array(what, depth+1); err != nil {
				return "", err
			}
		}
	default:
		r.at += int64(count) * int64(least)
	}
	return fmt.Sprintf("array of %d %s", count, kind), nil
}
