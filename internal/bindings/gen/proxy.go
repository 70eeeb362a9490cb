package main

import (
	"fmt"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strings"
)

// A proxy is a type of which each method calls a field, by which the interpreter
// lets a type declared in a cell implement a compiled interface.

// interfaces returns the interfaces of the package that get a proxy: those with
// methods, all exported and the same on every platform, of types that can be
// named outside their package.
func (p pkg) interfaces() []types.Object {
	var found []types.Object
	for _, o := range p.objects {
		name, ok := o[0].(*types.TypeName)
		if !ok || !isValueType(name.Type()) || !canProxy(name.Type().Underlying()) {
			continue
		}
		same := func(other types.Object) bool {
			return types.TypeString(other.Type().Underlying(), nil) == types.TypeString(name.Type().Underlying(), nil)
		}
		if all(slices.Values(o), same) {
			found = append(found, name)
		}
	}
	return found
}

func canProxy(t types.Type) bool {
	i, ok := t.(*types.Interface)
	return ok && i.NumMethods() > 0 && all(i.Methods(), func(m *types.Func) bool {
		// The field that holds the interpreted value is named Object.
		return m.Exported() && m.Name() != "Object" && nameable(m.Type())
	})
}

// foreignInterfaces returns the interfaces of other packages that the exported
// functions, types and methods mention. The interpreter knows the proxies of the
// packages that cells imported and of no others; with these in its table, a
// package can be used without importing those that its signatures refer to.
func (p pkg) foreignInterfaces() []types.Object {
	found := make(map[string]types.Object)
	visit := func(o types.Object) {
		if name, ok := o.(*types.TypeName); ok && o.Pkg() != nil && o.Pkg().Path() != p.path && types.IsInterface(name.Type()) {
			found[qualified(name)] = name
		}
	}
	for _, o := range p.objects {
		walk(o[0].Type(), visit)
		if named, ok := types.Unalias(o[0].Type()).(*types.Named); ok && named.Obj() == o[0] {
			walk(named.Underlying(), visit)
			for m := range named.Methods() {
				walkMember(m, visit)
			}
		}
	}
	var sorted []types.Object
	for _, name := range slices.Sorted(maps.Keys(found)) {
		sorted = append(sorted, found[name])
	}
	return sorted
}

// qualified is a name with its package's path, unlike any name that a cell can
// write after the package's own.
func qualified(o types.Object) string { return o.Pkg().Path() + "." + o.Name() }

func proxyName(o types.Object) string { return "proxy_" + identifier(o.Pkg().Path()) + "_" + o.Name() }

// nameable reports whether package bindings can write the type.
func nameable(t types.Type) bool {
	ok := true
	walk(t, func(o types.Object) {
		if o.Pkg() != nil {
			elements := strings.Split(o.Pkg().Path(), "/")
			ok = ok && o.Exported() && !slices.Contains(elements, "internal") && !slices.Contains(elements, "vendor")
		}
	})
	return ok
}

// walk visits the names that the type is written with: type names, and the
// fields and methods of struct and interface literals. It goes into what is
// exported only.
func walk(t types.Type, visit func(types.Object)) {
	switch t := t.(type) {
	case *types.Alias:
		visit(t.Obj())
		walkAll(t.TypeArgs().Types(), visit)
	case *types.Named:
		visit(t.Obj())
		walkAll(t.TypeArgs().Types(), visit)
	case *types.Pointer:
		walk(t.Elem(), visit)
	case *types.Slice:
		walk(t.Elem(), visit)
	case *types.Array:
		walk(t.Elem(), visit)
	case *types.Chan:
		walk(t.Elem(), visit)
	case *types.Map:
		walk(t.Key(), visit)
		walk(t.Elem(), visit)
	case *types.Signature:
		for v := range t.Params().Variables() {
			walk(v.Type(), visit)
		}
		for v := range t.Results().Variables() {
			walk(v.Type(), visit)
		}
	case *types.Struct:
		for v := range t.Fields() {
			walkMember(v, visit)
		}
	case *types.Interface:
		for m := range t.Methods() {
			walkMember(m, visit)
		}
	}
}

func walkAll(types iter.Seq[types.Type], visit func(types.Object)) {
	for t := range types {
		walk(t, visit)
	}
}

func walkMember(o types.Object, visit func(types.Object)) {
	visit(o)
	if o.Exported() {
		walk(o.Type(), visit)
	}
}

// writeProxy writes the proxy type of an interface, in the form that gomacro
// asks for: the field Object, then for each method M, in order of name, a field
// M_ that is a function of the object and the arguments.
func (f *file) writeProxy(name string, i *types.Interface) {
	fmt.Fprintf(&f.proxies, "\ntype %s struct {\nObject any\n", name)
	for m := range i.Methods() {
		object := types.NewParam(token.NoPos, nil, "", types.Universe.Lookup("any").Type())
		fmt.Fprintf(&f.proxies, "%s_ func%s\n", m.Name(), f.signature(m.Signature(), object))
	}
	f.proxies.WriteString("}\n")
	for m := range i.Methods() {
		sig := m.Signature()
		args := []string{"p.Object"}
		for n := range sig.Params().Len() {
			args = append(args, fmt.Sprintf("a%d", n))
		}
		call := fmt.Sprintf("p.%s_(%s", m.Name(), strings.Join(args, ", "))
		if sig.Variadic() {
			call += "..."
		}
		if sig.Results().Len() > 0 {
			call = "return " + call
		}
		fmt.Fprintf(&f.proxies, "\nfunc (p *%s) %s%s { %s) }\n", name, m.Name(), f.signature(sig), call)
	}
}

// signature writes the parameters and results of a method: those in front as
// they are, its own named a0, a1 and so on, its results without names.
func (f *file) signature(sig *types.Signature, front ...*types.Var) string {
	params := front
	for n := range sig.Params().Len() {
		name := ""
		if len(front) == 0 {
			name = fmt.Sprintf("a%d", n)
		}
		params = append(params, types.NewParam(token.NoPos, nil, name, sig.Params().At(n).Type()))
	}
	var results []*types.Var
	for r := range sig.Results().Variables() {
		results = append(results, types.NewParam(token.NoPos, nil, "", r.Type()))
	}
	s := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), sig.Variadic())
	return strings.TrimPrefix(types.TypeString(s, f.qualifier), "func")
}

func all[T any](seq iter.Seq[T], ok func(T) bool) bool {
	for v := range seq {
		if !ok(v) {
			return false
		}
	}
	return true
}
