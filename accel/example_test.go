package accel_test

import (
	"fmt"

	"github.com/rlx-go/gopherscope/accel"
	"github.com/rlx-go/gopherscope/kernels"
)

// What there is, and a product by it.
func Example() {
	for _, l := range accel.Available() {
		if l.Err != nil {
			fmt.Println(l.Err)
			continue
		}
		fmt.Println(l.Name, l.Version, l.Core)
		weight := kernels.New(64, 32) // [k,n]
		m, err := l.New(l.Schemes[0].Name, weight)
		if err != nil {
			fmt.Println(err)
			continue
		}
		y := kernels.Mul(m, kernels.New(5, 64))
		fmt.Println(y.Rows, y.Cols)
	}
}
