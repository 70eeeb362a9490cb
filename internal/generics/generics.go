// Package generics gives cells the generic functions of slices, maps and cmp. The
// interpreter has no type parameters, but what checks a cell before it runs does:
// Declared tells that check of the functions, and Instance makes the one of the
// types that it found.
package generics

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Instance returns the function of a package, by names such as "slices" and "Sort",
// as a func value of type t, an instance of the generic type. Sequences are plain
// functions in t: func(func(V) bool) for iter.Seq[V].
//
// For the element types that are most common, the function is the compiled one;
// else it works by reflection, some hundred times slower for each element.
func Instance(pkg, name string, t reflect.Type) (reflect.Value, error) {
	qualified := pkg + "." + name
	if f, ok := compiled[instance{qualified, t}]; ok {
		return f, nil
	}
	f, ok := reflected[qualified]
	if !ok || t.Kind() != reflect.Func {
		return reflect.Value{}, fmt.Errorf("%s has no instance of type %v", qualified, t)
	}
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value { return f(t, args) }), nil
}

// Names returns the functions of a package, sorted.
func Names(pkg string) []string {
	var names []string
	for qualified := range reflected {
		if name, found := strings.CutPrefix(qualified, pkg+"."); found {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// reflection is a function of any types: its own type, then its arguments.
type reflection = func(t reflect.Type, args []reflect.Value) []reflect.Value

var reflected = map[string]reflection{}

func init() {
	for _, group := range []map[string]reflection{ofCmp, ofMaps, ofSlices, ofSequences} {
		for name, f := range group {
			reflected[name] = f
		}
	}
}

// one is a list of one result.
func one(v reflect.Value) []reflect.Value { return []reflect.Value{v} }

func value[T any](v T) []reflect.Value { return one(reflect.ValueOf(v)) }

// order compares as cmp.Compare does: a NaN is below every other number.
func order(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	return cmp.Compare(a.String(), b.String())
}

// equal is ==, which panics where == does.
func equal(a, b reflect.Value) bool { return a.Equal(b) }

// predicate calls a function that returns a bool.
func predicate(f reflect.Value) func(...reflect.Value) bool {
	return func(args ...reflect.Value) bool { return f.Call(args)[0].Bool() }
}

// comparison calls a function that compares two values.
func comparison(f reflect.Value) func(a, b reflect.Value) int {
	return func(a, b reflect.Value) int { return int(f.Call([]reflect.Value{a, b})[0].Int()) }
}

// equality calls a function that tells whether two values are equal.
func equality(f reflect.Value) func(a, b reflect.Value) bool {
	return func(a, b reflect.Value) bool { return f.Call([]reflect.Value{a, b})[0].Bool() }
}

var ofCmp = map[string]reflection{
	"cmp.Compare": func(_ reflect.Type, a []reflect.Value) []reflect.Value { return value(order(a[0], a[1])) },
	"cmp.Less":    func(_ reflect.Type, a []reflect.Value) []reflect.Value { return value(order(a[0], a[1]) < 0) },
	"cmp.Or": func(t reflect.Type, a []reflect.Value) []reflect.Value {
		for i := range a[0].Len() {
			if v := a[0].Index(i); !equal(v, reflect.Zero(v.Type())) {
				return one(v)
			}
		}
		return one(reflect.Zero(t.Out(0)))
	},
}
