package interp

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// complete completes at the | in source.
func complete(t testing.TB, s *Session, source string) Completion {
	t.Helper()
	before, after, ok := strings.Cut(source, "|")
	if !ok {
		t.Fatalf("no cursor in %q", source)
	}
	c, err := s.Complete(context.Background(), before+after, utf8.RuneCountInString(before))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestComplete(t *testing.T) {
	s := open(t)
	run(t, s, `import ("strings"; str "strings"; "gonum.org/v1/gonum/mat")
type Point struct { X, Y int; name string }
func (p *Point) Move(dx int) {}
func (p Point) Norm() float64 { return 0 }
type Deep struct { Point; Depth int }
type Tree struct { Left, Right *Tree }
func (t *Tree) Walk() *Tree { return t }
myVariable, myVector := 1, mat.NewVecDense(2, nil)
func myFunction() *Point { return nil }
const myConstant = 3
point, deep, tree := &Point{}, Deep{}, &Tree{}
points := []Point{{}}
byName := map[string]*Point{}
`)
	tests := []struct {
		source string
		want   []string // all of these
		not    []string // none of these
	}{
		{"my|", []string{"myConstant", "myFunction", "myVariable", "myVector"}, []string{"make"}},
		{"x := myV|", []string{"myVariable", "myVector"}, []string{"myFunction"}},
		{"Poi|", []string{"Point"}, nil},
		{"strings.ToU|", []string{"ToUpper", "ToUpperSpecial"}, []string{"ToLower"}},
		{"strings.|", []string{"Builder", "Cut", "ToUpper"}, nil},
		{"str.ToU|", []string{"ToUpper"}, nil},
		{"fmt.Println(strings.ToU|)", []string{"ToUpper"}, nil},
		{"import \"sort\"\nsort.Sl|", []string{"Slice", "SliceStable"}, nil},
		{"import (\n\tm \"math\"\n)\nm.Sqr|", []string{"Sqrt"}, nil},
		{"import \"gonum.org/v1/gonum/st|\"", []string{"gonum.org/v1/gonum/stat"}, []string{"gonum.org/v1/gonum/mat"}},
		{"import \"strco|", []string{"strconv"}, nil},
		{"Point{|", []string{"X", "Y", "name"}, []string{"Move", "point"}},
		{"p := &Point{X: 1, |}", []string{"Y", "name"}, []string{"X"}},
		{"p := Point{\n\tX: 1,\n\tY|", []string{"Y"}, []string{"X"}},
		{"[]Point{{na|", []string{"name"}, []string{"X"}},
		{"map[string]*Point{\"a\": {|", []string{"X", "name"}, nil},
		{"import \"github.com/rlx-go/gopherscope/charts\"\ncharts.Line{Ti|", []string{"Title"}, []string{"Series"}},
		{"import \"github.com/rlx-go/gopherscope/charts\"\ncharts.Line{X: charts.Axis{La|", []string{"Label"}, []string{"Title"}},
		{"func f() Point {|", nil, []string{"X", "name"}},
		{"if myVariable {|", nil, []string{"X", "name"}},
		{"[]Point{|", nil, []string{"X", "name"}},
		{"p := Point{X: |", nil, []string{"Y", "name"}},
		{"point.|", []string{"X", "Y", "name", "Move", "Norm"}, nil},
		{"point.M|", []string{"Move"}, []string{"X"}},
		{"deep.|", []string{"Point", "Depth", "X", "Norm", "Move"}, nil},
		{"deep.Point.N|", []string{"Norm"}, nil},
		{"tree.Left.Right.|", []string{"Left", "Right", "Walk"}, nil},
		{"tree.Walk().L|", []string{"Left"}, nil},
		{"myFunction().M|", []string{"Move"}, nil},
		{"points[0].N|", []string{"Norm"}, nil},
		{"byName[\"a\"].N|", []string{"Norm"}, nil},
		{"myVector.At|", []string{"AtVec"}, nil},
		{"ctx.|", []string{"Done", "Err", "Deadline", "Value"}, nil},
		{"%|", []string{"%doc", "%help", "%who"}, []string{"$"}},
		{"point\n%re|", []string{"%reset"}, []string{"%who"}},
		{"%doc strings.ToU|", []string{"ToUpper"}, nil},
		{"point.X %re|", nil, []string{"%reset"}},
		{"display.H|", []string{"HTML"}, nil},
		{"display.Dis|", []string{"Display"}, nil},
		{"for i := ran|", []string{"range"}, nil},
		{"var x float|", []string{"float32", "float64"}, nil},
		{"é := 1; myV|", []string{"myVariable"}, nil},
		{"point.\n\tM|", []string{"Move"}, nil},
		{"if point.X == 1 {\n\tpoint.M|\n}", []string{"Move"}, nil},
	}
	for _, test := range tests {
		got := complete(t, s, test.source)
		for _, want := range test.want {
			if !slices.Contains(got.Matches, want) {
				t.Errorf("%q lacks %s: %v", test.source, want, got.Matches)
			}
		}
		for _, not := range test.not {
			if slices.Contains(got.Matches, not) {
				t.Errorf("%q has %s: %v", test.source, not, got.Matches)
			}
		}
		if !slices.IsSorted(got.Matches) {
			t.Errorf("%q: not sorted: %v", test.source, got.Matches)
		}
		for _, m := range got.Matches {
			if strings.Contains(m, hidden) {
				t.Errorf("%q offers the hidden name %q", test.source, m)
			}
		}
	}
}

func TestCompleteOffersNothing(t *testing.T) {
	s := open(t)
	run(t, s, "name := 1")
	for _, source := range []string{
		"|", "x := |", "\"nam|\"", "\"nam|", "`nam|", "// nam|", "nosuch.|", "name.|", "f().|", "1.|", ")|.", "x.(|", "nam.e.|", "func() {}.|", "import \"zzz|",
	} {
		got := complete(t, s, source)
		cursor := utf8.RuneCountInString(source[:strings.Index(source, "|")])
		if len(got.Matches) > 0 {
			t.Errorf("%q offers %v", source, got.Matches)
		}
		if got.Start > cursor || got.End != cursor {
			t.Errorf("%q: [%d,%d) with the cursor at %d", source, got.Start, got.End, cursor)
		}
	}
}

func TestCompleteOffsetsAreCodePoints(t *testing.T) {
	s := open(t)
	run(t, s, "größe := 1\nimport \"strings\"")
	if got := complete(t, s, "日本 := grö|ße"); !slices.Equal(got.Matches, []string{"größe"}) || got.Start != 6 || got.End != 9 {
		t.Errorf("got %+v", got)
	}
	if got := complete(t, s, "\"é\" + strings.ToUpp|"); !slices.Contains(got.Matches, "ToUpper") || got.Start != 14 || got.End != 19 {
		t.Errorf("got %+v", got)
	}
}

func TestCompleteWhileACellRuns(t *testing.T) {
	s := open(t)
	run(t, s, "name := 1")
	ctx, cancel := context.WithCancel(context.Background())
	running, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = s.Run(ctx, Cell{Name: "cell", Source: "println(1)\nfor {\n}"}, &startSink{recorder: &recorder{}, started: func() { close(running) }})
	}()
	<-running
	if got := complete(t, s, "nam|"); len(got.Matches) > 0 || got.Start != 3 || got.End != 3 {
		t.Errorf("got %+v", got)
	}
	cancel()
	<-ended
	if got := complete(t, s, "nam|"); !slices.Equal(got.Matches, []string{"name"}) {
		t.Errorf("after the cell: %+v", got)
	}
}

func TestCompleteAnywhere(t *testing.T) {
	s := open(t)
	for _, test := range language[:40] {
		source := strings.Join(test.cells, "\n")
		for cursor := range utf8.RuneCountInString(source) + 2 {
			c, err := s.Complete(context.Background(), source, cursor)
			if err != nil || c.Start < 0 || c.Start > c.End || c.End != cursor {
				t.Fatalf("%q at %d: %+v, %v", source, cursor, c, err)
			}
		}
	}
}

func TestCompletionTypes(t *testing.T) {
	s := open(t)
	run(t, s, "import \"strings\"\ntype Tree struct{ left *Tree; n int }\nfunc (t Tree) lift(by int) int { return t.n + by }\nfunc light(x float64, s ...string) error { return nil }\nconst lamp = 3\nlist := []int{1}\nlent := Tree{}")
	for _, test := range []struct{ source, match, kind, signature string }{
		{"li", "light", "function", "(x float64, s ...string) error"},
		{"li", "list", "variable", ""},
		{"la", "lamp", "constant", ""},
		{"le", "len", "function", ""},
		{"Tr", "Tree", "struct", ""},
		{"err", "error", "interface", ""},
		{"str", "strings", "module", ""},
		{"fo", "for", "keyword", ""},
		{"lent.", "left", "field", ""},
		{"lent.", "lift", "method", "(by int) int"},
		{"strings.To", "ToUpper", "function", "(string) string"},
		{"strings.B", "Builder", "struct", ""},
		{"import \"os\"\no", "os", "module", ""},
		{"import \"os\"\nos.O_RDO", "O_RDONLY", "constant", ""},
		{"import \"os\"\nos.Ar", "Args", "variable", ""},
	} {
		got, err := s.Complete(t.Context(), test.source, len(test.source))
		i := slices.Index(got.Matches, test.match)
		if err != nil || i < 0 {
			t.Errorf("%s: %v, %v", test.source, got.Matches, err)
			continue
		}
		if got.Types[i] != test.kind || got.Signatures[i] != test.signature {
			t.Errorf("%s: %s is a %s %q, want %s %q", test.source, test.match, got.Types[i], got.Signatures[i], test.kind, test.signature)
		}
	}
}

func TestEvaluate(t *testing.T) {
	s := open(t)
	run(t, s, "x := 20")
	data, err := s.Evaluate(t.Context(), "x + 1")
	if err != nil || data == nil || data.Data["text/plain"] != "21" {
		t.Errorf("x + 1 is %v, %v", data, err)
	}
	for _, bad := range []string{"undefined", "x = 3", "", "x, x", "x +", "func f() {}"} {
		if data, err := s.Evaluate(t.Context(), bad); err == nil {
			t.Errorf("%q is %v", bad, data)
		}
	}
	if got := run(t, s, "x").result(); got != "20" {
		t.Errorf("x is %s", got)
	}
}
