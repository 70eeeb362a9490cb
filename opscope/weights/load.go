package weights

import (
	"errors"
	"math"
	"runtime/debug"
	"unsafe"

	"github.com/rlx-go/gopherscope/kernels"
)

// maxLoad is the most bytes that one matrix may take in memory to be loaded whole. The
// largest embeddings of published models need a third of it.
const maxLoad = min(16<<30, math.MaxInt)

// Load reads the matrix and decodes it to float32, as it is stored: [out, in] unless
// Layout says otherwise. It reads no other byte of the file. It fails, naming file and
// tensor, if the file can no longer be read or has become shorter, and before it asks
// for memory if the matrix would take more than 16 GiB or the limit that GOMEMLIMIT
// sets: use ReadRows then.
func (m Matrix) Load() (Weight, error) {
	if err := m.check(); err != nil {
		return Weight{}, err
	}
	rows, cols := m.Dims()
	limit := min(maxLoad, debug.SetMemoryLimit(-1))
	if int64(rows) > limit/4/int64(cols) {
		return Weight{}, m.Tensor.fail(0, "%d x %d values are too many to load at once: more than %d MiB", rows, cols, limit>>20)
	}
	data := make([]float32, rows*cols)
	if err := m.ReadRows(data, 0); err != nil {
		return Weight{}, err
	}
	return Weight{
		Matrix: kernels.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data},
		Layout: m.Layout,
		View:   m.View(),
	}, nil
}

// ReadRows decodes len(dst)/cols rows of the matrix as stored, from row first on, into
// dst. It is safe for concurrent calls and needs less than 1 MiB of memory besides dst.
// It fails, naming file and tensor, if dst is not whole rows of the matrix, as Load does
// if the file cannot be read, and if a finite value is beyond the range of float32.
func (m Matrix) ReadRows(dst []float32, first int) error {
	if err := m.check(); err != nil {
		return err
	}
	rows, cols := m.Dims()
	if first < 0 || len(dst)%cols != 0 || len(dst)/cols > rows-first {
		return m.Tensor.fail(0, "%d values from row %d on are not whole rows of %d x %d", len(dst), first, rows, cols)
	}
	return m.Tensor.decode(dst, (m.expert*rows+first)*cols)
}

// check returns an error if the matrix is not one that Matrices or Column offers.
func (m Matrix) check() error {
	if m.Tensor == nil {
		return errors.New("no matrix: its Tensor is nil")
	}
	reason := m.Tensor.skipReason()
	if m.column {
		reason = m.Tensor.columnReason()
	}
	if reason != "" {
		return m.Tensor.fail(0, "%s", reason)
	}
	return nil
}

// decode sets dst from the values of the tensor that begin at element first.
func (t *Tensor) decode(dst []float32, first int) error {
	info, _ := t.DType.info()
	if t.DType == F32 {
		raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 4*len(dst))
		if err := t.src.readAt(raw, t.Offset+4*int64(first), t.Name); err != nil {
			return err
		}
		if bigEndian {
			decodeF32(dst, raw)
		}
		return nil
	}
	const most = 1 << 16 // values decoded from one read
	buf := make([]byte, (min(most, len(dst))/info.block+2)*info.blockBytes)
	var apart [maxBlock]float32
	for len(dst) > 0 {
		// A row may begin or end within a block: then that block alone is decoded apart.
		skip := first % info.block
		n := min(most, len(dst))
		whole := skip == 0 && n >= info.block
		part := apart[:info.block]
		if whole {
			n -= n % info.block
			part = dst[:n]
		} else {
			n = min(n, info.block-skip)
		}
		offset := int64(first/info.block) * int64(info.blockBytes)
		raw := buf[:len(part)/info.block*info.blockBytes]
		if err := t.src.readAt(raw, t.Offset+offset, t.Name); err != nil {
			return err
		}
		info.decode(part, raw)
		if info.overflow != nil {
			if i := info.overflow(part, raw); i >= 0 {
				return t.fail(offset+int64(i*info.blockBytes), "a value is beyond the range of float32")
			}
		}
		if !whole {
			copy(dst[:n], part[skip:])
		}
		dst, first = dst[n:], first+n
	}
	return nil
}

// maxBlock is the most values that a block of any dtype has.
const maxBlock = 256

// bigEndian tells the processor's order of bytes.
var bigEndian = *(*byte)(unsafe.Pointer(&[]uint16{1}[0])) == 0
