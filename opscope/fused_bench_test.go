package opscope

import "testing"

// The layouts that a weight of 4096 x 4096 is benchmarked in.
var benchLayouts = []struct {
	name  string
	outIn bool
}{{"in,out", false}, {"out,in", true}}

// BenchmarkElements makes the two default passes over the elements.
func BenchmarkElements(b *testing.B) {
	w := Sample(Gaussian, 4096, 4096, 1)
	for _, layout := range benchLayouts {
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

// BenchmarkProbe is the whole default set, singular values included.
func BenchmarkProbe(b *testing.B) {
	w := Sample(Gaussian, 4096, 4096, 1)
	for _, layout := range benchLayouts {
		b.Run(layout.name, func(b *testing.B) {
			b.SetBytes(4 * int64(len(w.Data)))
			for b.Loop() {
				if _, err := Probe(b.Context(), w, Options{OutIn: layout.outIn}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
