package interp

import (
	"fmt"
	"go/ast"

	"github.com/cosmos72/gomacro/fast"
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
	body.List = append([]ast.Stmt{callAction(depthName, body.Lbrace)}, body.List...)
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

func (in *interpreter) depth(env *fast.Env) {
	in.gate()
	if env.CallDepth > maxDepth {
		panic(fmt.Errorf("%d calls are under way: is the recursion endless?", maxDepth))
	}
}
