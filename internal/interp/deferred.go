package interp

import (
	"go/ast"
	"go/token"
	"go/types"
)

// deferredCall returns what evaluates to the function that a defer statement of a
// cell calls when the cell ends: its arguments are evaluated now.
func (c *compiler) deferredCall(n *ast.DeferStmt) ast.Expr {
	if f, ok := n.Call.Fun.(*ast.FuncLit); ok && len(n.Call.Args) == 0 {
		return f
	}
	pos := n.Pos()
	later := *n.Call
	later.Args = nil
	var now []ast.Stmt
	keep := func(x ast.Expr) ast.Expr {
		with := name(c.fresh("deferred"), x.Pos())
		now = append(now, define(x.Pos(), []ast.Expr{with}, []ast.Expr{x}))
		return name(with.Name, x.Pos())
	}
	if sel, ok := later.Fun.(*ast.SelectorExpr); ok && c.info.Selections[sel] != nil {
		later.Fun = keep(sel)
	}
	for _, arg := range n.Call.Args {
		tv := c.info.Types[arg]
		if _, several := tv.Type.(*types.Tuple); !several && tv.Value == nil && !tv.IsNil() {
			arg = keep(arg)
		}
		later.Args = append(later.Args, arg)
	}
	call := noParams(n, &ast.ExprStmt{X: &later})
	if len(now) == 0 {
		return call
	}
	made := noParams(n, append(now, &ast.ReturnStmt{Return: pos, Results: []ast.Expr{call}})...)
	result := &ast.FuncType{Func: token.NoPos, Params: &ast.FieldList{}}
	made.Type.Results = &ast.FieldList{List: []*ast.Field{{Type: result}}}
	return &ast.CallExpr{Fun: made, Lparen: pos, Rparen: n.End()}
}
