package kernels_test

import (
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// FuzzInt8 takes activations of any bits by a weight of finite ones, in shapes that
// reach every tile, and wants the bits of the reference from W8A8 and its bound from
// W8A16.
func FuzzInt8(f *testing.F) {
	bits := func(values ...uint32) []byte {
		var b []byte
		for _, v := range values {
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		return b
	}
	f.Add(uint8(1), uint16(1), uint8(1), bits(0x3F800000))
	f.Add(uint8(1), uint16(300), uint8(255), bits(0x3F800000, 0xBF000000, 0x42FE0000, 0x3E800001, 0x40490FDB))
	f.Add(uint8(7), uint16(67), uint8(130), bits(0x3F800000, 0x4B000000, 0xBF000001, 0x33000000, 0x00000001, 0x3FFFFFFF, 0xBFFFFFFF))
	f.Add(uint8(13), uint16(129), uint8(65), bits(0x3F800000, 0x7F800000, 0xBF800000, 0x3E000000, 0x3F000000))
	f.Add(uint8(5), uint16(16), uint8(64), bits(0x7F7FFFFF, 0x00800000, 0x80000000, 0xFFC00000))
	f.Fuzz(func(t *testing.T, m uint8, k uint16, n uint8, data []byte) {
		next := 0
		read := func(i, p int) float32 {
			if len(data) < 4 {
				return float32(i - p)
			}
			var bits uint32
			for b := range 4 {
				bits |= uint32(data[(next+b)%len(data)]) << (8 * b)
			}
			next = (next + 4) % len(data)
			return math.Float32frombits(bits)
		}
		x := build(int(m%14), int(k%400), read)
		w := build(x.Cols, int(n), func(p, j int) float32 {
			v := read(p, j)
			if !(math.Abs(float64(v)) < 1e6) {
				v = float32(p%7 - j%5)
			}
			return v
		})

		want := kernels.Mul(newW8A8(t, w, kernels.ImplRef), x)
		for _, impl := range kernels.Implementations(kernels.SchemeW8A8) {
			if got := kernels.Mul(newW8A8(t, w, impl), x); !equalBits(got.Data, want.Data) {
				t.Errorf("w8a8/%s: m=%d k=%d n=%d differs from the reference", impl, x.Rows, x.Cols, w.Cols)
			}
		}

		exact, bounds := kerneltest.Product(w, x), kerneltest.W8A16Bound(w, x)
		for _, impl := range kernels.Implementations(kernels.SchemeW8A16) {
			y := kernels.Mul(newW8A16(t, w, impl), x)
			for i, got := range y.Data {
				xi := x.Data[i/w.Cols*x.Cols:][:x.Cols]
				switch {
				case firstNonFinite(xi) >= 0:
					if got == got {
						t.Fatalf("w8a16/%s: y[%d] = %v, but its row of x is not finite", impl, i, got)
					}
				case absmax(xi) > 1e25: // sums may overflow before their scale is applied
				case !(math.Abs(float64(got)-exact[i]) <= bounds[i]):
					t.Fatalf("w8a16/%s: m=%d k=%d n=%d: y[%d] = %v, want %v within %v", impl, x.Rows, x.Cols, w.Cols, i, got, exact[i], bounds[i])
				}
			}
		}
	})
}
