package weights

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// File is a model's tensors, in one file or in several parts: what describes them is in
// memory, their values are still on disk. It is safe for concurrent use, but for
// SetStacks.
type File struct {
	name     string
	format   string
	tensors  []*Tensor
	byName   map[string]*Tensor
	unlisted map[*Tensor]string // why an index does not count the tensor in
	metadata map[string]string
	stacks   []string
	closers  []io.Closer
}

// The formats that are read.
const (
	formatSafetensors = "safetensors"
	formatGGUF        = "GGUF"
	formatNPY         = "NPY"
	formatTensor      = "tensor"
)

// source is what the bytes of a tensor are read from, with the name that errors give it.
type source struct {
	name string
	r    io.ReaderAt
}

// readAt fills b with the bytes at an offset. Errors name the tensor, if one is given.
func (s *source) readAt(b []byte, offset int64, tensor string) error {
	_, err := io.ReadFull(io.NewSectionReader(s.r, offset, int64(len(b))), b)
	if err == nil {
		return nil
	}
	fault := &FormatError{File: s.name, Tensor: tensor, Offset: offset}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		fault.Reason = fmt.Sprintf("the file ends within the %d bytes from here", len(b))
	} else {
		fault.Reason = err.Error()
		fault.Err = err
	}
	return fault
}

// Tensor describes one tensor of a file. It must not be changed.
type Tensor struct {
	Name   string
	DType  DType
	Shape  []int  // row-major, the last axis contiguous; empty for a scalar
	File   string // the path of the file or part that holds it
	Offset int64  // of the first byte, from the start of that file
	Bytes  int64  // length in the file

	src      *source
	format   string
	siblings any  // map[string]*Tensor, of the same file or model by name; see sibling
	fortran  bool // an array in Fortran order, whose shape is Shape turned round
}

// sibling returns a tensor of the same file or model, or nil. The type Tensor does not
// say that it leads back to itself: interpreters that know types by reflection, as that
// of notebooks, cannot write such a type down.
func (t *Tensor) sibling(name string) *Tensor {
	byName, _ := t.siblings.(map[string]*Tensor)
	return byName[name]
}

// Elements returns the number of values of the tensor: the product of its shape, 1
// for a scalar.
func (t *Tensor) Elements() int { return product(t.Shape) }

// part is one file as its format's reader gives it.
type part struct {
	format   string
	tensors  []*Tensor // no name twice
	metadata map[string]string
}

// readPart reads the description of the tensors of one file of the given size. The
// format is told by the first bytes, but for the one that has no mark, which goes by the
// ending of the name.
func readPart(src *source, size int64) (part, error) {
	var start [8]byte
	head := start[:max(0, min(size, int64(len(start))))]
	if err := src.readAt(head, 0, ""); err != nil {
		return part{}, err
	}
	p := part{format: formatSafetensors}
	var err error
	switch {
	case strings.HasPrefix(string(head), ggufMagic):
		p.format = formatGGUF
		p.tensors, p.metadata, err = readGGUF(src, size)
	case strings.HasPrefix(string(head), npyMagic):
		p.format = formatNPY
		p.tensors, err = readNPY(src, size)
	// A safetensors header is shorter than 2^32 bytes; a .tensor file has its number of
	// columns, never 0, where the upper half of the header's length would be.
	case strings.HasSuffix(src.name, tensorExt) && (len(head) < 8 || string(head[4:]) != "\x00\x00\x00\x00"):
		p.format = formatTensor
		p.tensors, err = readTensor(src, size)
	default:
		if known := otherFormat(head); known != "" {
			return part{}, &FormatError{File: src.name, Reason: known}
		}
		p.tensors, p.metadata, err = readSafetensors(src, size)
	}
	return p, err
}

// otherFormat says what the first bytes belong to if it is a format that people mistake
// for one of ours, or "".
func otherFormat(head []byte) string {
	for _, other := range []struct{ magic, reason string }{
		{"PK\x03\x04", "a zip archive, as .npz and PyTorch's .pt and .bin are: unpack the arrays, or convert it to safetensors"},
		{"\x80\x02", "a Python pickle, which is a program and not read: convert it to safetensors"},
		{"\x80\x04", "a Python pickle, which is a program and not read: convert it to safetensors"},
		{"\x89HDF", "an HDF5 file, which is not read: convert it to safetensors"},
		{"\x1f\x8b", "a gzip file: unpack it first"},
		{"version ", "a pointer of Git LFS, not the file itself: fetch it with git lfs pull"},
	} {
		if strings.HasPrefix(string(head), other.magic) {
			return other.reason
		}
	}
	return ""
}

// New reads the description of the tensors of one file of the given size in bytes from
// r. The name stands for the file in errors; its ending .tensor tells a file of that
// format. It fails as Open does. r must stay readable as long as values are read.
func New(name string, r io.ReaderAt, size int64) (*File, error) {
	p, err := readPart(&source{name: name, r: r}, size)
	if err != nil {
		return nil, err
	}
	return newFile(name, p), nil
}

// newFile makes a File of one part.
func newFile(name string, p part) *File {
	f := &File{name: name, format: p.format, tensors: p.tensors, metadata: p.metadata}
	f.byName = make(map[string]*Tensor, len(p.tensors))
	for _, t := range p.tensors {
		f.byName[t.Name] = t
		t.format, t.siblings = p.format, f.byName
	}
	return f
}

// Close closes what Open opened. Matrices already loaded stay valid.
func (f *File) Close() error {
	var errs []error
	for _, c := range f.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Name returns the path given to Open or the name given to New.
func (f *File) Name() string { return f.name }

// Format returns "safetensors", "GGUF", "NPY" or "tensor".
func (f *File) Format() string { return f.format }

// Metadata returns what the file says besides its tensors, nil if it says nothing: the
// free text of a safetensors header, the metadata of an index, the keys and values of a
// GGUF file. It must not be changed.
func (f *File) Metadata() map[string]string { return f.metadata }

// Tensors returns every tensor, in the order of their bytes in the file, part by part.
func (f *File) Tensors() []*Tensor {
	return append([]*Tensor(nil), f.tensors...)
}
