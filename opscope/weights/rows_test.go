package weights_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// random returns n bytes that look random, the same each time.
func random(n int) []byte {
	b := make([]byte, n)
	x := uint64(1)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}

// Rows read in any pieces are those of the whole. F4 has rows that begin within a byte.
func TestReadRows(t *testing.T) {
	for _, tt := range []struct {
		dtype      weights.DType
		rows, cols int
	}{
		{weights.F32, 7, 5}, {weights.F16, 7, 5}, {weights.F64, 7, 5}, {weights.F8E4M3, 7, 5}, {weights.F4, 8, 5}, {weights.F4, 6, 1},
		{weights.F4, 2, 70_001}, {weights.F8E5M2, 3, 70_001},
	} {
		raw := random((tt.rows*tt.cols*tt.dtype.Bits() + 7) / 8)
		if tt.dtype == weights.F64 { // within the range of float32
			for i := 7; i < len(raw); i += 8 {
				raw[i] = 0x3f
			}
		}
		m := matrixFile(t, tt.dtype, tt.rows, tt.cols, raw).Matrices()[0]
		w, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		for first := range tt.rows {
			for n := range tt.rows - first + 1 {
				got := make([]float32, n*tt.cols)
				if err := m.ReadRows(got, first); err != nil {
					t.Fatal(err)
				}
				if want := w.Matrix.Data[first*tt.cols : (first+n)*tt.cols]; !sameBits(got, want) {
					t.Fatalf("%s [%d, %d]: %d rows from %d on differ from those of Load", tt.dtype, tt.rows, tt.cols, n, first)
				}
			}
		}
	}
	// The halves of a byte, in order over the ends of rows.
	m := matrixFile(t, weights.F4, 2, 3, []byte{0x21, 0x43, 0x65}).Matrices()[0]
	row := make([]float32, 3)
	if err := m.ReadRows(row, 1); err != nil || !slices.Equal(row, []float32{2, 3, 4}) {
		t.Errorf("the second row is %v, %v", row, err)
	}
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func TestReadRowsOfAStack(t *testing.T) {
	m, err := counting(t, "experts.w", 3, 4, 5).Matrix("experts.w[2]")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 10)
	if err := m.ReadRows(got, 1); err != nil || got[0] != 45 || got[9] != 54 {
		t.Errorf("rows 1 and 2 of the third are %v, %v; want 45 to 54", got, err)
	}
}

func TestReadRowsRefuses(t *testing.T) {
	m := counting(t, "w", 4, 5).Matrices()[0]
	for _, tt := range []struct{ values, first int }{{4, 0}, {6, 0}, {5, -1}, {5, 4}, {25, 0}, {10, 3}, {5, math.MaxInt}, {0, 5}} {
		err := m.ReadRows(make([]float32, tt.values), tt.first)
		want := fmt.Sprintf("%d values from row %d on are not whole rows of 4 x 5", tt.values, tt.first)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `tensor "w"`) {
			t.Errorf("%d values from row %d on: %v", tt.values, tt.first, err)
		}
	}
}

// Concurrent reads of one matrix do not disturb each other.
func TestReadRowsConcurrently(t *testing.T) {
	const rows, cols = 64, 300
	raw := random(2 * rows * cols)
	m := matrixFile(t, weights.BF16, rows, cols, raw).Matrices()[0]
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			row := make([]float32, cols)
			for r := g; r < rows; r++ {
				if err := m.ReadRows(row, r); err != nil {
					t.Error(err)
					return
				}
				for c, v := range row {
					if want := uint32(binary.LittleEndian.Uint16(raw[2*(r*cols+c):])) << 16; math.Float32bits(v) != want {
						t.Errorf("[%d, %d] is %#08x, want %#08x", r, c, math.Float32bits(v), want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// A tensor of 256 GB is read by rows in little memory, and not loaded.
func TestLargerThanMemory(t *testing.T) {
	const rows, cols = 1 << 20, 1 << 16
	for dtype, width := range map[weights.DType]int64{weights.F32: 4, weights.F64: 8} {
		head := tensorFile(fmt.Sprintf(`{"w":{"dtype":"%s","shape":[%d,%d],"data_offsets":[0,%d]}}`, dtype, rows, cols, width*rows*cols), nil)
		f, err := weights.New("large.safetensors", sparse(head), int64(len(head))+width*rows*cols)
		if err != nil {
			t.Fatal(err)
		}
		m := f.Matrices()[0]
		if _, err := m.Load(); err == nil || !strings.Contains(err.Error(), "1048576 x 65536 values are too many to load at once") {
			t.Errorf("loading it: %v", err)
		}
		block := make([]float32, 64*cols)
		block[0] = 1
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := m.ReadRows(block, rows-64); err != nil || block[0] != 0 {
			t.Errorf("reading its last rows: %v, %g", err, block[0])
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
			t.Errorf("reading %d values of %s allocated %d bytes", len(block), dtype, got)
		}
	}
}

func BenchmarkReadRows(b *testing.B) {
	const rows, cols = 1024, 4096
	for _, dtype := range []weights.DType{weights.F32, weights.BF16, weights.F16, weights.F8E4M3, weights.F4} {
		b.Run(string(dtype), func(b *testing.B) {
			n := rows * cols * dtype.Bits() / 8
			header := fmt.Sprintf(`{"w":{"dtype":"%s","shape":[%d,%d],"data_offsets":[0,%d]}}`, dtype, rows, cols, n)
			file := tensorFile(header, random(n))
			f, err := weights.New("b", bytes.NewReader(file), int64(len(file)))
			if err != nil {
				b.Fatal(err)
			}
			m := f.Matrices()[0]
			dst := make([]float32, rows*cols)
			b.SetBytes(4 * rows * cols)
			for b.Loop() {
				if err := m.ReadRows(dst, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
