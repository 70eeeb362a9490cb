package weights

import (
	"encoding/binary"
	"strings"
)

// otherFormat says what a file that begins with head belongs to and how to get at its
// tensors, if it is a format that people mistake for one of ours; or "".
func otherFormat(src *source, size int64, head []byte) string {
	if mayBeSafetensors(src, size, head) {
		return ""
	}
	const (
		toGGUF    = "convert it with llama.cpp's convert_llama_ggml_to_gguf.py"
		fromTorch = "load it with PyTorch, torch.load(..., weights_only=True), and save it with safetensors.torch.save_file"
		pickle    = "a Python pickle, as old .pt and .bin files of PyTorch are; it is a program, which is not run here: " + fromTorch
	)
	for _, other := range []struct{ magic, reason string }{
		// These are numbers of 32 bits, little-endian.
		{"lmgg", "a GGML file, older than GGUF: " + toGGUF},
		{"fmgg", "a GGMF file, older than GGUF: " + toGGUF},
		{"tjgg", "a GGJT file, older than GGUF: " + toGGUF},
		{"algg", "a GGLA file, a LoRA adapter older than GGUF: make it again from the adapter it was made of, with llama.cpp's convert_lora_to_gguf.py"},
		{"\x80\x02", pickle},
		{"\x80\x03", pickle},
		{"\x80\x04", pickle},
		{"\x80\x05", pickle},
		{"\x89HDF\r\n\x1a\n", "an HDF5 file: read it with h5py and save the arrays with safetensors.numpy.save_file"},
		{"\x1f\x8b", "a gzip file: unpack it first, with gunzip or tar"},
		{"version ", "a pointer of Git LFS, not the file itself: fetch it with git lfs pull"},
	} {
		if strings.HasPrefix(string(head), other.magic) {
			return other.reason
		}
	}
	switch {
	case strings.HasPrefix(string(head), zipMagic):
		switch entry := firstZipEntry(src, size); {
		case strings.HasSuffix(entry, "data.pkl"):
			return "a PyTorch file (.pt, .pth or .bin): " + fromTorch
		case strings.HasSuffix(entry, ".npy"):
			return "an .npz archive of NumPy: save each array of it as a file of its own, with numpy.save, or unpack the archive"
		}
		return "a zip archive: unpack it, or if PyTorch made it, " + fromTorch
	case isONNX(head):
		return "an ONNX model: read its initializers with onnx.numpy_helper.to_array and save them with safetensors.numpy.save_file"
	}
	return ""
}

// mayBeSafetensors tells whether a file has a length and a brace where a safetensors file
// has them. The length may be the magic of another format.
func mayBeSafetensors(src *source, size int64, head []byte) bool {
	if size <= lengthBytes || binary.LittleEndian.Uint64(head) > maxHeader {
		return false
	}
	var brace [1]byte
	return src.readAt(brace[:], lengthBytes, "") == nil && brace[0] == '{'
}

const zipMagic = "PK\x03\x04"

// firstZipEntry returns the name of the first entry of a zip archive, "" if it is very long
// or cannot be read.
func firstZipEntry(src *source, size int64) string {
	const (
		lengthAt = 26
		nameAt   = 30
		mostName = 256
	)
	var length [2]byte
	if src.readAt(length[:], lengthAt, "") != nil {
		return ""
	}
	n := int64(binary.LittleEndian.Uint16(length[:]))
	if n > min(mostName, size-nameAt) {
		return ""
	}
	name := make([]byte, n)
	if src.readAt(name, nameAt, "") != nil {
		return ""
	}
	return string(name)
}

// isONNX tells whether the bytes can begin an ONNX model, which has no magic: a Protocol
// Buffers message whose first field is the version of the format, a small number, and
// whose second is the name of the producer or one of the texts, the graph and the operator
// sets that may come next.
func isONNX(head []byte) bool {
	const (
		versionTag  = 1<<3 | 0
		mostVersion = 32
	)
	if len(head) < 3 || head[0] != versionTag || head[1] == 0 || head[1] > mostVersion {
		return false
	}
	switch head[2] {
	case 2<<3 | 2, 3<<3 | 2, 4<<3 | 2, 5<<3 | 0, 6<<3 | 2, 7<<3 | 2, 8<<3 | 2:
		return true
	}
	return false
}
