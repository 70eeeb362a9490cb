package weights_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// zipWith is the start of a zip archive whose first entry has the name.
func zipWith(name string) string {
	return "PK\x03\x04\x00\x00\x08\x08" + strings.Repeat("\x00", 18) + string([]byte{byte(len(name)), 0}) + "\x00\x00" + name + "content"
}

// Files of other formats are named, with what to do about them.
func TestOtherFormats(t *testing.T) {
	for _, tt := range []struct{ name, start, format, advice string }{
		{"a.bin", "lmgg\x00\x7d\x00\x00\x00\x10\x00\x00", "GGML file, older than GGUF", "convert_llama_ggml_to_gguf.py"},
		{"a.bin", "fmgg\x01\x00\x00\x00\x00\x7d\x00\x00", "GGMF file, older than GGUF", "convert_llama_ggml_to_gguf.py"},
		{"a.bin", "tjgg\x03\x00\x00\x00\x00\x7d\x00\x00", "GGJT file, older than GGUF", "convert_llama_ggml_to_gguf.py"},
		{"a.bin", "algg\x01\x00\x00\x00\x10\x00\x00\x00", "GGLA file, a LoRA adapter older than GGUF", "convert_lora_to_gguf.py"},
		{"a.pt", zipWith("archive/data.pkl"), "PyTorch file", "safetensors.torch.save_file"},
		{"a.npz", zipWith("encoder.weight.npy"), ".npz archive of NumPy", "numpy.save"},
		{"a.zip", zipWith("readme.txt"), "zip archive", "unpack"},
		{"a.pt", "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "Python pickle", "safetensors.torch.save_file"},
		{"a.pkl", "\x80\x03X\x04\x00\x00\x00name", "Python pickle", "safetensors.torch.save_file"},
		{"a.pkl", "\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c", "Python pickle", "safetensors.torch.save_file"},
		{"a.pkl", "\x80\x05\x95\x04\x00\x00\x00\x00\x00\x00\x00\x8c", "Python pickle", "safetensors.torch.save_file"},
		{"a.h5", "\x89HDF\r\n\x1a\n\x00\x00\x00\x00", "HDF5 file", "safetensors.numpy.save_file"},
		{"a.onnx", "\x08\x07\x12\x07pytorch\x1a\x051.9.0", "ONNX model", "onnx.numpy_helper.to_array"},
		{"a.onnx", "\x08\x0a:\xe8\x07\x0a\x10\x0a\x01x", "ONNX model", "onnx.numpy_helper.to_array"},
		{"a.safetensors.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "gzip file", "unpack"},
		{"a.safetensors", "version https://git-lfs.github.com/spec/v1\n", "Git LFS", "git lfs pull"},
	} {
		data := []byte(tt.start)
		_, err := weights.New(tt.name, bytes.NewReader(data), int64(len(data)))
		if err == nil {
			t.Errorf("%s, %q: read", tt.name, tt.start)
			continue
		}
		for _, want := range []string{tt.name, tt.format, tt.advice} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %q: error %q lacks %q", tt.name, tt.start, err, want)
			}
		}
	}
}

// A safetensors file may begin with any length of its header, that of bytes which begin
// a file of another format too.
func TestHeaderLengthLikeAnotherFormat(t *testing.T) {
	const header = `{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	for _, length := range []int{0x0280, 0x0380, 0x0480, 0x0580, 0x8b1f, 0x120708} {
		padded := header + strings.Repeat(" ", length-len(header))
		if _, err := parse(tensorFile(padded, make([]byte, 4))); err != nil {
			t.Errorf("a header of %d bytes: %v", length, err)
		}
	}
}
