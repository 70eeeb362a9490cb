package opscope

import (
	"testing"
)

// BenchmarkElementwise makes the default passes over 4096 x 4096, without the
// singular values.
func BenchmarkElementwise(b *testing.B) {
	w := Sample(Gaussian, 4096, 4096, 1)
	for _, layout := range []struct {
		name  string
		outIn bool
	}{{"in,out", false}, {"out,in", true}} {
		b.Run(layout.name, func(b *testing.B) {
			b.SetBytes(4 * int64(len(w.Data)))
			for b.Loop() {
				c := channels{memoryInput(w), layout.outIn}
				s, err := gatherInput(b.Context(), c.input, false)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := fusedPass(b.Context(), c, s, DefaultError); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFirstPass(b *testing.B) {
	w := Sample(Gaussian, 4096, 4096, 1)
	b.SetBytes(4 * int64(len(w.Data)))
	for b.Loop() {
		if _, err := gatherInput(b.Context(), memoryInput(w), false); err != nil {
			b.Fatal(err)
		}
	}
}
