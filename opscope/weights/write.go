package weights

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
	"github.com/rlx-go/gopherscope/kernels"
)

// Named is a tensor to be written.
type Named struct {
	Name  string
	DType DType     // F32 if empty, F16 or BF16
	Shape []int     // any rank; none for a scalar
	Data  []float32 // row-major, as many values as the product of Shape
}

// WriteSafetensors writes a safetensors file whole or not at all; a file at path is
// replaced. The values of F16 and BF16 are rounded to nearest, ties to even. Wide types
// come first in the file, so that every value is aligned. It puts the file together in
// memory. It fails, naming the tensor, on a name that is used twice or is no UTF-8, on a
// dtype that is not written, on data that do not fill the shape, and on a finite value
// that F16 or BF16 has only as an infinity.
func WriteSafetensors(path string, tensors []Named) error {
	data, err := encodeSafetensors(tensors)
	if err == nil {
		err = atomicfile.Write(path, data)
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

func encodeSafetensors(tensors []Named) ([]byte, error) {
	type entry struct {
		DType   DType    `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	header := make(map[string]entry, len(tensors))
	ordered := slices.Clone(tensors)
	for i, t := range ordered {
		if t.DType == "" {
			ordered[i].DType = F32
		}
	}
	slices.SortStableFunc(ordered, func(a, b Named) int { return -cmp.Compare(a.DType.Bits(), b.DType.Bits()) })
	end := int64(0)
	for _, t := range ordered {
		fail := func(format string, args ...any) ([]byte, error) {
			return nil, fmt.Errorf("tensor %s: %s", quote(t.Name), fmt.Sprintf(format, args...))
		}
		_, twice := header[t.Name]
		switch {
		case encoders[t.DType] == nil:
			return fail("dtype %s is not written", quote(string(t.DType)))
		case twice:
			return fail("the name is used twice")
		case t.Name == metadataKey || !utf8.ValidString(t.Name):
			return fail("not a name for a tensor")
		}
		x := Tensor{DType: t.DType, Shape: append([]int{}, t.Shape...), Bytes: int64(len(t.Data) * t.DType.Bits() / 8)}
		if len(t.Shape) > maxAxes || slices.ContainsFunc(t.Shape, func(d int) bool { return d < 0 }) {
			return fail("shape %s cannot be written", shapeString(t.Shape))
		}
		if fault := sizeFault(&x); fault != "" {
			return fail("%s", fault)
		}
		header[t.Name] = entry{t.DType, x.Shape, [2]int64{end, end + x.Bytes}}
		end += x.Bytes
	}
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	for len(text)%8 != 0 { // so that the values are aligned
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("the header would have %d bytes, above the limit of %d", len(text), maxHeader)
	}
	data := make([]byte, 0, lengthBytes+int64(len(text))+end)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(text)))
	data = append(data, text...)
	for _, t := range ordered {
		bad := -1
		if data, bad = encoders[t.DType](data, t.Data); bad >= 0 {
			return nil, fmt.Errorf("tensor %s: value %d, %g, is beyond the range of %s", quote(t.Name), bad, t.Data[bad], t.DType)
		}
	}
	return data, nil
}

// encoders append values to b. They return the place of the first finite value that
// became an infinity, -1 if there is none.
var encoders = map[DType]func(b []byte, values []float32) ([]byte, int){
	F32: func(b []byte, values []float32) ([]byte, int) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b, -1
	},
	F16: func(b []byte, values []float32) ([]byte, int) {
		return encode16(b, values, toFloat16, 0x7c00)
	},
	BF16: func(b []byte, values []float32) ([]byte, int) {
		return encode16(b, values, toBFloat16, 0x7f80)
	},
}

func encode16(b []byte, values []float32, round func(float32) uint16, infinity uint16) ([]byte, int) {
	bad := -1
	for i, v := range values {
		h := round(v)
		if h&0x7fff == infinity && !math.IsInf(float64(v), 0) && bad < 0 {
			bad = i
		}
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return b, bad
}

// toBFloat16 rounds to the upper half of a binary32, ties to even. A NaN stays one.
func toBFloat16(v float32) uint16 {
	b := math.Float32bits(v)
	if v != v {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// toFloat16 rounds to a binary16, ties to even. A NaN stays one.
func toFloat16(v float32) uint16 {
	b := math.Float32bits(v)
	sign := uint16(b >> 16 & 0x8000)
	magnitude := math.Float32frombits(b &^ (1 << 31))
	switch {
	case v != v:
		return sign | 0x7e00
	case magnitude >= 65520: // halfway between the largest number and the next one
		return sign | 0x7c00
	case magnitude < 0x1p-14: // a multiple of 2^-24
		return sign | uint16(math.RoundToEven(float64(magnitude)*0x1p24))
	}
	// Drop 13 bits of the fraction and move the bias of the exponent from 127 to 15. A
	// carry out of the fraction goes into the exponent, as it should.
	m := math.Float32bits(magnitude)
	m += 0xfff + m>>13&1
	return sign | uint16(m>>13-(127-15)<<10)
}

// WriteNPY writes a matrix as an NPY file of version 1, with <f4 values row by row, whole
// or not at all; a file at path is replaced. It puts the file together in memory.
func WriteNPY(path string, m kernels.Matrix) error {
	const align = 64 // of the values, as NumPy has it
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", m.Rows, m.Cols)
	start := len(npyMagic) + 4
	header += strings.Repeat(" ", align-1-(start+len(header))%align) + "\n"
	data := make([]byte, 0, start+len(header)+4*m.Rows*m.Cols)
	data = append(data, npyMagic+"\x01\x00"...)
	data = binary.LittleEndian.AppendUint16(data, uint16(len(header)))
	data = append(data, header...)
	for i := range m.Rows {
		data, _ = encoders[F32](data, m.Data[i*m.Stride:i*m.Stride+m.Cols])
	}
	if err := atomicfile.Write(path, data); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
