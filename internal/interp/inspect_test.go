package interp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cosmos72/gomacro/imports"

	"github.com/rlx-go/gopherscope/internal/bindings"
	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp/docs"
)

func TestInspect(t *testing.T) {
	s := open(t)
	run(t, s, `import ("strings"; "gonum.org/v1/gonum/mat"; "github.com/rlx-go/gopherscope/opscope")
// Area is how large it is.
//
// In square metres.
func Area(w, h float64) float64 { return w * h }
// Point is a place.
type Point struct{ X, Y int }
// Norm is its square.
func (p Point) Norm() int { return p.X*p.X + p.Y*p.Y }
p := Point{3, 4}
var b strings.Builder
m := mat.NewDense(2, 2, nil)`)
	tests := []struct {
		source string // the cursor is at the |
		want   []string
	}{
		{"Area|", []string{"func Area(w, h float64) float64", "Area is how large it is.", "In square metres."}},
		{"Area(1, |2)", []string{"func Area("}},
		{"x := Area(p.X, |", []string{"func Area("}},
		{"Poi|nt{}", []string{"type Point struct{ X, Y int }", "Point is a place."}},
		{"p.No|rm()", []string{"func (p Point) Norm() int", "Norm is its square."}},
		{"p.X|", []string{"field X int"}},
		{"p|", []string{"var p Point", "{X:3 Y:4}"}},
		{"strings.Cut|(s, sep)", []string{"func Cut(s, sep string) (before, after string, found bool)", "Cut slices s around the first instance of sep"}},
		{"strings.Cut(|)", []string{"func Cut("}},
		{"strings|", []string{"package strings", "Package strings implements simple functions"}},
		{"b.WriteString|", []string{"func (b *Builder) WriteString(s string)"}},
		{"m.At|", []string{"func (m *Dense) At(i, j int) float64", "At returns the element at row i, column j."}},
		{"mat.Dense|", []string{"type Dense struct", "matrix"}},
		{"opscope.Recommend|", []string{"func Recommend("}},
		{"import \"os\"\nos.ReadFile|", []string{"func ReadFile(name string) ([]byte, error)"}},
		{"import \"net/ht|tp\"", []string{"package http", "Package http provides HTTP client and server"}},
		{"len|", []string{"func len(", "The len built-in function"}},
		{"display.Progress(|", []string{"func Progress(label string, total int) *Bar"}},
		{"Display|", []string{"func Display(value any) error"}},
		{"display.HTML|", []string{"func HTML(html string) Data"}},
		{"import \"slices\"\nslices.Sort|", []string{"func Sort[S ~[]E, E cmp.Ordered](x S)"}},
		{"nothing|", nil},
		{"\"Area|\"", nil},
		{"|", nil},
	}
	for _, test := range tests {
		before, after, _ := strings.Cut(test.source, "|")
		data, err := s.Inspect(t.Context(), before+after, len([]rune(before)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if data == nil || test.want == nil {
			if (data == nil) != (test.want == nil) {
				t.Errorf("%s: %v", test.source, data)
			}
			continue
		}
		for _, mimeType := range []string{display.MIMETypeText, display.MIMETypeMarkdown} {
			text, _ := data.Data[mimeType].(string)
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %s is\n%s\nand lacks %q", test.source, mimeType, text, want)
				}
			}
		}
	}
}

func TestInspectInDetailSaysWhere(t *testing.T) {
	s := open(t)
	run(t, s, "n := 1\nfunc f() {}\ntype T struct{}\nfunc (T) m() {}")
	for source, line := range map[string]int{"n": 1, "f": 2, "T": 3, "T{}.m": 4} {
		want := fmt.Sprint("declared in cell, line ", line)
		for detail, has := range []bool{false, true} {
			data, err := s.Inspect(t.Context(), source, len(source), detail)
			if err != nil || data == nil {
				t.Fatalf("%s: %v, %v", source, data, err)
			}
			if text := data.Data[display.MIMETypeText].(string); strings.Contains(text, want) != has {
				t.Errorf("%s with detail %d is\n%s", source, detail, text)
			}
		}
	}
}

// pager is a sink with a place for pages.
type pager struct {
	recorder
	pages []display.Data
}

func (p *pager) Page(data display.Data) { p.pages = append(p.pages, data) }

func TestCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t)
	if got := run(t, s, "%who").text("stdout"); got != "no names yet\n" {
		t.Errorf("%%who of a new notebook prints %q", got)
	}
	o := run(t, s, "// first\n%cd ..\n  $ echo from the shell; echo to stderr >&2\nimport \"strings\"\nfunc double(x int) int { return 2 * x }\ntype T struct{ A int }\nconst c = 1.5\nn, list, v := 7, []string{\"a\", \"b\"}, T{1}\n_ = strings.ToUpper\nn\n// last\n%who\n")
	want := `T         type                  struct{A int}
c         const untyped float   1.5
double    func(x int) int       
list      []string              [a b]
n         int                   7
strings   package               strings
v         T                     {A:1}
`
	if got := o.text("stdout"); !strings.HasSuffix(got, "from the shell\n"+want) {
		t.Errorf("the cell printed\n%s\nwant at the end\n%s", got, want)
	}
	if o.result() != "7" || o.text("stderr") != "to stderr\n" {
		t.Errorf("result %q, stderr %q", o.result(), o.text("stderr"))
	}
	run(t, s, "%reset n list")
	runCell(s, "cell", "n").failure(t)
	if got := run(t, s, "double(v.A)").result(); got != "2" {
		t.Errorf("after %%reset of others: %s", got)
	}
	run(t, s, "ctx, display := 1, 2\n%reset")
	if got := run(t, s, "%who").text("stdout"); got != "no names yet\n" {
		t.Errorf("%%who after %%reset prints %q", got)
	}
	if got := run(t, s, "display.Display(ctx.Err())\nimport \"strings\"\nstrings.ToUpper(\"a\")").result(); got != "A" {
		t.Errorf("after %%reset: %s", got)
	}
	if got := run(t, s, "%packages gonum stat").text("stdout"); !strings.Contains(got, "gonum.org/v1/gonum/stat\n") || strings.Contains(got, "strings") {
		t.Errorf("%%packages prints %q", got)
	}
	for _, h := range commandHelp {
		if got := run(t, s, "%help").text("stdout"); !strings.Contains(got, h[0]) {
			t.Errorf("%%help prints %q", got)
		}
	}
	p := &pager{}
	if _, err := s.Run(t.Context(), Cell{Name: "cell", Source: "%doc strings.Cut\n%doc strings.Builder.Len\n%doc mat\n%doc display.HTML"}, p); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"func Cut(", "func (b *Builder) Len() int", "func NewDense(", "func HTML("} {
		if text := p.pages[i].Data[display.MIMETypeText].(string); !strings.Contains(text, want) {
			t.Errorf("page %d is\n%s", i, text)
		}
	}
	if got := run(t, s, "%doc fmt.Println").events[0]; got.kind != "display" || !strings.Contains(got.text, "func Println(") {
		t.Errorf("without a pager: %+v", got)
	}
	if got := run(t, s, "%doc ctx").events[0].text; !strings.Contains(got, "the context of a cell") {
		t.Errorf("%%doc ctx prints %q", got)
	}
	for source, want := range map[string]string{
		"x := 1\n%nosuch":  "cell:2:1: unknown command %nosuch: %help lists them",
		"%doc no.such":     "cell:1:1: nothing is known of no.such...",
		"%doc rand.Int":    "cell:1:1: several packages are called rand: import one, or give the path: \"crypto/rand\", \"math/rand\"",
		"%cd /no/such/dir": "cell:1:1: chdir /no/such/dir: ...",
		"$ exit 3":         "cell:1:1: exit status 3",
		"%reset nosuch":    "cell:1:1: no such name: nosuch",
		"%packages zzz":    "cell:1:1: no package has zzz in its path",
		"x := 1\n%who\ny":  "cell:2:1: ...",
	} {
		e := runCell(s, "cell", source).failure(t)
		prefix, partial := strings.CutSuffix(want, "...")
		if got := e.Error(); got != want && !(partial && strings.HasPrefix(got, prefix)) {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
	if status, _ := s.IsComplete("%who"); status != "complete" {
		t.Errorf("%%who is %s", status)
	}
	ctx := t.Context()
	e := runInterrupted(t, s, "$ echo started; exec sleep 100")
	if e.Name != "Interrupted" || ctx.Err() != nil {
		t.Errorf("an interrupted command gave %v", e)
	}
}

// The documentation is made from the packages of the tables.
func TestEveryNameHasItsDocumentation(t *testing.T) {
	for _, path := range bindings.Packages() {
		entries := docs.Package(path)
		if entries == nil {
			t.Errorf("%s has none: run go generate in internal/interp/docs", path)
			continue
		}
		p := imports.Packages[path]
		for name := range p.Binds {
			if _, ok := entries[name]; !ok {
				t.Errorf("%s.%s has none", path, name)
			}
		}
	}
}
