package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// kinds names the items of a cell and where they begin, as offsets.
func kinds(p parsed) string {
	var list []string
	for _, item := range p.items {
		at := int(item.Pos()) - minBase
		switch item := item.(type) {
		case *ast.GenDecl:
			list = append(list, fmt.Sprint(item.Tok, "@", at))
		case *ast.FuncDecl:
			kind := "func"
			if item.Recv != nil {
				kind = "method"
			}
			list = append(list, fmt.Sprint(kind, " ", item.Name.Name, "@", at))
		case ast.Stmt:
			list = append(list, fmt.Sprint(strings.TrimPrefix(fmt.Sprintf("%T", item), "*ast."), "@", at))
		}
	}
	return strings.Join(list, " ")
}

func TestParseCell(t *testing.T) {
	tests := []struct{ src, want string }{
		{"", ""},
		{"// only a comment", ""},
		{"1", "ExprStmt@0"},
		{"x := 1; y := 2", "AssignStmt@0 AssignStmt@8"},
		{"import \"fmt\"\nfmt.Println()", "import@0 ExprStmt@13"},
		{"package main\n\nimport \"fmt\"\n\nfunc main() {\n}\n", "import@14 func main@28"},
		{"type T int\nvar x T\nconst c = 1", "type@0 var@11 const@19"},
		{"func f() {}\nfunc (t T) m() {}\nfunc (T) n() {}", "func f@0 method m@12 method n@30"},
		{"func() {}()", "ExprStmt@0"},
		{"func(a int) T { return a }(1)", "ExprStmt@0"},
		{"func(a int) (T, U) { return a, a }(1)", "ExprStmt@0"},
		{"func(a int) []T { return nil }(1)", "ExprStmt@0"},
		{"for i := 0; i < 3; i++ { }\nx++", "ForStmt@0 IncDecStmt@27"},
		{"if x := f(); x { } else { }", "IfStmt@0"},
		{"L:\n\tfor { break L }", "LabeledStmt@0"},
		{"{ x := 1; _ = x }", "BlockStmt@0"},
		{"x := T{1,\n\t2,\n}", "AssignStmt@0"},
		{"f(func() {\n\tvar x int\n})", "ExprStmt@0"},
		{"var (\n\ta = 1\n\tb = 2\n)\na", "var@0 ExprStmt@22"},
		{"go f()\ndefer g()", "GoStmt@0 DeferStmt@7"},
		{"a /* c */ + // d\n\tb", "ExprStmt@0"},
		{"x; ; y", "ExprStmt@0 EmptyStmt@3 ExprStmt@5"},
		{"\tx := 1 // tab\r\n\ty := 2\r\n", "AssignStmt@1 AssignStmt@17"},
	}
	for _, test := range tests {
		p, errs := parseCell(test.src, minBase)
		if len(errs) > 0 {
			t.Errorf("%q: %v", test.src, errs)
		}
		if got := kinds(p); got != test.want {
			t.Errorf("%q\nhas    %s\nwanted %s", test.src, got, test.want)
		}
	}
}

func TestParseCellSemicolon(t *testing.T) {
	for src, want := range map[string]bool{"x": false, "x;": true, "x; // c": true, "x;\n\n": true, "x\n": false, "f(`;`)": false, "": false} {
		if p, _ := parseCell(src, minBase); p.silent != want {
			t.Errorf("%q: silent %v", src, p.silent)
		}
	}
}

func TestIsComplete(t *testing.T) {
	s := open(t)
	tests := []struct{ src, status, indent string }{
		{"", "complete", ""},
		{"x := 1", "complete", ""},
		{"fmt.Println(1)\n", "complete", ""},
		{"func f() {\n\treturn\n}", "complete", ""},
		{"import \"fmt\"", "complete", ""},
		{"for i := 0; i < 3; i++ {", "incomplete", "\t"},
		{"func f() {\n\tif x {", "incomplete", "\t\t"},
		{"f(1,", "incomplete", "\t"},
		{"x := []int{\n\t1,", "incomplete", "\t"},
		{"x := `raw", "incomplete", ""},
		{"/* a comment", "incomplete", ""},
		{"x :=", "incomplete", ""},
		{"x = 1 +", "incomplete", ""},
		{"import (", "incomplete", "\t"},
		{"if x", "incomplete", ""},
		{"x.", "incomplete", ""},
		{"}", "invalid", ""},
		{"f(]", "invalid", ""},
		{"x := \"abc", "invalid", ""},
		{"1 2", "invalid", ""},
		{"import fmt\nx", "invalid", ""},
	}
	for _, test := range tests {
		if status, indent := s.IsComplete(test.src); status != test.status || indent != test.indent {
			t.Errorf("%q is %s with indent %q, want %s with %q", test.src, status, indent, test.status, test.indent)
		}
	}
}

// Every position of a cell's syntax lies in the cell, whatever the source, and
// the items do not overlap.
func FuzzParseCell(f *testing.F) {
	for _, s := range language {
		f.Add(strings.Join(s.cells, "\n"))
	}
	for _, m := range compileMistakes {
		f.Add(strings.Join(m.cells, "\n"))
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, errs := parseCell(src, minBase)
		for _, e := range errs {
			if e.offset < 0 || e.offset > len(src) {
				t.Errorf("error at %d of %d: %s", e.offset, len(src), e.msg)
			}
		}
		if len(errs) > 0 && len(p.items) > 0 {
			t.Error("a cell with errors has items")
		}
		last := token.Pos(minBase)
		for _, item := range p.items {
			if item.Pos() < last || int(item.End()) > minBase+len(src)+1 {
				t.Errorf("item %T at [%d,%d) of %d bytes, after %d", item, item.Pos()-minBase, item.End()-minBase, len(src), last-minBase)
			}
			last = item.Pos()
		}
		isComplete(src)
	})
}

// Each of these ends the process, or takes minutes, where nothing bounds it.
func TestDeepNestingIsRefused(t *testing.T) {
	s := open(t)
	const n = 90_000 // go/parser refuses 100,000
	repeat := strings.Repeat
	for name, source := range map[string]string{
		"parentheses": "x := " + repeat("(", n) + "1" + repeat(")", n),
		"operators":   "x := " + repeat("1+", n) + "1",
		"signs":       "x := " + repeat("!", n) + "true",
		"blocks":      repeat("{", n) + repeat("}", n),
		"functions":   "x := " + repeat("func(){", n) + repeat("}", n),
		"calls":       "x := " + repeat("len(", n) + repeat(")", n),
		"literals":    "x := []any" + repeat("{[]any", n) + "{}" + repeat("}", n),
		"slices":      "var x " + repeat("[]", n) + "int",
		"pointers":    "var x " + repeat("*", n) + "int",
		"structs":     "var x " + repeat("struct{ x ", n) + "int" + repeat("}", n),
		"selectors":   "x" + repeat(".x", n),
		"else":        repeat("if true { } else ", n) + "{ }",
	} {
		e := runCell(s, "cell", source).failure(t)
		if e.Name != "CompileError" || e.Line != 1 || !strings.Contains(e.Value, "nested more than 1000 deep") && !strings.Contains(e.Value, "max nesting depth") {
			t.Errorf("%d %s gave %s: %.200s", n, name, e.Name, e.Error())
		}
	}
	if got := run(t, s, "x := "+repeat("(", 400)+"1"+repeat(")", 400)+repeat("+1", 400)+"\nx").result(); got != "401" {
		t.Errorf("400 parentheses and 400 additions gave %s", got)
	}
}
