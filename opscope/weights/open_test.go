package weights_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	silero, err := os.ReadFile(sileroPath)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, reason string }{
		{"a directory", dir, "is a directory"},
		{"a device", os.DevNull, "is not a regular file"},
		{"an empty file", write("empty.safetensors", nil), "the file is empty"},
		{"a notebook", write("a.ipynb", []byte(`{"cells":[],"nbformat":4}`)), "not a safetensors file"},
		{"a truncated file", write("cut.safetensors", silero[:500_000]), `tensor "decoder.rnn.weight_ih"`},
		{"a truncated header", write("head.safetensors", silero[:100]), "only 92 bytes follow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := weights.Open(tt.path)
			if err == nil {
				f.Close()
				t.Fatal("opened")
			}
			text := err.Error()
			if !strings.Contains(text, tt.path) || !strings.Contains(text, tt.reason) || strings.Contains(text, "\n") {
				t.Errorf("error is %q", text)
			}
		})
	}
	missing := filepath.Join(dir, "missing.safetensors")
	if _, err := weights.Open(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("opening a missing file: %v", err)
	}
}

func TestClose(t *testing.T) {
	f, err := weights.Open(sileroPath)
	if err != nil {
		t.Fatal(err)
	}
	matrices := f.Matrices()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	_, err = matrices[0].Load()
	if !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), sileroPath) ||
		!strings.Contains(err.Error(), "stft.forward_basis_buffer") {
		t.Errorf("loading from a closed file: %v", err)
	}
	if err := mustParse(t, "{}", nil).Close(); err != nil {
		t.Errorf("closing what was not opened here: %v", err)
	}
}

// A file that shrinks after it was opened gives an error, not zeros.
func TestShrunk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	whole := tensorFile(`{"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}`, make([]byte, 16))
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, int64(len(whole)-1)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Matrices()[0].Load(); err == nil || !strings.Contains(err.Error(), "the file ends within") {
		t.Errorf("loading from a file cut short: %v", err)
	}
}
