package interp

import (
	"go/ast"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// someName is the builtin that gives a type switch or an assertion an interface of
// cells that is not nil: where it was, it holds nothing. gomacro follows a nil one.
const someName = hidden + "some"

// typeSwitch gives the interface that a type switch is about.
func (c *compiler) typeSwitch(n *ast.TypeSwitchStmt) {
	var x ast.Expr
	switch assign := n.Assign.(type) {
	case *ast.ExprStmt:
		x = assign.X
	case *ast.AssignStmt:
		x = assign.Rhs[0]
	}
	if assert, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		c.some(assert)
	}
}

func (c *compiler) some(n *ast.TypeAssertExpr) {
	if t := c.info.Types[n.X].Type; t != nil && c.isEmulated(t) {
		n.X = call(someName, n.X)
	}
}

func compileSome(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	return builtinCall(sym, arg, func(v xreflect.Value) xreflect.Value {
		if !xreflect.IsEmulatedInterface(arg.Type) || v.IsValid() && !v.IsNil() {
			return v
		}
		return xreflect.MakeValue(reflect.New(arg.Type.ReflectType().Elem()))
	}, arg.Type)
}
