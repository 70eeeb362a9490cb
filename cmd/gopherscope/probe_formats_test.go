package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// A model gives the same answers as one file, in parts, and as GGUF.
func TestProbeFormats(t *testing.T) {
	file, err := weights.Open(silero)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var tensors []weights.Named
	for _, m := range file.Matrices() {
		w, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, weights.Named{Name: m.Name(), Shape: m.Tensor.Shape, Data: w.Matrix.Data})
	}
	want := probeLines(t, silero)
	for name, path := range map[string]string{"parts": writeParts(t, tensors), "GGUF": writeGGUF(t, tensors)} {
		got := probeLines(t, path)
		for _, tensor := range tensors {
			a, b := want[tensor.Name], got[tensor.Name]
			if b.Profile == nil {
				t.Errorf("%s: %s is %s: %s", name, tensor.Name, b.Status, b.Reason)
				continue
			}
			if x, y := figures(t, a), figures(t, b); x != y {
				t.Errorf("%s: %s differs:\n%.500s\n%.500s", name, tensor.Name, x, y)
			}
		}
	}
}

// figures is what a line says of the values, without where they are from.
func figures(t *testing.T, line probeLine) string {
	t.Helper()
	text, err := json.Marshal([]any{line.DType, line.Shape, line.Elements, line.Bytes, line.Layout, line.Profile, line.Choices})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeParts writes a model in two parts with their index.
func writeParts(t *testing.T, tensors []weights.Named) string {
	t.Helper()
	dir := t.TempDir()
	half := len(tensors) / 2
	where := map[string]string{}
	for part, list := range map[string][]weights.Named{"one.safetensors": tensors[:half], "two.safetensors": tensors[half:]} {
		writeModel(t, filepath.Join(dir, part), list...)
		for _, n := range list {
			where[n.Name] = part
		}
	}
	text, err := json.Marshal(map[string]any{"weight_map": where})
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "model.safetensors.index.json")
	if err := os.WriteFile(index, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return index
}

// writeGGUF writes a GGUF file of version 3 without keys.
func writeGGUF(t *testing.T, tensors []weights.Named) string {
	t.Helper()
	const alignment = 32
	le := binary.LittleEndian
	pad := func(b []byte) []byte { return append(b, make([]byte, (alignment-len(b)%alignment)%alignment)...) }
	head := le.AppendUint32([]byte("GGUF"), 3)
	head = le.AppendUint64(head, uint64(len(tensors)))
	head = le.AppendUint64(head, 0)
	var data []byte
	for _, n := range tensors {
		head = append(le.AppendUint64(head, uint64(len(n.Name))), n.Name...)
		head = le.AppendUint32(head, uint32(len(n.Shape)))
		for i := range n.Shape { // the contiguous axis first
			head = le.AppendUint64(head, uint64(n.Shape[len(n.Shape)-1-i]))
		}
		head = le.AppendUint32(head, 0) // F32
		head = le.AppendUint64(head, uint64(len(data)))
		for _, v := range n.Data {
			data = le.AppendUint32(data, math.Float32bits(v))
		}
		data = pad(data)
	}
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, append(pad(head), data...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
