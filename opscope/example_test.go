package opscope_test

import (
	"context"
	"fmt"

	"github.com/rlx-go/gopherscope/kernels"
	"github.com/rlx-go/gopherscope/opscope"
)

func Example() {
	ctx := context.Background()
	w := opscope.Sample(opscope.LowRank, 512, 512, 3) // W[k,n]
	profile, err := opscope.Probe(ctx, w, opscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	choices, err := opscope.Recommend(ctx, profile, opscope.Budget{Error: 0.02})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range choices {
		fmt.Printf("%-17s %7d bytes\n", c.Action, c.Bytes)
	}
	multiplier, err := choices[0].Build(w)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := opscope.Sample(opscope.Gaussian, 64, 512, 4)
	y := kernels.Mul(multiplier, x)
	fmt.Println(y.Rows, "x", y.Cols)
	// Output:
	// low-rank factored   16384 bytes
	// int8 per channel   264192 bytes
	// bf16               524288 bytes
	// keep dense        1048576 bytes
	// 64 x 512
}

func ExampleProbe() {
	w := opscope.Sample(opscope.Gaussian, 128, 128, 1)
	p, err := opscope.Probe(context.Background(), w, opscope.Options{Name: "layer.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	// Output:
	// weight 128 x 128  layer.0
	//   density                   1
	//   norm                      127.5
	//   range, mean               -3.728 to 4.656, -0.005605
	//   kurtosis                  3.038
	//   distinct values           10037
	//   outliers: input channels  0, the largest 1.684 times the median
	//   outliers: output channels 0, the largest 1.664 times the median
	//   stable rank               32.966 of at most 128
	//   rank for 10%, 1% error    99, 122; factors pay up to 63
	//   int8 per tensor           0.01063
	//   int8 per input channel    0.006535
	//   int8 per output channel   0.006586
	//   int8 group 32             0.005357
	//   int8 group 128            0.006586
	//   int4 per tensor           0.1931
	//   int4 per input channel    0.1182
	//   int4 per output channel   0.1204
	//   int4 group 32             0.09781
	//   int4 group 128            0.1204
	//   BF16                      0.001643
	//   F16                       0.0002076
	//   2:4 sparse                0.3618
	//   ternary                   0.4394
}

// Skipping zeros is a matter of the activation; any weight it meets will do.
func ExampleRecommend_activation() {
	ctx := context.Background()
	x := opscope.Sample(opscope.Sparse90, 64, 512, 1)
	profile, err := opscope.Probe(ctx, x, opscope.Options{Role: opscope.Activation})
	if err != nil {
		fmt.Println(err)
		return
	}
	choices, err := opscope.Recommend(ctx, profile, opscope.Budget{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range choices {
		fmt.Println(c)
	}
	// Output:
	// skip zeros: error 0, 0.0981 of the multiply-adds
	//   Exact. 90.2% of the activation is zero, which leaves 9.8% of the multiply-adds.
	// keep dense: error 0
	//   Exact. 90.2% of the activation is zero; skipping is worth a trial from 50%.
}

// Two layers that are to fit into 6.5 bits a weight, from bfloat16.
func ExampleSolve() {
	ctx := context.Background()
	var layers []opscope.Layer
	for i, dist := range []opscope.Dist{opscope.Gaussian, opscope.Outlier} {
		w := opscope.Sample(dist, 512, 512, uint64(i))
		profile, err := opscope.Probe(ctx, w, opscope.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		menu, err := opscope.Menu(profile, opscope.Budget{Baseline: "BF16"})
		if err != nil {
			fmt.Println(err)
			return
		}
		layers = append(layers, opscope.Layer{Name: dist.String(), Params: 512 * 512, Menu: menu})
	}
	plan, err := opscope.Solve(layers, opscope.SizeBudget{BitsPerWeight: 6.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range plan.Picks {
		fmt.Printf("%-8s  %s, %.2f bits, error %.3f\n", p.Name, p.Choice.Action, p.Choice.BitsPerWeight, p.Choice.Error)
	}
	fmt.Printf("%.2f bits a weight, error %.3f, gap %.0f%%\n", plan.BitsPerWeight, plan.Error, 100*plan.Gap())
	// Output:
	// gaussian  int4 group 32, 4.50 bits, error 0.097
	// outlier   int8 per channel, 8.06 bits, error 0.035
	// 6.28 bits a weight, error 0.073, gap 6%
}

func ExampleQuantError() {
	w := opscope.Sample(opscope.Gaussian, 1024, 256, 5)
	fmt.Printf("int8 %.4f\n", opscope.QuantError(w, 8, opscope.PerColumn))
	fmt.Printf("int4 %.4f\n", opscope.QuantError(w, 4, opscope.PerColumn))
	// Output:
	// int8 0.0078
	// int4 0.1419
}

func ExampleSpectrum_TruncationError() {
	s := opscope.Spectrum{4, 3, 0}
	fmt.Println(s.TruncationError(1), s.TruncationError(2))
	// Output: 0.6 0
}
