package interp

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// methodsThatPanic are types that a cell can panic with, and show.
const methodsThatPanic = `import ("fmt"; "errors")
type E struct{}
func (e E) Error() string { panic("in Error") }
type P struct{ s string }
func (p *P) Error() string { return p.s }
type S struct{}
func (s S) String() string { panic(errors.New("in String")) }
type M struct{}
func (m M) Error() string { return []string{}[len(fmt.Sprint(1))] }
type H struct{}
func (h H) HTML() string { panic("in HTML") }
type B struct{}
func (b B) MIMEBundle() map[string]any { panic("in MIMEBundle") }
type R struct{}
func (r R) Render() display.Data { panic("in Render") }
type Pre struct{}
func (p Pre) HTML() string { return "<b>" }
func (p Pre) MIMEPrelude() (string, string) { panic("in MIMEPrelude") }
type Self struct{}
func (s Self) Error() string { panic(s) }
`

func TestPanicWithAMethodThatPanics(t *testing.T) {
	s := open(t)
	run(t, s, methodsThatPanic)
	tests := []struct{ source, want string }{
		{"panic(E{})", "a main.E whose text cannot be had: its method panicked"},
		{"panic(&E{})", "a *main.E whose text cannot be had: its method panicked"},
		{"panic((*P)(nil))", "<nil>"},
		{"panic(M{})", "a main.M whose text cannot be had: its method panicked"},
		{"panic(Self{})", "a main.Self whose text cannot be had: its method panicked"},
		{"var err error = E{}\npanic(err)", "a main.E whose text cannot be had: its method panicked"},
		{"import \"os\"\npanic((*os.PathError)(nil))", "<nil>"},
		{"H{}", "in HTML"},
		{"B{}", "in MIMEBundle"},
		{"R{}", "in Render"},
		{"Pre{}", "in MIMEPrelude"},
		{"Display(H{})", "in HTML"},
		{"display.Display(R{})", "in Render"},
	}
	for _, test := range tests {
		if e := runCell(s, "cell", test.source).failure(t); e.Name != "Panic" || e.Value != test.want {
			t.Errorf("%s gave %s: %q, want %q", test.source, e.Name, e.Value, test.want)
		}
	}
	// What these show is for package display to say: the process goes on.
	for _, source := range []string{"panic(S{})", "E{}", "S{}", "[]any{E{}, S{}}", "fmt.Println(E{}, S{})", "(*P)(nil)", "Display(E{})", "Display(S{})"} {
		o := runCell(s, "cell", source)
		if e, ok := o.err.(*Error); o.err != nil && (!ok || e.Name != "Panic") {
			t.Errorf("%s gave %v", source, o.err)
		}
	}
	if e := runCell(s, "cell", "import \"strings\"\npanic(strings.Repeat(\"x\", 1000000))").failure(t); len(e.Error()) > 10_000 {
		t.Errorf("a panic gave a text of %d bytes", len(e.Error()))
	}
	if e := runInterrupted(t, s, "type Loop struct{}\nfunc (Loop) Error() string { println(1); for { } }\npanic(Loop{})"); e.Name != "Interrupted" {
		t.Errorf("an interrupted Error gave %v", e)
	}
	if got := run(t, s, "6 * 7").result(); got != "42" {
		t.Errorf("afterwards 6 * 7 is %s", got)
	}
}

func TestPanicOfAGoroutineWithAMethodThatPanics(t *testing.T) {
	s := open(t)
	run(t, s, methodsThatPanic)
	o := run(t, s, `import "sync"
var wg sync.WaitGroup
wg.Add(3)
go func() { defer wg.Done(); panic(E{}) }()
go func() { defer wg.Done(); panic(S{}) }()
go func() { defer wg.Done(); panic((*P)(nil)) }()
wg.Wait()`)
	o.printed(t, "stderr", "panic in a goroutine started at cell:4:", "panic in a goroutine started at cell:5:", "panic in a goroutine started at cell:6:")
}

func TestLongLinesAreCutInTracebacks(t *testing.T) {
	s := open(t)
	long := strings.Repeat("é", 500_000)
	for _, source := range []string{
		"x := \"" + long + "\"; y + 1; z := \"" + long + "\"",
		"\tvar m map[string]int; _ = \"" + long + "\"; m[\"a\"] = 1; _ = \"" + long + "\"",
		"panic(1) // " + long,
		"_ = \"" + long + "\"\nfunc f() { a, b := 1 }",
	} {
		e := runCell(s, "cell", source).failure(t)
		text := plainTraceback(e)
		if len(text) > 1000 || !utf8.ValidString(text) {
			t.Errorf("%d bytes of traceback, valid %v", len(text), utf8.ValidString(text))
		}
	}
	e := runCell(s, "cell", "x := \""+long+"\"; y + 1; z := \""+long+"\"").failure(t)
	lines := strings.Split(plainTraceback(e), "\n")
	n := len(lines)
	at := strings.Index(lines[n-1], "^")
	if shown := []rune(lines[n-2]); at < 0 || at >= len(shown) || shown[at] != 'y' {
		t.Errorf("the caret is not under y:\n%s\n%s", lines[n-2], lines[n-1])
	}
}

func TestDeclarationsThatLeadBack(t *testing.T) {
	tests := []struct{ source, want string }{
		{"const n = T\ntype T struct { v [n]int }", ""}, // Go releases word this differently
		{"const a T\ntype T int", "missing init expr for a"},
		{"const a = b\nconst b = a", "initialization cycle for a"},
		{"type T struct{ T }", "invalid recursive type: T"},
		{"type A struct{ b B }\ntype B struct{ a A }", "invalid recursive type A"},
		{"type A [2]A", "invalid recursive type: A"},
		{"type A B\ntype B A", "invalid recursive type A"},
		{"type T interface{ T }", "invalid recursive type: T"},
		{"type T [len(x)]int\nvar x T", "undefined: x"},
		{"type T []T", "make T a struct"},
		{"type T map[string]T", "make T a struct"},
		{"type T chan T", "make T a struct"},
		{"type F func(F)", "make F a struct"},
		{"type M map[string]N\ntype N []M", "make M a struct"},
		{"type I interface{ M(I) }", "make I a struct"},
	}
	s := open(t)
	for _, test := range tests {
		if e := runCell(s, "cell", test.source).failure(t); e.Name != "CompileError" || e.Line == 0 || !strings.Contains(e.Value, test.want) {
			t.Errorf("%s gave %s: %v, want %q", test.source, e.Name, e, test.want)
		}
	}
	if got := run(t, s, "type A []B\ntype B struct{ a A; n *B }\nlen(A{B{A{B{}}, nil}}[0].a)").result(); got != "1" {
		t.Errorf("a type that leads back through a struct gave %s", got)
	}
	// The names of earlier cells are seen, and hidden by those declared again.
	run(t, s, "const n = 3\ntype L int")
	if got := run(t, s, "type V struct { v [n]L }\nlen(V{}.v)").result(); got != "3" {
		t.Errorf("a constant of an earlier cell gave %s", got)
	}
	if got := run(t, s, "const n = 4\ntype L [n]L2\ntype L2 = float32\nlen(L{})").result(); got != "4" {
		t.Errorf("a constant that is declared again gave %s", got)
	}
}

func TestPanicOfACallbackOnAnotherGoroutine(t *testing.T) {
	s := open(t)
	run(t, s, `import ("context"; "sort"; "sync"; "time"; "net/http"; "net/http/httptest"; "gonum.org/v1/gonum/optimize"; "gonum.org/v1/gonum/diff/fd"; "gonum.org/v1/gonum/mat")
done := make(chan int, 100)
func fail() { done <- 1; panic("in fail") }
type T struct{}
func (t T) fail() { done <- 1; panic("in T.fail") }
f := func() { done <- 1; panic("in f") }
func wait() { <-done }`)
	for source, want := range map[string]string{
		"time.AfterFunc(1, func() { done <- 1; panic(\"in a literal\") })\nwait()":           "panic in a goroutine that calls the function at cell:1: in a literal\n",
		"time.AfterFunc(1, fail)\nwait()":                                                    "panic in a goroutine that calls the function at cell:1: in fail\n",
		"time.AfterFunc(1, f)\nwait()":                                                       "panic in a goroutine that calls the function at cell:1: in f\n",
		"list := []func(){fail}\ntime.AfterFunc(1, list[0])\nwait()":                         "panic in a goroutine that calls the function at cell:2: in fail\n",
		"time.AfterFunc(1, T{}.fail)\nwait()":                                                "panic in a goroutine that calls the function at cell:1: in T.fail\n",
		"c, cancel := context.WithCancel(ctx)\ncontext.AfterFunc(c, fail)\ncancel()\nwait()": "panic in a goroutine that calls the function at cell:2: in fail\n",
		`fd.Jacobian(mat.NewDense(1, 2, nil), func(y, x []float64) { panic("in Jacobian") }, []float64{1, 2}, &fd.JacobianSettings{Concurrent: true})`:                                           "in Jacobian\n",
		"p := optimize.Problem{\n\tFunc: func(x []float64) float64 { panic(\"in Func\") },\n}\noptimize.Minimize(p, []float64{1}, nil, &optimize.NelderMead{})":                                  "panic in a goroutine that calls the function at cell:2: in Func\n",
		"var p optimize.Problem\np.Func = func(x []float64) float64 { panic(\"assigned\") }\noptimize.Minimize(p, []float64{1}, &optimize.Settings{FuncEvaluations: 2}, &optimize.NelderMead{})": "assigned\n",
		"server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(\"in a handler\") }))\nhttp.Get(server.URL)\nserver.Close()":                         "in a handler\n",
	} {
		o := runCell(s, "cell", source)
		o.printed(t, "stderr", want)
	}
	// What called a function that gave no result is wrong. The many panics of one
	// function are told once.
	o := runCell(s, "cell", "result, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { panic(\"in Func\") }}, []float64{1}, nil, &optimize.NelderMead{})")
	const want = "panic in a goroutine that calls the function at cell:1: in Func"
	if e := o.failure(t); e.Value != want || o.text("stderr") != want+"\n" {
		t.Errorf("an optimizer gave %v, printed %q", e, o.text("stderr"))
	}
	if got := run(t, s, "go func() int { fail(); return 1 }()\nwait()\n1 + 1").result(); got != "2" {
		t.Errorf("a goroutine whose result nobody gets gave %q", got)
	}
	// On the cell's own goroutines a panic goes its way.
	if e := runCell(s, "cell", "sort.Slice([]int{2, 1}, func(i, j int) bool { panic(\"less\") })").failure(t); e.Value != "less" {
		t.Errorf("sort.Slice gave %v", e)
	}
	for source, want := range map[string]string{
		"got := \"\"\nfunc() {\n\tdefer func() { got = recover().(string) }()\n\tnew(sync.Once).Do(func() { panic(\"once\") })\n}()\ngot":                                 "once",
		"c := make(chan string)\ngo func() {\n\tdefer func() { c <- recover().(string) }()\n\tsort.Slice([]int{2, 1}, func(i, j int) bool { panic(\"less\") })\n}()\n<-c": "less",
		"var none func()\nclient := http.Client{CheckRedirect: nil}\nclient.CheckRedirect == nil":                                                                         "true",
		"x := []int{3, 1, 2}\nsort.Slice(x, func(i, j int) bool { return x[i] < x[j] })\nx":                                                                               "[1 2 3]",
		"fd.Derivative(func(x float64) float64 { return x * x }, 3, &fd.Settings{Formula: fd.Central}) > 5.99":                                                            "true",
	} {
		o := run(t, s, source)
		if o.result() != want || o.text("stderr") != "" {
			t.Errorf("%s\ngave %q, printed %q", source, o.result(), o.text("stderr"))
		}
	}
}

func TestClosedStreamsAreOpenedAgain(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, s, "import (\"fmt\"; \"os\"; \"time\"; \"log\")\nfmt.Print(\"before\")\nos.Stdout.Close();").text("stdout"); got != "before" {
		t.Errorf("what was printed before is %q", got)
	}
	for range 20 {
		o := run(t, s, "fmt.Print(\"out\")\nfmt.Fprint(os.Stderr, \"err\")\nlog.SetFlags(0)\nlog.Print(\"log\")\nos.Stdout.Close()\nos.Stderr.Close();")
		if o.text("stdout") != "out" || o.text("stderr") != "errlog\n" {
			t.Errorf("stdout %q, stderr %q", o.text("stdout"), o.text("stderr"))
		}
	}
	run(t, s, "closed := make(chan int)\nready := make(chan int)\ngo func() { <-ready; os.Stdout.Close(); close(closed) }();")
	run(t, s, "close(ready)\n<-closed;")
	if got := run(t, s, "fmt.Print(\"again\")").text("stdout"); got != "again" {
		t.Errorf("after a goroutine closed it: %q", got)
	}
	run(t, s, "os.Stdout.Close()\nlog.SetFlags(log.LstdFlags)\nos.Stderr.Close();")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestNestedMethodThatPanics(t *testing.T) {
	s := open(t)
	run(t, s, methodsThatPanic+"type Pair struct { first fmt.Stringer; second int }")
	const lost = "<its text cannot be had: its method panicked>"
	for source, want := range map[string]string{
		"[]E{{}, {}}":             "[" + lost + " " + lost + "]",
		"map[string]S{\"a\": {}}": "map[a:" + lost + "]",
		"Pair{S{}, 2}":            "{first:" + lost + " second:2}",
	} {
		if got := run(t, s, source).result(); got != want {
			t.Errorf("%s is shown as %q, want %q", source, got, want)
		}
	}
	// What runs on is where it was.
	o := run(t, s, "func f() (r any) {\n\tdefer func() { r = recover() }()\n\tDisplay([]E{{}})\n\tpanic(7)\n}\nf()")
	if o.result() != "7" {
		t.Errorf("a panic after it is recovered as %s", o.result())
	}
}

func TestWaysToExitAreRefused(t *testing.T) {
	const fatal = "log.Fatal would end the notebook's session"
	s := open(t)
	run(t, s, `import ("flag"; "log"; "os"; "runtime"; "testing")
l := log.New(os.Stderr, "", 0)
type W struct { *log.Logger; n int }
type V struct { log.Logger }
type H struct { w *W }`)
	tests := []struct{ source, want, stderr string }{
		{"l.Fatal(\"x\", 1)", fatal, "x1\n"},
		{"l.Fatalf(\"%s %d\", \"x\", 1)", fatal, "x 1\n"},
		{"l.Fatalln(\"x\", 1)", fatal, "x 1\n"},
		{"l.Fatal([]any{\"x\", 1}...)", fatal, "x1\n"},
		{"(*l).Fatal(\"x\")", fatal, "x\n"},
		{"f := l.Fatal\nf(\"x\")", fatal, "x\n"},
		{"W{l, 1}.Fatal(\"x\")", fatal, "x\n"},
		{"w := &W{l, 1}\nw.Fatalf(\"x\")", fatal, "x\n"},
		{"H{&W{l, 1}}.w.Fatal(\"x\")", fatal, "x\n"},
		{"v := V{*log.New(os.Stderr, \"\", 0)}\nv.Fatal(\"x\")", fatal, "x\n"},
		{"func() { defer l.Fatal(\"x\") }()", fatal, "x\n"},
		{"func() *log.Logger { return l }().Fatal(\"x\")", fatal, "x\n"},
		{"flag.CommandLine.Parse([]string{\"-h\"})", "flag: help requested", ""},
		{"os.Args = []string{\"x\", \"-nosuch\"}\nflag.Parse()", "flag provided but not defined: -nosuch", ""},
		{"flag.NewFlagSet(\"x\", flag.ExitOnError).Parse([]string{\"-y\"})", "flag provided but not defined: -y", ""},
		{"flags := flag.NewFlagSet(\"x\", flag.ContinueOnError)\nflags.Init(\"x\", flag.ExitOnError)\nflags.Parse([]string{\"-y\"})", "flag provided but not defined: -y", ""},
		{"testing.Main(nil, nil, nil, nil)", "testing.Main would end the notebook's session", ""},
		{"runtime.Goexit()", "runtime.Goexit would end the notebook's session", ""},
	}
	args := os.Args
	defer func() { os.Args = args }()
	for _, test := range tests {
		o := runCell(s, "cell", test.source)
		if e := o.failure(t); e.Value != test.want || !strings.Contains(o.text("stderr"), test.stderr) {
			t.Errorf("%s gave %v and %q, want %s", test.source, e, o.text("stderr"), test.want)
		}
	}
	if got := run(t, s, "set := flag.NewFlagSet(\"x\", flag.ContinueOnError)\nn := set.Int(\"n\", 1, \"\")\nset.Parse([]string{\"-n\", \"5\"})\n*n").result(); got != "5" {
		t.Errorf("a flag is %s", got)
	}
}

// Each of these ends a program.
func TestWhatEndsAProgramIsAPanic(t *testing.T) {
	s := open(t)
	run(t, s, "import \"sync\"\nvar mu sync.Mutex\nvar rw sync.RWMutex\ntype T struct { sync.Mutex; n int }\nvar x T")
	const mutex, rw = "sync: unlock of a Mutex that is not locked", "sync: unlock of a RWMutex that is not locked"
	const memory = "more than the system gives"
	for _, test := range []struct{ source, want string }{
		{"mu.Unlock()", mutex},
		{"x.Unlock()", mutex},
		{"func() { defer mu.Unlock() }()", mutex},
		{"mu.Lock()\nmu.Unlock()\nmu.Unlock()", mutex},
		{"rw.Unlock()", rw},
		{"rw.RUnlock()", rw},
		{"rw.RLock()\nrw.Unlock()", rw},
		{"rw.RUnlock()\nrw.RUnlock()", rw},
		{"make([]int, 1<<44)", memory},
		{"n := 1 << 44\nmake([]int, 0, n)", memory},
		{"make([][3]float64, 1e13)", memory},
		{"n := 1 << 62\nmake([]int, n)", "more than there is memory for"},
	} {
		if e := runCell(s, "cell", test.source).failure(t); !strings.Contains(e.Value, test.want) {
			t.Errorf("%s gave %v, want %s", test.source, e, test.want)
		}
	}
	for source, want := range map[string]string{
		"mu.Lock()\nmu.Unlock()\nx.Lock()\nx.Unlock()\nmu.TryLock()":                               "true",
		"rw.RLock()\nrw.RLock()\nrw.RUnlock()\nrw.RUnlock()\nrw.Lock()\nrw.Unlock()\nrw.TryLock()": "true",
		"import \"time\"\nvar one sync.Mutex\nvar all sync.WaitGroup\nsum := 0\nfor range 8 {\n\tall.Add(1)\n\tgo func() {\n\t\tdefer all.Done()\n\t\tfor range 100 { one.Lock(); sum++; one.Unlock() }\n\t}()\n}\nall.Wait()\nsum": "800",
		"n := 3\nm := make([]int, n, 2*n)\nlen(m) + cap(m)":                                                              "9",
		"var small uint8 = 5\nlen(make([]string, small))":                                                                "5",
		"type Size int64\nvar s Size = 4\nlen(make([]int, s, 2*s)) + cap(make(chan int, s)) + len(make(map[int]int, s))": "8",
		"len(make([]int, uint16(3)))":                                                                                    "3",
		"len(make([]struct{}, 1<<40))":                                                                                   "1099511627776",
	} {
		if got := run(t, s, source).result(); got != want {
			t.Errorf("%s gave %q, want %s", source, got, want)
		}
	}
}
