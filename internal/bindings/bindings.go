// Package bindings is what a notebook cell can import besides the packages of
// gomacro itself: gopherscope's own packages, gonum, gonum/plot, go-echarts, and
// those packages of the standard library that cells use most, as they are in
// the Go release GoVersion rather than in gomacro's tables of Go 1.13.
//
// Importing the package registers all of it in gophernotes' registry, which is
// where the interpreter looks a package up by its path. The tables are in the
// files *_gen.go; go generate writes them from the packages' types.
package bindings

import (
	"reflect"
	"slices"

	"github.com/gopherdata/gophernotes/imports"
)

//go:generate go run ./gen

// source is the table of one package. The values in it are known to the
// linker, so that a table costs data and no code; register makes of it what the
// interpreter reads.
type source struct {
	path, name string
	constants  []constant
	functions  []symbol
	variables  []symbol // pointers to the variables
	types      []symbol // nil pointers to the types
	// proxies are nil pointers to types through which a type declared in a cell
	// implements a compiled interface, under the interface's name. Both types and
	// proxies also have the interfaces of other packages that the signatures
	// mention, as "io.Writer", which no cell can write as a name of this package.
	proxies []symbol
	// generic are the names of generic functions and types and of constraints,
	// which are in no table of values.
	generic []string
}

type symbol struct {
	name  string
	value any
}

type constant struct {
	name  string
	value any
	// exact is an untyped constant as gomacro marshals it, of any size; empty
	// when the constant has a type.
	exact string
}

var registered []string

var generic = map[string][]string{} // by path

func init() {
	// A package that can open plugins makes the interpreter build one, with the
	// Go toolchain, for each import that it does not know.
	delete(imports.Packages, "plugin")
}

// register makes the package importable. It replaces an older table of gomacro.
func register(s *source) {
	p := imports.Package{
		Name:     s.name,
		Binds:    make(map[string]reflect.Value, len(s.constants)+len(s.functions)+len(s.variables)),
		Types:    make(map[string]reflect.Type, len(s.types)),
		Proxies:  make(map[string]reflect.Type, len(s.proxies)),
		Untypeds: make(map[string]string),
		// Left empty: a method promoted from an embedded field then counts as
		// the type's own, which also works where the field is not exported.
		Wrappers: make(map[string][]string),
	}
	for _, c := range s.constants {
		p.Binds[c.name] = reflect.ValueOf(c.value)
		if c.exact != "" {
			p.Untypeds[c.name] = c.exact
		}
	}
	for _, f := range s.functions {
		p.Binds[f.name] = reflect.ValueOf(f.value)
	}
	for _, v := range s.variables {
		p.Binds[v.name] = reflect.ValueOf(v.value).Elem()
	}
	for _, t := range s.types {
		p.Types[t.name] = reflect.TypeOf(t.value).Elem()
	}
	for _, t := range s.proxies {
		p.Proxies[t.name] = reflect.TypeOf(t.value).Elem()
	}
	imports.Packages[s.path] = p
	registered = append(registered, s.path)
	if len(s.generic) > 0 {
		generic[s.path] = s.generic
	}
}

// IsGeneric reports whether a package exports a generic function or type, or a
// constraint, under a name.
func IsGeneric(path, name string) bool { return slices.Contains(generic[path], name) }

// Packages returns the import paths of the packages registered here, sorted.
// Cells can also import what else is in gophernotes' imports.Packages, gomacro's
// older tables of the standard library.
func Packages() []string { return slices.Sorted(slices.Values(registered)) }
