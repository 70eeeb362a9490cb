package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// library makes a folder with a module and returns it.
func library(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const cellWithShapes = `{"cells":[{"cell_type":"code","id":"a","metadata":{},"outputs":[],"execution_count":null,"source":[
"import (\"example.com/shapes\"; \"example.com/shapes/solid\"; \"fmt\")\n",
"type cube struct{ side float64 }\n",
"func (c cube) Area() float64 { return 6 * c.side * c.side }\n",
"fmt.Sprint(shapes.Square{3}.Area(), \" \", shapes.Twice(cube{1}), \" \", solid.Faces)"]}],
"metadata":{"kernelspec":{"name":"gopherscope","language":"go","display_name":"Go (gopherscope)"}},"nbformat":4,"nbformat_minor":5}`

func TestBuildWithAFolder(t *testing.T) {
	dir := library(t, map[string]string{
		"lib/go.mod": "module example.com/shapes\n\ngo 1.26\n",
		"lib/shapes.go": `package shapes
			type Square struct{ Side float64 }
			func (s Square) Area() float64 { return s.Side * s.Side }
			type Shape interface{ Area() float64 }
			// Twice is the area of two.
			func Twice(one Shape) (area float64) { return 2 * one.Area() }
			// Scale makes it larger.
			func (s *Square) Scale(factor float64) { s.Side *= factor }
			func Map[T any](s []T) []T { return s }`,
		"lib/solid/solid.go":       "package solid\nconst Faces = 6",
		"lib/internal/hidden/h.go": "package hidden",
		"lib/cmd/x/main.go":        "package main\nfunc main() {}",
		"book.ipynb":               cellWithShapes,
	})
	program := filepath.Join(dir, "with"+executableSuffix())
	if err := build(t.Context(), []string{filepath.Join(dir, "lib")}, program, "../..", os.Stderr); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "run", "--out", filepath.Join(dir, "out"), filepath.Join(dir, "book.ipynb")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "out", "book.ipynb"))
	if err != nil || !strings.Contains(string(page), `"9 12 6"`) {
		t.Errorf("the cell did not show 9 12 6: %v\n%s", err, page)
	}

	writeNotebook(t, filepath.Join(dir, "doc.ipynb"), "import \"example.com/shapes\"\nsquare := shapes.Square{1}", "%doc shapes.Twice", "%doc square.Scale", "%doc strings.Cut")
	out, err = exec.Command(program, "run", "--out", filepath.Join(dir, "out"), filepath.Join(dir, "doc.ipynb")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	documentation := read(t, filepath.Join(dir, "out", "doc.ipynb"))
	for _, want := range []string{
		"func Twice(one Shape) (area float64)", "Twice is the area of two.",
		"func (s *Square) Scale(factor float64)", "Scale makes it larger.",
		"func Cut(s, sep string) (before, after string, found bool)",
	} {
		if !strings.Contains(documentation, want) {
			t.Errorf("cells are not told %q:\n%s", want, documentation)
		}
	}

	writeNotebook(t, filepath.Join(dir, "generic.ipynb"), "%packages golang.org")
	out, err = exec.Command(program, "run", "--out", filepath.Join(dir, "out"), filepath.Join(dir, "generic.ipynb")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no package has golang.org in its path") {
		t.Errorf("%%packages golang.org: %v\n%s", err, out)
	}
	writeNotebook(t, filepath.Join(dir, "generic.ipynb"), "%packages example.com", "import \"example.com/shapes\"\nshapes.Map([]int{1})")
	out, err = exec.Command(program, "run", "--out", filepath.Join(dir, "out"), filepath.Join(dir, "generic.ipynb")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "shapes.Map is generic") {
		t.Errorf("a generic function: %v\n%s", err, out)
	}
	if got := read(t, filepath.Join(dir, "out", "generic.ipynb")); !strings.Contains(got, `"example.com/shapes\n",`) || !strings.Contains(got, `"example.com/shapes/solid\n"`) {
		t.Errorf("%%packages does not list them:\n%s", got)
	}
}

func TestSourceIsFoundFromAnywhere(t *testing.T) {
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) {
		testreq.Skip(t, "the test is compiled with -trimpath")
	}
	t.Chdir(t.TempDir())
	want, err := os.Stat(filepath.Join(filepath.Dir(file), "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := findSource(&toolchain{ctx: t.Context()}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.Stat(dir); err != nil || !os.SameFile(got, want) {
		t.Errorf("the source is said to be in %s", dir)
	}
}

// An interrupted build leaves nothing behind, of the go command neither.
func TestBuildInterrupted(t *testing.T) {
	dir := library(t, map[string]string{"my lib/go.mod": "module example.com/one\n\ngo 1.26\n", "my lib/a.go": "package one\n\nvar X = 1", "tmp/x": ""})
	tmp := filepath.Join(dir, "tmp")
	t.Setenv("GOTMPDIR", tmp)
	if err := os.Remove(filepath.Join(tmp, "x")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// When the go command has begun to work.
		for ctx.Err() == nil {
			if begun, _ := filepath.Glob(filepath.Join(tmp, "gopherscope-build-*", "go-build*")); begun != nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	program := filepath.Join(dir, "program")
	if err := build(ctx, []string{filepath.Join(dir, "my lib")}, program, "../..", os.Stderr); err == nil || err.Error() != "build: interrupted" {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("a program was written")
	}
}

func TestBuildRefuses(t *testing.T) {
	empty := library(t, map[string]string{"only/go.mod": "module example.com/only\n", "only/main.go": "package main\nfunc main() {}", "none/a.go": "package none",
		"broken/go.mod": "module example.com/broken\n", "broken/b.go": "package broken\nvar Broken = x\n",
		"cgo/go.mod": "module example.com/usescgo\n", "cgo/c.go": "package usescgo\nimport \"C\"\n"})
	for _, test := range []struct{ name, with, source, want string }{
		{"no such folder", "./nowhere", "../..", "./nowhere"},
		{"a file", filepath.Join(empty, "none", "a.go"), "../..", "it is a file"},
		{"a flag", "-x", "../..", "want PACKAGE[@VERSION] or a folder"},
		{"a version only", "@latest", "../..", "want PACKAGE[@VERSION] or a folder"},
		{"it does not compile", filepath.Join(empty, "broken"), "../..", "b.go:2:14: undefined: x"},
		{"it needs cgo", filepath.Join(empty, "cgo"), "../..", "no package that a cell could import"},
		{"no module", filepath.Join(empty, "none"), "../..", "go.mod"},
		{"only a program", filepath.Join(empty, "only"), "../..", "no package that a cell could import"},
		{"not our source", filepath.Join(empty, "only"), empty, "not the source of gopherscope"},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "program")
			err := build(t.Context(), []string{test.with}, program, test.source, os.Stderr)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if _, err := os.Stat(program); err == nil {
				t.Error("a program was written")
			}
		})
	}
}
