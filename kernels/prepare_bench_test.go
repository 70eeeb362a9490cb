package kernels

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPrepare measures how long a weight takes to be prepared.
func BenchmarkPrepare(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	w := New(1024, 3072)
	for i := range w.Data {
		w.Data[i] = float32(random.NormFloat64())
	}
	for _, scheme := range []struct {
		name string
		new  func() error
	}{
		{"W8A8", func() error { _, err := NewW8A8(w); return err }},
		{"W8A16", func() error { _, err := NewW8A16(w); return err }},
		{"W4A16", func() error { _, err := NewW4A16(w); return err }},
	} {
		b.Run(scheme.name, func(b *testing.B) {
			for b.Loop() {
				if err := scheme.new(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
