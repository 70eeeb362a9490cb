package opscope

import "fmt"

// RowReader is a matrix that is read by blocks of rows, so that one larger
// than memory can be probed; a matrix of package weights is one, and
// [MatrixRows] makes one of a matrix in memory.
type RowReader interface {
	// Dims returns the number of rows and of columns.
	Dims() (rows, cols int)
	// ReadRows sets dst, whole rows one after another, to the len(dst)/cols rows
	// from row first on. Calls may be concurrent.
	ReadRows(dst []float32, first int) error
}

// MatrixRows is w as a RowReader. Probes that read rows use w where it is,
// without a copy, as long as it is well-formed.
func MatrixRows(w Matrix) RowReader { return matrixRows{w} }

type matrixRows struct{ w Matrix }

func (m matrixRows) Dims() (rows, cols int) { return m.w.Rows, m.w.Cols }

func (m matrixRows) ReadRows(dst []float32, first int) error {
	if err := check(m.w); err != nil {
		return err
	}
	if m.w.Rows == 0 || m.w.Cols == 0 {
		return nil
	}
	n := len(dst) / m.w.Cols
	if len(dst)%m.w.Cols != 0 || first < 0 || first > m.w.Rows-n {
		return fmt.Errorf("opscope: %d values are not rows of a %d x %d matrix from row %d on", len(dst), m.w.Rows, m.w.Cols, first)
	}
	for i := range n {
		copy(dst[i*m.w.Cols:][:m.w.Cols], m.w.Data[(first+i)*m.w.Stride:])
	}
	return nil
}
