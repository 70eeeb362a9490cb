package weights

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// File is an open tensor file: its header in memory, its values still on disk. It is
// safe for concurrent use.
type File struct {
	name     string
	tensors  []*Tensor
	metadata map[string]string
	closer   io.Closer
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

// Tensor describes one tensor of a file. It must not be changed.
type Tensor struct {
	Name   string
	DType  DType
	Shape  []int // row-major, the last axis contiguous; empty for a scalar
	Offset int64 // of the first byte, from the start of the file
	Bytes  int64 // length in the file

	src *source
}

// Open opens a safetensors file and reads its header. It fails, naming the file and
// the reason, if path is not a regular file or if anything in the header is wrong; a
// fault in the header is a *FormatError. A dtype that this package does not decode is
// no fault: see Skipped.
//
// The file stays open until Close, or until the File is garbage.
func Open(path string) (*File, error) {
	// Before opening, because opening a named pipe would wait for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a directory, not a tensor file")}
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file")}
	}
	osFile, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err = osFile.Stat()
	if err != nil {
		osFile.Close()
		return nil, err
	}
	f, err := New(path, osFile, info.Size())
	if err != nil {
		osFile.Close()
		return nil, err
	}
	f.closer = osFile
	return f, nil
}

// New reads the header of a safetensors file of the given size in bytes from r. The
// name stands for the file in errors. It fails as Open does. r must stay readable as
// long as matrices are loaded.
func New(name string, r io.ReaderAt, size int64) (*File, error) {
	tensors, metadata, err := readSafetensors(&source{name: name, r: r}, size)
	if err != nil {
		return nil, err
	}
	return &File{name: name, tensors: tensors, metadata: metadata}, nil
}

// Close closes the file that Open opened. Matrices already loaded stay valid.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Name returns the path given to Open or the name given to New.
func (f *File) Name() string { return f.name }

// Metadata returns the free text of the file's header, nil if there is none. It must
// not be changed.
func (f *File) Metadata() map[string]string { return f.metadata }

// Tensors returns every tensor, in the order of their bytes in the file.
func (f *File) Tensors() []*Tensor {
	return append([]*Tensor(nil), f.tensors...)
}

// Elements returns the number of values of the tensor: the product of its shape, 1
// for a scalar.
func (t *Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}
