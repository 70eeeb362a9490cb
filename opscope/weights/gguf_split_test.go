package weights_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

// split cuts a file into parts as gguf-split does, with so many tensors in each.
func split(file gguftest.File, tensors ...int) []gguftest.File {
	parts := make([]gguftest.File, len(tensors))
	rest := file.Tensors
	for i, n := range tensors {
		if i == 0 {
			parts[i].Entries = slices.Clone(file.Entries)
		}
		parts[i].Entries = append(parts[i].Entries,
			gguftest.Entry{Key: "split.no", Value: uint16(i)},
			gguftest.Entry{Key: "split.count", Value: uint16(len(tensors))},
			gguftest.Entry{Key: "split.tensors.count", Value: int32(len(file.Tensors))})
		parts[i].Tensors, rest = rest[:n], rest[n:]
	}
	return parts
}

// writeSplit writes parts under the names that a split model has and returns them.
func writeSplit(t *testing.T, parts []gguftest.File) []string {
	t.Helper()
	dir := t.TempDir()
	paths := make([]string, len(parts))
	for i, p := range parts {
		paths[i] = filepath.Join(dir, fmt.Sprintf("model-%05d-of-%05d.gguf", i+1, len(parts)))
		if err := os.WriteFile(paths[i], p.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

func TestGGUFSplit(t *testing.T) {
	whole := sileroGGUF(t, gguftest.Q8_0)
	want := mustParseGGUF(t, whole)
	for _, counts := range [][]int{{5, 1, 8}, {0, 14}, {14}} {
		paths := writeSplit(t, split(whole, counts...))
		f, err := weights.Open(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Metadata()["general.architecture"] != "silero" {
			t.Errorf("%v: the metadata is %v", counts, f.Metadata())
		}
		next := 0
		for part, n := range counts {
			for range n {
				x, y := f.Tensors()[next], want.Tensors()[next]
				next++
				if x.Name != y.Name || x.DType != y.DType || x.Bytes != y.Bytes || x.File != paths[part] {
					t.Errorf("%v: tensor %d is %s of %s, want %s of %s", counts, next, x.Name, x.File, y.Name, paths[part])
				}
				if m, err := want.Matrix(y.Name); err == nil {
					if !slices.Equal(loadMatrix(t, f, x.Name), loadMatrix(t, want, m.Name())) {
						t.Errorf("%v: the values of %s are not those of the whole file", counts, x.Name)
					}
				}
			}
		}
		if next != len(f.Tensors()) {
			t.Errorf("%v: %d tensors, want %d", counts, len(f.Tensors()), next)
		}

		// A later part stands alone.
		last := len(counts) - 1
		alone, err := weights.Open(paths[last])
		if err != nil {
			t.Fatal(err)
		}
		defer alone.Close()
		if n := len(alone.Tensors()); n != counts[last] {
			t.Errorf("%v: the last part has %d tensors, want %d", counts, n, counts[last])
		}
	}
}

// TestGGUFSplitInOne checks that a model split into one part may have any name.
func TestGGUFSplitInOne(t *testing.T) {
	part := split(sileroGGUF(t, gguftest.F16), len(silero))[0]
	path := filepath.Join(t.TempDir(), "whole.gguf")
	if err := os.WriteFile(path, part.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := len(f.Tensors()); n != len(silero) {
		t.Errorf("%d tensors, want %d", n, len(silero))
	}
}

func TestGGUFSplitRefuses(t *testing.T) {
	set := func(f *gguftest.File, key string, value any) {
		for i := range f.Entries {
			if f.Entries[i].Key == key {
				f.Entries[i].Value = value
			}
		}
	}
	for _, c := range []struct {
		name    string
		change  func(parts []gguftest.File)
		damage  func(t *testing.T, paths []string) string // returns the path to open
		part    int                                       // that the error names, from 0
		message string
	}{
		{name: "a part is missing", part: 2, message: "no such file",
			damage: func(t *testing.T, paths []string) string {
				if err := os.Remove(paths[2]); err != nil {
					t.Fatal(err)
				}
				return paths[0]
			}},
		{name: "a part is cut short", part: 1, message: "the file has",
			damage: func(t *testing.T, paths []string) string {
				if err := os.Truncate(paths[1], 200); err != nil {
					t.Fatal(err)
				}
				return paths[0]
			}},
		{name: "a part is another kind of file", part: 1, message: "a safetensors file, not a part",
			damage: func(t *testing.T, paths []string) string {
				if err := os.WriteFile(paths[1], tensorFile("{}", nil), 0o600); err != nil {
					t.Fatal(err)
				}
				return paths[0]
			}},
		{name: "the first part has another name", message: "does not end in -00001-of-00003.gguf",
			damage: func(t *testing.T, paths []string) string {
				other := strings.Replace(paths[0], "model-00001", "model-1", 1)
				if err := os.Rename(paths[0], other); err != nil {
					t.Fatal(err)
				}
				return other
			}},
		{name: "the first part has the name of another split", message: "does not end in -00001-of-00003.gguf",
			damage: func(t *testing.T, paths []string) string {
				other := strings.Replace(paths[0], "of-00003", "of-00004", 1)
				if err := os.Rename(paths[0], other); err != nil {
					t.Fatal(err)
				}
				return other
			}},
		{name: "the first part has the name of a later one", message: "does not end in -00001-of-00003.gguf",
			damage: func(t *testing.T, paths []string) string {
				if err := os.Rename(paths[0], paths[1]); err != nil {
					t.Fatal(err)
				}
				return paths[1]
			}},
		{name: "parts in another order", part: 1, message: "split.no is 2, but as part 2 of 3",
			change: func(parts []gguftest.File) { parts[1], parts[2] = parts[2], parts[1] }},
		{name: "a part of a model of four", part: 2, message: "split.count is 4, but as part 3 of 3",
			change: func(parts []gguftest.File) { set(&parts[2], "split.count", uint16(4)) }},
		{name: "a part of a model of other tensors", part: 2, message: "split.tensors.count is 99",
			change: func(parts []gguftest.File) { set(&parts[2], "split.tensors.count", int32(99)) }},
		{name: "a part without its number", part: 1, message: "without split.no",
			change: func(parts []gguftest.File) { parts[1].Entries = parts[1].Entries[1:] }},
		{name: "too few tensors", message: "split.tensors.count is 14, but the 3 parts have 13 tensors",
			change: func(parts []gguftest.File) { parts[1].Tensors = parts[1].Tensors[1:] }},
		{name: "a negative number of tensors", message: "split.tensors.count is -1",
			change: func(parts []gguftest.File) {
				for i := range parts {
					set(&parts[i], "split.tensors.count", int32(-1))
				}
			}},
		{name: "a tensor in two parts", part: 2, message: "of this name",
			change: func(parts []gguftest.File) { parts[2].Tensors[0].Name = parts[0].Tensors[0].Name }},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := split(sileroGGUF(t, gguftest.F32), 5, 1, 8)
			if c.change != nil {
				c.change(parts)
			}
			paths := writeSplit(t, parts)
			path := paths[0]
			if c.damage != nil {
				path = c.damage(t, paths)
			}
			want := path
			if c.part > 0 {
				want = paths[c.part]
			}
			_, err := weights.Open(path)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("the error is %v; want %s: ... %s", err, want, c.message)
			}
			var fault *weights.FormatError
			if !errors.As(err, &fault) && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the error is %v, not a FormatError", err)
			}
		})
	}
}
