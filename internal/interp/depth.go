package interp

import (
	"fmt"
	"go/ast"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// A stack that is full ends the process: nothing can recover from it. So
// functions that call others begin with a look at how deep they are.

// maxDepth is how many calls of interpreted functions can be under way on one
// goroutine. A stack may grow to 512 MB, and a call takes up to about 8 KB where
// compiled functions such as fmt's are between the interpreted ones.
const maxDepth = 50_000

const depthName = hidden + "depth"

// countDepth puts a call of depthName before the body of a function.
func (c *compiler) countDepth(body *ast.BlockStmt) {
	if body == nil || !c.calls(body) {
		return
	}
	look := &ast.ExprStmt{X: &ast.CallExpr{Fun: name(depthName, body.Lbrace), Lparen: body.Lbrace, Rparen: body.Lbrace}}
	body.List = append([]ast.Stmt{look}, body.List...)
}

// calls reports whether a function calls others.
func (c *compiler) calls(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			tv := c.info.Types[call.Fun]
			found = found || !tv.IsType() && !tv.IsBuiltin()
		}
		return !found
	})
	return found
}

func compileDepth(c *fast.Comp, sym fast.Symbol, _ *ast.CallExpr) *fast.Call {
	look := &fast.Expr{Lit: fast.Lit{Type: c.TypeOfInterface()}, Fun: func(env *fast.Env) (none xreflect.Value) {
		if env.CallDepth > maxDepth {
			panic(fmt.Errorf("%d calls are under way: is the recursion endless?", maxDepth))
		}
		return none
	}}
	t := c.Universe.FuncOf([]xreflect.Type{look.Type}, nil, false)
	sym.Type = t
	return &fast.Call{
		Fun:  &fast.Expr{Lit: fast.Lit{Type: t, Value: func(xreflect.Value) {}}, Sym: &sym},
		Args: []*fast.Expr{look},
	}
}
