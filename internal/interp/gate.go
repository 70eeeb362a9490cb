package interp

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// An evaluator that was left behind in a wait goes on when the wait ends. So
// after each statement that may wait, and before what is in a statement that
// waits at its head, comes a call of gateName, which stops it.

const gateName = hidden + "gate"

// gates puts gates into a list of statements.
func (c *compiler) gates(list []ast.Stmt) []ast.Stmt {
	var gated []ast.Stmt
	for _, stmt := range list {
		gated = append(gated, stmt)
		if c.mayWait(stmt) {
			gated = append(gated, callAction(gateName, stmt.Pos()))
		}
	}
	if len(gated) == len(list) {
		return list
	}
	return gated
}

// gateInto puts a gate before the body of a statement whose head may wait.
func (c *compiler) gateInto(body *ast.BlockStmt, heads ...ast.Node) {
	for _, head := range heads {
		if c.waitsIn(head) {
			body.List = append([]ast.Stmt{callAction(gateName, body.Lbrace)}, body.List...)
			return
		}
	}
}

// mayWait reports whether a statement may wait before it is over, and can be
// followed by another.
func (c *compiler) mayWait(stmt ast.Stmt) bool {
	switch stmt := stmt.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt, *ast.BlockStmt, *ast.LabeledStmt, *ast.CaseClause, *ast.CommClause:
		return false
	case *ast.SelectStmt:
		return true
	case *ast.IfStmt:
		return c.waitsIn(stmt.Init) || c.waitsIn(stmt.Cond)
	case *ast.ForStmt:
		return c.waitsIn(stmt.Init) || c.waitsIn(stmt.Cond) || c.waitsIn(stmt.Post)
	case *ast.RangeStmt:
		return true
	case *ast.SwitchStmt:
		return c.waitsIn(stmt.Init) || c.waitsIn(stmt.Tag)
	case *ast.TypeSwitchStmt:
		return c.waitsIn(stmt.Init) || c.waitsIn(stmt.Assign)
	}
	return c.waitsIn(stmt)
}

// waitsIn reports whether evaluating n may wait: for a channel, or in a call.
func (c *compiler) waitsIn(n ast.Node) (found bool) {
	if n == nil {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SendStmt:
			found = true
		case *ast.CallExpr:
			found = found || c.callMayWait(n)
		}
		return !found
	})
	return found
}

func (c *compiler) callMayWait(n *ast.CallExpr) bool {
	if id, ok := n.Fun.(*ast.Ident); ok && strings.HasPrefix(id.Name, hidden) {
		return false
	}
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(neverWait, c.importedPath(sel)) {
		return false
	}
	tv := c.info.Types[n.Fun]
	return !tv.IsType() && !tv.IsBuiltin()
}

// neverWait are packages whose functions only compute, which loops call a lot.
var neverWait = []string{"bytes", "errors", "math", "math/bits", "math/cmplx", "strconv", "strings", "unicode", "unicode/utf8"}

// declareAction declares a builtin without arguments and results.
func (in *interpreter) declareAction(name string, action func(env *fast.Env)) {
	in.comp.DeclBuiltin0(name, fast.Builtin{Compile: func(c *fast.Comp, sym fast.Symbol, _ *ast.CallExpr) *fast.Call {
		// An argument is what gets the environment.
		look := &fast.Expr{Lit: fast.Lit{Type: c.TypeOfInterface()}, Fun: func(env *fast.Env) (none xreflect.Value) {
			action(env)
			return none
		}}
		t := c.Universe.FuncOf([]xreflect.Type{look.Type}, nil, false)
		sym.Type = t
		return &fast.Call{
			Fun:  &fast.Expr{Lit: fast.Lit{Type: t, Value: func(xreflect.Value) {}}, Sym: &sym},
			Args: []*fast.Expr{look},
		}
	}})
}

// callAction is a call of such a builtin.
func callAction(action string, pos token.Pos) ast.Stmt {
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: name(action, pos), Lparen: pos, Rparen: pos}}
}
