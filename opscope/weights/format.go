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
		if known := otherFormat(src, size, head); known != "" {
			return part{}, &FormatError{File: src.name, Reason: known}
		}
		p.tensors, p.metadata, err = readSafetensors(src, size)
	}
	return p, err
}
