//go:build !noasm

package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/internal/testreq"
)

// The bytes of every integer against its definition in float64, with largest values
// on both sides of what bytes with signs hold.
func TestSplitI(t *testing.T) {
	if !cpu.Has(cpu.DotProd) {
		testreq.Skip(t, "the processor has no dot product of bytes; a Cortex-A76, as .ci/run emulates it, has")
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for _, k := range []int{16, 17, 50, 200} {
		for _, largest := range []float32{1, 1.5, 0x1.fdfdfcp0, 0x1.fdfdfep0, 0x1.fffffep0, 0x1.fffffep-60} {
			for outlier, want := range map[int]rowForm{0: rowOf24Bits, 6: rowOf32Bits} {
				x := make([]float32, k)
				for p := range x {
					x[p] = largest * float32(math.Ldexp(rng.Float64()+1, -1-outlier)*float64(1-2*rng.IntN(2)))
				}
				x[0], x[k-1] = largest, -largest
				tiles := &i24TilesDotProd
				if want == rowOf32Bits {
					tiles = &i32TilesDotProd
				}
				apart := tiles.rowBytes(k)
				dst := make([]int8, 4*apart)
				form, step := splitI(dst, x)
				if form != want {
					t.Fatalf("k=%d, %v above 2^-%d: form %d, want %d", k, largest, outlier, form, want)
				}
				for p, v := range x {
					got := 0
					for plane := range tiles.planes {
						got = 256*got + int(dst[plane*apart+p])
					}
					if want := int(math.RoundToEven(float64(v) / float64(step))); got != want {
						t.Fatalf("k=%d: %v of step %v is %d, want %d", k, v, step, got, want)
					}
				}
			}
		}
	}
}
