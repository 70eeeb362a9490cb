package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An NPY file, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html,
// is a magic string, a version, the length of the header (2 bytes in version 1, 4 in 2
// and 3, little-endian), the header (a literal of a Python dict: descr, fortran_order
// and shape), and the values.
const (
	npyMagic     = "\x93NUMPY"
	maxNPYHeader = 1 << 16 // bytes; NumPy itself refuses one above 10,000
)

// readNPY returns the one tensor of an NPY file.
func readNPY(src *source, size int64) ([]*Tensor, error) {
	t := &Tensor{Name: baseName(src.name), File: src.name, src: src}
	fail := func(offset int64, format string, args ...any) ([]*Tensor, error) {
		return nil, &FormatError{File: src.name, Tensor: t.Name, Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
	var head [12]byte // with the length of versions 2 and 3
	n := min(size, int64(len(head)))
	if err := src.readAt(head[:n], 0, t.Name); err != nil {
		return nil, err
	}
	start := int64(10)
	length := int64(binary.LittleEndian.Uint16(head[8:]))
	switch version := head[6]; {
	case n < start:
		return fail(n, "the file ends within the first %d bytes", start)
	case version < 1 || version > 3 || head[7] != 0:
		return fail(6, "version %d.%d is not known", version, head[7])
	case version > 1 && n < 12:
		return fail(n, "the file ends within the first 12 bytes")
	case version > 1:
		start = 12
		length = int64(binary.LittleEndian.Uint32(head[8:]))
	}
	switch {
	case length > size-start:
		return fail(8, "the header length is %d, but only %d bytes follow", length, size-start)
	case length > maxNPYHeader:
		return fail(8, "the header length is %d, above the limit of %d bytes", length, maxNPYHeader)
	}
	text := make([]byte, length)
	if err := src.readAt(text, start, t.Name); err != nil {
		return nil, err
	}
	// Before version 3 the header is in Latin-1, but outside of the names of fields,
	// which are not read, it has nothing beyond ASCII.
	if bad := invalidUTF8(text); head[6] == 3 && bad >= 0 {
		return fail(start+int64(bad), "the header is not UTF-8")
	}
	h := npyHeader{text: string(text)}
	if reason := h.read(); reason != "" {
		return fail(start+int64(h.pos), "%s", reason)
	}
	t.Offset = start + length
	t.Bytes = size - t.Offset
	t.Shape = h.shape
	t.DType = npyDType(h.descr)
	if h.fortran && len(t.Shape) > 1 {
		slices.Reverse(t.Shape)
		t.fortran = true
	}
	if fault := sizeFault(t); fault != "" {
		return fail(start, "%s", fault)
	}
	return []*Tensor{t}, nil
}

// npyDTypes are the types by what their descr has after the mark of the byte order.
var npyDTypes = map[string]DType{
	"f8": F64, "f4": F32, "f2": F16, "b1": "BOOL", "c8": "C64",
	"i1": "I8", "i2": "I16", "i4": "I32", "i8": "I64",
	"u1": "U8", "u2": "U16", "u4": "U32", "u8": "U64",
}

// npyDType returns the dtype for a descr, or the descr itself if there is none.
func npyDType(descr string) DType {
	if _, bigEndian := dtypes[DType(descr)]; bigEndian && descr[0] == '>' {
		return DType(descr)
	}
	for _, order := range []string{"<", ">", "|"} {
		if kind, marked := strings.CutPrefix(descr, order); marked && npyDTypes[kind] != "" {
			return npyDTypes[kind]
		}
	}
	return DType(descr)
}

// npyHeader reads the header of an NPY file. Its methods return what is wrong, at pos, or
// "".
type npyHeader struct {
	text    string
	pos     int
	descr   string
	fortran bool
	shape   []int
}

// read reads the dict, in which every key must come once.
func (h *npyHeader) read() string {
	if !h.accept("{") {
		return h.unexpected("{")
	}
	var seen []string
	for !h.accept("}") {
		var key string
		if fault := h.quoted(&key); fault != "" {
			return fault
		}
		if slices.Contains(seen, key) {
			return "the key " + quote(key) + " comes twice"
		}
		seen = append(seen, key)
		if !h.accept(":") {
			return h.unexpected(":")
		}
		var fault string
		switch key {
		case "descr":
			fault = h.readDescr()
		case "fortran_order":
			if h.fortran = h.accept("True"); !h.fortran && !h.accept("False") {
				fault = h.unexpected("True or False")
			}
		case "shape":
			fault = h.readShape()
		default:
			fault = "the key " + quote(key) + " is not known"
		}
		if fault != "" {
			return fault
		}
		if !h.accept(",") && !h.at("}") {
			return h.unexpected("a comma or }")
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !slices.Contains(seen, key) {
			return "the key " + quote(key) + " is missing"
		}
	}
	if h.space(); h.pos < len(h.text) {
		return "the header goes on after its dict"
	}
	return ""
}

func (h *npyHeader) readDescr() string {
	if h.at("[") {
		return "a structured array, whose values are records"
	}
	if fault := h.quoted(&h.descr); fault != "" {
		return fault
	}
	if strings.TrimLeft(h.descr, "<>|=") == "O" {
		return "an array of Python objects, which are pickles and not read"
	}
	return ""
}

// readShape reads a tuple: (), (3,), (2, 3) or (2, 3,). (3) is a number.
func (h *npyHeader) readShape() string {
	if !h.accept("(") {
		return h.unexpected("(")
	}
	h.shape = []int{}
	for comma := true; !h.accept(")"); {
		if !comma {
			return h.unexpected("a comma or )")
		}
		if len(h.shape) == maxAxes {
			return fmt.Sprintf("shape has more than %d axes", maxAxes)
		}
		h.space()
		digits := h.text[h.pos:]
		digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]
		d, err := strconv.ParseUint(digits, 10, strconv.IntSize-1)
		if err != nil || len(digits) > 1 && digits[0] == '0' {
			return h.unexpected(fmt.Sprintf("a whole number from 0 to %d", math.MaxInt))
		}
		h.pos += len(digits)
		if h.pos < len(h.text) && h.text[h.pos] == 'L' { // as Python 2 wrote it
			h.pos++
		}
		h.shape = append(h.shape, int(d))
		if comma = h.accept(","); !comma && len(h.shape) == 1 {
			return h.unexpected("a comma, without which this is no tuple,")
		}
	}
	return ""
}

// quoted reads a string.
func (h *npyHeader) quoted(s *string) string {
	for _, mark := range []string{"'", `"`} {
		if h.accept(mark) {
			end := strings.IndexAny(h.text[h.pos:], mark+"\\\n")
			if end < 0 || h.text[h.pos+end:h.pos+end+1] != mark {
				return "a string that does not end or has a backslash"
			}
			*s = h.text[h.pos : h.pos+end]
			h.pos += end + 1
			return ""
		}
	}
	return h.unexpected("a string")
}

func (h *npyHeader) space() {
	h.pos = len(h.text) - len(strings.TrimLeft(h.text[h.pos:], " \t\r\n"))
}

// at reports whether token comes next, after white space.
func (h *npyHeader) at(token string) bool {
	h.space()
	return strings.HasPrefix(h.text[h.pos:], token)
}

// accept reads token if it comes next.
func (h *npyHeader) accept(token string) bool {
	if !h.at(token) {
		return false
	}
	h.pos += len(token)
	return true
}

func (h *npyHeader) unexpected(want string) string {
	if h.pos == len(h.text) {
		return "the header ends where " + want + " should be"
	}
	return fmt.Sprintf("%s where %s should be", quote(h.text[h.pos:min(h.pos+12, len(h.text))]), want)
}
