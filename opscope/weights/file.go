package weights

import (
	"errors"
	"fmt"
	"io"
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

// String returns the name, the format and how many tensors there are.
func (f *File) String() string {
	return fmt.Sprintf("%s: %s, tensors: %d", f.name, f.format, len(f.tensors))
}

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
