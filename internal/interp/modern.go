package interp

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// The builtins that are younger than gomacro.

// newBuiltin returns what stands for a call of min, max, clear or copy, or nil
// for other calls.
func (c *compiler) newBuiltin(n *ast.CallExpr) ast.Expr {
	fun, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || !c.isBuiltin(fun) {
		return nil
	}
	switch fun.Name {
	case "clear":
		return call(clearName, n.Args[0])
	case "copy": // whose result gomacro forgets
		return call(copyName, n.Args...)
	case "min", "max":
		return c.minMax(fun.Name, n)
	}
	return nil
}

func (c *compiler) minMax(fun string, n *ast.CallExpr) ast.Expr {
	result := c.info.Types[n]
	basic, ok := result.Type.(*types.Basic)
	if !ok {
		fail(n.Pos(), "%s of values of type %s cannot be called in a cell: convert them to %s", fun, types.TypeString(result.Type, types.RelativeTo(c.world.main)), result.Type.Underlying())
	}
	basic = types.Default(basic).(*types.Basic)
	if result.Value != nil { // it is one of the arguments
		for _, arg := range n.Args {
			if constant.Compare(constant.ToFloat(c.info.Types[arg].Value), token.EQL, constant.ToFloat(result.Value)) || basic.Kind() == types.String && constant.Compare(c.info.Types[arg].Value, token.EQL, result.Value) {
				return call(basic.Name(), arg)
			}
		}
	}
	least := n.Args[0]
	for _, arg := range n.Args[1:] {
		least = call(hidden+fun+basic.Name(), least, arg)
	}
	if len(n.Args) == 1 {
		least = call(basic.Name(), least)
	}
	return least
}

const (
	clearName = hidden + "clear"
	copyName  = hidden + "copy"
	cloneName = hidden + "clone"
)

func (in *interpreter) declareModern() {
	in.comp.DeclBuiltin0(clearName, fast.Builtin{Compile: compileClear, ArgMin: 1, ArgMax: 1})
	in.comp.DeclBuiltin0(copyName, fast.Builtin{Compile: compileCopy, ArgMin: 2, ArgMax: 2})
	in.comp.DeclBuiltin0(cloneName, fast.Builtin{Compile: compileClone, ArgMin: 1, ArgMax: 1})
	declareMinMax[int](in)
	declareMinMax[int8](in)
	declareMinMax[int16](in)
	declareMinMax[int32](in)
	declareMinMax[int64](in)
	declareMinMax[uint](in)
	declareMinMax[uint8](in)
	declareMinMax[uint16](in)
	declareMinMax[uint32](in)
	declareMinMax[uint64](in)
	declareMinMax[uintptr](in)
	declareMinMax[float32](in)
	declareMinMax[float64](in)
	declareMinMax[string](in)
}

func declareMinMax[T cmp.Ordered](in *interpreter) {
	t := reflect.TypeFor[T]().Name()
	in.comp.DeclFunc0(hidden+"min"+t, func(a, b T) T { return min(a, b) })
	in.comp.DeclFunc0(hidden+"max"+t, func(a, b T) T { return max(a, b) })
}

func compileClear(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	t := c.Universe.FuncOf([]xreflect.Type{arg.Type}, nil, false)
	sym.Type = t
	return &fast.Call{
		Fun:  &fast.Expr{Lit: fast.Lit{Type: t, Value: func(v xreflect.Value) { v.ReflectValue().Clear() }}, Sym: &sym},
		Args: []*fast.Expr{arg},
	}
}

func compileCopy(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	to, from := c.Expr1(node.Args[0], nil), c.Expr1(node.Args[1], nil)
	if from.Const() {
		from.ConstTo(from.DefaultType())
	}
	t := c.Universe.FuncOf([]xreflect.Type{to.Type, from.Type}, []xreflect.Type{c.TypeOfInt()}, false)
	sym.Type = t
	copied := func(to, from xreflect.Value) int { return reflect.Copy(to.ReflectValue(), from.ReflectValue()) }
	return &fast.Call{
		Fun:      &fast.Expr{Lit: fast.Lit{Type: t, Value: copied}, Sym: &sym},
		Args:     []*fast.Expr{to, from},
		OutTypes: []xreflect.Type{c.TypeOfInt()},
	}
}

func compileClone(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	return builtinCall(sym, arg, func(v xreflect.Value) xreflect.Value {
		return xreflect.MakeValue(addressable(v.ReflectValue()))
	}, arg.Type)
}
