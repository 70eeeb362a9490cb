package interp

import (
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"
)

// gomacro redeclares a type by changing it, and with it the variables that
// have it. Here a type that is declared again is a new type, unless it is the
// same as before: a cell that runs again must not part its values from those
// of other cells.

// typesAndConsts compiles the type and constant declarations of a cell.
func (c *compiler) typesAndConsts(typeDecls, constDecls []ast.Node) {
	old := map[string]xreflect.Type{}
	for _, name := range declaredTypes(typeDecls) {
		if t := c.comp.Types[name]; t != nil {
			old[name] = t
		}
	}
	if len(old) > 0 {
		restore := c.snapshot()
		c.declareTypes(typeDecls, constDecls, nil)
		same := c.sameTypes(old)
		c.forgetCuts(declaredTypes(typeDecls))
		restore()
		c.unit.setup = nil
		c.declareTypes(typeDecls, constDecls, same)
		return
	}
	c.declareTypes(typeDecls, constDecls, nil)
}

// forgetCuts drops what is known of types that were declared for comparison.
func (c *compiler) forgetCuts(names []string) {
	for _, name := range names {
		if t, ok := c.comp.Types[name].GoType().(*types.Named); ok && t.Obj().Name() == name {
			delete(c.cuts, t)
		}
	}
}

// declareTypes compiles declarations, but for the types to keep.
func (c *compiler) declareTypes(typeDecls, constDecls []ast.Node, keep map[string]xreflect.Type) {
	for _, decl := range constDecls {
		for _, spec := range decl.(*ast.GenDecl).Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				c.forget(name.Name)
			}
		}
	}
	for _, name := range declaredTypes(typeDecls) {
		c.forget(name)
		if t := keep[name]; t != nil {
			c.comp.Types[name] = t
		}
	}
	typeDecls = without(typeDecls, keep)
	cutDecls, cuts := cutRecursion(typeDecls)
	c.flattenInterfaces(cutDecls)
	c.group(append(constDecls, cutDecls...))
	c.resolveCuts(typeDecls, cuts)
	for _, name := range declaredTypes(typeDecls) {
		c.reserveMethods(c.comp.Types[name])
	}
}

// methodSlots is how many methods a type and those that it embeds may have.
const methodSlots = 128

// reserveMethods makes room for the methods of a type at once: gomacro loses
// those it has when it needs more.
func (c *compiler) reserveMethods(t xreflect.Type) {
	if named, ok := t.GoType().(*types.Named); ok && named.Obj().Pkg().Path() == mainPath && named.NumMethods() == 0 && t.Kind() != reflect.Interface {
		methods := t.GetMethods()
		*methods = append(make([]reflect.Value, 0, methodSlots), *methods...)
	}
}

// without drops the specifications of the types that are kept.
func without(decls []ast.Node, keep map[string]xreflect.Type) (rest []ast.Node) {
	for _, decl := range decls {
		d := *decl.(*ast.GenDecl)
		d.Specs = nil
		for _, spec := range decl.(*ast.GenDecl).Specs {
			if keep[spec.(*ast.TypeSpec).Name.Name] == nil {
				d.Specs = append(d.Specs, spec)
			}
		}
		if len(d.Specs) > 0 {
			rest = append(rest, &d)
		}
	}
	return rest
}

// sameTypes returns those of the old types that are declared again as they
// were. Types that refer to each other are the same together or not at all.
func (c *compiler) sameTypes(old map[string]xreflect.Type) map[string]xreflect.Type {
	same := map[string]xreflect.Type{}
	pairs := typePairs{} // new to old
	for name, t := range old {
		before, ok1 := t.GoType().(*types.Named)
		after, ok2 := c.comp.Types[name].GoType().(*types.Named)
		// An alias is declared anew, which changes no type.
		if ok1 && ok2 && before.Obj().Name() == name && after.Obj().Name() == name && after != before {
			same[name] = t
			pairs[after] = before
		}
	}
	for changed := true; changed; {
		changed = false
		for after, before := range pairs {
			if !c.sameType(pairs, after, before) {
				delete(pairs, after)
				delete(same, before.Obj().Name())
				changed = true
			}
		}
	}
	return same
}

// sameType reports whether two types are declared alike, if the pairs are.
func (c *compiler) sameType(pairs typePairs, after, before *types.Named) bool {
	a, b := c.cuts[after], c.cuts[before]
	if len(a) != len(b) || !pairs.equal(after.Underlying(), before.Underlying()) {
		return false
	}
	for name := range a {
		if b[name].typ == nil || !pairs.equal(a[name].typ.GoType(), b[name].typ.GoType()) {
			return false
		}
	}
	return true
}

// typePairs are types that are taken to be the same.
type typePairs map[*types.Named]*types.Named

func (p typePairs) equal(a, b types.Type) bool {
	switch a := a.(type) {
	case *types.Named:
		b, ok := b.(*types.Named)
		return ok && (a == b || p[a] == b)
	case *types.Pointer:
		b, ok := b.(*types.Pointer)
		return ok && p.equal(a.Elem(), b.Elem())
	case *types.Slice:
		b, ok := b.(*types.Slice)
		return ok && p.equal(a.Elem(), b.Elem())
	case *types.Array:
		b, ok := b.(*types.Array)
		return ok && a.Len() == b.Len() && p.equal(a.Elem(), b.Elem())
	case *types.Map:
		b, ok := b.(*types.Map)
		return ok && p.equal(a.Key(), b.Key()) && p.equal(a.Elem(), b.Elem())
	case *types.Chan:
		b, ok := b.(*types.Chan)
		return ok && a.Dir() == b.Dir() && p.equal(a.Elem(), b.Elem())
	case *types.Signature:
		b, ok := b.(*types.Signature)
		return ok && a.Variadic() == b.Variadic() && p.equalTuples(a.Params(), b.Params()) && p.equalTuples(a.Results(), b.Results())
	case *types.Struct:
		b, ok := b.(*types.Struct)
		if !ok || a.NumFields() != b.NumFields() {
			return false
		}
		for i := range a.NumFields() {
			x, y := a.Field(i), b.Field(i)
			if x.Name() != y.Name() || x.Anonymous() != y.Anonymous() || a.Tag(i) != b.Tag(i) || !p.equal(x.Type(), y.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		b, ok := b.(*types.Interface)
		if !ok || a.NumMethods() != b.NumMethods() {
			return false
		}
		for i := range a.NumMethods() {
			if a.Method(i).Name() != b.Method(i).Name() || !p.equal(a.Method(i).Type(), b.Method(i).Type()) {
				return false
			}
		}
		return true
	}
	return types.Identical(a, b)
}

func (p typePairs) equalTuples(a, b *types.Tuple) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !p.equal(a.At(i).Type(), b.At(i).Type()) {
			return false
		}
	}
	return true
}

// declareMethod makes a method known before its body is compiled, so that
// methods and functions may use each other.
func (c *compiler) declareMethod(f *ast.FuncDecl) {
	if len(f.Recv.List) != 1 {
		fail(f.Recv.Pos(), "a method has one receiver")
	}
	name := receiverName(f.Recv.List[0].Type)
	if t := c.comp.Types[name]; t == nil || !t.Named() {
		fail(f.Recv.Pos(), "methods can be declared on types of the notebook: %s is none", name)
	}
	c.comp.Pos = f.Pos()
	signature, _, _ := c.comp.TypeFunctionOrMethod(f.Recv.List[0], f.Type)
	t := c.comp.Types[name]
	if k := t.Kind(); k == reflect.Pointer || k == reflect.Interface {
		fail(f.Recv.Pos(), "type %s is a pointer or an interface, which cannot have methods", name)
	}
	before, known := explicitMethod(t, f.Name.Name)
	var value reflect.Value
	if known {
		value = (*before.Funs)[before.Index]
	}
	at := t.AddMethod(f.Name.Name, signature)
	c.undo = append(c.undo, func() {
		if known {
			t.AddMethod(f.Name.Name, before.Type)
			(*t.GetMethods())[at] = value
		}
	})
}

// explicitMethod finds a method of t itself, not one of an embedded field.
func explicitMethod(t xreflect.Type, name string) (xreflect.Method, bool) {
	for i := range t.NumMethod() {
		if m := t.Method(i); m.Name == name {
			return m, true
		}
	}
	return xreflect.Method{}, false
}
