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
