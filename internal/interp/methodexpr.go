package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// ofTypeName is the builtin that makes a function of a method, with the receiver as
// its first parameter: gomacro does not do so for pointers. Its arguments are a nil
// pointer of the type and the method's name.
const ofTypeName = hidden + "ofType"

// methodExpression returns what stands for an expression such as (*T).Method, or
// nil for others.
func (c *compiler) methodExpression(n *ast.SelectorExpr) ast.Expr {
	s := c.info.Selections[n]
	if s == nil || s.Kind() != types.MethodExpr {
		return nil
	}
	if _, ok := s.Recv().(*types.Pointer); !ok {
		return nil
	}
	pos, end := n.X.Pos(), n.X.End()
	none := &ast.CallExpr{Fun: &ast.ParenExpr{Lparen: pos, X: n.X, Rparen: end}, Lparen: pos, Args: []ast.Expr{name("nil", pos)}, Rparen: end}
	return call(ofTypeName, none, &ast.BasicLit{ValuePos: end, Kind: token.STRING, Value: strconv.Quote(n.Sel.Name)})
}

func (in *interpreter) compileOfType(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	method, _ := strconv.Unquote(node.Args[1].(*ast.BasicLit).Value)
	if arg.Const() {
		arg.ConstTo(arg.Type)
	}
	pointer := arg.Type
	if compiled, ok := pointer.ReflectType().MethodByName(method); ok && !interpreted(pointer) {
		t := c.Universe.FromReflectType(compiled.Type)
		return builtinCall(sym, arg, func(xreflect.Value) xreflect.Value { return xreflect.MakeValue(compiled.Func) }, t)
	}
	found, _ := pointer.Elem().MethodByName(method, mainPath)
	m := findMethod(pointer, method)
	params, results := []xreflect.Type{pointer}, []xreflect.Type(nil)
	for i := 1; i < found.Type.NumIn(); i++ {
		params = append(params, found.Type.In(i))
	}
	for i := range found.Type.NumOut() {
		results = append(results, found.Type.Out(i))
	}
	t := c.Universe.FuncOf(params, results, found.Type.IsVariadic())
	return builtinCall(sym, arg, func(xreflect.Value) xreflect.Value {
		return xreflect.MakeValue(reflect.MakeFunc(t.ReflectType(), func(args []reflect.Value) []reflect.Value {
			return m.invoke(args[0], args[1:])
		}))
	}, t)
}
