package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// placeName is the builtin that gives a pointer to a copy of its argument.
const placeName = hidden + "place"

func compilePlace(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	return builtinCall(sym, arg, func(v xreflect.Value) xreflect.Value {
		place := reflect.New(arg.Type.ReflectType())
		if v.IsValid() { // not the nil of an interface
			place.Elem().Set(v.ReflectValue())
		}
		return xreflect.MakeValue(place)
	}, c.Universe.PtrTo(arg.Type))
}

// singleArgument makes the only argument of a call one value: gomacro passes both
// values of an assertion, an element of a map or a receipt.
func (c *compiler) singleArgument(n *ast.CallExpr) {
	if len(n.Args) != 1 || n.Ellipsis.IsValid() {
		return
	}
	if _, ok := underlying(c.info.Types[n.Fun].Type).(*types.Signature); !ok || c.info.Types[n.Fun].IsBuiltin() {
		return
	}
	switch x := ast.Unparen(n.Args[0]).(type) {
	case *ast.TypeAssertExpr:
	case *ast.IndexExpr:
		if _, ok := underlying(c.info.Types[x.X].Type).(*types.Map); !ok {
			return
		}
	case *ast.UnaryExpr:
		if x.Op != token.ARROW {
			return
		}
	default:
		return
	}
	tv := c.info.Types[n.Args[0]]
	if _, several := tv.Type.(*types.Tuple); several {
		return
	}
	var with ast.Expr
	if basic, ok := tv.Type.(*types.Basic); ok {
		with = call(basic.Name(), n.Args[0])
	} else {
		with = &ast.StarExpr{Star: n.Args[0].Pos(), X: call(placeName, n.Args[0])}
	}
	c.info.Types[with] = tv
	n.Args[0] = with
}

// calledVariable has a local variable of functions without arguments and results
// called by a copy of it: gomacro looks for the variable itself one scope too far
// out if it is three or more away.
func (c *compiler) calledVariable(n *ast.CallExpr) {
	f, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || len(n.Args) > 0 {
		return
	}
	variable, ok := c.info.Uses[f].(*types.Var)
	if !ok || variable.Parent() == nil || variable.Parent().Parent() == types.Universe {
		return
	}
	if s, ok := underlying(variable.Type()).(*types.Signature); !ok || s.Params().Len()+s.Results().Len() > 0 {
		return
	}
	with := &ast.StarExpr{Star: f.Pos(), X: call(placeName, f)}
	c.info.Types[with] = c.info.Types[n.Fun]
	n.Fun = with
}
