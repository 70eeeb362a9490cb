package weights

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// index is what a *.safetensors.index.json says: a JSON object with weight_map, from
// tensor name to the name of a file in the same folder, and perhaps metadata, an object of
// anything.
type index struct {
	entries  []indexEntry
	files    map[string]string // by tensor
	metadata map[string]string
}

// indexEntry is a tensor of an index, and the byte of the index that it is at.
type indexEntry struct {
	tensor string
	at     int64
}

// readIndex reads an index.
func readIndex(src *source, size int64) (*index, error) {
	fail := func(offset int64, format string, args ...any) (*index, error) {
		return nil, &FormatError{File: src.name, Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
	if size > maxHeader {
		return fail(0, "the index has %d bytes, above the limit of %d", size, maxHeader)
	}
	text := make([]byte, max(size, 0))
	if err := src.readAt(text, 0, ""); err != nil {
		return nil, err
	}
	if bad := invalidUTF8(text); bad >= 0 {
		return fail(int64(bad), "the index is not UTF-8")
	}
	r := &jsonReader{src: src, text: text, what: "the index"}
	x := &index{}
	fileNames := make(map[string]string) // so that each is kept once
	err := r.document(func(key string) error {
		switch key {
		case "metadata":
			x.metadata = make(map[string]string)
			return r.object("metadata", maxMembers, func(key string) error {
				value, err := r.raw()
				x.metadata[key] = value
				return err
			})
		case "weight_map":
			x.files = make(map[string]string)
			return r.object("weight_map", math.MaxInt, func(tensor string) error {
				r.tensor = tensor
				file, err := r.string("the file of the tensor")
				if err != nil {
					return err
				}
				if fault := fileNameFault(file); fault != "" {
					return r.fail("file %s %s", quote(file), fault)
				}
				if fileNames[file] == "" {
					fileNames[file] = file
				}
				x.entries = append(x.entries, indexEntry{tensor, int64(r.pos)})
				x.files[tensor] = fileNames[file]
				r.tensor = ""
				return nil
			})
		}
		return r.skip(0)
	})
	if err != nil {
		return nil, err
	}
	if len(x.entries) == 0 {
		return fail(0, "the index has no weight_map with a tensor")
	}
	return x, nil
}

// raw reads a value of any kind and returns a string as it is, anything else as JSON.
func (r *jsonReader) raw() (string, error) {
	if r.next() == '"' {
		return r.string("")
	}
	begin := r.pos
	err := r.skip(0)
	return string(r.text[begin:r.pos]), err
}

// fileNameFault says why a name out of an index is not that of a file beside it, "" if
// it is. The rules are those of every system, so that an index means the same everywhere.
func fileNameFault(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return "is not the name of a file"
	case strings.ContainsAny(name, `/\:`):
		return "is not a name but a path; the parts of a model lie beside its index"
	case strings.IndexFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }) >= 0:
		return "has a control character"
	}
	return ""
}

// openIndex opens the parts that an index names. A tensor of a part that the index does
// not place there is kept, but skipped.
func (o *opener) openIndex(path string) (*File, error) {
	src, size, err := o.open(path)
	if err != nil {
		return nil, err
	}
	x, err := readIndex(src, size)
	if err != nil {
		return nil, err
	}
	whole := part{format: formatSafetensors, metadata: x.metadata}
	unlisted := make(map[*Tensor]string)
	placed := make(map[string]*Tensor, len(x.files))
	for _, name := range slices.Compact(slices.Sorted(maps.Values(x.files))) {
		p, err := o.openPart(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			return nil, fmt.Errorf("%s: a part is missing or wrong: %w", path, err)
		}
		if p.format != formatSafetensors {
			return nil, &FormatError{File: path, Reason: "its part " + quote(name) + " is of the format " + p.format}
		}
		for _, t := range p.tensors {
			switch file := x.files[t.Name]; file {
			case name:
				placed[t.Name] = t
			case "":
				unlisted[t] = "not in the index of the model"
			default:
				unlisted[t] = "the index takes the tensor of this name from " + quote(file)
			}
		}
		whole.tensors = append(whole.tensors, p.tensors...)
	}
	for _, e := range x.entries {
		if placed[e.tensor] == nil {
			return nil, &FormatError{File: path, Tensor: e.tensor, Offset: e.at,
				Reason: "the index is stale: the tensor is not in " + quote(x.files[e.tensor])}
		}
	}
	f := newFile(path, whole)
	f.unlisted = unlisted
	for name, t := range placed {
		f.byName[name] = t
	}
	return f, nil
}
