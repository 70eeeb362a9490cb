package interp

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// A value of an interpreted type loses its methods when it becomes an any, so
// that fmt prints an error of a cell as a struct. Where a cell prints a value
// or panics with it, boxing keeps its Error or String method.

const boxName = hidden + "box"

// boxArguments boxes the arguments of a call that are printed.
func (c *compiler) boxArguments(n *ast.CallExpr) {
	if n.Ellipsis.IsValid() {
		return
	}
	for _, i := range c.printedArguments(n) {
		if c.hasText(c.info.Types[n.Args[i]].Type, "Error", "String") {
			n.Args[i] = call(boxName, n.Args[i])
		}
	}
	if fun, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && fun.Name == "panic" && c.isBuiltin(fun) {
		// What recovers gets the value back out of an error only.
		if t := c.info.Types[n.Args[0]].Type; !c.isEmulated(t) && c.hasText(t, "Error") {
			n.Args[0] = call(boxName, n.Args[0])
		}
	}
}

// hasText reports whether values of t may lose one of the methods that give
// their text: those of interpreted types, and those in an interface.
func (c *compiler) hasText(t types.Type, methods ...string) bool {
	if t == nil {
		return false
	}
	if c.isEmulated(t) {
		return true
	}
	elem := t
	if p, ok := t.(*types.Pointer); ok {
		elem = p.Elem()
	}
	named, ok := elem.(*types.Named)
	if !ok || named.Obj().Pkg() != c.world.main && !types.IsInterface(t) {
		return false
	}
	for _, method := range methods {
		obj, _, _ := types.LookupFieldOrMethod(t, false, c.world.main, method)
		if f, ok := obj.(*types.Func); ok {
			sig := f.Signature()
			return sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.String])
		}
	}
	return false
}

// printedArguments lists the arguments of a call that are printed as text.
func (c *compiler) printedArguments(n *ast.CallExpr) (printed []int) {
	fun, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	path := c.importedPath(fun)
	if path != "fmt" && path != "log" {
		return nil
	}
	from, kind := 0, strings.TrimSuffix(fun.Sel.Name, "ln")
	if path == "fmt" && strings.HasPrefix(kind, "F") {
		from, kind = 1, strings.TrimPrefix(kind, "F")
	}
	switch strings.ToLower(kind) {
	case "print", "sprint", "fatal", "panic":
		for i := from; i < len(n.Args); i++ {
			printed = append(printed, i)
		}
	case "printf", "sprintf", "errorf", "fatalf", "panicf":
		if from >= len(n.Args) {
			return nil
		}
		format := c.info.Types[n.Args[from]].Value
		if format == nil || format.Kind() != constant.String {
			return nil
		}
		for i, verb := range verbs(constant.StringVal(format)) {
			if arg := from + 1 + i; strings.ContainsRune("vsqw", verb) && arg < len(n.Args) {
				printed = append(printed, arg)
			}
		}
	}
	return printed
}

// importedPath is the path of the package that a selector selects from, or "".
func (c *compiler) importedPath(sel *ast.SelectorExpr) string {
	if x, ok := sel.X.(*ast.Ident); ok {
		if pkg, ok := c.info.Uses[x].(*types.PkgName); ok {
			return pkg.Imported().Path()
		}
	}
	return ""
}

// verbs lists the verb that formats each argument; ' ' for one that is a width
// or has a flag that asks for more than text. A format with explicit argument
// indexes has none.
func verbs(format string) (list []rune) {
	if strings.Contains(format, "%[") {
		return nil
	}
	for {
		_, rest, ok := strings.Cut(format, "%")
		if !ok {
			return list
		}
		verb := ' '
		plain := true
		for i, r := range rest {
			if r == '*' {
				list = append(list, ' ')
			} else if !strings.ContainsRune("+-# 0123456789.", r) {
				verb, rest = r, rest[i+len(string(r)):]
				break
			}
			plain = plain && r != '+' && r != '#'
		}
		format = rest
		switch {
		case verb == '%':
		case plain:
			list = append(list, verb)
		default:
			list = append(list, ' ')
		}
	}
}

// compileBox compiles a call of boxName. All that needs gomacro's tables is done
// here: the call may run on a goroutine of its own.
func (in *interpreter) compileBox(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	t := arg.Type
	var box func(v xreflect.Value) reflect.Value
	switch {
	case xreflect.IsEmulatedInterface(t):
		box = func(v xreflect.Value) reflect.Value { return in.boxDynamic(concrete(v, t)) }
	case t.Kind() == reflect.Interface: // holds what has the method
		box = func(v xreflect.Value) reflect.Value {
			rv := v.ReflectValue()
			if rv.Kind() == reflect.Interface {
				rv = rv.Elem()
			}
			return rv
		}
	case t.Implements(c.TypeOfError()):
		convert := in.converter(t, c.TypeOfError())
		box = func(v xreflect.Value) reflect.Value { return convert(v.ReflectValue()).Elem() }
	default:
		method := findMethod(t, "String")
		box = func(v xreflect.Value) reflect.Value {
			rv := v.ReflectValue()
			if text, ok := method.bind(rv).(func() string); ok {
				return reflect.ValueOf(stringer{text})
			}
			return rv
		}
	}
	return builtinCall(sym, arg, func(v xreflect.Value) xreflect.Value {
		held := reflect.New(reflect.TypeFor[any]()).Elem()
		if boxed := box(v); boxed.IsValid() {
			held.Set(boxed)
		}
		return xreflect.MakeValue(held)
	}, c.TypeOfInterface())
}

// boxDynamic boxes a value whose type is known only now.
func (in *interpreter) boxDynamic(v reflect.Value, t xreflect.Type) reflect.Value {
	if t == nil || !v.IsValid() {
		return v
	}
	lookup := in.methods(v, t)
	if text, ok := lookup("Error").(func() string); ok {
		return reflect.ValueOf(failure{text})
	}
	if text, ok := lookup("String").(func() string); ok {
		return reflect.ValueOf(stringer{text})
	}
	return v
}

// stringer and failure stand for a value by its text.
type (
	stringer struct{ text func() string }
	failure  struct{ text func() string }
)

func (s stringer) String() string { return s.text() }
func (f failure) Error() string   { return f.text() }
