package weights

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzIndex reads any index. What is accepted is JSON that encoding/json reads to the
// same map, and its files are names in the folder of the index.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata": {"total_size": 123, "x": [1, null]}, "weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}}`))
	f.Add([]byte(`{"weight_map": {"a": "../m", "\u00e9": "m"}}`))
	f.Add([]byte(`{"weight_map": {"a": "m", "a": "n"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := readIndex(&source{name: "i.json", r: bytes.NewReader(data)}, int64(len(data)))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "i.json: byte ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		var want map[string]string
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			t.Fatalf("an index is accepted that is not a JSON object: %v", err)
		}
		if err := json.Unmarshal(members["weight_map"], &want); err != nil || !maps.Equal(want, x.files) || len(x.entries) != len(x.files) {
			t.Fatalf("read as %q, want %q, %v", x.files, want, err)
		}
		for _, file := range x.files {
			if file != filepath.Base(file) || !filepath.IsLocal(file) {
				t.Fatalf("the file %q is accepted", file)
			}
		}
	})
}
