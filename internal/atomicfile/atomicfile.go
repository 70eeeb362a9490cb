// Package atomicfile writes files that appear whole or not at all.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file under a temporary name in the same folder, then renames
// it. A file at path is replaced; a symbolic link is too, and not followed. The
// mode is that of a file newly created. An error gives the reason without a name.
func Write(path string, data []byte) (err error) {
	// The name is neither derived from the file's, which may be as long as names
	// can be, nor to be guessed. os.CreateTemp would make the file private.
	temporary := filepath.Join(filepath.Dir(path), "."+rand.Text()+".tmp")
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return reason(err)
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
			err = reason(err)
		}
	}()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// reason strips the temporary name from an error.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
