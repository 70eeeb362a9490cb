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
