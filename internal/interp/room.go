package interp

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"runtime"
	"strconv"
)

// Memory that the system does not give ends the process: nothing can recover from
// it. So a large slice is made only when the system has that much at the moment.

const roomName = hidden + "room"

// largeSlice is from what size on the system is asked, in bytes.
const largeSlice = 1 << 30

// sizesOfMake converts the sizes of a call of make to int, which gomacro wants, and
// has a large slice ask for its memory first.
func (c *compiler) sizesOfMake(n *ast.CallExpr) {
	fun, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || fun.Name != "make" || !c.isBuiltin(fun) || len(n.Args) < 2 {
		return
	}
	most := c.info.Types[n.Args[len(n.Args)-1]].Value // the last is the largest
	for i, size := range n.Args[1:] {
		t, basic := c.info.Types[size].Type.(*types.Basic)
		if basic && (t.Kind() == types.Int || t.Info()&types.IsUntyped != 0) {
			continue
		}
		n.Args[1+i] = c.int(call("int", size))
	}
	slice, ok := underlying(c.info.Types[n.Args[0]].Type).(*types.Slice)
	if !ok {
		return
	}
	size := types.SizesFor("gc", runtime.GOARCH).Sizeof(slice.Elem())
	if most != nil {
		count, exact := constant.Int64Val(constant.ToInt(most))
		if size == 0 || exact && count < largeSlice/size {
			return
		}
	}
	last := &n.Args[len(n.Args)-1]
	*last = c.int(call(roomName, *last, &ast.BasicLit{ValuePos: (*last).Pos(), Kind: token.INT, Value: strconv.FormatInt(size, 10)}))
}

// int says of an expression of ours that its type is int.
func (c *compiler) int(x ast.Expr) ast.Expr {
	c.info.Types[x] = types.TypeAndValue{Type: types.Typ[types.Int]}
	return x
}

// room returns n when there is memory for n elements of a size in bytes, and
// panics when there is not.
func room(n, size int) int {
	if size > 0 && n >= largeSlice/size {
		if n > math.MaxInt/size {
			panic(fmt.Errorf("make: %d elements of %d bytes are more than there is memory for", n, size))
		}
		if !hasRoom(n * size) {
			panic(fmt.Errorf("make: %d elements of %d bytes are %.3g GB, more than the system gives", n, size, float64(n)*float64(size)/1e9))
		}
	}
	return n
}
