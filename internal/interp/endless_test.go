package interp

import (
	"strings"
	"testing"
)

func TestWhatContainsItselfIsNotPrinted(t *testing.T) {
	s := open(t)
	run(t, s, `import "fmt"
import "io"
import "log"
type Tree struct { name string; all map[string]any }
m := map[string]any{"a": 1}
m["m"] = m
s := []any{1, nil}
s[1] = s
tree := Tree{"x", map[string]any{}}
tree.all["up"] = tree.all
deep := []any{[]any{map[int]any{3: m}}}
var any1 any = m`)
	for _, value := range []string{"m", "s", "tree", "&tree", "deep", "any1", "&m", "[]map[string]any{m}"} {
		for _, call := range []string{
			"fmt.Sprint(V)", "fmt.Sprintln(1, V)", `fmt.Sprintf("%v", V)`, `fmt.Sprintf("%+v %#v", 1, V)`, `fmt.Errorf("%v", V)`,
			"fmt.Print(V)", "fmt.Println(V)", `fmt.Printf("%v", V)`,
			"fmt.Fprint(io.Discard, V)", "fmt.Fprintln(io.Discard, V)", `fmt.Fprintf(io.Discard, "%v", V)`,
			"fmt.Append(nil, V)", "fmt.Appendln(nil, V)", `fmt.Appendf(nil, "%v", V)`,
			"log.Print(V)", "log.Println(V)", `log.Printf("%v", V)`,
			"log.Panic(V)", "log.Panicln(V)", `log.Panicf("%v", V)`,
			"log.Fatal(V)", "log.Fatalln(V)", `log.Fatalf("%v", V)`,
		} {
			call = strings.Replace(call, "V", value, 1)
			e := runCell(s, "cell", call).failure(t)
			if !strings.HasPrefix(e.Value, "the value contains itself (its type is ") {
				t.Errorf("%s gave %q", call, e.Value)
			}
		}
	}
}

func TestWhatOnlySharesIsPrinted(t *testing.T) {
	s := open(t)
	run(t, s, `import "fmt"
type Loop struct { next *Loop; n int }
type Named map[string]any
func (n Named) String() string { return "named" }
shared := []any{1, 2}
loop := &Loop{n: 1}
loop.next = loop
named := Named{}
named["n"] = named
part := []any{0, 1, 2}
part[0] = part[1:]
m := map[string]any{}
m["m"] = m`)
	for _, test := range []struct{ cell, want string }{
		{"fmt.Sprint([]any{shared, shared, map[string]any{`a`: shared, `b`: shared}})", `[[1 2] [1 2] map[a:[1 2] b:[1 2]]]`},
		{"fmt.Sprint(part)", "[[1 2] 1 2]"},
		{"fmt.Sprint([][]float64{{1}, {2}}, nil, [2]map[string]int{{`a`: 1}})", "[[1] [2]] <nil> [map[a:1] map[]]"},
		{"fmt.Sprintf(`%T`, m)", "map[string]interface {}"},
		{"fmt.Sprintf(`%p`, m)[:2]", "0x"},
		{"fmt.Sprint(named)", "named"},
		{"len(fmt.Sprint(loop)) > 5", "true"},
		{"fmt.Sprint([]error{nil, fmt.Errorf(`no`)})", "[<nil> no]"},
	} {
		if got := strings.Trim(run(t, s, test.cell).result(), `"`); got != test.want {
			t.Errorf("%s gave %s, want %s", test.cell, got, test.want)
		}
	}
}
