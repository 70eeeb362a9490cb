// Package gguftest makes GGUF files for tests.
package gguftest

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The types of a tensor that this package encodes, by their numbers in a file.
const (
	F32  = 0
	F16  = 1
	Q4_0 = 2
	Q8_0 = 8
	BF16 = 30
)

// File is the content of a GGUF file.
type File struct {
	Version   uint32 // 0 stands for 3
	Alignment uint32 // 0 stands for 32, without an entry that says so
	Entries   []Entry
	Tensors   []Tensor
}

// Entry is a metadata entry. The value is a string, a bool, a number whose type has a
// size, or a slice of one of these.
type Entry struct {
	Key   string
	Value any
}

// Tensor is one tensor with its encoded values.
type Tensor struct {
	Name  string
	Type  uint32
	Shape []int // row-major, the last axis contiguous
	Data  []byte
}

// NewTensor encodes values as one of the types of this package. For Q4_0 and Q8_0 the
// last axis must be a multiple of 32. It panics on a type or a shape that does not fit.
func NewTensor(name string, kind uint32, shape []int, values []float32) Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != len(values) {
		panic(fmt.Sprintf("gguftest: %d values for shape %v", len(values), shape))
	}
	return Tensor{Name: name, Type: kind, Shape: shape, Data: Encode(kind, values)}
}

// Bytes returns the file. It panics on a value of an entry that GGUF does not have.
func (f File) Bytes() []byte {
	version, alignment, entries := f.Version, f.Alignment, f.Entries
	if version == 0 {
		version = 3
	}
	if alignment == 0 {
		alignment = 32
	} else {
		entries = append([]Entry{{"general.alignment", alignment}}, entries...)
	}
	b := []byte("GGUF")
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(f.Tensors)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(entries)))
	for _, e := range entries {
		b = AppendString(b, e.Key)
		b = appendValue(b, e.Value)
	}
	var offset uint64
	for _, t := range f.Tensors {
		b = AppendString(b, t.Name)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(t.Shape)))
		for i := range t.Shape {
			b = binary.LittleEndian.AppendUint64(b, uint64(t.Shape[len(t.Shape)-1-i]))
		}
		b = binary.LittleEndian.AppendUint32(b, t.Type)
		b = binary.LittleEndian.AppendUint64(b, offset)
		offset += padded(uint64(len(t.Data)), alignment)
	}
	b = pad(b, alignment)
	for _, t := range f.Tensors {
		b = pad(append(b, t.Data...), alignment)
	}
	return b
}

// AppendString appends a string as GGUF has it: its length and its bytes.
func AppendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

// appendValue appends the type of a value and the value.
func appendValue(b []byte, value any) []byte {
	const array = 9
	kind, elements := elementsOf(value)
	if elements != nil {
		b = binary.LittleEndian.AppendUint32(b, array)
		b = binary.LittleEndian.AppendUint32(b, kind)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(elements)))
		for _, e := range elements {
			b = appendScalar(b, e)
		}
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, kind)
	return appendScalar(b, value)
}

// elementsOf returns the type of a value and no element, or that of a slice's elements
// and them.
func elementsOf(value any) (kind uint32, elements []any) {
	switch v := value.(type) {
	case uint8:
		return 0, nil
	case int8:
		return 1, nil
	case uint16:
		return 2, nil
	case int16:
		return 3, nil
	case uint32:
		return 4, nil
	case int32:
		return 5, nil
	case float32:
		return 6, nil
	case bool:
		return 7, nil
	case string:
		return 8, nil
	case uint64:
		return 10, nil
	case int64:
		return 11, nil
	case float64:
		return 12, nil
	case []string:
		return 8, anys(v)
	case []int32:
		return 5, anys(v)
	case []float32:
		return 6, anys(v)
	}
	panic(fmt.Sprintf("gguftest: a value of type %T", value))
}

func anys[T any](s []T) []any {
	list := make([]any, len(s))
	for i, v := range s {
		list[i] = v
	}
	return list
}

func appendScalar(b []byte, value any) []byte {
	if s, ok := value.(string); ok {
		return AppendString(b, s)
	}
	b, err := binary.Append(b, binary.LittleEndian, value)
	if err != nil {
		panic("gguftest: " + err.Error())
	}
	return b
}

func padded(n uint64, alignment uint32) uint64 {
	return (n + uint64(alignment) - 1) / uint64(alignment) * uint64(alignment)
}

func pad(b []byte, alignment uint32) []byte {
	return append(b, make([]byte, padded(uint64(len(b)), alignment)-uint64(len(b)))...)
}

// Encode encodes values as one of the types of this package, the block types as ggml's
// own quantizers do. It panics on another type and on values that do not fill blocks.
func Encode(kind uint32, values []float32) []byte {
	switch kind {
	case F32:
		return each(values, 4, func(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) })
	case F16:
		return each(values, 2, func(b []byte, v float32) { binary.LittleEndian.PutUint16(b, Half(v)) })
	case BF16:
		return each(values, 2, func(b []byte, v float32) { binary.LittleEndian.PutUint16(b, bfloat(v)) })
	case Q8_0:
		return blocks(values, 34, encodeQ8_0)
	case Q4_0:
		return blocks(values, 18, encodeQ4_0)
	}
	panic(fmt.Sprintf("gguftest: type %d has no encoder", kind))
}

func each(values []float32, size int, put func([]byte, float32)) []byte {
	b := make([]byte, size*len(values))
	for i, v := range values {
		put(b[size*i:], v)
	}
	return b
}

func blocks(values []float32, size int, encode func(b []byte, values []float32)) []byte {
	const block = 32
	if len(values)%block != 0 {
		panic(fmt.Sprintf("gguftest: %d values are not whole blocks of %d", len(values), block))
	}
	b := make([]byte, len(values)/block*size)
	for i := 0; i < len(values)/block; i++ {
		encode(b[i*size:][:size], values[i*block:][:block])
	}
	return b
}

// extreme returns the value of the largest magnitude, the first if several have it.
func extreme(values []float32) float32 {
	var e float32
	for _, v := range values {
		if math.Abs(float64(v)) > math.Abs(float64(e)) {
			e = v
		}
	}
	return e
}

// inverse is 1/d, 0 for 0.
func inverse(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}

func encodeQ8_0(b []byte, values []float32) {
	d := float32(math.Abs(float64(extreme(values)))) / 127
	id := inverse(d)
	binary.LittleEndian.PutUint16(b, Half(d))
	for i, v := range values {
		b[2+i] = byte(int8(math.Round(float64(v * id))))
	}
}

func encodeQ4_0(b []byte, values []float32) {
	d := extreme(values) / -8
	id := inverse(d)
	binary.LittleEndian.PutUint16(b, Half(d))
	code := func(v float32) byte { return min(15, byte(int8(float32(v*id)+8.5))) }
	for i := range 16 {
		b[2+i] = code(values[i]) | code(values[i+16])<<4
	}
}

// Half returns the IEEE 754 binary16 nearest to a value, the even one of two.
func Half(v float32) uint16 {
	sign := uint16(math.Float32bits(v) >> 16 & 0x8000)
	a := math.Abs(float64(v))
	switch {
	case math.IsNaN(a):
		return sign | 0x7e00
	case a >= 65520: // half way between the largest value and the next power of two
		return sign | 0x7c00
	}
	// Values below 2^-14 have the spacing of those at 2^-14.
	exponent := max(math.Ilogb(a), -14)
	if a == 0 {
		exponent = -14
	}
	steps := math.RoundToEven(math.Ldexp(a, 10-exponent))
	// The leading bit of a normal value is 1024 steps; a sum that carries past 2047 of
	// them goes into the exponent.
	return sign | uint16(int(steps)+(exponent+14)<<10)
}

// bfloat returns the bfloat16 nearest to a finite value, the even one of two.
func bfloat(v float32) uint16 {
	b := math.Float32bits(v)
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
