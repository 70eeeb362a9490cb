//go:build !unix

package kerneltest

import "errors"

// fence is the number of values kept on either side of guarded memory.
const fence = 64

// guarded is memory between two runs of known values. It shows writes outside
// it, not reads.
type guarded struct {
	data []float32
	all  []float32
}

// newGuarded returns n zeros. Both ends are fenced whatever atEnd says.
func newGuarded(n int, atEnd bool) (guarded, error) {
	all := make([]float32, n+2*fence)
	for i := range all {
		all[i] = fenceValue
	}
	data := all[fence : fence+n : fence+n]
	clear(data)
	return guarded{data: data, all: all}, nil
}

// close returns an error when a value outside the memory changed.
func (g guarded) close() error {
	for i := range fence {
		if g.all[i] != fenceValue || g.all[len(g.all)-1-i] != fenceValue {
			return errors.New("memory beside an operand was written")
		}
	}
	return nil
}
