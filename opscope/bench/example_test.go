package bench_test

import (
	"context"
	"fmt"
	"time"

	"github.com/rlx-go/gopherscope/opscope/bench"
)

func ExampleMeasure() {
	timing, err := bench.Measure(context.Background(), func() { time.Sleep(time.Millisecond) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(timing.Min() >= time.Millisecond)
	// Output: true
}

func ExampleCompare() {
	ctx := context.Background()
	c, err := bench.Compare(ctx,
		bench.Func{Name: "sleep 4 ms", Call: func() { time.Sleep(4 * time.Millisecond) }},
		bench.Func{Name: "sleep 1 ms", Call: func() { time.Sleep(time.Millisecond) }},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c[0].Name, "is the baseline of", len(c))
	// Output: sleep 4 ms is the baseline of 2
}

// A product that reads four megabytes and adds them up: how near is it to what
// this machine can read at the same time?
func ExampleRoofs() {
	x := make([]float64, 1<<19)
	bytes := int64(8 * len(x))
	ops := float64(len(x))
	var sum float64

	roofs := bench.NewRoofs(1, bytes)
	funcs := append([]bench.Func{{Name: "sum", Call: func() {
		for _, v := range x {
			sum += v
		}
	}}}, roofs.Funcs()...)
	c, err := bench.Compare(context.Background(), funcs...)
	if err != nil {
		fmt.Println(err)
		return
	}
	machine := roofs.Machine(c[1:])
	achieved := ops / float64(c[0].Min().Nanoseconds())
	fraction := achieved / machine.Roof(machine.F32Peak, ops, bytes)
	fmt.Println(fraction > 0)
	// Output: true
}
