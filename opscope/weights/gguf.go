package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// A GGUF file is the magic, a version, the number of tensors and of metadata entries;
// the entries; what each tensor is; and the values, each tensor from a multiple of the
// alignment on, in the order in which they were described, without a hole beyond that.
// https://github.com/ggml-org/ggml, docs/gguf.md. Versions 2 and 3 differ only in that 3
// allows big-endian files, which are not read here.
const (
	ggufMagic     = "GGUF"
	ggufHead      = 24 // bytes to the first entry
	ggufAlignment = 32 // unless general.alignment is there
	ggufAxes      = 4
	ggufNesting   = 8 // of arrays of arrays

	// The least bytes that an entry and the description of a tensor take.
	ggufMinEntry  = 8 + 1 + 4 + 1
	ggufMinTensor = 8 + 4 + 4 + 8

	ggufMaxKey  = 1<<16 - 1 // bytes, the limit of the specification
	ggufMaxText = 1 << 16   // bytes of a value that Metadata gives

	// ggml itself ends names at 63 bytes unless it is built with another limit, as it is
	// for image models.
	ggufMaxName = 1024
)

// readGGUF returns the tensors of a GGUF file in the order of their bytes, and its
// metadata as text: numbers in decimal, strings up to ggufMaxText bytes, and only the
// type and the number of elements of an array.
func readGGUF(src *source, size int64) ([]*Tensor, map[string]string, error) {
	r := &ggufReader{src: src, size: size, alignment: ggufAlignment}
	if err := r.read(); err != nil {
		return nil, nil, err
	}
	return r.tensors, r.metadata, nil
}

// ggufReader reads the header of a file from its start to its end.
type ggufReader struct {
	src       *source
	size      int64
	at        int64  // of the next byte
	window    []byte // bytes of the file up to at and beyond
	windowAt  int64
	kept      int64 // bytes of memory for what the header says
	alignment int64
	metadata  map[string]string
	tensor    string // being read
	tensors   []*Tensor
	values    int64 // bytes of the values of the tensors so far, with their padding
}

func (r *ggufReader) read() error {
	head, err := r.bytes(ggufHead, "the head of a GGUF file")
	if err != nil {
		return err
	}
	if magic := string(head[:4]); magic != ggufMagic {
		return r.failAt(0, "not a GGUF file: it begins with %s", quote(magic))
	}
	version := binary.LittleEndian.Uint32(head[4:])
	tensors := binary.LittleEndian.Uint64(head[8:])
	entries := binary.LittleEndian.Uint64(head[16:])
	switch {
	case version != 0 && version&0xffff == 0:
		return r.failAt(4, "a big-endian GGUF file is not read")
	case version != 2 && version != 3:
		return r.failAt(4, "version %d of GGUF is not read, only 2 and 3", version)
	}
	left := uint64(r.size - r.at)
	if tensors > left/ggufMinTensor {
		return r.failAt(8, "the header counts %d tensors, but only %d bytes follow", tensors, left)
	}
	if entries > left/ggufMinEntry {
		return r.failAt(16, "the header counts %d metadata entries, but only %d bytes follow", entries, left)
	}
	if entries > 0 {
		r.metadata = make(map[string]string)
	}
	for range entries {
		if err := r.entry(); err != nil {
			return err
		}
	}
	names := make(map[string]struct{})
	for range tensors {
		if err := r.describe(names); err != nil {
			return err
		}
		r.tensor = ""
	}
	return r.place()
}

// keep counts the text of an entry or a tensor, which stays in memory, and about what
// goes with it. The limit bounds the memory of a header, for a file of any size.
func (r *ggufReader) keep(start, n int64) error {
	r.kept += 128 + n
	if r.kept > maxHeader {
		return r.failAt(start, "the names and values of the header take more than %d bytes", maxHeader)
	}
	return nil
}

// describe reads what one tensor is.
func (r *ggufReader) describe(names map[string]struct{}) error {
	start := r.at
	name, err := r.text("the name of a tensor", ggufMaxName)
	if err != nil {
		return err
	}
	if !utf8.ValidString(name) {
		return r.failAt(start, "the tensor name %s is not UTF-8", quote(name))
	}
	r.tensor = name
	if _, twice := names[name]; twice {
		return r.failAt(start, "the file has two tensors of this name")
	}
	names[name] = struct{}{}
	if err := r.keep(start, int64(len(name))); err != nil {
		return err
	}
	shape, err := r.shape()
	if err != nil {
		return err
	}
	dtype, err := r.dtype()
	if err != nil {
		return err
	}
	t := &Tensor{Name: name, DType: dtype, Shape: shape, File: r.src.name, Offset: r.values, src: r.src}
	if t.Bytes, err = r.sizeOf(t, start); err != nil {
		return err
	}
	offsetAt := r.at
	offset, err := r.uint64("the offset")
	switch {
	case err != nil:
		return err
	case offset%uint64(r.alignment) != 0:
		return r.failAt(offsetAt, "the offset %d is not a multiple of the alignment %d", offset, r.alignment)
	case offset > uint64(r.values):
		return r.failAt(offsetAt, "a hole: the offset is %d, and the tensors before end at %d", offset, r.values)
	case offset < uint64(r.values):
		return r.failAt(offsetAt, "the offset is %d, but the tensors before take %d bytes: they overlap", offset, r.values)
	}
	r.values = align(r.values+t.Bytes, r.alignment)
	r.tensors = append(r.tensors, t)
	return nil
}

// shape reads the axes, in the file the contiguous one first.
func (r *ggufReader) shape() ([]int, error) {
	start := r.at
	axes, err := r.uint32("the number of axes")
	if err != nil {
		return nil, err
	}
	if axes > ggufAxes {
		return nil, r.failAt(start, "%d axes, more than %d", axes, ggufAxes)
	}
	shape := make([]int, axes)
	for i := range shape {
		at := r.at
		d, err := r.uint64("the shape")
		if err != nil {
			return nil, err
		}
		if d > math.MaxInt {
			return nil, r.failAt(at, "the size %d of an axis is above %d", d, math.MaxInt)
		}
		shape[i] = int(d)
	}
	slices.Reverse(shape)
	return shape, nil
}

// dtype reads the type of a tensor.
func (r *ggufReader) dtype() (DType, error) {
	start := r.at
	n, err := r.uint32("the type")
	if err != nil {
		return "", err
	}
	if name, removed := ggufRemoved[n]; removed {
		return "", r.failAt(start, "type %d, %s, was removed from ggml", n, name)
	}
	if int64(n) >= int64(len(ggufTypes)) {
		return "", r.failAt(start, "type %d is not known, so that the size of the tensor is not", n)
	}
	return ggufTypes[n], nil
}

// sizeOf returns the bytes that shape and dtype of a tensor need.
func (r *ggufReader) sizeOf(t *Tensor, start int64) (int64, error) {
	info, _ := t.DType.info()
	if last := len(t.Shape) - 1; info.block > 1 && (last < 0 || t.Shape[last]%info.block != 0) {
		return 0, r.failAt(start, "shape %s of %s: rows are not a multiple of the %d values of a block",
			shapeString(t.Shape), t.DType, info.block)
	}
	elements, fault := elementCount(t.Shape)
	if fault != "" {
		return 0, r.failAt(start, "%s", fault)
	}
	needed, ok := info.bytes(elements)
	if left := uint64(max(r.size-r.values, 0)); !ok || needed > left {
		return 0, r.failAt(start, "shape %s of %s needs more bytes than the file has, %d",
			shapeString(t.Shape), t.DType, r.size)
	}
	return int64(needed), nil
}

// place turns the offsets of the tensors into offsets from the start of the file and
// checks that the file has their bytes.
func (r *ggufReader) place() error {
	start := align(r.at, r.alignment)
	for _, t := range r.tensors {
		t.Offset += start
		if t.Bytes > r.size-t.Offset && t.Bytes > 0 {
			return &FormatError{File: r.src.name, Tensor: t.Name, Offset: t.Offset,
				Reason: fmt.Sprintf("the file is cut short: the tensor has %d bytes, and %d follow", t.Bytes, max(r.size-t.Offset, 0))}
		}
	}
	return nil
}

// align rounds n up to a multiple of a power of two.
func align(n, alignment int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// text reads a string of at most so many bytes, to keep it.
func (r *ggufReader) text(what string, most int64) (string, error) {
	start := r.at
	n, err := r.length(what)
	if err != nil {
		return "", err
	}
	if n > most {
		return "", r.failAt(start, "%s has %d bytes, more than %d", what, n, most)
	}
	b, err := r.bytes(int(n), what)
	return string(b), err
}

// length reads the length of a string, whose bytes the file has.
func (r *ggufReader) length(what string) (int64, error) {
	start := r.at
	n, err := r.uint64(what)
	if err != nil {
		return 0, err
	}
	if left := r.size - r.at; n > uint64(left) {
		return 0, r.failAt(start, "%s has %d bytes, but only %d follow", what, n, left)
	}
	return int64(n), nil
}

func (r *ggufReader) uint32(what string) (uint32, error) {
	b, err := r.bytes(4, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (r *ggufReader) uint64(what string) (uint64, error) {
	b, err := r.bytes(8, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// bytes returns the next n bytes, at most ggufMaxText, good until the next call.
func (r *ggufReader) bytes(n int, what string) ([]byte, error) {
	if int64(n) > r.size-r.at {
		return nil, r.failAt(r.at, "the file ends within %s", what)
	}
	from := r.at - r.windowAt
	if from+int64(n) > int64(len(r.window)) {
		length := int(min(ggufMaxText, r.size-r.at))
		r.window = slices.Grow(r.window[:0], length)[:length]
		if err := r.src.readAt(r.window, r.at, r.tensor); err != nil {
			return nil, err
		}
		r.windowAt, from = r.at, 0
	}
	r.at += int64(n)
	return r.window[from:][:n], nil
}

func (r *ggufReader) failAt(offset int64, format string, args ...any) error {
	return &FormatError{File: r.src.name, Tensor: r.tensor, Offset: offset, Reason: fmt.Sprintf(format, args...)}
}
