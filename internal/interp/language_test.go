package interp

import (
	"testing"
)

// snippet is a cell, or several that run one after the other, and what the last
// one shows and prints.
type snippet struct {
	name   string
	cells  []string
	result string
	stdout string
}

func one(name, cell, result string) snippet {
	return snippet{name: name, cells: []string{cell}, result: result}
}

func prints(name, cell, stdout string) snippet {
	return snippet{name: name, cells: []string{cell}, stdout: stdout}
}

// The results were worked out by hand from the language specification.
var language = []snippet{
	// Values and expressions.
	one("integer arithmetic", "7/2*2 + 7%2", "7"),
	one("untyped float", "1/2.0", "0.5"),
	one("string", `"a" + "b"`, "ab"),
	one("rune", `'a'`, "97"),
	one("raw string", "`a\\n`", `a\n`),
	one("literals", `[]any{0b101, 0o17, 0x_ff, 1_000, 0x1p-2, 'x', 1i}`, "[5 15 255 1000 0.25 120 (0+1i)]"),
	one("bits", "6&^2 | 1<<4 ^ 1", "21"),
	one("comparison", "1 < 2 && !(2 <= 1) || false", "true"),
	one("complex", "real((1+2i)*(3-1i))", "5"),
	one("conversion", "b := uint8(200)\nint64(float32(1.75)*4) + int64(b+100)", "51"),
	one("string to runes and bytes", `len([]rune("é")) + len([]byte("é"))`, "3"),
	one("constant overflow is exact", "(1<<70) >> 68", "4"),
	one("several values", `func() (int, string) { return 1, "x" }()`, "1 x"),
	one("nil shows nothing", `func() error { return nil }()`, ""),
	one("value with a nil error", `func() (int, error) { return 3, nil }()`, "3"),
	one("typed nil", `(*int)(nil)`, "<nil>"),
	one("last of several statements", "x := 1\nx++\nx * 10", "20"),
	one("a trailing semicolon hides", "1 + 1;", ""),
	one("an assignment shows nothing", "x := 5", ""),
	one("a comment ends a cell", "6 * 7 // the answer", "42"),
	one("only a comment", "// nothing", ""),
	one("empty", "", ""),
	one("package clause", "package main\n\n1", "1"),

	// Variables and scope.
	one("var forms", "var a int\nvar b, c = 2, \"x\"\nvar (\n\td = 3.5\n\te bool\n)\n[]any{a, b, c, d, e}", "[0 2 x 3.5 false]"),
	one("variables in the order of need", "var a = b + 1\nvar b = f()\nfunc f() int { return c * 2 }\nvar c = 10\na", "21"),
	one("swap", "a, b := 1, 2\na, b = b, a\n[]int{a, b}", "[2 1]"),
	one("redeclared swap", "a, b := 1, 2\na, b := b, a\n[]int{a, b}", "[2 1]"),
	one("redeclared with another type", "x := 1\nx := \"one\"\nx + \"!\"", "one!"),
	one("redeclared from itself", "x := 3\nx := float64(x) / 2\nx", "1.5"),
	one("block scope", "x := 1\n{\n\tx := 2\n\tx++\n}\nx", "1"),
	one("if scope", "x := 1\nif x := 5; x > 2 {\n\tx++\n}\nx", "1"),
	one("shadowed builtin", "func f() int {\n\tlen := 3\n\treturn len\n}\nf()", "3"),
	one("blank", "_, b := 1, 2\n_ = b\nb", "2"),
	{name: "functions see the new value", cells: []string{"n := 10", "func double() int { return n * 2 }", "n := 21", "double()"}, result: "42"},
	{name: "functions keep a variable of another type", cells: []string{"n := 10", "func double() int { return n * 2 }", `n := "text"`, "double()"}, result: "20"},
	{name: "functions call the new function", cells: []string{"func f() int { return 1 }", "func g() int { return f() }", "func f() int { return 2 }", "g()"}, result: "2"},
	{name: "a function of another type is a new one", cells: []string{"func f() int { return 1 }", "func g() int { return f() }", "func f(x int) string { return \"s\" }", "g()"}, result: "1"},
	{name: "a name becomes a function", cells: []string{"f := 1", "func f() int { return 2 }", "f()"}, result: "2"},
	{name: "a name becomes a type", cells: []string{"f := 1", "type f struct{ A int }", "f{3}.A"}, result: "3"},
	{name: "a type becomes a name", cells: []string{"type f struct{ A int }", "f := f{3}", "f.A"}, result: "3"},
	{name: "address of a variable", cells: []string{"x := 1", "p := &x", "y := 7", "*p = 5", "x + y"}, result: "12"},
	{name: "many variables after an address was taken", cells: []string{"x := 1\np := &x", "a, b, c, d := 1, 2, 3, 4\n*p += a + b + c + d", "x"}, result: "11"},

	// The only argument of a call has one value.
	one("element of a map as the argument", "f := func(i int) int { return i }\nm := map[string]int{\"a\": 4}\nf(m[\"a\"])", "4"),
	one("receipt as the argument", "f := func(i int) int { return i }\nc := make(chan int, 1)\nc <- 9\nf(<-c)", "9"),
	one("assertion as the argument", "f := func(s []int) int { return len(s) }\nvar x any = []int{1, 2}\nf(x.([]int))", "2"),
	one("variadic call of one element", "f := func(all ...any) int { return len(all) }\nm := map[string]int{}\nf(m[\"a\"])", "1"),
	prints("goroutine with an element of a map", "import \"fmt\"\nm := map[string]int{\"a\": 4}\ndone := make(chan bool)\ngo func(i int) { fmt.Print(i); close(done) }(m[\"a\"])\n<-done;", "4"),

	// Cases of a select that ask whether the channel is closed.
	prints("select on a closed channel", `import "fmt"
c := make(chan int, 2)
c <- 7
close(c)
out := make(chan string, 1)
loop:
for {
	select {
	case v, ok := <-c:
		fmt.Print(v, ok, " ")
		if !ok {
			break loop
		}
		continue loop
	}
}
var v int
ok := true
select {
case out <- "sent":
	fmt.Print(<-out)
}
select {
case v, ok = <-c:
	fmt.Print(v, ok)
default:
	fmt.Print("default")
}
select {
case s, ok := <-out:
	fmt.Print(s, ok)
default:
	fmt.Print(" default")
}`, "7 true 0 false sent0 false default"),

	// Constants beyond 64 bits.
	one("big constants", "const big = 1 << 100\nvar x float64 = 1 << 70\n[]any{float64(big) == 0x1p100, x == 0x1p70, -float64(big) == -0x1p100, complex128(big) == 0x1p100, x*(1<<64) == 0x1p134}", "[true true true true true]"),
	one("big typed constants", "type Size float64\nconst (\n\t_ = iota\n\tK Size = 1 << (10 * iota)\n\tM\n\tG\n\tT\n\tP\n\tE\n\tZ\n)\nconst twice = Z * 2\n[]bool{Z == 0x1p70, Z/E == 1024, twice == 0x1p71}", "[true true true]"),
	prints("big typed constants have methods", "import \"fmt\"\ntype Size float64\nfunc (s Size) String() string { return fmt.Sprint(float64(s)/0x1p70, \"Z\") }\nconst Z Size = 1 << 70\nfmt.Print(Z, 3*Z);", "1Z 3Z"),

	// What a method value and a defer statement keep.
	one("method value of a pointer", "type T struct{ n int }\nfunc (t T) Get() int { return t.n }\np := &T{1}\nf := p.Get\np.n = 5\nf()", "1"),
	one("method value of a slice and an array", "type S []int\nfunc (s S) Len() int { return len(s) }\ntype A [1]int\nfunc (a A) First() int { return a[0] }\ns, a := S{1}, A{7}\nf, g := s.Len, a.First\ns = append(s, 2)\na[0] = 8\nf()*10 + g()", "17"),
	one("method value of an embedded field", "type T struct{ n int }\nfunc (t T) Get() int { return t.n }\nfunc (t *T) Set(n int) { t.n = n }\ntype M struct{ T }\ntype P struct{ *T }\nm, p := M{T{2}}, P{&T{4}}\nf, g, set := m.Get, p.Get, p.Set\nm.n, p.n = 3, 5\np.T = &T{6}\nset(9)\n[]int{f(), g(), p.n}", "[2 4 6]"),
	one("method value of an embedded interface", "type G interface{ Get() int }\ntype T struct{ n int }\nfunc (t T) Get() int { return t.n }\ntype W struct{ G }\nw := W{T{5}}\nf := w.Get\nw.G = T{6}\n[]int{f(), w.Get()}", "[5 6]"),
	prints("deferred in a function", "import \"fmt\"\ntype T struct{ n int }\nfunc (t T) Show() { fmt.Print(t.n) }\nfunc f() {\n\tt := T{1}\n\tdefer t.Show()\n\tp := &t\n\tdefer p.Show()\n\tt.n = 2\n\tp = &T{3}\n}\nf()", "11"),
	prints("deferred in a cell", "import \"fmt\"\ntype T struct{ n int }\nfunc (t T) Show() { fmt.Print(t.n) }\nx, t := 1, T{2}\ndefer fmt.Print(x, nil, \"c\")\ndefer func(a int, f func()) { fmt.Print(a); f() }(x, t.Show)\ndefer t.Show()\nx, t.n = 8, 9", "2121 <nil>c"),
	one("interface fields of a cell's types", "import \"strings\"\ntype W interface{ WriteString(string) (int, error) }\ntype N struct{ n int }\nfunc (n N) WriteString(s string) (int, error) { return n.n, nil }\ntype R struct{ w W }\nvar r R\nr.w = N{4}\na, _ := r.w.WriteString(\"\")\nr.w = &strings.Builder{}\nb, _ := r.w.WriteString(\"abc\")\nr.w = nil\n[]any{a, b, r.w == nil}", "[4 3 true]"),

	one("type switch on nil", "type A interface{ M() int }\ntype T int\nfunc (t T) M() int { return int(t) }\nfunc kind(a A) string {\n\tswitch a.(type) {\n\tcase T:\n\t\treturn \"T\"\n\tcase nil:\n\t\treturn \"nil\"\n\t}\n\treturn \"other\"\n}\nkind(nil), kind(T(1))", "nil T"),
	one("type switch on nil with a default", "type A interface{ M() int }\ntype T int\nfunc (t T) M() int { return int(t) }\nkind := func(a A) int {\n\tswitch t := a.(type) {\n\tcase T:\n\t\treturn int(t)\n\tdefault:\n\t\treturn -1\n\t}\n}\nkind(nil), kind(T(1))", "-1 1"),

	one("assertion on nil", "type A interface{ M() int }\ntype T int\nfunc (t T) M() int { return int(t) }\nvar a A\nt, ok := a.(T)\nm := map[string]A{\"t\": T(4)}\n_, missing := m[\"x\"].(T)\nfound, _ := m[\"t\"].(T)\n[]any{int(t), ok, missing, int(found), func() (r any) { defer func() { r = recover() != nil }(); return a.(T) }()}", "[0 false false 4 true]"),

	one("switch over an interface with constants", "type E string\nfunc (e E) Error() string { return string(e) }\nconst EA, EB = E(\"a\"), E(\"b\")\nfunc which(err error) string {\n\tswitch err {\n\tcase nil:\n\t\treturn \"nil\"\n\tcase EA, EB:\n\t\treturn \"E\"\n\t}\n\treturn \"other\"\n}\nwhich(EB), which(nil), which(E(\"c\"))", "E nil other"),

	// Method expressions.
	one("method expression of a pointer", "type T struct{ n int }\nfunc (t *T) Add(k ...int) int { t.n += len(k); return t.n }\nfunc (t T) Get() int { return t.n }\nf, g := (*T).Add, (*T).Get\nt := T{1}\nf(&t, 5, 6)\ng(&t)", "3"),
	one("method expression of a compiled type", "import \"bytes\"\nb := bytes.NewBufferString(\"abc\")\n(*bytes.Buffer).Len(b)", "3"),

	// Constants.
	one("iota", "const (\n\tA = iota * 10\n\tB\n\t_\n\tD\n)\n[]int{A, B, D}", "[0 10 30]"),
	one("typed iota", "type Bits uint8\nconst (\n\tX Bits = 1 << iota\n\tY\n\tZ\n)\nX | Z", "5"),
	one("constant of a constant", "const a = b * 2\nconst b = 4\na", "8"),
	one("array of constant length", "const n = 3\nvar v [n]int\nlen(v)", "3"),

	// Control flow.
	prints("for", `import "fmt"
for i := 0; i < 3; i++ { fmt.Print(i) }
i := 0
for i < 2 { i++ }
for { i++; if i > 5 { break } }
fmt.Print(" ", i)`, "012 6"),
	prints("range", `import "fmt"
for i, v := range []string{"a", "b"} { fmt.Print(i, v, " ") }
for i := range [2]int{} { fmt.Print(i) }
for i, r := range "é!" { fmt.Print(" ", i, string(r)) }
m := map[string]int{"k": 1}
for k, v := range m { fmt.Print(" ", k, v) }`, "0a 1b 01 0é 2! k1"),
	prints("range over an integer", `import "fmt"
n := int8(2)
for i := range 3 { fmt.Print(i) }
for i := range n { fmt.Printf(" %T%d", i, i) }
for range len("ab") { fmt.Print("x") }
for i := range 2 { i := i * 10; fmt.Print(" ", i) }`, "012 int80 int81xx 0 10"),
	one("range limit is evaluated once", "calls := 0\nlimit := func() int { calls++; return 3 }\nsum := 0\nfor i := range limit() { sum += i }\n[]int{calls, sum}", "[1 3]"),
	one("a range loop may change its variable", "n := 0\nfor i := range 4 {\n\tif i%2 == 0 {\n\t\ti += 10\n\t}\n\tn = n*100 + i\n}\nn", "10011203"),
	one("range over a named integer", "type ID uint8\nconst last ID = 3\nvar ids []ID\nfor id := range last {\n\tids = append(ids, id)\n}\nids", "[0 1 2]"),
	one("range assigns", "var i, j int\nvar k int64\nfor i, j = range []int{5, 6} {\n}\nfor k = range 4 {\n}\n[]int{i, j, int(k)}", "[1 6 3]"),
	one("range over a channel", "c := make(chan int, 3)\nc <- 1\nc <- 2\nclose(c)\nsum := 0\nfor v := range c { sum += v }\nsum", "3"),
	prints("labels", `import "fmt"
outer:
for i := range 3 {
	for j := 0; j < 3; j++ {
		if j == 2 { continue outer }
		if i == 2 { break outer }
		fmt.Print(i, j, " ")
	}
}`, "0 0 0 1 1 0 1 1 "),
	prints("switch", `import "fmt"
for i := 0; i < 5; i++ {
	switch {
	case i == 0: fmt.Print("zero")
	case i < 3: fmt.Print(" small"); fallthrough
	case i == 100: fmt.Print("+")
	default: fmt.Print(" big")
	}
}
switch x := 4; x { case 1, 4: fmt.Print(" hit") }`, "zero small+ small+ big big hit"),
	prints("type switch", `import "fmt"
for _, v := range []any{1, "s", 2.5, nil, []int{1}, fmt.Errorf("e")} {
	switch v := v.(type) {
	case int: fmt.Print("int", v+1)
	case string, float64: fmt.Print(" either ", v)
	case nil: fmt.Print(" nil")
	case error: fmt.Print(" error ", v.Error())
	default: fmt.Printf(" %T", v)
	}
}`, "int2 either s either 2.5 nil []int error e"),
	prints("select", `import "fmt"
a, b := make(chan int, 1), make(chan string, 1)
b <- "ready"
select {
case v := <-a: fmt.Print(v)
case s := <-b: fmt.Print(s)
}
select {
case <-a:
default: fmt.Print(" none")
}`, "ready none"),
	prints("channels", `import "fmt"
c := make(chan int, 3)
var out chan<- int = c
var in <-chan int = c
type Pipe chan string
func produce(n int) chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for i := range n { ch <- i }
	}()
	return ch
}
out <- 1
out <- <-produce(1) + 2
v, ok := <-in
fmt.Print(v, ok, len(c), cap(c), " ")
for v := range produce(4) {
	if v == 1 { continue }
	if v == 3 { break }
	fmt.Print(v, ",")
}
n := 0
loop:
for range produce(5) {
	for { n++; continue loop }
}
fmt.Print(" ", n, " ")
p := make(Pipe, 1)
p <- "named"
close(p)
for s := range p { s := s + "!"; fmt.Print(s) }
w, ok := <-p
fmt.Printf(" %q %v", w, ok)
anys := make(chan any, 2)
anys <- 3
anys <- nil
fmt.Print(" ", <-anys, <-anys)
errs := make(chan error, 1)
select { case errs <- nil: default: }
fmt.Print(" ", <-errs == nil)`, "1 true 1 3 0,2, 5 named! \"\" false 3 <nil> true"),
	one("slices, maps and cmp", `import ("cmp"; "maps"; "slices"; "strings")
type P struct{ name string; age int }
ps := []P{{"b", 2}, {"a", 2}, {"c", 1}}
slices.SortFunc(ps, func(x, y P) int { return cmp.Or(cmp.Compare(x.age, y.age), strings.Compare(x.name, y.name)) })
xs := []int{3, 1, 2}
slices.Sort(xs)
at, found := slices.BinarySearch(xs, 2)
m := map[string]float64{"x": 1.5, "y": 2}
keys := slices.Sorted(maps.Keys(m))
type Name string
names := []Name{"q", "p"}
slices.Sort(names)
[]any{ps, xs, at, found, keys, slices.Max([]float64{1, 3, 2}), slices.Contains(names, "p"), slices.Index(names, "q")}`, "[[{name:c age:1} {name:a age:2} {name:b age:2}] [1 2 3] 1 true [x y] 3 true 1]"),
	prints("workers", `import ("fmt"; "sync")
jobs, results := make(chan int), make(chan int, 100)
var wg sync.WaitGroup
var mu sync.Mutex
total := 0
for range 3 {
	wg.Add(1)
	go func() {
		defer wg.Done()
		for j := range jobs {
			mu.Lock()
			total += j
			mu.Unlock()
			results <- j * j
		}
	}()
}
for i := range 10 { jobs <- i }
close(jobs)
wg.Wait()
close(results)
sum := 0
for r := range results { sum += r }
fmt.Print(total, sum)`, "45 285"),
	one("a loop variable for each iteration", `var fs []func() int
for i := 0; i < 3; i++ { fs = append(fs, func() int { return i }) }
for i := range 2 { fs = append(fs, func() int { return 10 + i }) }
for _, v := range []int{7, 8} { fs = append(fs, func() int { return v }) }
var all []int
for _, f := range fs { all = append(all, f()) }
all`, "[0 1 2 10 11 7 8]"),
	one("a loop body may change its variable", `var ps []*int
for i := 0; i < 6; i++ {
	if i%3 == 0 { i++; continue }
	ps = append(ps, &i)
	i++
}
n := 0
for _, p := range ps { n = n*10 + *p }
n`, "35"),
	one("continue in a captured loop inside a switch", `var fs []func() int
loop:
for i, j := 0, 10; i < 4; i, j = i+1, j-1 {
	switch i {
	case 1: continue
	case 3: continue loop
	}
	for k := 0; k < 2; k++ { if k == 0 { continue } }
	fs = append(fs, func() int { return i*100 + j })
}
fs[0]() + fs[1]()`, "218"),

	// Functions.
	one("a function variable some scopes out", `n := 0
func each(f func()) []func() {
	calls := []func(){}
	for i := range 2 {
		for j := range 2 {
			calls = append(calls, func() {
				n += 10*i + j
				f()
			})
		}
	}
	return calls
}
for _, call := range each(func() { n += 1000 }) { call() }
n`, "4022"),
	one("closures", "n := 0\nadd := func(k int) int { n += k; return n }\nadd(2)\nadd(3)", "5"),
	one("recursion", "func fib(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}\nfib(15)", "610"),
	one("mutual recursion", "func even(n int) bool { return n == 0 || odd(n-1) }\nfunc odd(n int) bool { return n != 0 && even(n-1) }\neven(11)", "false"),
	one("variadic", "func sum(x ...int) (t int) {\n\tfor _, v := range x {\n\t\tt += v\n\t}\n\treturn\n}\nsum() + sum(1, 2) + sum([]int{3, 4}...)", "10"),
	one("multiple results passed on", "func two() (int, int) { return 3, 4 }\nfunc add(a, b int) int { return a + b }\nadd(two())", "7"),
	one("named results and defer", "func f() (n int) {\n\tdefer func() { n *= 2 }()\n\tn = 4\n\treturn n + 1\n}\nf()", "10"),
	one("recover", `func safe(f func()) (msg any) {
	defer func() { msg = recover() }()
	f()
	return nil
}
[]any{safe(func() { panic("p") }), safe(func() {})}`, "[p <nil>]"),
	one("method values and expressions", "type T struct{ n int }\nfunc (t T) Add(k int) int { return t.n + k }\nf, g := T{1}.Add, T.Add\nf(10) + g(T{2}, 20)", "33"),
	one("function before the type it uses", "func f(p P) int { return p.X }\ntype P struct{ X int }\nf(P{9})", "9"),
	one("function before the variable it uses", "func f() int { return later * 2 }\nlater := 21\nf()", "42"),
	one("a function literal called at once", "func() int { return 5 }()", "5"),
	{name: "functions across cells", cells: []string{"func sq(x float64) float64 { return x * x }", "func hyp(a, b float64) float64 { return sq(a) + sq(b) }", "hyp(3, 4)"}, result: "25"},
	prints("defer of a cell", "import \"fmt\"\ndefer fmt.Print(\"last\")\ndefer fmt.Print(\"then \")\nfmt.Print(\"first \")", "first then last"),

	prints("recover of a cell", "import \"fmt\"\ndefer fmt.Print(\" last\")\ndefer func() {\n\tfmt.Print(\"recovered \", recover())\n}()\npanic(\"oops\")", "recovered oops last"),

	// Types.
	one("struct", "type P struct {\n\tX, Y int\n\tname string\n}\np := P{1, 2, \"n\"}\np.X, p.name = 5, \"m\"\np", "{X:5 Y:2 name:m}"),
	one("pointer to struct", "type P struct{ X int }\np := &P{X: 1}\np.X++\nq := *p\nq.X = 100\np", "&{X:2}"),
	one("anonymous struct", "struct {\n\tA int\n\tB string\n}{1, \"b\"}", "{A:1 B:b}"),
	one("methods", "type C struct{ n int }\nfunc (c *C) Inc() *C { c.n++; return c }\nfunc (c C) Get() int { return c.n }\nc := C{}\nc.Inc().Inc()\nc.Get()", "2"),
	one("methods that call later ones", "type T int\nfunc (t T) A() int { return t.B() + 1 }\nfunc (t T) B() int { return int(t) * 10 }\nT(4).A()", "41"),
	one("methods through pointers to no struct", "type N int\nfunc (n *N) Inc() *N { *n++; return n }\nfunc (n N) Get() int { return int(n) }\ntype S []int\nfunc (s *S) Push(x int) { *s = append(*s, x) }\nfunc (s S) Len() int { return len(s) }\nvar n N\np, s := &n, &S{}\nn.Inc().Inc()\np.Inc()\ns.Push(1)\npush := s.Push\npush(2)\np.Get()*10 + s.Len()", "32"),
	{name: "a method in a later cell", cells: []string{"type T struct{ n int }\nt := T{4}", "func (t T) Twice() int { return 2 * t.n }", "t.Twice()"}, result: "8"},
	{name: "a method declared again", cells: []string{"type T int\nfunc (t T) M() int { return 1 }\nfunc call(t T) int { return t.M() }", "func (t T) M() int { return 2 }", "call(0)"}, result: "2"},
	one("embedding", "type A struct{ n int }\nfunc (a A) N() int { return a.n }\ntype B struct {\n\tA\n\ts string\n}\nb := B{A{3}, \"x\"}\nb.N() + b.n + b.A.n", "9"),
	one("interface", `type Shape interface{ Area() float64 }
type Sq struct{ a float64 }
type Rect struct{ a, b float64 }
func (s Sq) Area() float64 { return s.a * s.a }
func (r *Rect) Area() float64 { return r.a * r.b }
total := 0.0
for _, s := range []Shape{Sq{2}, &Rect{2, 3}} { total += s.Area() }
total`, "10"),
	one("interface assertion", "type S interface{ M() int }\ntype T int\nfunc (t T) M() int { return int(t) }\nvar s S = T(3)\nt, ok := s.(T)\n[]any{t, ok}", "[3 true]"),
	one("embedded interface", "type R interface{ Read() string }\ntype W interface{ Write() string }\ntype RW interface {\n\tR\n\tW\n}\ntype F struct{}\nfunc (F) Read() string { return \"r\" }\nfunc (F) Write() string { return \"w\" }\nvar x RW = F{}\nvar r R = x\nr.Read() + x.Write()", "rw"),
	one("an interface from another", `import "fmt"
type R interface{ Read() string }
type W interface{ Write() string }
type RW interface { R; W }
type F struct{ n int }
func (f F) Read() string { return fmt.Sprint("r", f.n) }
func (F) Write() string { return "w" }
func (F) String() string { return "F!" }
func read(r R) string { return r.Read() }
var rw RW = F{1}
var r R = F{2}
back, ok := r.(RW)
_, none := r.(error)
var s fmt.Stringer = F{3}
w, _ := s.(W)
read(rw) + []R{rw, r}[1].Read() + R(rw).Read() + back.Write() + w.Write() + fmt.Sprint(ok, none, rw, r.(fmt.Stringer))`, "r1r2r1wwtrue false F! F!"),
	one("interfaces in any order", `type A interface { Zeta() string; error }
type B interface { Alpha(n int, s ...string) int; A; Mid() (int, error) }
type T struct{ n int }
func (T) Zeta() string { return "z" }
func (T) Error() string { return "e" }
func (t T) Alpha(n int, s ...string) int { return t.n*100 + n*10 + len(s) }
func (T) Mid() (int, error) { return 5, nil }
var b B = T{1}
var a A = b
var e error = b
m, _ := b.Mid()
[]any{b.Alpha(2, "x", "y", "z"), a.Zeta(), a.Error(), e.Error(), b.Error(), m}`, "[123 z e e e 5]"),
	{name: "an interface with one of an earlier cell", cells: []string{"type A interface{ Zeta() int }", "type B interface {\n\tA\n\tBeta() int\n}\ntype T int\nfunc (T) Zeta() int { return 1 }\nfunc (T) Beta() int { return 2 }\nvar b B = T(0)", "b.Zeta()*10 + b.Beta()"}, result: "12"},
	{name: "methods of what a type embeds", cells: []string{"type A struct{}\ntype B struct{ A }\nfunc (B) M() int { return 1 }", "func (A) X1() int { return 1 }\nfunc (A) X2() int { return 2 }\nfunc (A) X3() int { return 3 }\nfunc (A) X4() int { return 4 }\nfunc (A) X5() int { return 5 }\nfunc (A) X6() int { return 6 }", "type I interface {\n\tM() int\n\tX6() int\n}\nvar i I = B{}\ni.M()*100 + i.X6()*10 + B{}.X1()"}, result: "161"},
	one("a type switch between interfaces", "type A interface{ A() }\ntype B interface{ B() int }\ntype T struct{ n int }\nfunc (T) A() {}\nfunc (t T) B() int { return t.n }\nvar a A = T{5}\nn := 0\nswitch v := a.(type) {\ncase B:\n\tn = v.B()\n}\nn", "5"),
	one("interfaces that are nil", "type A interface{ M() }\nvar a A\nvar e error = nil\n[]any{a == nil, e == nil}", "[true true]"),
	one("a compiled value in an interpreted interface", "import \"errors\"\ntype E interface{ Error() string }\nvar e E = errors.New(\"compiled\")\ne.Error()", "compiled"),
	one("a type that contains itself", "type Tree struct {\n\tL, R *Tree\n\tV int\n}\nfunc (t *Tree) Sum() int {\n\tif t == nil {\n\t\treturn 0\n\t}\n\treturn t.V + t.L.Sum() + t.R.Sum()\n}\n(&Tree{&Tree{nil, nil, 1}, &Tree{V: 5}, 2}).Sum()", "8"),
	one("a list", "type List struct {\n\tnext *List\n\tv int\n}\nfunc (l *List) Push(v int) *List { return &List{l, v} }\nvar l *List\nl = l.Push(1).Push(2).Push(3)\nl.next.v++\nl.next.next = l.next.next.Push(9)\nn := 0\nfor ; l != nil; l = l.next {\n\tn = n*10 + l.v\n}\nn", "3391"),
	one("types that contain each other", "type A struct{ b *B }\ntype B struct {\n\tas []*A\n\tm map[string]*A\n\tn int\n}\na := &A{&B{n: 4}}\na.b.as = append(a.b.as, a, &A{})\na.b.m = map[string]*A{\"self\": a}\na.b.m[\"self\"].b.as[0].b.n", "4"),
	one("an interface and a type that need each other", `type Expr interface{ Eval(*Env) float64 }
type Env struct {
	parent *Env
	root   Expr
	vars   map[string]float64
}
type Num float64
type Var string
type Add struct{ L, R Expr }
func (n Num) Eval(*Env) float64 { return float64(n) }
func (v Var) Eval(e *Env) float64 {
	for ; e != nil; e = e.parent {
		if x, ok := e.vars[string(v)]; ok { return x }
	}
	return -1
}
func (a Add) Eval(e *Env) float64 { return a.L.Eval(e) + a.R.Eval(e) }
e := &Env{parent: &Env{vars: map[string]float64{"x": 40}}, root: Add{Num(2), Var("x")}}
first := e.root.Eval(e)
e.root = Num(5)
first*10 + e.root.Eval(e)`, "425"),
	one("a struct with a function of itself", "type state struct{ next func(*int) state }\nfunc start(n *int) state {\n\t*n++\n\tif *n < 3 {\n\t\treturn state{start}\n\t}\n\treturn state{}\n}\nn := 0\nfor s := (state{start}); s.next != nil; s = s.next(&n) {\n}\nn", "3"),
	one("alias", "type Celsius = float64\nvar c Celsius = 20\nc + 1.5", "21.5"),
	one("named map and slice", "type Set map[string]bool\nfunc (s Set) Has(k string) bool { return s[k] }\ntype Ints []int\nfunc (x Ints) Sum() (t int) {\n\tfor _, v := range x {\n\t\tt += v\n\t}\n\treturn\n}\n[]any{Set{\"a\": true}.Has(\"a\"), Ints{1, 2}.Sum()}", "[true 3]"),
	{name: "a type declared again as it was", cells: []string{"type T struct{ A int }\nfunc (t T) Get() int { return t.A }", "t := T{7}", "type T struct{ A int }\nfunc (t T) Get() int { return t.A * 2 }", "t = T{t.Get()}\nt.A"}, result: "14"},
	{name: "a recursive type declared again as it was", cells: []string{"const n = 2\ntype T struct {\n\tnext *T\n\tv [n]int\n}", "t := &T{}", "const n = 2\ntype T struct {\n\tnext *T\n\tv [n]int\n}", "t.next = &T{}\nlen(t.next.v)"}, result: "2"},
	{name: "values keep a type that was declared anew", cells: []string{"type T struct{ A int }\nt := T{7}", "type T struct{ B string }\nu := T{\"x\"}", "[]any{t.A, u.B}"}, result: "[7 x]"},
	one("local type", "func f() int {\n\ttype pair struct{ a, b int }\n\tp := pair{1, 2}\n\treturn p.a + p.b\n}\nf()", "3"),

	// Composite values.
	one("slices", "s := make([]int, 2, 10)\ns = append(s, 1, 2, 3)\ncopy(s, s[2:4])\n[]any{s, s[1:3], len(s), cap(s[2:])}", "[[1 2 1 2 3] [2 1] 5 8]"),
	one("full slice expression", "s := []int{1, 2, 3, 4}\ncap(s[1:2:3])", "2"),
	one("arrays are values", "a := [3]int{1, 2, 3}\nb := a\nb[0] = 9\n[]any{a, b, a == [...]int{1, 2, 3}}", "[[1 2 3] [9 2 3] true]"),
	one("array to slice and back", "s := []int{1, 2, 3}\na := [2]int(s[:2])\np := (*[3]int)(s)\np[0] = 7\n[]any{a, s}", "[[1 2] [7 2 3]]"),
	one("maps", "m := map[string][]int{}\nm[\"a\"] = append(m[\"a\"], 1, 2)\ndelete(m, \"zz\")\nv, ok := m[\"b\"]\n[]any{m, v == nil, ok, len(m)}", "[map[a:[1 2]] true false 1]"),
	one("map of structs", "type K struct{ a, b int }\nm := map[K]string{{1, 2}: \"x\"}\nm[K{1, 2}]", "x"),
	one("nested literals", "type P struct{ X, Y int }\n[][]P{{{1, 2}}, {{X: 3}, {Y: 4}}}[1][1].Y", "4"),
	one("pointer literals", "type P struct{ X int }\nps := []*P{{1}, {2}}\nps[0].X + ps[1].X", "3"),
	one("indexed literal", "[...]string{2: \"c\", 0: \"a\"}", "[a  c]"),
	one("multi-dimensional", "var g [3][4]int\ng[1][2] = 5\nlen(g)*100 + len(g[0])*10 + g[1][2]", "345"),
	one("min, max, clear", "m := map[int]int{1: 1}\nclear(m)\ns := []int{1, 2}\nclear(s)\nx := 2.5\n[]any{min(3, 1, 2), max(x, 1), max(\"a\", \"b\"), len(m), s, min(int8(3), 4)}", "[1 2.5 b 0 [0 0] 3]"),
	one("shared arrays", "a := []int{1, 2, 3}\nb := a[:2]\nb = append(b, 99)\na[2]", "99"),
	one("strings are indexed by bytes", `s := "héllo"
[]any{s[1], s[0:1], len(s)}`, "[195 h 6]"),

	// Errors and text of interpreted types.
	prints("errors of cells", `import ("fmt"; "errors")
type E struct{ code int }
func (e E) Error() string { return fmt.Sprint("code ", e.code) }
func fail(n int) error { if n == 0 { return nil }; return E{n} }
err := fail(3)
fmt.Println(err, fail(0), fmt.Errorf("wrapped: %w", err))
if e, ok := err.(E); ok { fmt.Println(e.code, errors.Unwrap(fmt.Errorf("w: %w", err)) != nil) }`, "code 3 <nil> wrapped: code 3\n3 true\n"),
	prints("errors.Is and As of cells", `import ("errors"; "fmt")
type NotFound struct{ key string }
func (n *NotFound) Error() string { return n.key + " not found" }
type Wrap struct{ inner error }
func (w Wrap) Error() string { return "wrap: " + w.inner.Error() }
func (w Wrap) Unwrap() error { return w.inner }
type Code int
func (c Code) Error() string { return fmt.Sprint("code ", int(c)) }
func (c Code) Is(target error) bool { return target == errTarget }
var errTarget, errOther = errors.New("target"), errors.New("other")
type coder interface{ error; Unwrap() error }
e := fmt.Errorf("find: %w", &NotFound{"x"})
var nf *NotFound
var w Wrap
var c Code
var iface coder
var std interface{ Timeout() bool }
fmt.Println(errors.As(e, &nf), nf.key, errors.As(e, &w))
fmt.Println(errors.As(Wrap{e}, &nf), errors.As(&Wrap{Code(4)}, &c), c)
fmt.Println(errors.Is(Wrap{errOther}, errOther), errors.Is(Wrap{errOther}, errTarget), errors.Is(&Wrap{Code(1)}, errTarget), errors.Is(Wrap{Code(1)}, Code(1)))
fmt.Println(errors.As(fmt.Errorf("x: %w", Wrap{errOther}), &iface), errors.Unwrap(iface) == errOther, errors.Unwrap(errOther) == nil)
fmt.Println(errors.Is(errors.Join(errOther, Wrap{errTarget}), errTarget), errors.Is(nil, errTarget), errors.Is(nil, nil))`,
		"true x false\ntrue true code 4\ntrue false true true\ntrue true true\ntrue false true\n"),
	prints("pointers to types with methods of values", `import ("fmt"; "container/heap"; "io"; "os")
type E struct{ n int }
func (e E) Error() string { return fmt.Sprint("E", e.n) }
func fail() error { return &E{1} }
type IntHeap []int
func (h IntHeap) Len() int { return len(h) }
func (h IntHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h IntHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *IntHeap) Push(x any) { *h = append(*h, x.(int)) }
func (h *IntHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
h := &IntHeap{5, 2, 8}
heap.Init(h)
heap.Push(h, 1)
for h.Len() > 0 { fmt.Print(heap.Pop(h), " ") }
type loud struct{ io.Writer }
func (l loud) Write(p []byte) (int, error) { return l.Writer.Write(append(p, '!')) }
fmt.Fprint(&loud{os.Stdout}, "hi")
type quiet struct{ io.Writer }
fmt.Fprint(quiet{os.Stdout}, " there")
fmt.Fprint(&quiet{os.Stdout}, " too ")
fmt.Println(fail(), &E{2}, io.Writer(&loud{os.Stdout}) != nil)`, "1 2 5 8 hi! there too E1 E2 true\n"),
	one("constants in interfaces", "import \"time\"\nvar a any = 5\nx, ok := any(3).(int)\nd, _ := any(time.Second).(time.Duration)\nerr := error(nil)\n[]any{a, x, ok, d, err == nil, any(\"s\").(string)}", "[5 3 true 1s true s]"),
	prints("String of cells", `import "fmt"
type Day int
const ( Mon Day = iota; Tue )
func (d Day) String() string { return [...]string{"Mon", "Tue"}[d] }
fmt.Println(Tue, Mon)
fmt.Printf("%v %d %s %q %5d|\n", Tue, Tue, Mon, Mon, Tue)`, "Tue Mon\nTue 1 Mon \"Mon\"     1|\n"),
	one("numbers as interfaces", `import "fmt"
type Day int
const ( Mon Day = iota; Tue )
func (d Day) String() string { return [...]string{"Mon", "Tue"}[d] }
func show(s fmt.Stringer, more ...fmt.Stringer) string { return s.String() + fmt.Sprint(len(more)) }
d := Tue
m := map[string]fmt.Stringer{"a": Mon}
c := make(chan fmt.Stringer, 1)
c <- d
list := append([]fmt.Stringer{Mon}, d)
show(Mon, Tue, d) + show(d) + m["a"].String() + (<-c).String() + list[1].String()`, "Mon2Tue0MonTueTue"),
	one("String in the result", "type D int\nfunc (d D) String() string { return \"day\" }\nD(3)", "day"),
	one("Error in the result", "type E struct{}\nfunc (*E) Error() string { return \"bad\" }\nfunc f() (int, error) { return 1, &E{} }\nf()", "1 bad"),
	one("sorted by an interpreted type", "import \"sort\"\ntype byLen []string\nfunc (b byLen) Len() int { return len(b) }\nfunc (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }\nfunc (b byLen) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\ns := byLen{\"ccc\", \"a\", \"bb\"}\nsort.Sort(s)\ns", "[a bb ccc]"),
	one("a callback", "import \"sort\"\ns := []int{3, 1, 2}\nsort.Slice(s, func(i, j int) bool { return s[i] > s[j] })\ns", "[3 2 1]"),

	// Goroutines.
	one("goroutines and channels", "c := make(chan int)\ngo func() {\n\tdefer close(c)\n\tfor i := range 4 {\n\t\tc <- i\n\t}\n}()\nsum := 0\nfor v := range c {\n\tsum += v\n}\nsum", "6"),
	one("wait group and mutex", "import \"sync\"\nvar wg sync.WaitGroup\nvar mu sync.Mutex\nn := 0\nfor i := 1; i <= 10; i++ {\n\twg.Add(1)\n\tgo func() {\n\t\tdefer wg.Done()\n\t\tmu.Lock()\n\t\tdefer mu.Unlock()\n\t\tn += i\n\t}()\n}\nwg.Wait()\nn", "55"),
	one("goroutine with arguments", "c := make(chan string, 1)\ngo func(a int, more ...string) { c <- more[a] }(1, \"x\", \"y\")\n<-c", "y"),
	one("goroutine of a method", "type T struct{ c chan int }\nfunc (t *T) send(n int) { t.c <- n }\nt := &T{make(chan int, 1)}\ngo t.send(7)\n<-t.c", "7"),

	// Imports.
	one("import in one cell with its use", "import \"strings\"\nstrings.ToUpper(\"go\")", "GO"),
	one("imports between statements", "x := 1\nimport \"math\"\nmath.Sqrt(float64(x) + 3)", "2"),
	one("renamed import", "import str \"strings\"\nstr.Repeat(\"ab\", 2)", "abab"),
	one("dot import", "import . \"math\"\nint(Floor(Pi)) + int(Floor(Sqrt2*10))", "17"),
	one("grouped imports", "import (\n\t\"sort\"\n\t\"strconv\"\n)\ns := []string{strconv.Itoa(2), \"1\"}\nsort.Strings(s)\ns", "[1 2]"),
	{name: "imports stay", cells: []string{"import \"math\"", "math.MaxInt8"}, result: "127"},
	one("today's standard library", "import (\n\t\"strings\"\n\t\"errors\"\n)\na, b, ok := strings.Cut(\"k=v\", \"=\")\n[]any{a, b, ok, errors.Join(errors.New(\"x\"), errors.New(\"y\")).Error() == \"x\\ny\"}", "[k v true true]"),
	one("gonum", "import \"gonum.org/v1/gonum/mat\"\nm := mat.NewDense(2, 2, []float64{1, 2, 3, 4})\nmat.Det(m) + 2 < 1e-9", "true"),
}

func TestLanguage(t *testing.T) {
	s := open(t)
	for _, test := range language {
		t.Run(test.name, func(t *testing.T) {
			o := cells(t, s, test.cells...)
			if o.err != nil {
				t.Fatalf("failed: %v\n%s", o.err, traceback(o.err))
			}
			if got := o.result(); got != test.result {
				t.Errorf("result %q, want %q", got, test.result)
			}
			if got := o.text("stdout"); got != test.stdout {
				t.Errorf("stdout %q, want %q", got, test.stdout)
			}
			if got := o.text("stderr"); got != "" {
				t.Errorf("stderr %q", got)
			}
		})
	}
}
