package weights

import (
	"fmt"
	"math"

	"github.com/rlx-go/gopherscope/kernels"
)

// maxElements is the most values that one matrix may have to be loaded: above it the
// memory could not even be asked for.
const maxElements = min(1<<40, math.MaxInt/8)

// Load reads the matrix and decodes it to float32, as it is stored: [out, in] unless
// Layout says otherwise. It reads no other byte of the file. It fails, naming file and
// tensor, if the file can no longer be read or has become shorter.
func (m Matrix) Load() (Weight, error) {
	t := m.Tensor
	if reason := t.skipReason(); reason != "" {
		return Weight{}, &FormatError{File: t.src.name, Tensor: t.Name, Offset: t.Offset, Reason: reason}
	}
	rows, cols := m.Dims()
	if rows > maxElements/cols {
		return Weight{}, &FormatError{File: t.src.name, Tensor: t.Name, Offset: t.Offset,
			Reason: fmt.Sprintf("%d x %d values are too many to load at once", rows, cols)}
	}
	data := make([]float32, rows*cols)
	if err := t.decode(data, m.expert*rows*cols); err != nil {
		return Weight{}, err
	}
	return Weight{
		Matrix: kernels.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data},
		Layout: m.Layout,
		View:   m.View(),
	}, nil
}

// decode sets dst from the values of the tensor that begin at element first.
func (t *Tensor) decode(dst []float32, first int) error {
	info := dtypes[t.DType]
	width := info.bits / 8
	const block = 1 << 16 // values decoded from one read
	buf := make([]byte, width*min(block, len(dst)))
	for done := 0; done < len(dst); done += block {
		part := dst[done:min(done+block, len(dst))]
		raw := buf[:width*len(part)]
		offset := t.Offset + int64(width)*int64(first+done)
		if err := t.src.readAt(raw, offset, t.Name); err != nil {
			return err
		}
		info.decode(part, raw)
	}
	return nil
}
