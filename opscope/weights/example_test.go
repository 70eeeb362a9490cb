package weights_test

import (
	"fmt"
	"log"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

func Example() {
	file, err := weights.Open("../../notebooks/data/silero_vad_v5.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()

	m, err := file.Matrix("encoder.0.reparam_conv.weight")
	if err != nil {
		log.Fatal(err)
	}
	w, err := m.Load()
	if err != nil {
		log.Fatal(err)
	}
	w = w.AsInOut()
	fmt.Println(w.View)
	fmt.Println("k =", w.Matrix.Rows, "n =", w.Matrix.Cols)

	skipped := file.Skipped()
	fmt.Println(len(skipped), "tensors are no matrix; the first is", skipped[0].Tensor.Name)
	fmt.Println(skipped[0].Reason)
	// Output:
	// [128, 65, 3] as [o, i*k] = [128, 195], transposed to [in, out] = [195, 128]
	// k = 195 n = 128
	// 6 tensors are no matrix; the first is encoder.0.reparam_conv.bias
	// 1-D: a vector, not a matrix
}
