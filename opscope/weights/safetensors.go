package weights

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A safetensors file is the length of its header (8 bytes, little-endian), the header
// (a JSON object in UTF-8 from tensor name to dtype, shape and data_offsets, perhaps
// padded with spaces), and the values of all tensors without a gap.
const (
	lengthBytes = 8
	maxHeader   = 100_000_000 // bytes, the limit of the specification
	metadataKey = "__metadata__"
)

// maxAxes is the most axes of a tensor, as PyTorch and NumPy have it.
const maxAxes = 64

// readSafetensors returns the tensors of a file in the order of their bytes, and its
// metadata.
func readSafetensors(src *source, size int64) ([]*Tensor, map[string]string, error) {
	text, err := readHeaderText(src, size)
	if err != nil {
		return nil, nil, err
	}
	h := &headerReader{jsonReader: jsonReader{src: src, text: text, start: lengthBytes, what: "the header"}}
	if err := h.document(h.entry); err != nil {
		return nil, nil, err
	}
	if err := placeTensors(src, h.tensors, lengthBytes+int64(len(text)), size); err != nil {
		return nil, nil, err
	}
	return h.tensors, h.metadata, nil
}

// readHeaderText returns the bytes of the header.
func readHeaderText(src *source, size int64) ([]byte, error) {
	fail := func(offset int64, format string, args ...any) ([]byte, error) {
		return nil, &FormatError{File: src.name, Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
	if size <= 0 {
		return fail(0, "the file is empty")
	}
	if size < lengthBytes {
		return fail(0, "the file has %d bytes, too few for the %d bytes of a header length", size, lengthBytes)
	}
	var prefix [lengthBytes + 1]byte
	head := prefix[:min(size, int64(len(prefix)))]
	if err := src.readAt(head[:lengthBytes], 0, ""); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head)
	if n > maxHeader {
		return fail(0, "not a safetensors file: its header length would be %d, above the limit of %d bytes", n, maxHeader)
	}
	if int64(n) > size-lengthBytes {
		return fail(0, "the header length is %d, but only %d bytes follow", n, size-lengthBytes)
	}
	// The first byte first, so that a file that is something else is not read on.
	if n > 0 {
		if err := src.readAt(head[lengthBytes:], lengthBytes, ""); err != nil {
			return nil, err
		}
	}
	if prefix[lengthBytes] != '{' {
		return fail(lengthBytes, "the header does not begin with {")
	}
	text := make([]byte, n)
	if err := src.readAt(text, lengthBytes, ""); err != nil {
		return nil, err
	}
	if bad := invalidUTF8(text); bad >= 0 {
		return fail(lengthBytes+int64(bad), "the header is not UTF-8")
	}
	return text, nil
}

// invalidUTF8 returns the place of the first byte that is not UTF-8, -1 if there is none.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	bad := 0
	for {
		r, width := utf8.DecodeRune(text[bad:])
		if r == utf8.RuneError && width == 1 {
			return bad
		}
		bad += width
	}
}

// headerReader reads the JSON of a header.
type headerReader struct {
	jsonReader
	tensors  []*Tensor
	metadata map[string]string
	slab     []Tensor // where the next tensors go
	dims     []int    // where the next shapes go
}

// entry reads the value of a key of the header.
func (h *headerReader) entry(key string) error {
	if key == metadataKey {
		return h.readMetadata()
	}
	h.tensor = key
	err := h.readTensor()
	h.tensor = ""
	return err
}

func (h *headerReader) readMetadata() error {
	h.metadata = make(map[string]string)
	return h.object(metadataKey, maxMembers, func(key string) error {
		if h.next() != '"' {
			return h.wrongKind("the value of "+quote(key)+" in "+metadataKey, "is not a string")
		}
		value, err := h.string("")
		h.metadata[key] = value
		return err
	})
}

func (h *headerReader) readTensor() error {
	if len(h.slab) == 0 {
		h.slab = make([]Tensor, max(4, min(1024, len(h.tensors))))
	}
	t := &h.slab[0]
	h.slab = h.slab[1:]
	*t = Tensor{Name: h.tensor, File: h.src.name, src: h.src}
	var hasDType, hasShape, hasOffsets bool
	err := h.object("the entry", maxMembers, func(key string) error {
		var err error
		switch key {
		case "dtype":
			hasDType = true
			var name string
			name, err = h.string("dtype")
			t.DType = DType(name)
		case "shape":
			hasShape = true
			t.Shape, err = h.shape()
		case "data_offsets":
			hasOffsets = true
			t.Offset, t.Bytes, err = h.offsets()
		default:
			err = h.skip(0)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case !hasDType:
		return h.fail("no dtype")
	case !hasShape:
		return h.fail("no shape")
	case !hasOffsets:
		return h.fail("no data_offsets")
	}
	if fault := sizeFault(t); fault != "" {
		return h.fail("%s", fault)
	}
	h.tensors = append(h.tensors, t)
	return nil
}

// shape reads an array of dimensions.
func (h *headerReader) shape() ([]int, error) {
	if cap(h.dims)-len(h.dims) < maxAxes {
		h.dims = make([]int, 0, maxAxes*max(1, min(64, len(h.tensors))))
	}
	begin := len(h.dims)
	err := h.array("shape", func() error {
		if len(h.dims)-begin == maxAxes {
			return h.fail("shape has more than %d axes", maxAxes)
		}
		d, err := h.number("shape", strconv.IntSize-1)
		h.dims = append(h.dims, int(d))
		return err
	})
	return h.dims[begin:len(h.dims):len(h.dims)], err
}

// offsets reads [begin, end] and returns begin and the length.
func (h *headerReader) offsets() (begin, length int64, err error) {
	var pair [2]int64
	n := 0
	err = h.array("data_offsets", func() error {
		if n == len(pair) {
			return h.fail("data_offsets has more than two numbers")
		}
		var err error
		pair[n], err = h.number("data_offsets", 63)
		n++
		return err
	})
	switch {
	case err != nil:
		return 0, 0, err
	case n < len(pair):
		return 0, 0, h.fail("data_offsets has %d of two numbers", n)
	case pair[1] < pair[0]:
		return 0, 0, h.fail("data_offsets [%d, %d] ends before it begins", pair[0], pair[1])
	}
	return pair[0], pair[1] - pair[0], nil
}

// placeTensors sorts the tensors by their bytes, checks that they fill the file from
// the byte start to its end without a hole or an overlap, and turns their offsets into
// offsets from the start of the file.
func placeTensors(src *source, tensors []*Tensor, start, size int64) error {
	slices.SortFunc(tensors, func(a, b *Tensor) int {
		if c := cmp.Compare(a.Offset, b.Offset); c != 0 {
			return c
		}
		if c := cmp.Compare(a.Bytes, b.Bytes); c != 0 {
			return c
		}
		return cmp.Compare(a.Name, b.Name)
	})
	end := start // of the tensors placed so far
	for i, t := range tensors {
		fail := func(format string, args ...any) error {
			return &FormatError{File: src.name, Tensor: t.Name, Offset: end, Reason: fmt.Sprintf(format, args...)}
		}
		begin, next := t.Offset, t.Offset+t.Bytes // from start
		switch {
		case begin > end-start:
			return fail("a hole: data_offsets [%d, %d] should begin at %d", begin, next, end-start)
		case begin < end-start:
			return fail("data_offsets [%d, %d] overlap those of tensor %s", begin, next, quote(tensors[i-1].Name))
		case next > size-start:
			return fail("data_offsets [%d, %d] pass the end of the file, which has %d bytes of values", begin, next, size-start)
		}
		t.Offset += start
		end = start + next
	}
	if end < size {
		return &FormatError{File: src.name, Offset: end,
			Reason: fmt.Sprintf("%d bytes follow the last tensor", size-end)}
	}
	return nil
}
