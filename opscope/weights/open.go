package weights

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// indexExt ends the name of the file that says which tensor is in which part.
const indexExt = ".safetensors.index.json"

// tensorExts end the names of the files that a directory is searched for.
var tensorExts = []string{".safetensors", ".gguf", ".npy", tensorExt}

// Open opens a model and reads the description of its tensors. The path is one of
//
//   - a safetensors, GGUF or NPY file, told by its first bytes, or a .tensor file, told by
//     its name; the first part of a split GGUF file opens all parts;
//   - a file named *.safetensors.index.json, which opens the parts that it names;
//   - a directory with one such index, with one tensor file, or with the parts of one split
//     GGUF file. Files that are not known to belong together are not joined.
//
// It fails, naming the file and the reason, if a file cannot be read or if anything in
// its description is wrong; such a fault is a *FormatError. A dtype that this package
// does not decode is no fault: see Skipped.
//
// The files stay open until Close, or until the File is garbage.
func Open(path string) (f *File, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	file := path
	if info.IsDir() {
		if file, err = modelIn(path); err != nil {
			return nil, err
		}
	}
	o := opener{}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	if strings.HasSuffix(file, indexExt) {
		f, err = o.openIndex(file)
	} else {
		f, err = o.openFile(file)
	}
	if err != nil {
		return nil, err
	}
	f.name = path
	f.closers = o.files
	return f, nil
}

// opener keeps what it opens.
type opener struct{ files []io.Closer }

func (o *opener) close() {
	for _, f := range o.files {
		f.Close()
	}
}

// open opens a regular file.
func (o *opener) open(path string) (*source, int64, error) {
	// Before opening, because opening a named pipe would wait for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file")}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	o.files = append(o.files, file)
	if info, err = file.Stat(); err != nil {
		return nil, 0, err
	}
	return &source{name: path, r: file}, info.Size(), nil
}

func (o *opener) openPart(path string) (part, error) {
	src, size, err := o.open(path)
	if err != nil {
		return part{}, err
	}
	return readPart(src, size)
}

// openFile opens one file, and the other parts if it is the first of a split GGUF file.
func (o *opener) openFile(path string) (*File, error) {
	first, err := o.openPart(path)
	if err != nil {
		return nil, err
	}
	if first.format == formatGGUF {
		rest, err := ggufRest(path, first, o.openPart)
		if err != nil {
			return nil, err
		}
		seen := make(map[string]string, len(first.tensors)) // file by tensor
		for _, p := range append([]part{first}, rest...) {
			for _, t := range p.tensors {
				if other, twice := seen[t.Name]; twice {
					return nil, t.fail(0, "%s has a tensor of this name too", other)
				}
				seen[t.Name] = t.File
			}
		}
		for _, p := range rest {
			first.tensors = append(first.tensors, p.tensors...)
		}
	}
	return newFile(path, first), nil
}

// modelIn returns the one file of a directory to open.
func modelIn(dir string) (string, error) {
	fail := func(format string, args ...any) (string, error) {
		return "", &fs.PathError{Op: "open", Path: dir, Err: fmt.Errorf(format, args...)}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var indexes, files []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir():
		case strings.HasSuffix(name, indexExt):
			indexes = append(indexes, name)
		case slices.Contains(tensorExts, strings.ToLower(filepath.Ext(name))):
			files = append(files, name)
		}
	}
	found := indexes
	if len(indexes) == 0 {
		found = firstParts(files)
	}
	switch len(found) {
	case 0:
		return fail("is a directory without a file *%s or a file that ends in %s", indexExt, strings.Join(tensorExts, ", "))
	case 1:
		return filepath.Join(dir, found[0]), nil
	}
	const most = 8
	list := strings.Join(found[:min(most, len(found))], ", ")
	if len(found) > most {
		list += ", ..."
	}
	return fail("is a directory with %d files that no index joins to one model, so name one of them: %s", len(found), list)
}

// firstParts leaves out the later parts of a split GGUF model whose first part is there.
func firstParts(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		part := splitName.FindStringSubmatch(name)
		return part != nil && part[2] != "00001" && slices.Contains(files, fmt.Sprintf("%s-00001-of-%s.gguf", part[1], part[3]))
	})
}
