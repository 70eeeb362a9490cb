package main

import (
	"go/build"
	"go/types"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/gopherdata/gophernotes/imports"

	"github.com/rlx-go/gopherscope/internal/bindings"
	"github.com/rlx-go/gopherscope/internal/testreq"
)

// Every exported name of the standard library that is not generic can be used in
// a cell, but for the packages that are left out.
func TestStandardLibraryIsComplete(t *testing.T) {
	if bindings.GoVersion != goVersion() {
		testreq.Skip(t, "the tables are of "+bindings.GoVersion+", another release than "+goVersion())
	}
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, path := range strings.Fields(string(out)) {
		if !strings.HasPrefix(path, "vendor/") && !strings.Contains("/"+path+"/", "/internal/") && leftOut[path] == "" {
			paths = append(paths, path)
		}
	}
	if len(paths) < 100 {
		t.Fatalf("only %d packages: %q", len(paths), paths)
	}
	pkgs, err := load(runtime.GOOS, build.Default.GOARCH, paths)
	if err != nil {
		t.Fatal(err)
	}
	for path, pkg := range pkgs {
		table, ok := imports.Packages[path]
		if !ok {
			t.Errorf("package %s cannot be imported", path)
			continue
		}
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if !obj.Exported() || isGeneric(obj) {
				continue
			}
			if !table.Binds[name].IsValid() && table.Types[name] == nil && table.Untypeds[name] == "" {
				t.Errorf("%s.%s is missing", path, name)
			}
			if f, ok := obj.(*types.Func); ok && table.Binds[name].Kind() == reflect.Func {
				if got, want := table.Binds[name].Type().NumIn(), f.Signature().Params().Len(); got != want {
					t.Errorf("%s.%s has %d parameters, want %d", path, name, got, want)
				}
			}
		}
	}
}

// isGeneric reports whether an object has type parameters or is a constraint.
func isGeneric(obj types.Object) bool {
	switch t := obj.Type().(type) {
	case *types.Signature:
		return t.TypeParams().Len() > 0
	case *types.Named:
		i, ok := t.Underlying().(*types.Interface)
		return t.TypeParams().Len() > 0 || ok && !i.IsMethodSet()
	}
	return false
}
