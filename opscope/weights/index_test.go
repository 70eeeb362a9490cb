package weights_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
	"github.com/rlx-go/gopherscope/opscope/weights"
	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

// folder writes files to a new folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shard is a safetensors file of 1 x 1 matrices with these names, the value of each its
// place.
func shard(names ...string) []byte {
	var entries []string
	var values []byte
	for i, name := range names {
		entries = append(entries, fmt.Sprintf(`%q:{"dtype":"BF16","shape":[1,1],"data_offsets":[%d,%d]}`, name, 2*i, 2*i+2))
		values = append(values, 0, byte(0x3f+i))
	}
	return tensorFile("{"+strings.Join(entries, ",")+"}", values)
}

const indexName = "model.safetensors.index.json"

func TestIndex(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"model-00001-of-00002.safetensors": shard("a", "twice", "stray"),
		"model-00002-of-00002.safetensors": shard("b", "twice"),
		"other.safetensors":                shard("c"), // not in the index
		indexName: []byte(`{"metadata": {"total_size": 123, "note": "é", "list": [1, {"x": null}]}, "more": [true],
			"weight_map": {"b": "model-00002-of-00002.safetensors", "a": "model-00001-of-00002.safetensors",
			"twice": "model-00001-of-00002.safetensors"}}`),
	})
	for _, path := range []string{dir, filepath.Join(dir, indexName)} {
		f := open(t, path)
		if f.Name() != path || f.Format() != "safetensors" {
			t.Errorf("%s opens as %s, %s", path, f.Name(), f.Format())
		}
		if m := f.Metadata(); m["total_size"] != "123" || m["note"] != "é" || m["list"] != `[1, {"x": null}]` || len(m) != 3 {
			t.Errorf("metadata is %q", m)
		}
		var names []string
		for _, m := range f.Matrices() {
			names = append(names, m.Name()+" "+filepath.Base(m.Tensor.File))
		}
		if want := []string{"a model-00001-of-00002.safetensors", "twice model-00001-of-00002.safetensors", "b model-00002-of-00002.safetensors"}; !slices.Equal(names, want) {
			t.Errorf("matrices are %q, want %q", names, want)
		}
		var skipped []string
		for _, s := range f.Skipped() {
			skipped = append(skipped, s.Tensor.Name+": "+s.Reason)
		}
		if want := []string{"stray: not in the index of the model",
			`twice: the index takes the tensor of this name from "model-00001-of-00002.safetensors"`}; !slices.Equal(skipped, want) {
			t.Errorf("skipped are %q, want %q", skipped, want)
		}
		m, err := f.Matrix("twice")
		if err != nil {
			t.Fatal(err)
		}
		// In the first part it is the second value, 0x4000 of BF16.
		if w, err := m.Load(); err != nil || w.Matrix.Data[0] != 2 {
			t.Errorf("the tensor of two parts is %v, %v", w.Matrix.Data, err)
		}
	}
	// A part by itself is a file.
	if n := len(open(t, filepath.Join(dir, "model-00002-of-00002.safetensors")).Matrices()); n != 2 {
		t.Errorf("a part has %d matrices", n)
	}
}

// The parts of a model may be links, as the hub's cache has them.
func TestIndexOfLinks(t *testing.T) {
	dir := folder(t, map[string][]byte{indexName: []byte(`{"weight_map":{"a":"m.safetensors"}}`)})
	blobs := folder(t, map[string][]byte{"0123": shard("a")})
	if err := os.Symlink(filepath.Join(blobs, "0123"), filepath.Join(dir, "m.safetensors")); err != nil {
		testreq.Skip(t, "no symbolic links here: "+err.Error())
	}
	if n := len(open(t, dir).Matrices()); n != 1 {
		t.Errorf("%d matrices", n)
	}
}

func TestIndexRefused(t *testing.T) {
	toFile := func(name string) string { return fmt.Sprintf(`{"weight_map":{"a":%q}}`, name) }
	tests := []struct {
		name, index string
		offset      int64  // -1: not checked
		tensor      string // named by the error
		reason      string
	}{
		{"empty", ``, 0, "", "the index is not JSON: unexpected end"},
		{"no object", `[]`, 0, "", "the index does not begin with {"},
		{"not UTF-8", "{\"a\xff\":1}", 3, "", "the index is not UTF-8"},
		{"no weight_map", `{"metadata":{}}`, 0, "", "no weight_map"},
		{"empty weight_map", `{"weight_map":{}}`, 0, "", "no weight_map"},
		{"weight_map is a list", `{"weight_map":["a"]}`, 14, "", "weight_map does not begin with {"},
		{"file is a number", `{"weight_map":{"a":1}}`, 19, "a", "the file of the tensor is not a string"},
		{"file is null", `{"weight_map":{"a":null}}`, 19, "a", "the file of the tensor is not a string"},
		{"tensor twice", `{"weight_map":{"a":"m.safetensors","a":"m.safetensors"}}`, -1, "", `weight_map has the key "a" twice`},
		{"weight_map twice", `{"weight_map":{"a":"m.safetensors"},"weight_map":{}}`, -1, "", `the key "weight_map" twice`},
		{"goes on", `{"weight_map":{"a":"m.safetensors"}}x`, 36, "", "goes on after its JSON object"},
		{"nested too deep", `{"metadata":{"x":` + strings.Repeat("[", 1000), -1, "", "nested more than 64 deep"},

		{"parent folder", toFile("../m.safetensors"), -1, "a", "is not a name but a path"},
		{"absolute", toFile("/etc/passwd"), -1, "a", "is not a name but a path"},
		{"folder", toFile("sub/m.safetensors"), -1, "a", "is not a name but a path"},
		{"backslash", toFile(`..\m.safetensors`), -1, "a", "is not a name but a path"},
		{"drive", toFile("c:m.safetensors"), -1, "a", "is not a name but a path"},
		{"escaped slash", `{"weight_map":{"a":"..\u002fm.safetensors"}}`, -1, "a", "is not a name but a path"},
		{"dots", toFile(".."), -1, "a", "is not the name of a file"},
		{"dot", toFile("."), -1, "a", "is not the name of a file"},
		{"no name", toFile(""), -1, "a", "is not the name of a file"},
		{"zero byte", `{"weight_map":{"a":"m\u0000.safetensors"}}`, -1, "a", "has a control character"},

		{"stale", `{"weight_map":{"a":"m.safetensors","gone":"m.safetensors"}}`, 57, "gone", `the index is stale: the tensor is not in "m.safetensors"`},
		{"tensor in another part", `{"weight_map":{"a":"m.safetensors","b":"m.safetensors","c":"n.safetensors"}}`, -1, "b", "the index is stale"},
		{"part that is no safetensors file", `{"weight_map":{"w":"w.npy"}}`, 0, "", `its part "w.npy" is of the format NPY`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, map[string][]byte{
				indexName: []byte(tt.index), "m.safetensors": shard("a"), "n.safetensors": shard("b", "c"),
				"w.npy": npyFile(1, npy2x3, make([]byte, 24)),
			})
			f, err := weights.Open(dir)
			if err == nil {
				f.Close()
				t.Fatal("opened")
			}
			var fault *weights.FormatError
			if !errors.As(err, &fault) {
				t.Fatalf("error %v is not a *FormatError", err)
			}
			if fault.File != filepath.Join(dir, indexName) || fault.Tensor != tt.tensor || tt.offset >= 0 && fault.Offset != tt.offset {
				t.Errorf("error is about %s, byte %d, tensor %q; want byte %d, tensor %q", fault.File, fault.Offset, fault.Tensor, tt.offset, tt.tensor)
			}
			if !strings.Contains(err.Error(), tt.reason) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q does not say %q", err, tt.reason)
			}
		})
	}

	// A part that is missing, is a folder, or is wrong.
	for name, want := range map[string]string{"missing.safetensors": "", "sub": "is not a regular file", "bad.safetensors": "the header length is 200"} {
		dir := folder(t, map[string][]byte{indexName: []byte(toFile(name)), "bad.safetensors": lying(200, "{}")})
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := weights.Open(dir)
		if err == nil || !strings.Contains(err.Error(), indexName) || !strings.Contains(err.Error(), filepath.Join(dir, name)) || !strings.Contains(err.Error(), want) {
			t.Errorf("part %s: %v", name, err)
		}
		if want == "" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("part %s: %v is not ErrNotExist", name, err)
		}
	}
}

func TestDirectory(t *testing.T) {
	npy := npyFile(1, npy2x3, make([]byte, 24))
	index := []byte(`{"weight_map":{"a":"m.safetensors"}}`)
	for _, tt := range []struct {
		name   string
		files  map[string][]byte
		format string // "" if it fails
		reason string
	}{
		{"one file", map[string][]byte{"m.safetensors": shard("a"), "config.json": nil, "README.md": nil}, "safetensors", ""},
		{"one file with a large ending", map[string][]byte{"W.NPY": npy}, "NPY", ""},
		{"an index beside other files", map[string][]byte{indexName: index, "m.safetensors": shard("a"), "w.npy": npy}, "safetensors", ""},
		{"nothing", map[string][]byte{"model.bin": nil}, "", "is a directory without a file *.safetensors.index.json or a file that ends in .safetensors, .gguf, .npy, .tensor"},
		{"two files", map[string][]byte{"b.safetensors": shard("a"), "a.npy": npy}, "", "is a directory with 2 files that no index joins to one model, so name one of them: a.npy, b.safetensors"},
		{"parts without an index", map[string][]byte{"m-00001-of-00002.safetensors": shard("a"), "m-00002-of-00002.safetensors": shard("b")}, "", "name one of them: m-00001-of-00002.safetensors, m-00002-of-00002.safetensors"},
		{"two indexes", map[string][]byte{indexName: index, "fp16.safetensors.index.json": index, "m.safetensors": shard("a")}, "", "name one of them: fp16.safetensors.index.json, model.safetensors.index.json"},
		{"parts of GGUF without the first", map[string][]byte{"m-00002-of-00003.gguf": nil, "m-00003-of-00003.gguf": nil}, "", "name one of them: m-00002"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.files)
			f, err := weights.Open(dir)
			if tt.format == "" {
				if err == nil || !strings.Contains(err.Error(), tt.reason) || !strings.Contains(err.Error(), dir) {
					t.Errorf("error %v, want %q", err, tt.reason)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if f.Format() != tt.format || f.Name() != dir || len(f.Matrices()) != 1 {
				t.Errorf("%s of %s with %d matrices", f.Name(), f.Format(), len(f.Matrices()))
			}
		})
	}
}

// The parts of a split GGUF model have every tensor once.
func TestSplitWithATensorTwice(t *testing.T) {
	part := func(number uint16, name string) []byte {
		return gguftest.File{
			Entries: []gguftest.Entry{
				{Key: "split.no", Value: number}, {Key: "split.count", Value: uint16(2)}, {Key: "split.tensors.count", Value: int32(2)},
			},
			Tensors: []gguftest.Tensor{gguftest.NewTensor(name, gguftest.F32, []int{1, 2}, []float32{1, 2})},
		}.Bytes()
	}
	const first, second = "m-00001-of-00002.gguf", "m-00002-of-00002.gguf"
	dir := folder(t, map[string][]byte{first: part(0, "a"), second: part(1, "b")})
	f := open(t, dir) // the folder has the parts of one model
	if len(f.Matrices()) != 2 || f.Format() != "GGUF" {
		t.Errorf("%d matrices of %s", len(f.Matrices()), f.Format())
	}
	if layout, why := f.Matrices()[1].GuessLayout(); layout != weights.OutIn || !strings.Contains(why, "GGUF") {
		t.Errorf("%s because %q", layout, why)
	}
	dir = folder(t, map[string][]byte{first: part(0, "a"), second: part(1, "a")})
	_, err := weights.Open(dir)
	var fault *weights.FormatError
	if !errors.As(err, &fault) || fault.File != filepath.Join(dir, second) || fault.Tensor != "a" ||
		!strings.Contains(err.Error(), first+" has a tensor of this name too") {
		t.Errorf("error %v", err)
	}
}
