package elementwise

import (
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

// Every element goes to its place, of any bits, and nothing beside them is touched.
func TestTranspose(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	sizes := []int{0, 1, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 63, 64, 67, 131}
	rng := rand.New(rand.NewPCG(6, 7))
	for _, rows := range sizes {
		for _, cols := range sizes {
			for _, gap := range []int{0, 3} {
				for _, atEnd := range []bool{true, false} {
					eachTier(func(tier string) { checkTranspose(t, tier, rng, rows, cols, gap, atEnd) })
				}
			}
		}
	}
}

func checkTranspose(t *testing.T, tier string, rng *rand.Rand, rows, cols, gap int, atEnd bool) {
	t.Helper()
	defer func() {
		if fault := recover(); fault != nil {
			t.Fatalf("%s, %d x %d, gap %d: %v", tier, rows, cols, gap, fault)
		}
	}()
	srcStride, dstStride := cols+gap, rows+gap
	src, dst := make([]float32, max(0, (rows-1)*srcStride+cols)), make([]float32, max(0, (cols-1)*dstStride+rows))
	var release []func() error
	src, dst = guarded(&release, atEnd, src), guarded(&release, atEnd, dst)
	for i := range src {
		src[i] = math.Float32frombits(rng.Uint32())
	}
	const untouched = 42
	for i := range dst {
		dst[i] = untouched
	}
	Transpose(dst, dstStride, src, srcStride, rows, cols)
	for i, v := range dst {
		row, col := i%dstStride, i/dstStride
		want := math.Float32bits(untouched)
		if row < rows {
			want = math.Float32bits(src[row*srcStride+col])
		}
		if math.Float32bits(v) != want {
			t.Fatalf("%s, %d x %d, gap %d: row %d, column %d of the transpose is %x, want %x", tier, rows, cols, gap, col, row, math.Float32bits(v), want)
		}
	}
	for _, f := range release {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
}
