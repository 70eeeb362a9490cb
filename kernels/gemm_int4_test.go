package kernels

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rlx-go/gopherscope/internal/cpu"
)

// Records of activations against their definition, in float64.
func TestInt4Records(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	inf := float32(math.Inf(1))
	for _, impl := range int4Table {
		if impl.funcs.quantize == nil || !cpu.Has(impl.needs) {
			continue
		}
		for _, k := range []int{1, 31, 32, 33, 95, 128} {
			for _, magnitude := range []float64{1, 127. / 3, 1e-20, 1e-36, 1e-42, 1e37, 0} {
				x := make([]float32, k)
				for i := range x {
					x[i] = float32(magnitude * rng.NormFloat64())
				}
				checkInt4Records(t, impl, x)
				x[rng.IntN(k)] = math.MaxFloat32
				checkInt4Records(t, impl, x)
				x[rng.IntN(k)] = -inf
				checkInt4Records(t, impl, x)
				x[rng.IntN(k)] = nan
				checkInt4Records(t, impl, x)
			}
			// Balanced bytes carry: 128 to 255 need a first byte of one more.
			x := make([]float32, k)
			for i := range x {
				x[i] = float32(i*257 - 4000)
			}
			x[0] = 32512
			checkInt4Records(t, impl, x)
			x[0] = math.Nextafter32(32512, inf)
			checkInt4Records(t, impl, x)
		}
	}
}

func checkInt4Records(t *testing.T, impl impl[int4Funcs], x []float32) {
	t.Helper()
	records := make([]uint8, int4RecordStride(len(x)))
	quantizeInt4Row(impl.funcs.quantize, records, x)
	for first := 0; first < len(x); first += int4Block {
		block := x[first:min(len(x), first+int4Block)]
		record := records[first/int4Block*int4RecordBytes:][:int4RecordBytes]
		scale := float64(math.Float32frombits(binary.LittleEndian.Uint32(record[4:])))
		if firstNonFinite(block) >= 0 {
			if scale == scale {
				t.Fatalf("%s: %v has scale %v, want NaN", impl.name(), block, scale)
			}
			continue
		}
		// The smallest power of two that is at least 2^-126 and takes the largest
		// value to at most 32512, to the rounding of a float32 product.
		largest := float64(largestAbs(block))
		fraction, _ := math.Frexp(scale)
		if fraction != 0.5 || scale < 0x1p-126 || largest > scale*32512*(1+0x1p-23) || scale > 0x1p-126 && largest <= scale/2*32512*(1-0x1p-23) {
			t.Fatalf("%s: the largest value %v has scale %v", impl.name(), largest, scale)
		}
		sum := int32(0)
		for i := range int4Block {
			at := record[8+i/4*8+i%4:]
			got := 256*int(int8(at[0])) + int(int8(at[4]))
			want := 0
			if i < len(block) {
				want = int(math.RoundToEven(float64(block[i]) / scale))
			}
			if got != want {
				t.Fatalf("%s: value %d of %v has integer %d, want %d of scale %v", impl.name(), i, block, got, want, scale)
			}
			sum += int32(want)
		}
		if got := int32(binary.LittleEndian.Uint32(record)); got != -8*sum {
			t.Fatalf("%s: %v has sum %d, want %d", impl.name(), block, got, -8*sum)
		}
	}
}
