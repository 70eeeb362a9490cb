package interp

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/cosmos72/gomacro/imports"

	"reflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

func TestResultText(t *testing.T) {
	tests := []struct{ cell, want string }{
		{`"unquoted \"text\""`, `unquoted "text"`},
		{`[]string{"a b", "c"}`, "[a b c]"},
		{`import "fmt"
fmt.Errorf("an error")`, "an error"},
		{`import "os"
os.Open("/no/such/file")`, "<nil> open /no/such/file: no such file or directory"},
		{`import "time"
1500 * time.Millisecond`, "1.5s"},
		{`import "fmt"
fmt.Println("shown")`, ""},
		{`import f "fmt"
f.Printf("%d\n", 1)`, ""},
		{`import ("fmt"; "os")
fmt.Fprint(os.Stdout, "x")`, ""},
		{`import "fmt"
fmt.Sprintln("x")`, "x\n"},
		{`import "os"
os.Stdout.WriteString("x")`, "1"},
		{`func printer() (n int, err error) { return 3, nil }
printer()`, "3"},
		{`func none() {}
none()`, ""},
		{`func() {}`, "<func()>"},
		{`make(chan int)`, "<chan int>"},
		{`struct{ A *int; B any; c []int }{}`, "{A:<nil> B:<nil> c:[]}"},
		{`map[string]any{"x": 1, "nested": map[int]bool{2: true}}`, "map[nested:map[2:true] x:1]"},
		{`[]error{nil}`, "[<nil>]"},
		{`[]byte("ab")`, "[97 98]"},
		{`float32(0.1)`, "0.1"},
		{`if true { 5 }`, ""},
		{`import "gonum.org/v1/gonum/mat"
mat.NewDense(2, 2, []float64{1, 2, 3, 4.5})`, "2 x 2 matrix\n  1    2\n  3  4.5"},
		{`import "gonum.org/v1/gonum/blas/blas32"
blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: []float32{0.5, 100}}`, "1 x 2 matrix\n  0.5  100"},
	}
	s := open(t)
	for _, test := range tests {
		if got := run(t, s, test.cell).result(); got != test.want {
			t.Errorf("%s\ngave %q, want %q", test.cell, got, test.want)
		}
	}
}

func TestHugeResultsAreShort(t *testing.T) {
	s := open(t)
	for _, cell := range []string{
		"make([]float64, 1_000_000)",
		"[3][]int{make([]int, 50_000)}",
		"m := map[int]string{}\nfor i := range 20_000 {\n\tm[i] = \"v\"\n}\nm",
		"import \"strings\"\nstrings.Repeat(\"é\", 1_000_000)",
		"import \"gonum.org/v1/gonum/mat\"\nmat.NewDense(1000, 1000, nil)",
		"import \"gonum.org/v1/gonum/blas/blas32\"\nblas32.General{Rows: 1000, Cols: 1000, Stride: 1000, Data: make([]float32, 1_000_000)}",
		"type T struct {\n\tnext *T\n\tdata [100]int\n}\nt := &T{}\nfor range 10_000 {\n\tt = &T{next: t}\n}\nt",
		"import \"errors\"\nerrors.New(strings.Repeat(\"x\", 1_000_000))",
	} {
		if n := len(run(t, s, cell).result()); n == 0 || n > 20_000 {
			t.Errorf("%s\nis shown in %d bytes", cell, n)
		}
	}
	matrix := run(t, s, "mat.NewDense(1000, 1000, nil)").result()
	if !strings.HasPrefix(matrix, "1000 x 1000 matrix\n") || strings.Count(matrix, "\n") != 9 {
		t.Errorf("a matrix is shown as\n%s", matrix)
	}
}

// figure is a compiled value as charts makes them.
type figure struct{ title string }

func (f *figure) MIMEBundle() map[string]any {
	return map[string]any{"text/html": "<b>" + f.title + "</b>", "image/png": []byte{1, 2}, "text/plain": f.title}
}
func (f *figure) MIMEMetadata() map[string]any {
	return map[string]any{"image/png": map[string]any{"width": 3}}
}
func (f *figure) MIMEPrelude() (id, html string) { return "library", "<script>1</script>" }

// plain has a bundle and no text of its own.
type plain struct{ N int }

func (p plain) MIMEBundle() map[string]any { return map[string]any{"text/html": "<i/>"} }

func init() {
	imports.Packages["test/figure"] = imports.Package{
		Name: "figure",
		Binds: map[string]reflect.Value{
			"New":   reflect.ValueOf(func(title string) *figure { return &figure{title} }),
			"Plain": reflect.ValueOf(func(n int) plain { return plain{n} }),
			"Nil":   reflect.ValueOf(func() *figure { return nil }),
		},
		Types: map[string]reflect.Type{"Figure": reflect.TypeFor[figure]()},
	}
}

func TestValuesShowThemselves(t *testing.T) {
	s := open(t)
	o := run(t, s, "import \"test/figure\"\nfigure.New(\"one\")")
	want := display.MIMEMap{"text/html": "<b>one</b>", "image/png": []byte{1, 2}, "text/plain": "one"}
	if o.data == nil || !reflect.DeepEqual(o.data.Data, want) || !reflect.DeepEqual(o.data.Metadata, display.MIMEMap{"image/png": map[string]any{"width": 3}}) {
		t.Errorf("the result is %v", o.data)
	}
	if o := run(t, s, "figure.Plain(3)"); !reflect.DeepEqual(o.data.Data, display.MIMEMap{"text/html": "<i/>", "text/plain": "{N:3}"}) {
		t.Errorf("a bundle without text is %v", o.data.Data)
	}
	if o := run(t, s, "figure.Nil()"); o.result() != "<nil>" || len(o.data.Data) != 1 {
		t.Errorf("a nil figure is %v", o.data.Data)
	}
	if o := run(t, s, "func two() (*figure.Figure, error) { return figure.New(\"two\"), nil }\ntwo()"); o.data.Data["text/html"] != "<b>two</b>" {
		t.Errorf("a figure with a nil error is %v", o.data.Data)
	}
	if o := run(t, s, "[]*figure.Figure{figure.New(\"a\")}"); len(o.data.Data) != 1 {
		t.Errorf("a list of figures is %v", o.data.Data)
	}
}

// The methods of gophernotes' interfaces, on types of cells.
func TestInterpretedValuesShowThemselves(t *testing.T) {
	s := open(t)
	for _, test := range []struct {
		cell, mime string
		want       any
	}{
		{"type H struct{ s string }\nfunc (h H) HTML() string { return \"<i>\" + h.s + \"</i>\" }\nH{\"x\"}", "text/html", "<i>x</i>"},
		{"&H{\"p\"}", "text/html", "<i>p</i>"},
		{"type P struct{}\nfunc (*P) PNG() []byte { return []byte{9} }\n&P{}", "image/png", []byte{9}},
		{"P{}", "image/png", []byte{9}},
		{"type L int\nfunc (l L) Latex() string { return \"$x$\" }\nL(1)", "text/latex", "$x$"},
		{"type J struct{}\nfunc (J) JSON() map[string]interface{} { return map[string]interface{}{\"a\": 1} }\nJ{}", "application/json", map[string]any{"a": 1}},
		{"type E struct {\n\tH\n\tn int\n}\nE{H{\"embedded\"}, 1}", "text/html", "<i>embedded</i>"},
		{"type B struct{}\nfunc (B) MIMEBundle() map[string]any { return map[string]any{\"text/markdown\": \"# b\"} }\nB{}", "text/markdown", "# b"},
		{"type R struct{}\nfunc (R) Render() display.Data { return display.HTML(\"<u/>\") }\nR{}", "text/html", "<u/>"},
		{"type S struct{}\nfunc (S) SimpleRender() display.MIMEMap { return display.MIMEMap{\"text/html\": \"<s/>\"} }\nS{}", "text/html", "<s/>"},
		{"func show(h display.HTMLer) display.Data { return display.HTML(\"(\" + h.HTML() + \")\") }\nshow(H{\"x\"})", "text/html", "(<i>x</i>)"},
		{"var hs []display.HTMLer = []display.HTMLer{H{\"a\"}, &H{\"b\"}}\nhs[1]", "text/html", "<i>b</i>"},
		{"type Shower interface{ HTML() string }\nvar sh Shower = H{\"held\"}\nsh", "text/html", "<i>held</i>"},
		{"display.Markdown(\"# m\")", "text/markdown", "# m"},
	} {
		o := run(t, s, test.cell)
		if o.data == nil || !reflect.DeepEqual(o.data.Data[test.mime], test.want) {
			t.Errorf("%s\ngave %v", test.cell, o.data)
			continue
		}
		if _, ok := o.data.Data["text/plain"].(string); !ok {
			t.Errorf("%s\nhas no text", test.cell)
		}
	}
}

func TestImagesShowThemselves(t *testing.T) {
	s := open(t)
	for _, cell := range []string{
		"import \"image\"\nimage.NewGray(image.Rect(0, 0, 3, 2))",
		"import \"image/color\"\ntype I struct{}\nfunc (I) ColorModel() color.Model { return color.GrayModel }\nfunc (I) Bounds() image.Rectangle { return image.Rect(0, 0, 3, 2) }\nfunc (I) At(x, y int) color.Color { return color.Gray{uint8(x)} }\nI{}",
	} {
		o := run(t, s, cell)
		content, _ := o.data.Data["image/png"].([]byte)
		img, err := png.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s\n%v", cell, err)
		}
		if size := img.Bounds().Size(); size.X != 3 || size.Y != 2 {
			t.Errorf("%s\nhas size %v", cell, size)
		}
	}
}

func TestDisplay(t *testing.T) {
	s := open(t)
	run(t, s, "import \"test/figure\"\ntype H struct{}\nfunc (H) HTML() string { return \"<h/>\" }")
	for _, test := range []struct{ cell, mime, want string }{
		{"Display(display.HTML(\"<b/>\"))", "text/html", "<b/>"},
		{"display.Display(H{})", "text/html", "<h/>"},
		{"Display(&H{})", "text/html", "<h/>"},
		{"display.Display(figure.New(\"f\"))", "text/html", "<b>f</b>"},
		{"Display(42)", "text/plain", "42"},
		{"Display(\"text\")", "text/plain", "text"},
		{"Display([]int{1, 2})", "text/plain", "[1 2]"},
		{"Display(nil)", "text/plain", "<nil>"},
		{"var x any = 5\nDisplay(x)", "text/plain", "5"},
		{"err := Display(1.5)\nif err != nil { panic(err) }", "text/plain", "1.5"},
		{"import g \"github.com/gopherdata/gophernotes\"\ng.Display(g.Math(\"x^2\"))", "text/latex", "$$x^2$$"},
		{"func show() { Display(H{}) }\nshow()", "text/html", "<h/>"},
	} {
		o := run(t, s, test.cell)
		if o.data != nil {
			t.Errorf("%s\nhas the result %v", test.cell, o.data)
		}
		n := len(o.events)
		if n == 0 || o.events[n-1].kind != "display" || o.events[n-1].data.Data[test.mime] != test.want {
			t.Errorf("%s\nshowed %v", test.cell, o.events)
		}
	}
}

func TestPreludeIsSentOnce(t *testing.T) {
	s := open(t)
	preludes := func(id, source string) (n int, first bool) {
		o := &outcome{}
		o.data, o.err = s.Run(context.Background(), Cell{Name: "cell", ID: id, Source: source}, &o.recorder)
		if o.err != nil {
			t.Fatal(o.err)
		}
		for i, e := range o.events {
			if e.data.Data["text/html"] == "<script>1</script>" {
				n++
				first = i == 0
			}
		}
		return n, first
	}
	steps := []struct {
		id, source string
		want       int
	}{
		{"a", "import \"test/figure\"", 0},
		{"b", "figure.New(\"x\")", 1},
		{"b2", "figure.New(\"x\")", 0},
		{"b", "Display(figure.New(\"y\"))\nDisplay(figure.New(\"z\"))", 1},
		{"c", "Display(figure.New(\"x\"))", 0},
		{"a", "1", 0},
		{"", "figure.New(\"x\")", 0},
		{"b", "1", 0},
		{"c", "figure.New(\"x\")", 1},
		{"b", "figure.New(\"x\")", 0},
	}
	for i, step := range steps {
		n, first := preludes(step.id, step.source)
		if n != step.want || n > 0 && !first {
			t.Errorf("step %d (cell %q): %d preludes, want %d, first %v", i, step.id, n, step.want, first)
		}
	}
}

func TestARenderMethodThatPanicsIsTheCellsError(t *testing.T) {
	s := open(t)
	o := runCell(s, "cell", "type H struct{}\nfunc (H) HTML() string { panic(\"no picture\") }\nH{}")
	if e := o.failure(t); e.Value != "no picture" || e.Line != 2 {
		t.Errorf("the error is %v", e)
	}
	if got := run(t, s, "1").result(); got != "1" {
		t.Error(fmt.Sprint("after it: ", got))
	}
}

func TestSeveralValues(t *testing.T) {
	s := open(t)
	run(t, s, "m := map[string]int{\"a\": 1}\nv, ok := m[\"a\"]\nvar err error\ntype D int\nfunc (d D) String() string { return \"day\" }")
	for cell, want := range map[string]string{
		"v, ok":                "1 true",
		"v, ok // both":        "1 true",
		"w := 2\nw, v,\n\tw+v": "2 1 3",
		"v, err":               "1",
		"\"a,b\", []int{1, 2}[1], m[\"a\"], D(2)": "a,b 2 1 day",
		"v, ok;": "",
		"if v, ok := m[\"a\"]; ok { v++ }\nv, `x\ny`": "1 x\ny",
		"func(n int) int { return n }(3), v":          "3 1",
	} {
		o := runCell(s, "cell", cell)
		if o.err != nil {
			t.Errorf("%s gave %v", cell, o.err)
		} else if got := o.result(); got != want {
			t.Errorf("%s gave %q, want %q", cell, got, want)
		}
	}
}

func TestMainIsNotRun(t *testing.T) {
	s := open(t)
	const note = "func main is declared but a cell does not run it by itself: end the cell with main()\n"
	for cell, want := range map[string]string{
		"package main\nimport \"fmt\"\nfunc main() { fmt.Print(\"hi\") }": note,
		"import \"fmt\"\nfunc main() { fmt.Print(\"hi\") }\nmain()":       "",
		"type T struct{}\nfunc (T) main() {}":                             "",
		"func f() {}":                                                     "",
	} {
		if got := run(t, s, cell).text("stderr"); got != want {
			t.Errorf("%s printed %q, want %q", cell, got, want)
		}
	}
}

func TestResultsOfOwnTypesInside(t *testing.T) {
	s := open(t)
	run(t, s, `import ("errors"; "fmt")
type Colour int
func (c Colour) String() string { return []string{"red", "green"}[c] }
type T struct{ n int; c Colour; next *T }
func (t *T) Label() string { return fmt.Sprint("T", t.n) }
type P struct{ x int }
func (p *P) String() string { return fmt.Sprint("P", p.x) }
type E struct{ code int }
func (e E) Error() string { return fmt.Sprint("code ", e.code) }
type Shape interface{ Area() float64 }
type Sq struct{ a float64 }
func (s Sq) Area() float64 { return s.a * s.a }
func (s Sq) String() string { return fmt.Sprint("square ", s.a) }`)
	for _, test := range []struct{ source, want string }{
		{"[]Colour{0, 1}", "[red green]"},
		{"map[Colour][]Colour{1: {0}}", "map[green:[red]]"},
		{"T{1, 1, nil}", "{n:1 c:green next:<nil>}"},
		{"&T{2, 0, nil}", "&{n:2 c:red next:<nil>}"},
		{"[]*P{{1}, nil}", "[P1 <nil>]"},
		{"[2]P{{1}, {2}}", "[P1 P2]"},
		{"[]error{E{1}, errors.New(\"plain\"), nil}", "[code 1 plain <nil>]"},
		{"[]Shape{Sq{2}, nil}", "[square 2 <nil>]"},
		{"map[string]Shape{\"a\": Sq{3}}", "map[a:square 3]"},
		{"struct{ S Shape; E error; C Colour }{Sq{1}, E{2}, 1}", "{S:square 1 E:code 2 C:green}"},
	} {
		if got := run(t, s, test.source).result(); got != test.want {
			t.Errorf("%s shows %s, want %s", test.source, got, test.want)
		}
	}
}
