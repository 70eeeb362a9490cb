package display

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// asMatrix knows a struct with exactly the fields of gonum's blas32.General and
// blas64.General, and any value with the two methods that gonum's mat.Matrix is
// read by. It says nothing of a matrix whose data do not fit its shape.
func asMatrix(v any, method Lookup) (rows, cols int, at func(i, j int) float64, ok bool) {
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Struct {
		if rows, cols, at, ok = general(rv); ok {
			return rows, cols, at, true
		}
	}
	dims, okDims := method("Dims").(func() (int, int))
	at, okAt := method("At").(func(i, j int) float64)
	if !okDims || !okAt {
		return 0, 0, nil, false
	}
	rows, cols = dims()
	return rows, cols, at, true
}

func general(v reflect.Value) (rows, cols int, at func(i, j int) float64, ok bool) {
	if v.NumField() != 4 {
		return 0, 0, nil, false
	}
	field := func(name string, kind reflect.Kind) (reflect.Value, bool) {
		f := v.FieldByName(name)
		return f, f.IsValid() && f.Kind() == kind
	}
	r, okRows := field("Rows", reflect.Int)
	c, okCols := field("Cols", reflect.Int)
	s, okStride := field("Stride", reflect.Int)
	data, okData := field("Data", reflect.Slice)
	if !okRows || !okCols || !okStride || !okData || !data.Type().Elem().ConvertibleTo(reflect.TypeFor[float64]()) {
		return 0, 0, nil, false
	}
	rows, cols = int(r.Int()), int(c.Int())
	stride := int(s.Int())
	if rows < 0 || cols < 0 || stride < cols || rows > 0 && cols > 0 && !fits(rows, cols, stride, data.Len()) {
		return 0, 0, nil, false
	}
	at = func(i, j int) float64 {
		return data.Index(i*stride + j).Convert(reflect.TypeFor[float64]()).Float()
	}
	return rows, cols, at, true
}

func fits(rows, cols, stride, length int) bool {
	return rows-1 <= (math.MaxInt-cols)/stride && (rows-1)*stride+cols <= length
}

// Rows and columns of a matrix that are shown: all up to edge*2+1, else the
// first and the last few.
const edge = 4

// matrixTable is a matrix as its shape and a small table.
func matrixTable(v any, method Lookup) (string, bool) {
	rows, cols, at, ok := asMatrix(v, method)
	if !ok {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d x %d matrix", rows, cols)
	if rows == 0 || cols == 0 {
		return b.String(), true
	}
	is, js := shown(rows), shown(cols)
	cells := make([][]string, len(is))
	width := make([]int, len(js))
	for y, i := range is {
		cells[y] = make([]string, len(js))
		for x, j := range js {
			switch {
			case i < 0 || j < 0:
				cells[y][x] = "..."
			default:
				cells[y][x] = strconv.FormatFloat(at(i, j), 'g', 5, 64)
			}
			width[x] = max(width[x], len(cells[y][x]))
		}
	}
	for _, row := range cells {
		b.WriteByte('\n')
		for x, cell := range row {
			fmt.Fprintf(&b, "  %*s", width[x], cell)
		}
	}
	return b.String(), true
}

// shown lists the indices of n that a table shows; -1 stands for a gap.
func shown(n int) []int {
	var at []int
	if n <= 2*edge+1 {
		for i := range n {
			at = append(at, i)
		}
		return at
	}
	for i := range edge {
		at = append(at, i)
	}
	at = append(at, -1)
	for i := n - edge; i < n; i++ {
		at = append(at, i)
	}
	return at
}
