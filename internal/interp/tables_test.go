//go:build !race

// gomacro takes no lock where these goroutines read, which the race detector
// would report. What is tested is that it does no harm.

package interp

import (
	"fmt"
	"testing"
)

// Goroutines of earlier cells go on while later cells are compiled and run.
func TestGoroutinesGoOn(t *testing.T) {
	s := open(t)
	run(t, s, `import ("errors"; "fmt"; "time")
type T struct{ s []int }
type E struct{ n int }
func (e *E) Error() string { return fmt.Sprint(e.n) }
type coder interface{ error }
func busy(id int) {
	for i := 0; ; i++ {
		if i%10 == 0 { time.Sleep(100 * time.Microsecond) }
		x := []int{i}
		y := T{x}
		var m map[string][]int
		var err error = &E{id}
		c, ok := err.(coder)
		_, _, _, _ = y, m, c, ok
		if errors.Is(err, nil) || fmt.Sprint(err) == "" { panic("wrong") }
		select {
		case <-stop:
			done <- id
			return
		default:
		}
	}
}
stop, done := make(chan int), make(chan int)
for id := range 2 { go busy(id) }`)
	for i := range 100 {
		cell := fmt.Sprintf("type A%d struct { a%d int; s []*A%d }\nfunc f%d(a A%d) *A%d { return &a }\nf%d(A%d{a%d: %d}).a%d", i, i, i, i, i, i, i, i, i, i, i)
		if got := run(t, s, cell).result(); got != fmt.Sprint(i) {
			t.Fatalf("cell %d gave %s", i, got)
		}
	}
	if got := run(t, s, "close(stop)\nsum := 0\nfor range 2 { sum += <-done }\nsum").result(); got != "1" {
		t.Errorf("the goroutines gave %s", got)
	}
}
