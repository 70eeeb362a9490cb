package interp

import (
	"errors"
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// Package errors sees neither the types nor the methods of a cell's errors. So
// its functions that follow the chain of an error are replaced in cells by ones
// that do.
const (
	isName     = hidden + "errorsIs"
	asName     = hidden + "errorsAs"
	unwrapName = hidden + "errorsUnwrap"
	targetName = hidden + "errorsTarget"
)

func (in *interpreter) declareUnwrap() {
	in.comp.DeclFunc0(isName, in.errorsIs)
	in.comp.DeclFunc0(asName, in.errorsAs)
	in.comp.DeclFunc0(unwrapName, func(err error) error { return first(in.unwrap(err)) })
	in.comp.DeclBuiltin0(targetName, fast.Builtin{Compile: in.compileTarget, ArgMin: 1, ArgMax: 1})
}

// ofErrors replaces the function of a call.
func (c *compiler) ofErrors(n *ast.CallExpr) {
	fun, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || c.importedPath(fun) != "errors" {
		return
	}
	ours := map[string]string{"Is": isName, "As": asName, "Unwrap": unwrapName}[fun.Sel.Name]
	if ours == "" {
		return
	}
	if ours == asName && len(n.Args) == 2 {
		n.Args[1] = call(targetName, n.Args[1])
	}
	n.Fun = name(ours, fun.Pos())
	c.info.Types[n.Fun] = c.info.Types[fun]
}

// target is what errors.As is to fill, with the type that it has in the cell.
type target struct {
	pointer reflect.Value
	typ     xreflect.Type // nil when the pointer is none
}

func (in *interpreter) compileTarget(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	var elem xreflect.Type
	if arg.Type == nil {
		arg.ConstTo(c.TypeOfInterface())
	} else if arg.Type.Kind() == reflect.Pointer {
		elem = arg.Type.Elem()
	}
	return builtinCall(sym, arg, func(v xreflect.Value) xreflect.Value {
		var t any = target{v.ReflectValue(), elem}
		return xreflect.MakeValue(reflect.ValueOf(&t).Elem())
	}, c.TypeOfInterface())
}

func (in *interpreter) errorsIs(err, want error) bool {
	if err == nil || want == nil {
		return err == want
	}
	return in.chain(err, func(err error) bool {
		if sameError(err, want) {
			return true
		}
		is, ok := in.errorMethods(err)("Is").(func(error) bool)
		return ok && is(want)
	})
}

// sameError compares errors as == does, those of cells by what is in their
// proxies.
func sameError(a, b error) bool {
	va, ta := concrete(xreflect.ValueOf(a), nil)
	vb, tb := concrete(xreflect.ValueOf(b), nil)
	if !va.IsValid() || !vb.IsValid() || va.Type() != vb.Type() || !va.Comparable() || (ta == nil) != (tb == nil) {
		return false
	}
	return (ta == nil || ta.IdenticalTo(tb)) && va.Equal(vb)
}

func (in *interpreter) errorsAs(err error, to any) bool {
	t, ok := to.(target)
	if !ok || t.typ == nil || t.pointer.IsNil() {
		panic(errors.New("errors: target must be a non-nil pointer"))
	}
	into := t.pointer.Elem()
	return in.chain(err, func(err error) bool {
		v, typ := concrete(xreflect.ValueOf(err), nil)
		switch {
		case typ == nil && v.Type().AssignableTo(into.Type()) && !interpreted(t.typ):
			into.Set(v)
			return true
		case typ != nil && typ.IdenticalTo(t.typ):
			into.Set(v)
			return true
		case t.typ.Kind() == reflect.Interface && typ != nil:
			if value := in.convertDynamic(xreflect.ValueOf(err), nil, t.typ, tryName); !value.IsZero() {
				into.Set(value.ReflectValue())
				return true
			}
		}
		as, ok := in.errorMethods(err)("As").(func(any) bool)
		return ok && as(t.pointer.Interface())
	})
}

// interpreted reports whether t is a type of cells or a pointer to one.
func interpreted(t xreflect.Type) bool {
	if t.Kind() == reflect.Pointer && !t.Named() {
		t = t.Elem()
	}
	return t.Named() && t.PkgPath() == mainPath
}

// chain calls f for an error and those that it wraps until f returns true.
func (in *interpreter) chain(err error, f func(error) bool) bool {
	if err == nil {
		return false
	}
	if f(err) {
		return true
	}
	for _, wrapped := range in.unwrap(err) {
		if in.chain(wrapped, f) {
			return true
		}
	}
	return false
}

func (in *interpreter) unwrap(err error) []error {
	if err == nil {
		return nil
	}
	switch unwrap := in.errorMethods(err)("Unwrap").(type) {
	case func() error:
		return []error{unwrap()}
	case func() []error:
		return unwrap()
	}
	return nil
}

func first(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return nil
}

func (in *interpreter) errorMethods(err error) func(name string) any {
	v, t := concrete(xreflect.ValueOf(err), nil)
	return in.methods(v, t)
}
