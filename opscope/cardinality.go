package opscope

import (
	"context"
	"math"

	"github.com/rlx-go/gopherscope/internal/elementwise"
)

// maxDistinct is where counting distinct values stops.
const maxDistinct = 1 << 16

// distinctSteps is how many steps of the grid that CountDistinct rounds to
// make up the root mean square.
const distinctSteps = 1 << 12

// CountDistinct counts the distinct values of w after rounding to multiples of
// the root mean square of its elements over 4096, which changes w by a relative
// L2 error of at most 1.3e-4: values that differ by rounding alone count as one,
// at every scale of w. It stops at 65,536. No axis is involved.
//
// A Gaussian matrix of 4096 x 4096 has some 33,000; one of 4-bit codes with one
// step has 16, and can be held as codes of a table. 0 if w is empty or has
// non-finite elements. It panics on a malformed matrix.
func CountDistinct(w Matrix) Cardinality {
	mustCheck(w)
	ctx := context.Background()
	c := channels{memoryInput(w), true}
	s, _ := gather(ctx, w)
	f, _ := fusedPass(ctx, c, s, DefaultError)
	return f.cardinality
}

// distinct is a set of values rounded to a grid.
type distinct struct {
	inv   float64       // 1 over the step of the grid
	near  [1 << 16]bool // by code + 1<<15
	codes [segmentLength]uint16
	far   map[int64]struct{} // codes that near has no room for
}

func newDistinct(s stats) *distinct {
	d := &distinct{far: map[int64]struct{}{}}
	if s.sumSq > 0 {
		d.inv = distinctSteps / math.Sqrt(s.sumSq/float64(s.elements))
	}
	return d
}

// add adds the values of x, at most segmentLength of magnitudes at most largest.
func (d *distinct) add(x []float32, largest float64) {
	if largest*d.inv < 1<<15-1 {
		codes, near := d.codes[:len(x)], &d.near
		elementwise.GridCodes(codes, x, d.inv)
		for _, code := range codes {
			near[code] = true
		}
		return
	}
	for _, v := range x {
		code := int64(math.RoundToEven(float64(v) * d.inv))
		if at := code + 1<<15; uint64(at) < uint64(len(d.near)) {
			d.near[at] = true
		} else if len(d.far) <= maxDistinct {
			d.far[code] = struct{}{}
		}
	}
}

// countDistinct joins sets of one grid.
func countDistinct(sets []*distinct) Cardinality {
	n := 0
	for at := range sets[0].near {
		for _, d := range sets {
			if d.near[at] {
				n++
				break
			}
		}
	}
	far := map[int64]struct{}{}
	for _, d := range sets {
		for code := range d.far {
			far[code] = struct{}{}
		}
	}
	n += len(far)
	return Cardinality{Distinct: min(n, maxDistinct), More: n > maxDistinct}
}
