package accel_test

import (
	"fmt"

	"github.com/rlx-go/gopherscope/accel"
	"github.com/rlx-go/gopherscope/kernels"
)

// A product by OpenBLAS, or where that is missing by this module's own code.
func Example() {
	w := kernels.Matrix{Rows: 2, Cols: 3, Stride: 3, Data: []float32{1, 2, 3, 4, 5, 6}} // [k,n]
	x := kernels.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float32{10, 1}}            // [m,k]
	m, err := prepare(w)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kernels.Mul(m, x).Data)
	// Output: [14 25 36]
}

func prepare(w kernels.Matrix) (kernels.Multiplier, error) {
	library, err := accel.Open("openblas")
	if err != nil {
		return kernels.NewF32(w)
	}
	return library.New("openblas-f32", w)
}
