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

// repeat writes n copies of s with sep between them.
func repeat(s string, n int, sep string) string {
	return strings.TrimSuffix(strings.Repeat(s+sep, n), sep)
}
