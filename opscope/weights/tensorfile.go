package weights

import (
	"encoding/binary"
	"fmt"
)

// A .tensor file, the dump of the rlx-opscope crate, is rows and columns (4 bytes each,
// little-endian) and the values as F32, row by row.
const (
	tensorExt   = ".tensor"
	tensorStart = 8
)

// readTensor returns the one tensor of a .tensor file.
func readTensor(src *source, size int64) ([]*Tensor, error) {
	fail := func(offset int64, format string, args ...any) ([]*Tensor, error) {
		return nil, &FormatError{File: src.name, Tensor: baseName(src.name), Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
	if size < tensorStart {
		return fail(0, "the file has %d bytes, too few for the %d bytes of rows and columns", size, tensorStart)
	}
	var head [tensorStart]byte
	if err := src.readAt(head[:], 0, ""); err != nil {
		return nil, err
	}
	rows, cols := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	// The product of two numbers below 2^32 does not overflow, four times it may.
	if values := uint64(rows) * uint64(cols); values > uint64(size-tensorStart)/4 || 4*values != uint64(size-tensorStart) {
		return fail(0, "%d x %d values need 4 bytes each, but %d bytes follow", rows, cols, size-tensorStart)
	}
	return []*Tensor{{
		Name: baseName(src.name), DType: F32, Shape: []int{int(rows), int(cols)},
		File: src.name, Offset: tensorStart, Bytes: size - tensorStart, src: src,
	}}, nil
}
