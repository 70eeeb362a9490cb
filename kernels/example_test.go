package kernels_test

import (
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
)

func Example() {
	// W has 3 inputs and 2 output channels.
	w := kernels.Matrix{Rows: 3, Cols: 2, Stride: 2, Data: []float32{
		127, 0.3,
		-40, -0.1,
		2, 0.02,
	}}
	exact, err := kernels.NewF32(w)
	if err != nil {
		fmt.Println(err)
		return
	}
	quantized, err := kernels.NewW8A16(w)
	if err != nil {
		fmt.Println(err)
		return
	}

	x := kernels.Matrix{Rows: 1, Cols: 3, Stride: 3, Data: []float32{1, 2, 3}}
	want, got := kernels.Mul(exact, x), kernels.Mul(quantized, x)
	fmt.Printf("f32    %.4f  %d bytes\n", want.Data, exact.Info().WeightBytes)
	fmt.Printf("w8a16  %.4f  %d bytes\n", got.Data, quantized.Info().WeightBytes)
	fmt.Printf("error of the weight %.1e, of the product %.1e\n",
		kernels.RelErr(quantized.Dequantize(), w), kernels.RelErr(got, want))
	// Output:
	// f32    [53.0000 0.1600]  24 bytes
	// w8a16  [53.0000 0.1583]  14 bytes
	// error of the weight 1.0e-05, of the product 3.3e-05
}

func ExampleFactorize() {
	// Every row is a multiple of (1, 2, 3): the rank is 1.
	w := kernels.Matrix{Rows: 2, Cols: 3, Stride: 3, Data: []float32{1, 2, 3, -2, -4, -6}}
	u, v, relErr, err := kernels.Factorize(w, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("u is %dx%d, v is %dx%d, error below 1e-6: %v\n", u.Rows, u.Cols, v.Rows, v.Cols, relErr < 1e-6)
	// Output: u is 2x1, v is 1x3, error below 1e-6: true
}

func ExampleNewW8A8() {
	_, err := kernels.NewW8A8(kernels.New(2, 3), kernels.Rank(4))
	fmt.Println(err)
	// Output: kernels: NewW8A8: option "Rank" does not apply
}
