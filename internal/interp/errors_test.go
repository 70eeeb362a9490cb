package interp

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// mistake is a cell that fails after others, and what the error says.
type mistake struct {
	name  string
	cells []string
	want  string // Error(): place and value, or its beginning before "..."
}

func wrong(name, cell, want string) mistake { return mistake{name, []string{cell}, want} }

var compileMistakes = []mistake{
	// Syntax.
	wrong("bracket left open", "x := f(1,\n\t2", "cell 1:1:7: syntax error: ( is not closed"),
	wrong("bracket too many", "x := 1\n}", "cell 1:2:1: syntax error: unexpected }"),
	wrong("wrong bracket", "f(1]", "cell 1:1:4: syntax error: unexpected ], ( is not closed"),
	wrong("operand missing", "import \"fmt\"\nx :=", "cell 1:2:5: syntax error: expected operand, found the end of the cell"),
	wrong("string left open", "x := 1\ns := \"abc", "cell 1:2:6: syntax error: string literal not terminated"),
	wrong("question mark", "len?", "cell 1:1:4: syntax error: illegal character U+003F '?': %doc NAME shows the documentation"),
	wrong("body on the next line", "func f()\n{\n}", "cell 1:1:9: syntax error: a function has its body on the same line: missing {"),
	wrong("comma missing", "import \"fmt\"\nfmt.Println(1 2)", "cell 1:2:15: syntax error: missing ',' in argument list"),
	wrong("two expressions before others", "1, 2\nx := 3", "cell 1:1:1: syntax error: expected 1 expression"),
	wrong("undefined among several values", "x := 1\nx, undef", "cell 1:2:4: undefined: undef"),
	wrong("a type among several values", "1, int", "cell 1:1:4: int (type) is not an expression"),
	wrong("else alone", "else {}", "cell 1:1:1: syntax error: expected statement, found 'else'"),

	// Types.
	wrong("undefined", "\n\n  y := undef + 1", "cell 1:3:8: undefined: undef"),
	wrong("after a multi-byte character", "s := \"é\"; t := undef", "cell 1:1:17: undefined: undef"),
	wrong("typo in a package", "import \"strings\"\nstrings.Upper(\"a\")", "cell 1:2:9: undefined: strings.Upper"),
	wrong("package not imported", "strings.ToUpper(\"a\")", "cell 1:1:1: undefined: strings: import \"strings\""),
	wrong("one of several packages not imported", "rand.Int()", "cell 1:1:1: undefined: rand: import \"crypto/rand\" or \"math/rand\""),
	wrong("mismatched types", "a, b := 1, \"x\"\na + b", "cell 1:2:1: invalid operation: a + b (mismatched types int and string)"),
	wrong("untyped mismatch", "\"a\" + 1", "cell 1:1:1: invalid operation: \"a\" + 1 (mismatched types untyped string and untyped int)"),
	{"assignment of another type", []string{"n := 1", "n = \"x\""}, "cell 2:1:5: cannot use \"x\" (untyped string constant) as int value in assignment"},
	{"argument of another type", []string{"func f(x int) {}", "f(1.5)"}, "cell 2:1:3: cannot use 1.5 (untyped float constant) as int value in argument to f (truncated)"},
	wrong("argument count", "func f(a, b int) {}\nf(1)", "cell 1:2:4: not enough arguments in call to f"),
	wrong("result count", "a, b := 1\n", "cell 1:1:9: assignment mismatch: 2 variables but 1 value"),
	wrong("missing return", "func f() int {\n\tfor false {\n\t}\n}", "cell 1:4:1: missing return"),
	wrong("return value", "func f() { return 1 }", "cell 1:1:19: too many return values"),
	wrong("no field", "type T struct{ A int }\nT{}.B", "cell 1:2:5: T{}.B undefined (type T has no field or method B)"),
	wrong("missing method", "type T int\nvar e error = T(1)", "cell 1:2:15: cannot use T(1) (constant 1 of int type T) as error value in variable declaration: T does not implement error (missing method Error)"),
	wrong("constant overflow", "var b uint8 = 300", "cell 1:1:15: cannot use 300 (untyped int constant) as uint8 value in variable declaration (overflows)"),
	wrong("constant index", "a := [3]int{}\na[4]", "cell 1:2:3: invalid argument: index 4 out of bounds [0:3]"),
	wrong("nil without a type", "x := nil", "cell 1:1:6: use of untyped nil in assignment"),
	wrong("nil as a result", "x := 1\nnil", "cell 1:2:1: nil has no type, so that there is nothing to show"),
	{"a variable of a type that was declared again", []string{"type P struct{ a int }\nvar q P", "type P struct{ a, b int }\nfunc f(p P) {}", "f(q)"}, "cell 3:1:3: cannot use q (variable of struct type P) as P value in argument to f"},
	wrong("range over a function", "import \"slices\"\nfor i, v := range slices.All([]int{1}) {\n\tprintln(i, v)\n}", "cell 1:2:19: ranges over functions are not possible in a cell: call slices.All([]int{…}) with a function that does what the loop would do, and returns false to end it"),
	wrong("generic function of a package", "import \"sync\"\nsync.OnceValue(func() int { return 1 })", "cell 1:2:6: sync.OnceValue is generic: of generic functions, cells can call those of slices, maps and cmp."),
	wrong("generic type of a package", "import \"sync/atomic\"\nvar p atomic.Pointer[int]", "cell 1:2:14: atomic.Pointer is generic: of generic functions, cells can call those of slices, maps and cmp."),
	wrong("not a function", "x := 3\nx()", "cell 1:2:1: invalid operation: cannot call x (variable of type int): int is not a function"),
	wrong("break outside a loop", "break", "cell 1:1:1: break not in for, switch, or select statement"),
	wrong("unused results are no error, types are", "int", "cell 1:1:1: int (type) is not an expression"),
	wrong("undefined type", "func f(x Foo) {}", "cell 1:1:10: undefined: Foo"),
	wrong("undefined type in a type", "type T struct {\n\tA int\n\tB Foo\n}", "cell 1:3:4: undefined: Foo"),
	{"constant that is none", []string{"n := 1", "const c = n"}, "cell 2:1:11: n (variable of type int) is not constant"},
	wrong("return outside a function", "return", "cell 1:1:1: return outside function"),
	wrong("method of a compiled type", "import \"time\"\nfunc (d time.Duration) Foo() {}", "cell 1:2:6: methods can be declared on types of the notebook..."),
	wrong("method of an unknown type", "func (d Nope) Foo() {}", "cell 1:1:6: methods can be declared on types of the notebook: Nope is none"),

	// What cells do not have.
	wrong("generic function", "func Map[T any](x T) T { return x }", "cell 1:1:9: generic functions cannot be declared in a cell: write Map for the type that you need"),
	wrong("generic type", "type Pair[T any] struct{ a, b T }", "cell 1:1:10: generic types cannot be declared in a cell: write Pair for the type that you need"),
	wrong("constraint", "type Number interface{ ~int | ~float64 }", "cell 1:1:24: a constraint of type parameters cannot be declared in a cell"),
	wrong("constraint of a type", "type Number interface{ int }", "cell 1:1:24: an interface with a type that is none is a constraint of type parameters, which cannot be declared in a cell"),
	wrong("goto", "func f() {\nagain:\n\tgoto again\n}", "cell 1:3:2: goto cannot be used in a cell: use a loop"),
	wrong("a function type of itself", "type state func() state", "cell 1:1:6: a type that leads back to itself cannot be declared in a cell unless it is a struct: make state a struct with a field of such a type"),
	wrong("an array of its own pointers", "type T struct{ kids [4]*T }", "cell 1:1:16: field kids: an array whose elements lead back to the type cannot be declared in a cell: use a slice"),

	// Imports.
	wrong("unknown import", "import \"nosuch/pkg\"", "cell 1:1:8: package \"nosuch/pkg\" is not built in"),
	wrong("misspelt import", "import (\n\t\"fmt\"\n\t\"strngs\"\n)", "cell 1:3:2: package \"strngs\" is not built in; similar: \"strings\""),
	wrong("import by its last element", "import \"mat\"", "cell 1:1:8: package \"mat\" is not built in; similar: \"gonum.org/v1/gonum/mat\"..."),
}

var runMistakes = []mistake{
	wrong("panic", "panic(\"no \" + \"way\")", "cell 1:1:1: no way"),
	wrong("panic with an error", "import \"fmt\"\npanic(fmt.Errorf(\"code %d\", 7))", "cell 1:2:1: code 7"),
	wrong("panic with an error of a cell", "type E struct{ n int }\nfunc (e *E) Error() string { return \"mine\" }\npanic(&E{1})", "cell 1:3:1: mine"),
	wrong("panic with a value", "panic(struct{ A int }{3})", "cell 1:1:1: {A:3}"),
	wrong("division by zero", "n := 0\n\n10 / n", "cell 1:3:1: runtime error: integer divide by zero"),
	wrong("index written", "s := []int{1}\ni := 5\ns[i] = 2", "cell 1:3:1: runtime error: index out of range [5] with length 1"),
	wrong("index read", "s := []int{1, 2, 3}\ni := 5\ns[i]", "cell 1:3:1: runtime error: index out of range [5] with length 3"),
	wrong("constant index read", "s := []int{1, 2, 3}\ns[5]", "cell 1:2:1: runtime error: index out of range [5] with length 3"),
	wrong("index below 0", "s := []int{1}\ni := -1\nx := s[i]", "cell 1:3:1: runtime error: index out of range [-1]"),
	wrong("index incremented", "s := []string{\"a\"}\ns[len(s)] += \"b\"", "cell 1:2:1: runtime error: index out of range [1] with length 1"),
	wrong("index of an array", "var a [3]float64\ni := 3\na[i]++", "cell 1:3:1: runtime error: index out of range [3] with length 3"),
	wrong("index of a pointer to an array", "a := &[3]float64{}\ni := uint8(200)\na[i]", "cell 1:3:1: runtime error: index out of range [200] with length 3"),
	wrong("index of a string", "s := \"abc\"\ni := 3\ns[i]", "cell 1:3:1: runtime error: index out of range [3] with length 3"),
	wrong("index of an element", "m := map[string][]int{\"a\": {1}}\nm[\"b\"][0]", "cell 1:2:1: runtime error: index out of range [0] with length 0"),
	wrong("second index", "g := [][]int{{1, 2}, {3}}\ni, j := 1, 1\ng[i][j] = 4", "cell 1:3:1: runtime error: index out of range [1] with length 1"),
	wrong("one of several", "a, b := []int{1, 2}, []int{1}\nfor i := range a {\n\ta[i] += b[i]\n}", "cell 1:3:2: runtime error: index out of range [1] with length 1"),
	wrong("index in a condition", "s := []int{1}\nfor i := 0; s[i] > 0; i++ {\n}", "cell 1:2:13: runtime error: index out of range [1] with length 1"),
	wrong("index in a function", "func last(s []int) int {\n\tn := len(s)\n\treturn s[n]\n}\nlast([]int{1, 2})", "cell 1:3:9: runtime error: index out of range [2] with length 2"),
	wrong("index of a call", "func f() []int { return nil }\nf()[0]", "cell 1:2:1: index out of range"),
	wrong("slice beyond the capacity", "s := []int{1}\ns[1:5]", "cell 1:2:1: runtime error: slice bounds out of range [:5] with capacity 1"),
	wrong("slice of a string", "s := \"abc\"\ns[:5]", "cell 1:2:1: runtime error: slice bounds out of range [:5] with length 3"),
	wrong("slice from beyond the end", "s := []int{1}\ni := 2\ns[i:]", "cell 1:3:1: runtime error: slice bounds out of range [2:1]"),
	wrong("assertion", "x := []any{1}\nx[0].(string)", "cell 1:2:1: interface conversion: interface is int, not string"),
	wrong("nil map", "var m map[string]int\nm[\"a\"] = 1", "cell 1:2:1: assignment to entry in nil map"),
	wrong("nil pointer", "type T struct{ A int }\nvar p *T\np.A", "cell 1:3:1: invalid memory address or nil pointer dereference"),
	wrong("failed assertion", "var x any = 1\nx.(string)", "cell 1:2:1: interface conversion: ..."),
	wrong("failed assertion to an interface", "import \"fmt\"\nvar e error = fmt.Errorf(\"x\")\ne.(fmt.Stringer)", "cell 1:3:1: interface conversion: ..."),
	wrong("closed channel", "c := make(chan int)\nclose(c)\nclose(c)", "cell 1:3:1: close of closed channel"),
	wrong("in compiled code", "import \"strings\"\nstrings.Repeat(\"a\", -1)", "cell 1:2:1: strings: negative Repeat count"),
	wrong("matrix index", "import \"gonum.org/v1/gonum/mat\"\nm := mat.NewDense(2, 2, nil)\nm.At(5, 0)", "cell 1:3:1: mat: row index out of range"),
	wrong("matrix shape", "import \"gonum.org/v1/gonum/mat\"\na, b := mat.NewDense(2, 3, nil), mat.NewDense(2, 3, nil)\nvar c mat.Dense\nc.Mul(a, b)", "cell 1:4:1: mat: dimension mismatch"),
	wrong("exit", "import \"os\"\nos.Exit(3)", "cell 1:2:1: os.Exit(3) would end the notebook's session"),
	wrong("goexit", "import \"runtime\"\nruntime.Goexit()", "cell 1:2:1: runtime.Goexit would end the notebook's session"),

	// Places.
	wrong("in a loop", "s := 0\nfor i := 0; i < 3; i++ {\n\ts += i\n\tif i == 1 {\n\t\tpanic(i)\n\t}\n}", "cell 1:5:3: 1"),
	wrong("in a function of the cell", "func f(n int) int {\n\tm := 10\n\treturn m / n\n}\nx := 1\ny := f(0)", "cell 1:3:9: runtime error: integer divide by zero"),
	{"in a function of an earlier cell", []string{"func f(n int) int {\n\treturn 1 / n\n}", "func g() int { return f(0) }", "1 + g()"}, "cell 1:2:9: runtime error: integer divide by zero"},
	wrong("in a method", "type T struct{ d int }\nfunc (t T) M() int {\n\n\treturn 1 / t.d\n}\nT{}.M()", "cell 1:4:9: runtime error: integer divide by zero"),
	wrong("in a function literal", "f := func() {\n\tvar m map[int]int\n\tm[1] = 2\n}\nf()", "cell 1:3:2: assignment to entry in nil map"),
	wrong("in a callback of compiled code", "import \"sort\"\ns := []int{2, 1}\nsort.Slice(s, func(i, j int) bool {\n\tpanic(\"compare\")\n})", "cell 1:4:2: compare"),
	wrong("in a deferred function of the cell", "defer func() {\n\tpanic(\"late\")\n}()\nx := 1", "cell 1:2:2: late"),
	wrong("deferred and not recovered", "defer func() {}()\npanic(\"p\")", "cell 1:2:1: p"),
	wrong("in a deferred function", "func f() {\n\tdefer func() {\n\t\tpanic(\"late\")\n\t}()\n}\nf()", "cell 1:2:2: late"),
}

func TestErrors(t *testing.T) {
	s := open(t)
	check := func(list []mistake, name string) {
		for _, test := range list {
			t.Run(test.name, func(t *testing.T) {
				e := cells(t, s, test.cells...).failure(t)
				want, open := strings.CutSuffix(test.want, "...")
				if got := e.Error(); got != want && !(open && strings.HasPrefix(got, want)) {
					t.Errorf("error %q, want %q", got, test.want)
				}
				if e.Name != name {
					t.Errorf("name %q, want %q", e.Name, name)
				}
				if text := plainTraceback(e); strings.Contains(text, hidden) {
					t.Errorf("the traceback shows a hidden name:\n%s", text)
				}
			})
		}
	}
	check(compileMistakes, "CompileError")
	check(runMistakes, "Panic")
	if got := run(t, s, "1 + 1").result(); got != "2" {
		t.Errorf("after all errors, 1 + 1 is %q", got)
	}
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

func plainTraceback(e *Error) string {
	return ansi.ReplaceAllString(strings.Join(e.Traceback, "\n"), "")
}

func TestTracebackShowsCallsAndSource(t *testing.T) {
	s := open(t)
	e := cells(t, s,
		"func div(a, b int) int {\n\tq := a / b\n\treturn q\n}\ntype T struct{ n int }\nfunc (t T) Half() int { return div(t.n, 0) }",
		"x := 1\ny := T{3}.Half() + x").failure(t)
	want := `Panic: runtime error: integer divide by zero
cell 1, line 2 in div
    q := a / b
    ^
cell 1, line 6 in T.Half
    func (t T) Half() int { return div(t.n, 0) }
cell 2, line 2
    y := T{3}.Half() + x`
	if got := plainTraceback(e); got != want {
		t.Errorf("traceback\n%s\nwant\n%s", got, want)
	}
	if want := red + "Panic" + reset + ": "; !strings.HasPrefix(e.Traceback[0], want) {
		t.Errorf("the first line is %q, want %q and the text", e.Traceback[0], want)
	}
	if e.Name != "Panic" || e.Cell != "cell 1" || e.Line != 2 || e.Column != 2 {
		t.Errorf("error at %s:%d:%d named %s", e.Cell, e.Line, e.Column, e.Name)
	}
}

func TestTracebackListsSeveralMistakes(t *testing.T) {
	s := open(t)
	e := cells(t, s, "a := undef1\nb := \"x\" * 2\nfunc f() int { return undef2 }").failure(t)
	want := `CompileError: undefined: undef1
cell 1, line 1
    a := undef1
         ^

invalid operation: "x" * 2 (mismatched types untyped string and untyped int)
cell 1, line 2
    b := "x" * 2
         ^

undefined: undef2
cell 1, line 3 in f
    func f() int { return undef2 }
                          ^`
	if got := plainTraceback(e); got != want {
		t.Errorf("traceback\n%s\nwant\n%s", got, want)
	}
}

func TestTypesThatWereDeclaredAgain(t *testing.T) {
	s := open(t)
	cells(t, s, "type P struct{ a int }\nvar q P\nvar list []P\nfunc old(p P) {}", "type P struct{ a, b int }\nfunc now(p P) {}")
	for source, want := range map[string]string{
		"now(q)":           "\nP was declared again: q is of the one before. Run again what declares q\n",
		"var p P = q":      "\nP was declared again: q is of the one before. Run again what declares q\n",
		"var l []P = list": "\nP was declared again: list is of the one before. Run again what declares list\n",
		"old(P{1, 2})":     "\nP was declared again: old is of the one before. Run again what declares old\n",
	} {
		if got := plainTraceback(runCell(s, "cell", source).failure(t)); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant %s", source, got, want)
		}
	}
}

func TestTracebackIsBounded(t *testing.T) {
	s := open(t)
	e := cells(t, s, "func f(n int) int {\n\tif n == 0 {\n\t\tpanic(\"deep\")\n\t}\n\treturn f(n-1)\n}\nf(1000)").failure(t)
	if n := len(e.Traceback); n > 3*maxFrames {
		t.Errorf("the traceback has %d lines", n)
	}
	var bad strings.Builder
	for i := range 100 {
		fmt.Fprintf(&bad, "undef%d\n", i)
	}
	e = cells(t, s, bad.String()).failure(t)
	if n := len(e.Traceback); n > 5*maxProblems {
		t.Errorf("the traceback of 100 mistakes has %d lines", n)
	}
}

func TestUnknownImportNamesWhatThereIs(t *testing.T) {
	s := open(t)
	e := cells(t, s, "import \"example.com/nosuch\"").failure(t)
	for _, want := range []string{"\n    display\n", "github.com/rlx-go/gopherscope/kernels", "gonum.org/v1/gonum/mat", "most of the standard library", "gopherscope build --with example.com/nosuch"} {
		if !strings.Contains(plainTraceback(e), want) {
			t.Errorf("the traceback does not name %s:\n%s", want, plainTraceback(e))
		}
	}
}
