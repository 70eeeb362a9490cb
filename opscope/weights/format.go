package weights

import "strings"

// The formats that are read.
const (
	formatSafetensors = "safetensors"
	formatGGUF        = "GGUF"
	formatNPY         = "NPY"
	formatTensor      = "tensor"
)

// part is one file as its format's reader gives it.
type part struct {
	format   string
	tensors  []*Tensor // no name twice
	metadata map[string]string
}

// readPart reads the description of the tensors of one file of the given size. The
// format is told by the first bytes, but for the one that has no mark, which goes by the
// ending of the name.
func readPart(src *source, size int64) (part, error) {
	var start [8]byte
	head := start[:max(0, min(size, int64(len(start))))]
	if err := src.readAt(head, 0, ""); err != nil {
		return part{}, err
	}
	p := part{format: formatSafetensors}
	var err error
	switch {
	case strings.HasPrefix(string(head), ggufMagic):
		p.format = formatGGUF
		p.tensors, p.metadata, err = readGGUF(src, size)
	case strings.HasPrefix(string(head), npyMagic):
		p.format = formatNPY
		p.tensors, err = readNPY(src, size)
	// A safetensors header is shorter than 2^32 bytes; a .tensor file has its number of
	// columns, never 0, where the upper half of the header's length would be.
	case strings.HasSuffix(src.name, tensorExt) && (len(head) < 8 || string(head[4:]) != "\x00\x00\x00\x00"):
		p.format = formatTensor
		p.tensors, err = readTensor(src, size)
	default:
		if known := otherFormat(head); known != "" {
			return part{}, &FormatError{File: src.name, Reason: known}
		}
		p.tensors, p.metadata, err = readSafetensors(src, size)
	}
	return p, err
}

// otherFormat says what the first bytes belong to if it is a format that people mistake
// for one of ours, or "".
func otherFormat(head []byte) string {
	for _, other := range []struct{ magic, reason string }{
		{"PK\x03\x04", "a zip archive, as .npz and PyTorch's .pt and .bin are: unpack the arrays, or convert it to safetensors"},
		{"\x80\x02", "a Python pickle, which is a program and not read: convert it to safetensors"},
		{"\x80\x04", "a Python pickle, which is a program and not read: convert it to safetensors"},
		{"\x89HDF", "an HDF5 file, which is not read: convert it to safetensors"},
		{"\x1f\x8b", "a gzip file: unpack it first"},
		{"version ", "a pointer of Git LFS, not the file itself: fetch it with git lfs pull"},
	} {
		if strings.HasPrefix(string(head), other.magic) {
			return other.reason
		}
	}
	return ""
}
