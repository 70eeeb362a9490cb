package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
)

// writeFile writes a file whole or not at all.
func writeFile(path string, data []byte) error {
	if err := atomicfile.Write(path, data); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// makeFolder makes a folder in which files can be created.
func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	return writableFolder(path)
}

// writableFolder says why no file can be created in a folder.
func writableFolder(path string) error {
	f, err := os.CreateTemp(path, ".*.tmp")
	if err != nil {
		if reason := errors.Unwrap(err); reason != nil {
			err = reason // without the temporary name
		}
		return fmt.Errorf("cannot write to the folder %s: %w", path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// canWrite says before a long measurement what would keep its results from the file that a
// flag names, if it names one.
func canWrite(flag, file string) error {
	if file == "" {
		return nil
	}
	if err := writableFolder(filepath.Dir(file)); err != nil {
		return fmt.Errorf("%s %s: %w", flag, file, err)
	}
	return nil
}
