package weights

import (
	"errors"
	"io/fs"
	"os"
)

// Open opens a tensor file and reads the description of its tensors.
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
	f.closers = append(f.closers, osFile)
	return f, nil
}
