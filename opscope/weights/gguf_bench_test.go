package weights_test

import (
	"fmt"
	"slices"
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

// BenchmarkGGUFHeader opens a model of 100,000 tensors with a vocabulary of 150,000 tokens.
func BenchmarkGGUFHeader(b *testing.B) {
	file := gguftest.File{Entries: []gguftest.Entry{{Key: "tokenizer.ggml.tokens", Value: slices.Repeat([]string{"token"}, 150_000)}}}
	for i := range 100_000 {
		file.Tensors = append(file.Tensors,
			gguftest.NewTensor(fmt.Sprintf("blk.%d.ffn_up.weight", i), gguftest.F32, []int{1, 8}, make([]float32, 8)))
	}
	data := file.Bytes()
	for b.Loop() {
		if _, err := parseGGUF(data); err != nil {
			b.Fatal(err)
		}
	}
}
