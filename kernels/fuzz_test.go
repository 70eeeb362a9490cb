package kernels_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/kernels/kerneltest"
)

// FuzzMultipliers reads a weight and activations of any bits and shapes from the
// input and holds every scheme to its contract.
func FuzzMultipliers(f *testing.F) {
	values := func(v ...float32) []byte {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	f.Add(uint8(0), uint8(0), uint8(0), []byte{})
	f.Add(uint8(1), uint8(1), uint8(1), values(3, -2))
	f.Add(uint8(2), uint8(3), uint8(2), values(1, 2, 3, 4, 5, 6, -1, 0.5, 0, 1e-3, 7, 8))
	f.Add(uint8(1), uint8(2), uint8(1), values(nan, 1, 1, 1))
	f.Add(uint8(2), uint8(2), uint8(1), values(1, 1, inf, 1, 1, -inf))
	f.Add(uint8(1), uint8(3), uint8(1), values(0x1p-149, -0x1p-149, 0, 1, 1, 1))
	f.Add(uint8(1), uint8(2), uint8(2), values(1e-30, 1e30, 1, 2, 1e4, 1e-4))
	f.Add(uint8(1), uint8(1), uint8(1), values(math.MaxFloat32, math.MaxFloat32))
	f.Add(uint8(17), uint8(33), uint8(9), values(0.25, -7))

	f.Fuzz(func(t *testing.T, m, k, n uint8, data []byte) {
		next := 0
		read := func(int, int) float32 {
			if len(data) < 4 {
				return float32(len(data))
			}
			// The input repeats, so that a short one fills any shape.
			if next+4 > len(data) {
				next = 0
			}
			next += 4
			return math.Float32frombits(binary.LittleEndian.Uint32(data[next-4:]))
		}
		w := build(int(k%40), int(n%40), read)
		x := build(int(m%20), int(k%40), read)
		badWeight := firstNonFinite(w.Data) >= 0

		for _, s := range schemes {
			mul, err := s.prepare(w)
			var nonFinite *kernels.NonFiniteError
			if s.finite && badWeight {
				if !errors.As(err, &nonFinite) || nonFinite.Row*w.Stride+nonFinite.Col != firstNonFinite(w.Data) {
					t.Errorf("%s: got error %v, want the first non-finite value, number %d", s, err, firstNonFinite(w.Data))
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			y := kernels.Mul(mul, x)
			if badWeight {
				continue
			}
			for i := range x.Rows {
				row := kernels.Matrix{Rows: 1, Cols: x.Cols, Stride: x.Stride, Data: x.Data[i*x.Cols:][:x.Cols]}
				got := y.Data[i*y.Cols:][:y.Cols]
				if firstNonFinite(row.Data) >= 0 {
					for j, v := range got {
						if v-v == 0 {
							t.Errorf("%s: y[%d,%d] = %v, but row %d of x is not finite", s, i, j, v, i)
						}
					}
					continue
				}
				// Sums of this size may overflow on the way to a small result.
				if 127*float64(x.Cols)*absmax(row.Data)*max(1, absmax(w.Data)) > math.MaxFloat32 {
					continue
				}
				want, allowed := kerneltest.Product(w, row), s.bound(w, row)
				for j := range got {
					if distance := math.Abs(float64(got[j]) - want[j]); !(distance <= allowed[j]) {
						t.Errorf("%s: y[%d,%d] = %v, want %v within %v", s, i, j, got[j], want[j], allowed[j])
					}
				}
			}
		}

		u, v, relErr, err := kernels.Factorize(w, 1+int(m%8))
		switch {
		case (err != nil) != badWeight:
			t.Errorf("Factorize: got error %v, finite weight %v", err, !badWeight)
		case err == nil && (firstNonFinite(u.Data) >= 0 || firstNonFinite(v.Data) >= 0 || !(relErr >= 0 && relErr < 1.001)):
			t.Errorf("Factorize: error %v, factors %v and %v", relErr, u.Data, v.Data)
		}
	})
}

func firstNonFinite(v []float32) int {
	for i, f := range v {
		if f-f != 0 {
			return i
		}
	}
	return -1
}

func absmax(v []float32) float64 {
	var m float64
	for _, f := range v {
		m = max(m, math.Abs(float64(f)))
	}
	return m
}
