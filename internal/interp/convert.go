package interp

import (
	"fmt"
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// The builtins that make an interface of the value in another: convertName and
// assertName must succeed, tryName gives nil when the value lacks a method.
const (
	convertName = hidden + "convert"
	assertName  = hidden + "assert"
	tryName     = hidden + "try"
)

func (in *interpreter) compileConvert(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	to := c.Type(node.Args[1])
	switch {
	case arg.Type == nil: // nil
		arg.ConstTo(to)
	case arg.Untyped():
		arg.ConstTo(arg.DefaultType())
	}
	from := arg.Type
	convert := func(v xreflect.Value) xreflect.Value { return in.convertDynamic(v, from, to, sym.Name) }
	if from.Kind() != reflect.Interface {
		static := in.converter(from, to)
		convert = func(v xreflect.Value) xreflect.Value { return xreflect.MakeValue(static(v.ReflectValue())) }
	}
	return builtinCall(sym, arg, convert, to)
}

// convertDynamic converts a value whose type is known only now.
func (in *interpreter) convertDynamic(v xreflect.Value, from, to xreflect.Type, how string) xreflect.Value {
	rv, t := concrete(v, from)
	if !rv.IsValid() {
		if how == assertName {
			panic(fmt.Errorf("interface conversion: interface is nil, not %v", to))
		}
		return xreflect.Zero(to)
	}
	convert := in.tables.converter(rv, t, to, func() func(reflect.Value) reflect.Value {
		if t == nil {
			t = in.comp.Universe.FromReflectType(rv.Type())
		}
		if to.NumMethod() > 0 && !t.Implements(to) {
			return nil
		}
		return in.converter(t, to)
	})
	switch {
	case convert != nil:
		return xreflect.MakeValue(convert(rv))
	case how == tryName:
		return xreflect.Zero(to)
	case t == nil:
		panic(fmt.Errorf("interface conversion: %v is not %v", rv.Type(), to))
	}
	panic(fmt.Errorf("interface conversion: %v is not %v: missing method %s", t, to, in.missingMethod(t, to)))
}

// converter returns what makes an interface of values of a type that implements
// it. It uses gomacro's tables.
func (in *interpreter) converter(from, to xreflect.Type) func(reflect.Value) reflect.Value {
	target := to.ReflectType()
	if target.Kind() == reflect.Interface && from.ReflectType().Implements(target) {
		return func(v reflect.Value) reflect.Value { return v.Convert(target) }
	}
	if proxy := in.proxy(from, to); proxy != nil {
		return proxy
	}
	convert := in.comp.Converter(from, to)
	return func(v reflect.Value) reflect.Value { return convert(xreflect.MakeValue(v)).ReflectValue() }
}

// proxy returns what wraps values of an interpreted type in the struct that has
// the methods of a compiled interface, or nil when that is not the way.
func (in *interpreter) proxy(from, to xreflect.Type) func(reflect.Value) reflect.Value {
	target := to.ReflectType()
	if target.Kind() != reflect.Interface {
		return nil
	}
	methods := make([]method, target.NumMethod())
	for i := range methods {
		if methods[i] = findMethod(from, target.Method(i).Name); methods[i].typ == nil {
			return nil
		}
	}
	table := reflect.New(in.proxyType(to)).Elem()
	for i, m := range methods {
		field := table.Field(i + 1)
		field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value {
			return m.invoke(args[0].Interface().(xreflect.InterfaceHeader).Value().ReflectValue(), args[1:])
		}))
	}
	return func(v reflect.Value) reflect.Value {
		wrapped := reflect.New(table.Type())
		wrapped.Elem().Set(table)
		wrapped.Elem().Field(0).Set(reflect.ValueOf(xreflect.MakeInterfaceHeader(xreflect.MakeValue(v), from)))
		return wrapped.Convert(target)
	}
}

// proxyType is the struct that has the methods of a compiled interface. Those
// that can be imported have one.
func (in *interpreter) proxyType(t xreflect.Type) reflect.Type {
	defer func() {
		if recover() != nil {
			panic(fmt.Errorf("a value of a cell's own type cannot be used as a %v", t))
		}
	}()
	return in.comp.InterfaceProxy(t)
}

func (in *interpreter) missingMethod(t, of xreflect.Type) (missing string) {
	missing = "with the same parameters"
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	in.tables.read(func() {
		for i := range of.NumMethod() {
			m := of.Method(i).Name
			if _, n := t.MethodByName(m, mainPath); n == 0 {
				missing = m
				return
			}
		}
	})
	return missing
}
