package weights_test

import (
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights/gguftest"
)

// BenchmarkGGUFBlocks decodes 4 MiB values of each block type.
func BenchmarkGGUFBlocks(b *testing.B) {
	for _, c := range ggufBlocks {
		b.Run(c.name, func(b *testing.B) {
			const rows, cols = 2048, 2048
			data := make([]byte, rows*cols/c.values*c.bytes)
			for i := range data {
				data[i] = byte(i * 37)
			}
			f := mustParseGGUF(b, gguftest.File{Tensors: []gguftest.Tensor{{Name: "x", Type: c.kind, Shape: []int{rows, cols}, Data: data}}})
			m := f.Matrices()[0]
			dst := make([]float32, rows*cols)
			b.SetBytes(4 * rows * cols)
			for b.Loop() {
				if err := m.ReadRows(dst, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
