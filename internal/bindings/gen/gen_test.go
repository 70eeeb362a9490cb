package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// The tables on disk are those that this program writes, which is only known
// with the Go release that wrote them: another one has another standard library.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	dir, err := outputDir()
	if err != nil {
		t.Fatal(err)
	}
	version, err := os.ReadFile(filepath.Join(dir, "goversion"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(version, versionFile()) {
		testreq.Skip(t, "the tables are of another Go release than "+goVersion())
	}

	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	onDisk, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range onDisk {
		if files[filepath.Base(file)] == nil {
			t.Errorf("%s is of a package no longer listed; run go generate ./internal/bindings", file)
		}
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date; run go generate ./internal/bindings", name)
		}
	}
}

// world type-checks small packages, each given as its path and its source, in
// the order in which they import each other.
func world(t *testing.T, sources ...[2]string) platformPackages {
	t.Helper()
	pkgs := make(platformPackages)
	for _, s := range sources {
		pkgs[s[0]] = check(t, s[0], s[1], pkgs)
	}
	return pkgs
}

func check(t *testing.T, path, source string, pkgs platformPackages) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	config := types.Config{Importer: importerFunc(func(path string) (*types.Package, error) {
		if p := pkgs[path]; p != nil {
			return p, nil
		}
		return importer.ForCompiler(fset, "source", nil).Import(path)
	})}
	p, err := config.Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return p
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// table is what a generated file says: for each list, the expressions by name.
type table map[string]map[string]string

// generated returns the table of a package after it has type-checked the file
// together with the files it refers to.
func generated(t *testing.T, path string, platforms ...platformPackages) table {
	t.Helper()
	var pkgs []pkg
	proxies := make(map[string]bool)
	for _, path := range slices.Sorted(maps.Keys(platforms[0])) {
		p := newPkg(path, platforms...)
		pkgs = append(pkgs, p)
		for _, i := range p.interfaces() {
			proxies[proxyName(i)] = true
		}
	}
	declarations, err := os.ReadFile("../bindings.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	parse := func(name string, text []byte) *ast.File {
		f, err := parser.ParseFile(fset, name, text, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		files = append(files, f)
		return f
	}
	parse("bindings.go", declarations)
	var wanted *ast.File
	var texts []string
	for _, p := range pkgs {
		text, err := p.file(proxies)
		if err != nil {
			t.Fatal(err)
		}
		f := parse(p.path, text)
		texts = append(texts, string(text))
		if p.path == path {
			wanted = f
		}
	}
	var errs []string
	config := types.Config{
		Error: func(err error) {
			// The packages of gomacro need not be loaded to check the tables.
			if e := err.(types.Error); e.Fset.Position(e.Pos).Filename != "bindings.go" {
				errs = append(errs, e.Error())
			}
		},
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if p := platforms[0][path]; p != nil {
				return p, nil
			}
			if path == "strconv" {
				return importer.ForCompiler(fset, "source", nil).Import(path)
			}
			return nil, fmt.Errorf("not needed")
		}),
	}
	config.Check("bindings", fset, files, nil)
	if errs != nil {
		t.Fatalf("the generated files do not compile: %s\n%s", strings.Join(errs, "\n"), strings.Join(texts, "\n"))
	}

	result := make(table)
	ast.Inspect(wanted, func(n ast.Node) bool {
		list, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		elements, ok := list.Value.(*ast.CompositeLit)
		if !ok {
			return true
		}
		entries := make(map[string]string)
		for _, e := range elements.Elts {
			parts := []string{types.ExprString(e)} // of the list of generic names
			if entry, ok := e.(*ast.CompositeLit); ok {
				parts = nil
				for _, x := range entry.Elts {
					parts = append(parts, types.ExprString(x))
				}
			}
			entries[strings.Trim(parts[0], `"`)] = strings.Join(parts[1:], ", ")
		}
		result[list.Key.(*ast.Ident).Name] = entries
		return false
	})
	return result
}

func names(entries map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(entries)), " ")
}

func TestConstants(t *testing.T) {
	for _, test := range []struct{ decl, want string }{
		{`const X = true`, `p_.X, "bool:true"`},
		{`const X = "a\"\xff"`, `p_.X, "string:a\"\xff"`},
		{`const X = -7`, `p_.X, "int:-7"`},
		{`const X = 1<<63 - 1`, `p_.X, "int:9223372036854775807"`},
		{`const X = 1 << 63`, `uint64(p_.X), "int:9223372036854775808"`},
		{`const X = 1 << 100`, `float64(p_.X), "int:1267650600228229401496703205376"`},
		{`const X = -1 << 64`, `float64(p_.X), "int:-18446744073709551616"`},
		{`const X = 'é'`, `p_.X, "rune:233"`},
		{`const X = 0.1`, `p_.X, "float:1/10"`},
		{`const X = 3.0`, `p_.X, "float:3"`},
		{`const X = 1e400`, `nil, "float:1` + strings.Repeat("0", 400) + `"`},
		{`const X = 1 - 2.5i`, `p_.X, "complex:1:-5/2"`},
		{`type T uint64; const X T = 1<<64 - 1`, `p_.X, ""`},
		{`const X float32 = 0.1`, `p_.X, ""`},
	} {
		entries := generated(t, "p", world(t, [2]string{"p", "package p; " + test.decl}))["constants"]
		if got := entries["X"]; got != test.want {
			t.Errorf("%s: got %s, want %s", test.decl, got, test.want)
		}
	}
}

func TestKinds(t *testing.T) {
	got := generated(t, "p", world(t, [2]string{"p", `package p
		const C, hidden = 1, 2
		var V, lower = 3, 4
		func F() {}
		func Generic[T any](T) {}
		type (
			Struct struct{ A int }
			Alias = Struct
			Instance = List[int]
			List[T any] []T
			Number interface{ ~int | ~float64 }
			Comparable interface{ comparable; M() }
			Any interface{}
			small int
		)
		func (Struct) M() {}
	`}))
	for list, want := range map[string]string{
		"constants": "C",
		"variables": "V",
		"functions": "F",
		"types":     "Alias Any Instance Struct",
		"proxies":   "",
	} {
		if names(got[list]) != want {
			t.Errorf("%s: got %s, want %s", list, names(got[list]), want)
		}
	}
	if got["variables"]["V"] != "&p_.V" {
		t.Errorf("V is %s: not the variable itself", got["variables"]["V"])
	}
}

func TestInterfacesWithProxy(t *testing.T) {
	for _, test := range []struct {
		decl string
		want bool
	}{
		{`type I interface{ M() }`, true},
		{`type I interface{ M(int, ...string) (n int, err error); N(a, p any) }`, true},
		{`type I interface{ M(func(I, []I) map[string]chan<- I) *[2]I }`, true},
		{`type I interface{ M(struct{ A int; B interface{ N() } }) }`, true},
		{`type I interface{ J; M() }; type J interface { N() }`, true},
		{`type I = interface{ M() }`, true},
		{`type I interface{}`, false},
		{`type I interface{ M(); m() }`, false},
		{`type I interface{ M(hidden) }; type hidden int`, false},
		{`type I interface{ M([]*hidden) }; type hidden int`, false},
		{`type I interface{ M(struct{ a int }) }`, false},
		{`type I interface{ Object() }`, false},
		{`type I[T any] interface{ M(T) }`, false},
		{`type I struct{}; func (I) M() {}`, false},
	} {
		proxies := generated(t, "p", world(t, [2]string{"p", "package p; " + test.decl}))["proxies"]
		if _, got := proxies["I"]; got != test.want {
			t.Errorf("%s: has a proxy: %v, want %v", test.decl, got, test.want)
		}
	}
}

func TestInterfaceOfInternalPackageHasNoProxy(t *testing.T) {
	w := world(t,
		[2]string{"m/internal/q", `package q; type T int`},
		[2]string{"m/p", `package p; import "m/internal/q"; type I interface{ M(q.T) }`})
	if i := newPkg("m/p", w).interfaces(); len(i) != 0 {
		t.Errorf("%v has a proxy that only package m can compile", i)
	}
}

// Names that mean something in Go or in package bindings do not disturb.
func TestAwkwardNames(t *testing.T) {
	w := world(t,
		[2]string{"a/string", `package string; type T int; type I interface{ M() T }`},
		[2]string{"b/string", `package string; type T int`},
		[2]string{"x/source-code", `package error; type T int`},
		[2]string{"p", `package imports
			import s "a/string"
			import s2 "b/string"
			import e "x/source-code"
			type I interface{ M(p s.T, imports s2.T, a1 e.T) (P error) }
			type Register interface{ Interface() string }
			func Use(s.I, error, any) {}`})
	got := generated(t, "p", w)
	if want := "I Register a/string.I"; names(got["proxies"]) != want {
		t.Errorf("got %s, want %s", names(got["proxies"]), want)
	}
}

// The interfaces that a package's signatures mention are in its table too.
func TestForeignInterfaces(t *testing.T) {
	w := world(t,
		[2]string{"q", `package q
			type (
				A interface{ M() }; B interface{ M() }; C interface{ M() }; D interface{ M() }
				E interface{ M() }; F interface{ M() }; G interface{ M() }
				Closed interface{ m() }
				Struct struct{}
			)`},
		[2]string{"p", `package p
			import "q"
			func Func([]q.A, ...q.Struct) q.Closed { return nil }
			var Var map[string]q.B
			type Struct struct{ Field *q.C; hidden q.F }
			func (*Struct) Method(func(q.D)) {}
			func (*Struct) method(q.G) {}
			type Callback func(q.E)
			func hidden(q.F) {}
		`})
	if got, want := names(generated(t, "p", w)["proxies"]), "q.A q.B q.C q.D q.E"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPlatforms(t *testing.T) {
	unix := world(t, [2]string{"p", `package p
		const Same, Sep, Name, Typed = 1, '/', "/dev/null", int32(1)
		const Size = 4
		func Both() {}
		func Unix() {}
		var Kind int
		type I interface { M() }
	`})
	windows := world(t, [2]string{"p", `package p
		const Same, Sep, Name, Typed = 1, '\\', "NUL", int32(2)
		const Size = 8
		func Both() {}
		func Windows() {}
		func Kind() {}
		type I interface { M(); N() }
	`})
	got := generated(t, "p", unix, windows)
	for name, want := range map[string]string{
		"Same":  `p_.Same, "int:1"`,
		"Sep":   `p_.Sep, "rune:" + strconv_.Itoa(p_.Sep)`,
		"Name":  `p_.Name, "string:" + p_.Name`,
		"Size":  `p_.Size, "int:" + strconv_.Itoa(p_.Size)`,
		"Typed": `p_.Typed, ""`,
	} {
		if got["constants"][name] != want {
			t.Errorf("%s: got %s, want %s", name, got["constants"][name], want)
		}
	}
	if want := "Both"; names(got["functions"]) != want {
		t.Errorf("functions: got %s, want %s", names(got["functions"]), want)
	}
	if names(got["variables"]) != "" || names(got["types"]) != "I" || names(got["proxies"]) != "" {
		t.Errorf("a name that is not the same on both: %v", got)
	}

	unix = world(t, [2]string{"p", `package p; const X = 0.5`})
	windows = world(t, [2]string{"p", `package p; const X = 0.25`})
	if _, err := newPkg("p", unix, windows).file(nil); err == nil || !strings.Contains(err.Error(), "X") {
		t.Errorf("a float constant that differs: error %v, want one that names X", err)
	}
}

func TestIdentifier(t *testing.T) {
	if got, want := identifier("github.com/a-b/c.v2"), "github_com_a_b_c_v2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
