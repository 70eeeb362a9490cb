package charts_test

import (
	"fmt"

	"github.com/rlx-go/gopherscope/charts"
)

// A product with one row reads each weight once, so that its rate is a matter of
// bytes; with many rows it is a matter of the peak.
func ExampleRoofline() {
	fig, err := charts.Roofline{
		Title:      "f32 on one core",
		Ops:        "flop",
		Peaks:      []charts.Limit{{Name: "peak", Value: 100}},
		Bandwidths: []charts.Limit{{Name: "DRAM", Value: 10}},
		Kernels:    []charts.Series{{Name: "f32", X: []float64{0.5, 50}, Y: []float64{4, 80}, Labels: []string{"m=1", "m=100"}}},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(fig)
	// Output:
	// f32 on one core
	// Roofline chart of rate (Gflop/s) against arithmetic intensity (flop/byte)
	//
	// kernel  point  arithmetic intensity (flop/byte)  rate (Gflop/s)  of peak  of DRAM
	// ------  -----  --------------------------------  --------------  -------  -------
	// f32     m=1                                 0.5               4       4%      80%
	// f32     m=100                              50.0              80      80%      16%
}

func ExampleScatter() {
	fig, err := charts.Scatter{
		Title: "Size against error",
		X:     charts.Axis{Label: "size", Unit: "bits/weight"},
		Y:     charts.Axis{Label: "relative error", Log: true},
		Series: []charts.Series{
			{Name: "w8a16", X: []float64{8.5}, Y: []float64{0.006}, Labels: []string{"group 32"}},
			{Name: "w4a16", X: []float64{4.5}, Y: []float64{0.0}, Labels: []string{"group 32"}},
		},
	}.Figure()
	fmt.Println(fig, err)
	// Output:
	// <nil> charts: scatter chart "Size against error": series "w4a16": Y[0] is 0, which a log axis does not have: leave it out or make the axis linear
}
