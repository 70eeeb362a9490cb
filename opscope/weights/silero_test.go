package weights_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

const sileroPath = "../../notebooks/data/silero_vad_v5.safetensors"

// silero holds the tensors of the file with the first 16 digits of the SHA-256 of their
// bytes, as Python's json and hashlib read them.
var silero = []struct {
	name  string
	shape []int
	sha   string
	view  string // "" if skipped
}{
	{"stft.forward_basis_buffer", []int{130, 1, 128}, "70eff04bcca52fd8", "[130, 1, 128] as [o, i*k] = [130, 128]"},
	{"encoder.0.reparam_conv.weight", []int{128, 65, 3}, "c21771bfb2617b24", "[128, 65, 3] as [o, i*k] = [128, 195]"},
	{"encoder.0.reparam_conv.bias", []int{128}, "e7f20f0039db59ad", ""},
	{"encoder.1.reparam_conv.weight", []int{64, 128, 3}, "d9ee9d07d8a32970", "[64, 128, 3] as [o, i*k] = [64, 384]"},
	{"encoder.1.reparam_conv.bias", []int{64}, "94b1d9ecaa2523a3", ""},
	{"encoder.2.reparam_conv.weight", []int{64, 64, 3}, "6997fa81ce7efc74", "[64, 64, 3] as [o, i*k] = [64, 192]"},
	{"encoder.2.reparam_conv.bias", []int{64}, "324d8cc020b11e05", ""},
	{"encoder.3.reparam_conv.weight", []int{128, 64, 3}, "3ab9d49e7870b928", "[128, 64, 3] as [o, i*k] = [128, 192]"},
	{"encoder.3.reparam_conv.bias", []int{128}, "fef9710ba936d808", ""},
	{"decoder.rnn.weight_ih", []int{512, 128}, "b3498058207d199b", "[out, in] = [512, 128]"},
	{"decoder.rnn.weight_hh", []int{512, 128}, "9dc03982c36f5cab", "[out, in] = [512, 128]"},
	{"decoder.rnn.bias_ih", []int{512}, "2bbf5b0510a3fa2b", ""},
	{"decoder.rnn.bias_hh", []int{512}, "0ee696074274fd4d", ""},
	{"decoder.decoder.2.weight", []int{1, 128, 1}, "d183d5e1d1eabe3e", "[1, 128, 1] as [o, i*k] = [1, 128]"},
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func TestSilero(t *testing.T) {
	f, err := weights.Open(sileroPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	raw, err := os.ReadFile(sileroPath)
	if err != nil {
		t.Fatal(err)
	}

	if f.Name() != sileroPath {
		t.Errorf("the file is named %q", f.Name())
	}
	if got := f.Metadata()["licence"]; got != "MIT (Silero VAD)" {
		t.Errorf("the licence in the metadata is %q", got)
	}
	tensors := f.Tensors()
	if len(tensors) != len(silero) {
		t.Fatalf("%d tensors, want %d", len(tensors), len(silero))
	}
	for i, want := range silero {
		x := tensors[i]
		if x.Name != want.name || x.DType != weights.F32 || !slices.Equal(x.Shape, want.shape) {
			t.Errorf("tensor %d is %s %s %v, want %s F32 %v", i, x.Name, x.DType, x.Shape, want.name, want.shape)
		}
		if got := sha(raw[x.Offset : x.Offset+x.Bytes]); got != want.sha {
			t.Errorf("the bytes of %s have the hash %s, want %s", x.Name, got, want.sha)
		}
		m, err := f.Matrix(want.name)
		if want.view == "" {
			if err == nil {
				t.Errorf("%s is offered as %s", want.name, m.View())
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		w, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		if w.View != want.view || w.Layout != weights.OutIn {
			t.Errorf("%s is seen as %q, want %q", want.name, w.View, want.view)
		}
		if size := fmt.Sprintf("[%d, %d]", w.Matrix.Rows, w.Matrix.Cols); w.View[len(w.View)-len(size):] != size {
			t.Errorf("%s is %s, but said to be %q", want.name, size, w.View)
		}
		var encoded []byte
		for _, v := range w.Matrix.Data {
			encoded = binary.LittleEndian.AppendUint32(encoded, math.Float32bits(v))
		}
		if got := sha(encoded); got != want.sha {
			t.Errorf("the values of %s have the hash %s, want %s", x.Name, got, want.sha)
		}
	}
	if m, s := len(f.Matrices()), len(f.Skipped()); m != 8 || s != 6 {
		t.Errorf("%d matrices and %d skipped, want 8 and 6", m, s)
	}
}
