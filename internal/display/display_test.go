package display

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

func TestMake(t *testing.T) {
	tests := []struct {
		name string
		got  Data
		want MIMEMap
	}{
		{"HTML", HTML("<b>"), MIMEMap{"text/html": "<b>", "text/plain": "<b>"}},
		{"JavaScript", JavaScript("f()"), MIMEMap{"application/javascript": "f()", "text/plain": "f()"}},
		{"Markdown", Markdown("# a"), MIMEMap{"text/markdown": "# a", "text/plain": "# a"}},
		{"SVG", SVG("<svg/>"), MIMEMap{"image/svg+xml": "<svg/>", "text/plain": "<svg/>"}},
		{"PNG", PNG([]byte{1, 2}), MIMEMap{"image/png": []byte{1, 2}, "text/plain": "<image/png, 2 bytes>"}},
		{"JPEG", JPEG(nil), MIMEMap{"image/jpeg": []byte(nil), "text/plain": "<image/jpeg, 0 bytes>"}},
		{"PDF", PDF([]byte{1}), MIMEMap{"application/pdf": []byte{1}, "text/plain": "<application/pdf, 1 bytes>"}},
		{"JSON", JSON(map[string]any{"a": 1}), MIMEMap{"application/json": map[string]any{"a": 1}, "text/plain": "map[a:1]"}},
		{"Latex", Latex("x^2"), MIMEMap{"text/latex": "$x^2$", "text/plain": "x^2"}},
		{"Latex with dollars", Latex("$x$"), MIMEMap{"text/latex": "$x$", "text/plain": "$x$"}},
		{"Math", Math("$$x$$"), MIMEMap{"text/latex": "$$x$$", "text/plain": "$$x$$"}},
		{"text", MakeData("text/plain", "t"), MIMEMap{"text/plain": "t"}},
		{"with text", MakeData3("a/b", "t", 5), MIMEMap{"a/b": 5, "text/plain": "t"}},
		{"Any text", Any("", "t"), MIMEMap{"text/plain": "t"}},
		{"Any string of a type", Any("text/html", "<b>"), MIMEMap{"text/html": "<b>", "text/plain": "<b>"}},
		{"Any reader", Any("text/csv", strings.NewReader("a,b")), MIMEMap{"text/csv": "a,b", "text/plain": "a,b"}},
		{"Any writer", Any("image/png", io.WriterTo(bytes.NewBufferString("p"))), MIMEMap{"image/png": []byte("p"), "text/plain": "<image/png, 1 bytes>"}},
		{"Auto of another value", Auto([]int{1}), MIMEMap{"text/plain": "[1]"}},
		{"Auto of nothing", Auto(nil), MIMEMap{"text/plain": "<nil>"}},
		{"Any shows itself", Any("x/y", simple{}), MIMEMap{"text/html": "<s/>", "text/plain": "{}"}},
		{"Auto detects", Auto([]byte("\x89PNG\r\n\x1a\n")), MIMEMap{"image/png": []byte("\x89PNG\r\n\x1a\n"), "text/plain": "<image/png, 8 bytes>"}},
		{"Auto detects HTML", Auto([]byte("<html></html>")), MIMEMap{"text/html": "<html></html>", "text/plain": "<html></html>"}},
	}
	for _, test := range tests {
		if !reflect.DeepEqual(test.got.Data, test.want) {
			t.Errorf("%s: %v, want %v", test.name, test.got.Data, test.want)
		}
	}
	for name, d := range map[string]Data{
		"HTML":      HTML(strings.Repeat("日", 1_000_000)),
		"Latex":     Latex(strings.Repeat("x", 1_000_000)),
		"Any":       Any("text/csv", strings.NewReader(strings.Repeat("1,2\n", 1_000_000))),
		"Auto":      Auto(make([]int, 1_000_000)),
		"JSON text": MakeData("application/json", strings.Repeat(" ", 1_000_000)),
	} {
		if plain, ok := d.Data["text/plain"].(string); !ok || len(plain) > 10_000 || !utf8.ValidString(plain) {
			t.Errorf("the text beside %s has %d bytes", name, len(plain))
		}
	}
	if text := strings.Repeat("x", 1_000_000); MakeData("text/plain", text).Data["text/plain"] != text {
		t.Error("text that is the content itself is cut")
	}
	if d := MIME(MIMEMap{"a/b": 1}, MIMEMap{"c": 2}); d.Data["a/b"] != 1 || d.Metadata["c"] != 2 {
		t.Errorf("MIME gave %v", d)
	}
}

func TestFileAndImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.png")
	img := image.NewGray(image.Rect(0, 0, 5, 3))
	img.SetGray(4, 2, color.Gray{200})
	shown := Image(img)
	content := shown.Data["image/png"].([]byte)
	decoded, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if got := color.GrayModel.Convert(decoded.At(4, 2)); got != (color.Gray{200}) || decoded.Bounds() != img.Bounds() {
		t.Errorf("pixel %v of %v", got, decoded.Bounds())
	}
	if !reflect.DeepEqual(shown.Metadata, MIMEMap{"image/png": MIMEMap{"width": 5, "height": 3}}) {
		t.Errorf("metadata %v", shown.Metadata)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := File("", path); !reflect.DeepEqual(got.Data["image/png"], content) {
		t.Errorf("the file is shown as %v", got.Data)
	}
}

func TestMakePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"missing file": func() { File("", "/no/such/file") },
		"number":       func() { Any("text/html", 5) },
		"bad reader":   func() { Any("", io.MultiReader(failing{})) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(error); !ok {
					t.Errorf("%s: no panic with an error", name)
				}
			}()
			f()
		}()
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

type simple struct{}

func (simple) SimpleRender() MIMEMap { return MIMEMap{"text/html": "<s/>"} }

type everything struct{}

func (everything) HTML() string               { return "h" }
func (everything) PNG() []byte                { return []byte("p") }
func (everything) JSON() map[string]any       { return map[string]any{"j": 1} }
func (everything) Markdown() string           { return "m" }
func (everything) String() string             { return "s" }
func (everything) SVG() int                   { return 0 } // another SVG than ours
func (everything) MIMEPrelude() (string, int) { return "", 0 }

type bundle struct{ m map[string]any }

func (b *bundle) MIMEBundle() map[string]any     { return b.m }
func (b *bundle) MIMEPrelude() (id, html string) { return "lib", "<script/>" }

// others has the formats that everything has not.
type others struct{}

func (others) JavaScript() string { return "j" }
func (others) JPEG() []byte       { return []byte("jp") }
func (others) Latex() string      { return "l" }
func (others) PDF() []byte        { return []byte("pdf") }
func (others) SVG() string        { return "svg" }

// renderer shows itself by Render, whatever else it has.
type renderer struct{ others }

func (renderer) Render() Data { return Data{Data: MIMEMap{"text/html": "r", "text/plain": "t"}} }

func TestRender(t *testing.T) {
	b := &bundle{map[string]any{"text/html": "<b/>"}}
	tests := []struct {
		value any
		want  MIMEMap // nil: does not show itself
	}{
		{everything{}, MIMEMap{"text/html": "h", "image/png": []byte("p"), "application/json": map[string]any{"j": 1}, "text/markdown": "m", "text/plain": "s"}},
		{others{}, MIMEMap{"application/javascript": "j", "image/jpeg": []byte("jp"), "text/latex": "l", "application/pdf": []byte("pdf"), "image/svg+xml": "svg", "text/plain": "{}"}},
		{renderer{}, MIMEMap{"text/html": "r", "text/plain": "t"}},
		{b, MIMEMap{"text/html": "<b/>", "text/plain": "&{m:map[text/html:<b/>]}"}},
		{HTML("x"), HTML("x").Data},
		{Data{}, nil},
		{&bundle{}, nil},
		{(*bundle)(nil), nil},
		{5, nil},
		{nil, nil},
		{"text", nil},
		{errors.New("e"), nil},
	}
	for _, test := range tests {
		got, ok := Render(test.value, Methods(test.value))
		if ok != (test.want != nil) || ok && !reflect.DeepEqual(got.Data, test.want) {
			t.Errorf("%T: %v, %v, want %v", test.value, got.Data, ok, test.want)
		}
	}
	if len(b.m) != 1 {
		t.Errorf("Render wrote to the value's own map: %v", b.m)
	}
	if id, html, ok := Prelude(Methods(b)); !ok || id != "lib" || html != "<script/>" {
		t.Errorf("prelude %q %q %v", id, html, ok)
	}
	if _, _, ok := Prelude(Methods(everything{})); ok {
		t.Error("a method of another type is taken for a prelude")
	}
}

type cycle struct {
	Next *cycle
	M    map[string]*cycle
}

// branch is a tree that maps hold by its keys and that leads back to its root, as
// the contexts of package context do.
type branch struct {
	parent   *branch
	children map[any]bool
}

type wideType = struct {
	A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z struct{ X map[string]map[string]error }
}

type text string

func (t text) String() string { return "<" + string(t) + ">" }

type nilError struct{ msg string }

func (e *nilError) Error() string { return e.msg }

// blas has the fields of gonum's blas64.General.
type blas struct {
	Rows, Cols int
	Data       []float64
	Stride     int
}

// dense is read as gonum's mat.Matrix is.
type dense struct{ r, c int }

func (d dense) Dims() (r, c int)       { return d.r, d.c }
func (d dense) At(i, j int) float64    { return float64(i*100 + j) }
func (d dense) Format(fmt.State, rune) {}

func TestText(t *testing.T) {
	loop := &cycle{}
	loop.Next, loop.M = loop, map[string]*cycle{"self": loop}
	tree := &branch{}
	tree.children = map[any]bool{&branch{parent: tree}: true, &branch{parent: tree}: true}
	tests := []struct {
		value any
		want  string
	}{
		{tree, "&{parent:<nil> children:map[&{parent:&... children:map[]}:true &{parent:&... children:map[]}:true]}"},
		{nil, "<nil>"},
		{"as it is\n", "as it is\n"},
		{42, "42"},
		{uint8(7), "7"},
		{true, "true"},
		{1.0, "1"},
		{float32(0.1), "0.1"},
		{1e21, "1e+21"},
		{math.NaN(), "NaN"},
		{complex(1, -2), "(1-2i)"},
		{'a', "97"},
		{[]int{1, 2}, "[1 2]"},
		{[2]string{"a", "b"}, "[a b]"},
		{[]int(nil), "[]"},
		{map[string]int{"b": 2, "a": 1}, "map[a:1 b:2]"},
		{map[int]bool{10: true, 9: false}, "map[9:false 10:true]"},
		{map[float64]int{1.5: 1, -2: 2}, "map[-2:2 1.5:1]"},
		{map[any]int{"a": 1}, "map[a:1]"},
		{struct {
			A int
			b string
		}{1, "x"}, "{A:1 b:x}"},
		{&struct{ P *int }{}, "&{P:<nil>}"},
		{loop, "&{Next:&... M:map[self:&...]}"},
		{[]any{1, "a", nil, []int{2}}, "[1 a <nil> [2]]"},
		{errors.New("failed"), "failed"},
		{[]error{errors.New("a"), nil}, "[a <nil>]"},
		{text("x"), "<x>"},
		{[]text{"x"}, "[<x>]"},
		{[]text{"x", "y"}, "[<x> <y>]"},
		{[]string{strings.Repeat("a", 60), "b", strings.Repeat("c", 61), "d", "e"},
			"[" + strings.Repeat("a", 60) + " b " + strings.Repeat("c", 61) + "\nd\ne]"},
		{[]text{"x\n  more", "y\n  more"}, "[<x\n  more>\n<y\n  more>]"},
		{struct{ T text }{"x"}, "{T:<x>}"},
		{time.Second, "1s"},
		{[]time.Duration{1500}, "[1.5µs]"},
		{(*nilError)(nil), "<nil>"},
		{[]*nilError{nil}, "[<nil>]"},
		{func(int) string { return "" }, "<func(int) string>"},
		{(func())(nil), "<nil>"},
		{make(chan int), "<chan int>"},
		{[]byte("ab"), "[97 98]"},
		{blas{2, 3, []float64{1, 2, 3, 4, 5, 6.5}, 3}, "2 x 3 matrix\n  1  2    3\n  4  5  6.5"},
		{blas{2, 1, []float64{1, 9, 1e-9}, 2}, "2 x 1 matrix\n      1\n  1e-09"},
		{blas{0, 3, nil, 3}, "0 x 3 matrix"},
		{[]blas{{1, 1, []float64{1}, 1}}, "[<1 x 1 matrix>]"},
		{dense{1, 2}, "1 x 2 matrix\n  0  1"},
		{blas{2, 3, []float64{1}, 3}, "{Rows:2 Cols:3 Data:[1] Stride:3}"},
		{blas{math.MaxInt, math.MaxInt, nil, math.MaxInt}, fmt.Sprintf("{Rows:%d Cols:%[1]d Data:[] Stride:%[1]d}", math.MaxInt)},
		{blas{-1, 2, nil, 2}, "{Rows:-1 Cols:2 Data:[] Stride:2}"},
	}
	for _, test := range tests {
		if got := Text(test.value); got != test.want {
			t.Errorf("%T %[1]v:\ngot  %q\nwant %q", test.value, got, test.want)
		}
	}
}

// node is one of a graph in which a few pointers lead to many paths.
type node struct {
	Name  string
	Kids  []*node
	Named map[string]*node
	Any   any
}

// graph returns a node with width ways, through slices, maps and interfaces, to
// each of the depth nodes below it.
func graph(depth, width int) *node {
	n := &node{Name: strings.Repeat("name ", 20), Named: map[string]*node{}}
	if depth > 0 {
		kid := graph(depth-1, width)
		n.Any = kid
		for i := range width {
			n.Kids = append(n.Kids, kid)
			n.Named[fmt.Sprint(i)] = kid
		}
	}
	return n
}

// figure returns a plot that was drawn once, so that its fonts are loaded.
func figure(t *testing.T) *plot.Plot {
	t.Helper()
	p := plot.New()
	line, err := plotter.NewLine(make(plotter.XYs, 1000))
	if err != nil {
		t.Fatal(err)
	}
	p.Add(line, plotter.NewGrid())
	p.Legend.Add("line", line)
	if _, err := p.WriterTo(100, 100, "png"); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTextIsBounded(t *testing.T) {
	deep := any(1)
	for range 100_000 {
		deep = []any{deep}
	}
	wide := make([][][]string, 1000)
	for i := range wide {
		wide[i] = make([][]string, 1000)
		for j := range wide[i] {
			wide[i][j] = []string{"some text", "more text"}
		}
	}
	big := map[int]string{}
	for i := range 50_000 {
		big[i] = strings.Repeat("v", 1000)
	}
	long := text(strings.Repeat("日本", 2000))
	for name, value := range map[string]any{
		"slice":   make([]float64, 5_000_000),
		"array":   [100_000]int{},
		"string":  strings.Repeat("日本", 1_000_000),
		"strings": []string{strings.Repeat("a", 1_000_000), strings.Repeat("b", 1_000_000)},
		"error":   errors.New(strings.Repeat("e", 1_000_000)),
		"map":     big,
		"deep":    deep,
		"wide":    wide,
		"matrix":  blas{5000, 2000, make([]float64, 10_000_000), 2000},
		"dense":   dense{1 << 40, 1 << 40},
		"graph":   graph(50, 200),
		"graphs":  []any{graph(3, 50), graph(5, 5), *graph(9, 1)},
		"plot":    figure(t),
		"plots":   map[string]any{"a": figure(t), "b": []*plot.Plot{figure(t), figure(t)}},
		"long":    struct{ A, B, C, D text }{long, long, long, long},
		"types":   []any{wideType{}, func(wideType) {}, func(wideType) {}},
	} {
		got := Text(value)
		if len(got) > 10_000 || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, valid %v", name, len(got), utf8.ValidString(got))
		}
	}
	if got := Text(make([]int, 200)); !strings.HasSuffix(got, "0 ... (200 elements)]") {
		t.Errorf("a long slice is %q", got)
	}
	if got := Text(dense{100, 3}); got != "100 x 3 matrix\n     0     1     2\n   100   101   102\n   200   201   202\n   300   301   302\n   ...   ...   ...\n  9600  9601  9602\n  9700  9701  9702\n  9800  9801  9802\n  9900  9901  9902" {
		t.Errorf("a tall matrix is\n%s", got)
	}
	if got := Text(dense{9, 9}); strings.Contains(got, "...") || strings.Count(got, "\n") != 9 {
		t.Errorf("a small matrix is\n%s", got)
	}
}

func TestImageTooLarge(t *testing.T) {
	want := "<image of 2000000000 x 2000000000 pixels: too large to show, the limit is 64 million pixels>"
	uniform := image.NewUniform(color.White)
	shown, ok := Render(uniform, Methods(uniform))
	for name, d := range map[string]Data{"Image": Image(uniform), "Render": shown} {
		if len(d.Data) != 1 || d.Data[MIMETypeText] != want {
			t.Errorf("%s gave %v", name, d.Data)
		}
	}
	if !ok {
		t.Error("Render did not show it")
	}
	if d := Image(image.NewGray(image.Rect(3, 3, 3, 9))); len(d.Data) != 1 || d.Data[MIMETypeText] != "<image of 0 x 6 pixels: nothing to show>" {
		t.Errorf("an empty image gave %v", d.Data)
	}
	line := image.NewAlpha(image.Rect(0, 0, maxPixels/1000, 1))
	if d := Image(line); d.Data[MIMETypePNG] == nil {
		t.Errorf("an image of %v gave %v", line.Bounds(), d.Data)
	}
}
