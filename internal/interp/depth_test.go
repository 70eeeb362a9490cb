package interp

import (
	"strings"
	"testing"
)

func TestEndlessRecursion(t *testing.T) {
	s := open(t)
	const want = "50000 calls are under way: is the recursion endless?"
	for _, test := range []struct{ name, cell string }{
		{"function", "func f(n int) int { return 1 + f(n+1) }\nf(0)"},
		{"functions", "func f(n int) int { return g(n) }\nfunc g(n int) int { return f(n) }\nf(0)"},
		{"method", "type T struct{ n int }\nfunc (t *T) M() { t.n++; t.M() }\n(&T{}).M()"},
		{"function literal", "var f func(a [64]int)\nf = func(a [64]int) { f(a) }\nf([64]int{})"},
		{"through compiled code", "import \"sort\"\nfunc f() { s := []int{2, 1}; sort.Slice(s, func(i, j int) bool { f(); return i < j }) }\nf()"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if e := runCell(s, "cell", test.cell).failure(t); e.Value != want || e.Name != namePanic {
				t.Errorf("failed with %v", e)
			}
		})
	}
	// fmt recovers from a panic of String.
	o := run(t, s, "import \"fmt\"\ntype S struct{}\nfunc (s S) String() string { return fmt.Sprint(s) }\nfmt.Println(S{})")
	if got := o.text("stdout"); !strings.Contains(got, want) {
		t.Errorf("String of itself printed %.200q", got)
	}
	o = run(t, s, "func f(n int) int { return 1 + f(n+1) }\ndone := make(chan bool)\ngo func() { defer close(done); f(0) }()\n<-done")
	o.printed(t, "stderr", want)
	if got := run(t, s, "func down(n int) int { if n == 0 { return 0 }; return 1 + down(n-1) }\ndown(45000)").result(); got != "45000" {
		t.Errorf("a recursion that ends gave %s", got)
	}
}
