package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// gomacro's panic about an index says neither the index nor the length. To say
// them, each index and slice expression is compiled a second time, where that has
// no effect but its value, and evaluated when the first one has panicked: what
// does not panic costs nothing.

// bounds is an index or slice expression.
type bounds struct {
	from, to token.Pos // of the innermost statement around it, without its body
	operand  func(*fast.Env) xreflect.Value
	limits   []func(*fast.Env) xreflect.Value // the index; or where the slice begins and ends
}

// boundsName is the builtin that tells of such an expression: the operand, and
// its limits. Its parentheses are at from and to. It is the constant 0, which
// gomacro leaves out where it is added.
const boundsName = hidden + "bounds"

func (in *interpreter) compileBounds(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	b := bounds{from: node.Lparen, to: node.Rparen}
	pos := c.Pos
	for i, arg := range node.Args {
		x := c.Expr1(arg, nil)
		if x.Const() {
			x.ConstTo(x.DefaultType())
		}
		if i == 0 {
			b.operand = x.AsX1()
		} else {
			b.limits = append(b.limits, x.AsX1())
		}
	}
	c.Pos = pos
	in.sources.bounds = append(in.sources.bounds, b)
	zero := c.Expr1(&ast.BasicLit{ValuePos: pos, Kind: token.INT, Value: "0"}, nil)
	return &fast.Call{
		Fun:      &fast.Expr{Lit: zero.Lit, Sym: &sym},
		OutTypes: []xreflect.Type{zero.Type},
		Const:    true,
	}
}

// tellBounds adds the builtin to an index or to a limit of a slice.
func (c *compiler) tellBounds(x ast.Expr) {
	switch x := x.(type) {
	case *ast.IndexExpr:
		if c.isIndexed(x.X) && c.repeatable(x.X) && c.repeatable(x.Index) {
			x.Index = c.plusBounds(x, x.Index, x.X, x.Index)
		}
	case *ast.SliceExpr:
		if x.Slice3 || !c.isIndexed(x.X) || !c.repeatable(x.X) || !c.repeatable(x.Low) || !c.repeatable(x.High) {
			return
		}
		low, high := x.Low, x.High
		switch {
		case low == nil && high == nil:
		case low == nil:
			x.High = c.plusBounds(x, high, x.X, &ast.BasicLit{ValuePos: x.Lbrack, Kind: token.INT, Value: "0"}, high)
		case high == nil:
			x.Low = c.plusBounds(x, low, x.X, low, call("len", x.X))
		default:
			x.Low = c.plusBounds(x, low, x.X, low, high)
		}
	}
}

func (c *compiler) plusBounds(x, limit ast.Expr, args ...ast.Expr) ast.Expr {
	basic, ok := underlying(c.info.Types[limit].Type).(*types.Basic)
	at, known := c.statements[x]
	if !ok || !known || basic != c.info.Types[limit].Type {
		return limit
	}
	tell := call(boundsName, args...)
	tell.(*ast.CallExpr).Lparen, tell.(*ast.CallExpr).Rparen = at[0], at[1]
	sum := &ast.BinaryExpr{X: limit, OpPos: limit.End(), Op: token.ADD, Y: tell}
	c.info.Types[sum] = types.TypeAndValue{Type: basic}
	return sum
}

// isIndexed reports whether x is what has an index with a limit.
func (c *compiler) isIndexed(x ast.Expr) bool {
	tv := c.info.Types[x]
	if !tv.IsValue() {
		return false
	}
	switch t := underlying(tv.Type).(type) {
	case *types.Slice, *types.Array:
		return true
	case *types.Pointer:
		_, array := t.Elem().Underlying().(*types.Array)
		return array
	case *types.Basic:
		return t.Info()&types.IsString != 0 && tv.Value == nil
	}
	return false
}

// repeatable reports whether the value of an expression is all that it gives.
func (c *compiler) repeatable(x ast.Expr) bool {
	if x == nil {
		return true
	}
	yes := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.Ident, *ast.BasicLit, *ast.ParenExpr, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr, *ast.BinaryExpr:
		case *ast.UnaryExpr:
			yes = yes && n.Op != token.ARROW && n.Op != token.AND
		case *ast.CallExpr:
			fun, ok := ast.Unparen(n.Fun).(*ast.Ident)
			yes = yes && ok && (c.info.Types[fun].IsType() || fun.Name == boundsName || c.isBuiltin(fun) && (fun.Name == "len" || fun.Name == "cap"))
		default:
			yes = false
		}
		return yes
	})
	return yes
}

// statementsOf finds the innermost statement of each index and slice expression.
func (c *compiler) statementsOf(n ast.Node) {
	var around [][2]token.Pos
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.IndexExpr, *ast.SliceExpr:
				if len(around) > 0 {
					c.statements[m.(ast.Expr)] = around[len(around)-1]
				}
			case ast.Stmt, *ast.ValueSpec:
				if m == n {
					return true
				}
				around = append(around, [2]token.Pos{m.Pos(), headEnd(m)})
				walk(m)
				around = around[:len(around)-1]
				return false
			}
			return true
		})
	}
	if _, ok := n.(ast.Stmt); ok {
		around = append(around, [2]token.Pos{n.Pos(), headEnd(n)})
	}
	walk(n)
}

// headEnd is where the body of a statement begins, or its end.
func headEnd(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.ForStmt:
		return n.Body.Pos()
	case *ast.RangeStmt:
		return n.Body.Pos()
	case *ast.IfStmt:
		return n.Body.Pos()
	case *ast.SwitchStmt:
		return n.Body.Pos()
	case *ast.TypeSwitchStmt:
		return n.Body.Pos()
	case *ast.CaseClause:
		return n.Colon
	case *ast.LabeledStmt:
		return n.Colon
	}
	return n.End()
}

// outOfRange is what Go says of the expression that panicked. What it was is
// found in the innermost statement around pos; env is that of the panic.
func (in *interpreter) outOfRange(env *fast.Env, pos token.Pos) string {
	var at bounds
	for _, b := range in.sources.bounds {
		if b.from <= pos && pos < b.to && (at.to == 0 || b.to-b.from < at.to-at.from) {
			at = b
		}
	}
	for _, b := range in.sources.bounds {
		if b.from == at.from && b.to == at.to {
			if text := b.exceeded(env); text != "" {
				return text
			}
		}
	}
	return ""
}

// exceeded says which limit is too far off, if one is.
func (b bounds) exceeded(env *fast.Env) (text string) {
	defer func() {
		if recover() != nil { // something else panics there
			text = ""
		}
	}()
	operand := b.operand(env).ReflectValue()
	for operand.Kind() == reflect.Pointer {
		operand = operand.Elem()
	}
	limits := make([]int64, len(b.limits))
	for i, limit := range b.limits {
		v := limit(env).ReflectValue()
		if v.CanUint() {
			limits[i] = int64(v.Uint())
		} else {
			limits[i] = v.Int()
		}
	}
	length, of := int64(operand.Len()), "length"
	if len(limits) == 1 {
		switch i := limits[0]; {
		case i < 0:
			return fmt.Sprintf("runtime error: index out of range [%d]", i)
		case i >= length:
			return fmt.Sprintf("runtime error: index out of range [%d] with length %d", i, length)
		}
		return ""
	}
	if operand.Kind() == reflect.Slice {
		length, of = int64(operand.Cap()), "capacity"
	}
	low, high := limits[0], limits[1]
	switch {
	case high < 0:
		return fmt.Sprintf("runtime error: slice bounds out of range [:%d]", high)
	case high > length:
		return fmt.Sprintf("runtime error: slice bounds out of range [:%d] with %s %d", high, of, length)
	case low < 0:
		return fmt.Sprintf("runtime error: slice bounds out of range [%d:]", low)
	case low > high:
		return fmt.Sprintf("runtime error: slice bounds out of range [%d:%d]", low, high)
	}
	return ""
}

// isOutOfRange reports whether a panic is gomacro's about an index.
func isOutOfRange(r any) bool {
	text, ok := r.(string)
	return ok && strings.HasPrefix(text, "reflect") && (strings.HasSuffix(text, "index out of range") || strings.HasSuffix(text, "index out of bounds"))
}
