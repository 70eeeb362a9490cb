package interp

import (
	"go/ast"
	"go/token"
	"go/types"
)

// methodValue makes the receiver of a method value what it is where the value is
// made, as Go does: gomacro takes what the variables hold when the method is called.
func (c *compiler) methodValue(n *ast.SelectorExpr) {
	s := c.info.Selections[n]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	last := len(s.Index()) - 1
	x, t := c.embeddedPath(n.X, s.Recv(), s.Index()[:last])
	if x == nil || types.IsInterface(t) && last == 0 {
		return
	}
	p, isPointer := t.(*types.Pointer)
	_, wantsPointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	switch {
	case wantsPointer && !isPointer:
		return
	case wantsPointer && !isStruct(p.Elem()): // receiver has followed it
		return
	case !wantsPointer && isPointer && (last > 0 || isStruct(p.Elem())):
		x = &ast.ParenExpr{Lparen: x.Pos(), X: &ast.StarExpr{Star: x.Pos(), X: x}, Rparen: x.End()}
	}
	if types.IsInterface(t) {
		n.X = x
		return
	}
	n.X = call(cloneName, x)
}

// embeddedPath writes out the way from x, of type t, to an embedded field. It
// returns nil where a cell cannot name a field on it.
func (c *compiler) embeddedPath(x ast.Expr, t types.Type, index []int) (ast.Expr, types.Type) {
	for _, i := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		if !field.Exported() && field.Pkg() != c.world.main || c.world.aliases[field] != "" {
			return nil, nil
		}
		x, t = &ast.SelectorExpr{X: x, Sel: name(field.Name(), x.End()-token.Pos(1))}, field.Type()
	}
	return x, t
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}
