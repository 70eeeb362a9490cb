package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
)

// rewrite gives gomacro what it has no form of its own for, in terms of what it
// has. It works on checked syntax, so types are known. Positions stay.

func newInfo() types.Info {
	return types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Uses:       map[*ast.Ident]types.Object{},
		Defs:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances:  map[*ast.Ident]types.Instance{},
	}
}

// rewrite changes a declaration or statement and returns what takes its place.
func (c *compiler) rewrite(n ast.Node) ast.Node {
	c.resultsOf(n)
	c.statementsOf(n)
	targets := map[ast.Expr]bool{} // what is assigned to, not read
	before := map[ast.Stmt]ast.Stmt{}
	elements := map[*ast.KeyValueExpr]*ast.CompositeLit{}
	called := map[ast.Expr]bool{}     // the functions of calls
	later := map[*ast.CallExpr]bool{} // calls whose function is evaluated now
	inSelect := map[ast.Expr]bool{}   // what the cases of a select receive from
	pre := func(cur *astutil.Cursor) bool {
		if x, ok := cur.Node().(ast.Expr); ok {
			if with := c.genericFunc(x); with != nil {
				cur.Replace(with)
				return false
			}
			if constant := c.bigConstant(x); constant != nil {
				cur.Replace(constant)
				return false
			}
			if constant := c.typedConstant(x); constant != nil {
				cur.Replace(constant)
				if converted := c.toInterface(constant, cur, elements); converted != nil {
					cur.Replace(converted)
				}
				return false
			}
		}
		switch n := cur.Node().(type) {
		case *ast.FuncDecl:
			c.countDepth(n.Body)
		case *ast.FuncLit:
			c.countDepth(n.Body)
		case *ast.TypeSpec:
			c.plainString(n)
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN {
				for i, lhs := range n.Lhs {
					targets[ast.Unparen(lhs)] = true
					if len(n.Lhs) == len(n.Rhs) {
						n.Rhs[i] = c.cutValue(c.cutOf(lhs), n.Rhs[i])
					}
				}
			}
		case *ast.SwitchStmt:
			c.caseConstants(n)
		case *ast.TypeSwitchStmt:
			c.typeSwitch(n)
		case *ast.RangeStmt:
			if isFunc(c.info.Types[n.X].Type) {
				fail(n.X.Pos(), "ranges over functions are not possible in a cell: call %s with a function that does what the loop would do, and returns false to end it", types.ExprString(n.X))
			}
			c.rangeAssigns(n)
			c.perIteration(cur.Parent(), n)
		case *ast.ForStmt:
			c.perIteration(cur.Parent(), n)
		case *ast.SendStmt:
			c.sentConstant(n)
		case *ast.UnaryExpr:
			if n.Op == token.AND && c.cutOf(n.X) != nil {
				fail(n.Pos(), "the address of %s cannot be taken in a cell: its type leads back to the struct", types.ExprString(n.X))
			}
		case *ast.CompositeLit:
			c.literalOfCut(n)
			for _, elt := range n.Elts {
				if kv, ok := elt.(*ast.KeyValueExpr); ok {
					elements[kv] = n
				}
			}
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = !later[n]
			c.constantBytes(n)
			c.singleArgument(n)
			c.calledVariable(n)
			c.boxArguments(n)
			c.ofErrors(n)
		case *ast.GoStmt:
			n.Call = c.callOfBuiltin(n.Call)
			c.singleArgument(n.Call)
			n.Call.Fun = call(guardName, n.Call.Fun)
		case *ast.DeferStmt:
			n.Call = c.callOfBuiltin(n.Call)
			later[n.Call] = true
		case *ast.CommClause:
			inSelect[received(n.Comm)] = true
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				fail(n.Pos(), "goto cannot be used in a cell: use a loop")
			}
		}
		return true
	}
	post := func(cur *astutil.Cursor) bool {
		if x, ok := cur.Node().(ast.Expr); ok {
			c.tellBounds(x)
			if converted := c.toInterface(x, cur, elements); converted != nil {
				cur.Replace(converted)
				return true
			}
			if guarded := c.callback(x, cur, elements); guarded != nil {
				cur.Replace(guarded)
				return true
			}
		}
		switch n := cur.Node().(type) {
		case *ast.SelectorExpr:
			if with := c.replacement(n); with != nil {
				cur.Replace(with)
			} else if with := c.methodExpression(n); with != nil {
				cur.Replace(with)
			} else if with := c.receiver(n); with != nil {
				cur.Replace(with)
			} else if field := c.cutOf(n); field != nil && !targets[n] {
				cur.Replace(call(fieldName, n, name(c.world.aliases[field], n.Pos())))
			} else if !called[n] {
				c.methodValue(n)
			}
		case *ast.CallExpr:
			c.sizesOfMake(n)
			if with := c.newBuiltin(n); with != nil {
				cur.Replace(with)
			} else if with := c.explicit(n); with != nil {
				cur.Replace(with)
			}
		case *ast.TypeAssertExpr:
			if with := c.assertion(n); with != nil {
				cur.Replace(with)
			}
		case *ast.CommClause:
			n.Body = append([]ast.Stmt{callAction(gateName, n.Colon)}, c.gates(n.Body)...)
		case *ast.IfStmt:
			c.gateInto(n.Body, n.Init, n.Cond)
			if other, ok := n.Else.(*ast.BlockStmt); ok {
				c.gateInto(other, n.Init, n.Cond)
			}
		case *ast.ForStmt:
			c.gateInto(n.Body, n.Cond, n.Post)
		case *ast.SwitchStmt:
			for _, clause := range n.Body.List {
				if clause := clause.(*ast.CaseClause); c.waitsIn(n.Init) || c.waitsIn(n.Tag) {
					clause.Body = append([]ast.Stmt{callAction(gateName, clause.Colon)}, clause.Body...)
				}
			}
		case *ast.SelectStmt:
			if with := c.selectStatement(n); with != nil {
				cur.Replace(with)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !inSelect[n] {
				c.receive(n)
			}
		case *ast.SendStmt:
			if _, ok := cur.Parent().(*ast.CommClause); !ok {
				cur.Replace(c.sendStatement(n))
			}
		case *ast.RangeStmt:
			if loop := c.rangeOverChan(n); loop != nil {
				cur.Replace(loop)
			} else if limit, loop := c.rangeOverInt(n); loop != nil {
				if _, labeled := cur.Parent().(*ast.LabeledStmt); labeled {
					cur.Replace(loop)
					before[cur.Parent().(ast.Stmt)] = limit
				} else {
					cur.Replace(block(n, limit, loop))
				}
			}
		case *ast.BlockStmt:
			n.List = c.gates(n.List)
		case *ast.CaseClause:
			n.Body = c.gates(n.Body)
		case *ast.LabeledStmt:
			if limit := before[n]; limit != nil {
				cur.Replace(block(n, limit, n))
			}
		}
		return true
	}
	return astutil.Apply(n, pre, post)
}

func name(s string, pos token.Pos) *ast.Ident { return &ast.Ident{NamePos: pos, Name: s} }

// call is a call of a builtin of ours, or a conversion to a type by its alias.
func call(fun string, args ...ast.Expr) ast.Expr {
	pos, end := args[0].Pos(), args[len(args)-1].End()
	return &ast.CallExpr{Fun: name(fun, pos), Lparen: pos, Args: args, Rparen: end}
}

func block(around ast.Node, list ...ast.Stmt) *ast.BlockStmt {
	return &ast.BlockStmt{Lbrace: around.Pos(), List: list, Rbrace: around.End()}
}

// noParams is a function literal that runs statements.
func noParams(around ast.Node, list ...ast.Stmt) *ast.FuncLit {
	pos := around.Pos()
	t := &ast.FuncType{Func: pos, Params: &ast.FieldList{Opening: pos, Closing: pos}}
	return &ast.FuncLit{Type: t, Body: block(around, list...)}
}

func define(pos token.Pos, lhs, rhs []ast.Expr) ast.Stmt {
	return &ast.AssignStmt{Lhs: lhs, TokPos: pos, Tok: token.DEFINE, Rhs: rhs}
}

// fresh is a name that no source can have and that no other loop has.
func (c *compiler) fresh(of string) string {
	c.made++
	return hidden + of + strconv.Itoa(c.made)
}

func (c *compiler) isBuiltin(name *ast.Ident) bool {
	_, ok := c.info.Uses[name].(*types.Builtin)
	return ok
}

// callOfBuiltin makes a call of a builtin, which gomacro can neither defer nor
// start as a goroutine, one of a function literal.
func (c *compiler) callOfBuiltin(n *ast.CallExpr) *ast.CallExpr {
	if name, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && c.isBuiltin(name) {
		return &ast.CallExpr{Fun: noParams(n, &ast.ExprStmt{X: n}), Lparen: n.Pos(), Rparen: n.End()}
	}
	return n
}

// sentConstant gives a constant that is sent its type: gomacro does not do so
// for nil, and for others not in a select.
func (c *compiler) sentConstant(send *ast.SendStmt) {
	tv := c.info.Types[send.Value]
	if ch, ok := underlying(c.info.Types[send.Chan].Type).(*types.Chan); ok && tv.IsNil() {
		if t := c.typeExpr(ch.Elem(), send.Value.Pos()); t != nil {
			send.Value = call(convertName, send.Value, t)
		}
		return
	}
	basic, ok := tv.Type.(*types.Basic)
	if !ok || tv.Value == nil {
		return
	}
	typed := call(basic.Name(), send.Value)
	c.info.Types[typed] = tv
	send.Value = typed
}

// receiver writes out how the receiver of a method is reached where it is no
// struct: gomacro does not follow pointers to others by itself. It returns what
// stands for a method that wants a pointer to a number, or nil.
func (c *compiler) receiver(n *ast.SelectorExpr) ast.Expr {
	s := c.info.Selections[n]
	if s == nil || s.Kind() != types.MethodVal || len(s.Index()) > 1 {
		return nil
	}
	recv, pos, end := s.Recv(), n.X.Pos(), n.X.End()
	p, isPointer := recv.(*types.Pointer)
	if isPointer {
		recv = p.Elem()
	}
	named, ok := recv.(*types.Named)
	if !ok {
		return nil
	}
	_, wantsPointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	switch recv.Underlying().(type) {
	case *types.Struct, *types.Interface:
		return nil
	case *types.Basic:
		if wantsPointer && named.Obj().Pkg() == c.world.main {
			x := n.X
			if !isPointer {
				x = &ast.UnaryExpr{OpPos: pos, Op: token.AND, X: x}
			}
			return call(methodName, x, &ast.BasicLit{ValuePos: end, Kind: token.STRING, Value: strconv.Quote(n.Sel.Name)})
		}
	}
	if isPointer {
		n.X = &ast.ParenExpr{Lparen: pos, X: &ast.StarExpr{Star: pos, X: n.X}, Rparen: end}
	}
	return nil
}

// cutOf returns the field that is declared as an empty interface and that x
// selects, or nil.
func (c *compiler) cutOf(x ast.Expr) *types.Var {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if s := c.info.Selections[sel]; s != nil && s.Kind() == types.FieldVal {
		if field, ok := s.Obj().(*types.Var); ok && c.world.aliases[field] != "" {
			return field
		}
	}
	return nil
}

// cutValue converts a value that goes to such a field.
func (c *compiler) cutValue(field *types.Var, x ast.Expr) ast.Expr {
	alias := c.world.aliases[field]
	if alias == "" {
		return x
	}
	converted := call(alias, x)
	c.converted[converted] = field.Type()
	return converted
}

// literalOfCut converts the values of such fields in a struct literal.
func (c *compiler) literalOfCut(lit *ast.CompositeLit) {
	t := c.info.Types[lit].Type
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok { // &T elided in a list of *T
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			key, _ := kv.Key.(*ast.Ident)
			field, _ := c.info.Uses[key].(*types.Var)
			kv.Value = c.cutValue(field, kv.Value)
		} else {
			lit.Elts[i] = c.cutValue(s.Field(i), elt)
		}
	}
}
