package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
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
	maxDepth    = 64          // of nested values in a member this reader has no use for
	metadataKey = "__metadata__"
)

// readSafetensors returns the tensors of a file in the order of their bytes, and its
// metadata.
func readSafetensors(src *source, size int64) ([]*Tensor, map[string]string, error) {
	text, err := readHeaderText(src, size)
	if err != nil {
		return nil, nil, err
	}
	h := &headerReader{src: src, dec: json.NewDecoder(bytes.NewReader(text))}
	h.dec.UseNumber()
	if err := h.read(); err != nil {
		return nil, nil, err
	}
	end := h.dec.InputOffset()
	if rest := bytes.TrimLeft(text[end:], " \t\r\n"); len(rest) > 0 {
		return nil, nil, &FormatError{File: src.name, Offset: lengthBytes + int64(len(text)-len(rest)),
			Reason: "the header goes on after its JSON object"}
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
	var prefix [lengthBytes]byte
	if err := src.readAt(prefix[:], 0, ""); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > maxHeader {
		return fail(0, "not a safetensors file: its header length would be %d, above the limit of %d bytes", n, maxHeader)
	}
	if int64(n) > size-lengthBytes {
		return fail(0, "the header length is %d, but only %d bytes follow", n, size-lengthBytes)
	}
	text := make([]byte, n)
	if err := src.readAt(text, lengthBytes, ""); err != nil {
		return nil, err
	}
	if len(text) == 0 || text[0] != '{' {
		return fail(lengthBytes, "the header does not begin with {")
	}
	if !utf8.Valid(text) {
		bad := 0
		for {
			r, width := utf8.DecodeRune(text[bad:])
			if r == utf8.RuneError && width == 1 {
				break
			}
			bad += width
		}
		return fail(lengthBytes+int64(bad), "the header is not UTF-8")
	}
	return text, nil
}

// headerReader reads the JSON of a header token by token, because decoding into a map
// would let the last of two equal keys win.
type headerReader struct {
	src      *source
	dec      *json.Decoder
	tensor   string // being read
	tensors  []*Tensor
	metadata map[string]string
}

func (h *headerReader) read() error {
	return h.object("the header", func(key string) error {
		if key == metadataKey {
			return h.readMetadata()
		}
		h.tensor = key
		err := h.readTensor()
		h.tensor = ""
		return err
	})
}

func (h *headerReader) readMetadata() error {
	h.metadata = make(map[string]string)
	return h.object(metadataKey, func(key string) error {
		value, err := h.string("the value of " + quote(key) + " in " + metadataKey)
		h.metadata[key] = value
		return err
	})
}

func (h *headerReader) readTensor() error {
	t := &Tensor{Name: h.tensor, File: h.src.name, src: h.src}
	var hasDType, hasShape, hasOffsets bool
	err := h.object("the entry", func(key string) error {
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
	if err := h.checkSize(t); err != nil {
		return err
	}
	h.tensors = append(h.tensors, t)
	return nil
}

// shape reads an array of dimensions.
func (h *headerReader) shape() ([]int, error) {
	if err := h.open('[', "shape"); err != nil {
		return nil, err
	}
	shape := []int{}
	for h.dec.More() {
		d, err := h.number("shape", strconv.IntSize-1)
		if err != nil {
			return nil, err
		}
		shape = append(shape, int(d))
	}
	return shape, h.close()
}

// offsets reads [begin, end] and returns begin and the length.
func (h *headerReader) offsets() (begin, length int64, err error) {
	if err := h.open('[', "data_offsets"); err != nil {
		return 0, 0, err
	}
	var pair [2]uint64
	n := 0
	for ; h.dec.More(); n++ {
		if n == len(pair) {
			return 0, 0, h.fail("data_offsets has more than two numbers")
		}
		if pair[n], err = h.number("data_offsets", 63); err != nil {
			return 0, 0, err
		}
	}
	if err := h.close(); err != nil {
		return 0, 0, err
	}
	if n < len(pair) {
		return 0, 0, h.fail("data_offsets has %d of two numbers", n)
	}
	if pair[1] < pair[0] {
		return 0, 0, h.fail("data_offsets [%d, %d] ends before it begins", pair[0], pair[1])
	}
	return int64(pair[0]), int64(pair[1] - pair[0]), nil
}

// checkSize compares the bytes of a tensor with what its shape and dtype need.
func (h *headerReader) checkSize(t *Tensor) error {
	elements := 1
	for _, d := range t.Shape {
		if d > 0 && elements > math.MaxInt/d {
			return h.fail("the number of values of shape %s overflows", shapeString(t.Shape))
		}
		elements *= d
	}
	width := t.DType.Bits()
	if width == 0 {
		return nil // not a known type, so there is nothing to compare with
	}
	high, low := bits.Mul64(uint64(elements), uint64(width))
	if high != 0 {
		return h.fail("the size of shape %s overflows", shapeString(t.Shape))
	}
	if low%8 != 0 {
		return h.fail("%d values of %d bits do not fill whole bytes", elements, width)
	}
	if low/8 != uint64(t.Bytes) {
		return h.fail("shape %s of %s needs %d bytes, data_offsets hold %d",
			shapeString(t.Shape), t.DType, low/8, t.Bytes)
	}
	return nil
}

// placeTensors sorts the tensors by their bytes, checks that they fill the file from
// the byte start to its end without a hole or an overlap, and turns their offsets into
// offsets from the start of the file.
func placeTensors(src *source, tensors []*Tensor, start, size int64) error {
	slices.SortStableFunc(tensors, func(a, b *Tensor) int {
		if c := cmp.Compare(a.Offset, b.Offset); c != 0 {
			return c
		}
		return cmp.Compare(a.Bytes, b.Bytes)
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

// object reads an object, calling member to read each value. A key that comes twice is
// refused.
func (h *headerReader) object(what string, member func(key string) error) error {
	if err := h.open('{', what); err != nil {
		return err
	}
	return h.members(what, member)
}

// members reads an object whose { has been read.
func (h *headerReader) members(what string, member func(key string) error) error {
	seen := make(map[string]struct{})
	for h.dec.More() {
		key, err := h.string("a key")
		if err != nil {
			return err
		}
		if _, twice := seen[key]; twice {
			return h.fail("%s has the key %s twice", what, quote(key))
		}
		seen[key] = struct{}{}
		if err := member(key); err != nil {
			return err
		}
	}
	return h.close()
}

// skip reads a value of any kind and drops it.
func (h *headerReader) skip(depth int) error {
	if depth > maxDepth {
		return h.fail("values are nested more than %d deep", maxDepth)
	}
	token, err := h.token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		for h.dec.More() {
			if err := h.skip(depth + 1); err != nil {
				return err
			}
		}
		return h.close()
	case json.Delim('{'):
		return h.members("a nested object", func(string) error { return h.skip(depth + 1) })
	}
	return nil
}

// string reads a string.
func (h *headerReader) string(what string) (string, error) {
	token, err := h.token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", h.fail("%s is not a string", what)
	}
	return s, nil
}

// number reads a whole number below 2^width.
func (h *headerReader) number(what string, width int) (uint64, error) {
	token, err := h.token()
	if err != nil {
		return 0, err
	}
	number, ok := token.(json.Number)
	if !ok {
		return 0, h.fail("%s holds something that is not a number", what)
	}
	n, err := strconv.ParseUint(number.String(), 10, width)
	if err != nil {
		return 0, h.fail("%s holds %s, which is not a whole number from 0 to 2^%d-1", what, quote(number.String()), width)
	}
	return n, nil
}

// open reads the delimiter that begins an array or object.
func (h *headerReader) open(delim json.Delim, what string) error {
	token, err := h.token()
	if err != nil {
		return err
	}
	if token != delim {
		return h.fail("%s does not begin with %s", what, delim)
	}
	return nil
}

// close reads the delimiter that ends an array or object. The decoder itself checks
// that it fits.
func (h *headerReader) close() error {
	_, err := h.token()
	return err
}

func (h *headerReader) token() (json.Token, error) {
	token, err := h.dec.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, h.fail("the header is not JSON: unexpected end of JSON input")
	}
	if err != nil {
		return nil, h.fail("the header is not JSON: %v", err)
	}
	return token, nil
}

// fail makes an error at the place that has been read up to.
func (h *headerReader) fail(format string, args ...any) error {
	return &FormatError{File: h.src.name, Tensor: h.tensor, Offset: lengthBytes + h.dec.InputOffset(),
		Reason: fmt.Sprintf(format, args...)}
}
