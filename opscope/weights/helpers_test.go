package weights_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// tensorFile puts a header and values together as a safetensors file.
func tensorFile(header string, values []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	return append(b, values...)
}

func parse(data []byte) (*weights.File, error) {
	return weights.New("test.safetensors", bytes.NewReader(data), int64(len(data)))
}

func mustParse(t *testing.T, header string, values []byte) *weights.File {
	t.Helper()
	f, err := parse(tensorFile(header, values))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// open opens a file until the test ends.
func open(t *testing.T, path string) *weights.File {
	t.Helper()
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// loadMatrix returns the values of a matrix.
func loadMatrix(t *testing.T, f *weights.File, name string) []float32 {
	t.Helper()
	m, err := f.Matrix(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := m.Load()
	if err != nil {
		t.Fatal(err)
	}
	return w.Matrix.Data
}

// repeat writes n copies of s with sep between them.
func repeat(s string, n int, sep string) string {
	return strings.TrimSuffix(strings.Repeat(s+sep, n), sep)
}
