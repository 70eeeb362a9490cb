package interp

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"
)

// Loops as they are since Go 1.22: over integers, and with variables of their
// own for each iteration.

// rangeAssigns makes a range loop that assigns one that declares and then
// assigns: gomacro counts with the variable, and leaves it one too far.
func (c *compiler) rangeAssigns(n *ast.RangeStmt) {
	if n.Tok != token.ASSIGN {
		return
	}
	assign := &ast.AssignStmt{TokPos: n.TokPos, Tok: token.ASSIGN}
	for _, x := range []*ast.Expr{&n.Key, &n.Value} {
		if id, ok := (*x).(*ast.Ident); *x == nil || ok && id.Name == "_" {
			continue
		}
		own := c.fresh("range")
		assign.Lhs, assign.Rhs = append(assign.Lhs, *x), append(assign.Rhs, name(own, (*x).Pos()))
		*x = name(own, (*x).Pos())
	}
	if len(assign.Lhs) == 0 {
		n.Key, n.Value, n.Tok = nil, nil, token.ILLEGAL
		return
	}
	n.Tok = token.DEFINE
	n.Body = block(n.Body, append([]ast.Stmt{assign}, inner(n.Body)...)...)
}

// rangeOverInt makes a loop over an integer a loop with a counter. The limit
// comes first and is evaluated once.
func (c *compiler) rangeOverInt(n *ast.RangeStmt) (limit ast.Stmt, loop *ast.ForStmt) {
	t := c.info.Types[n.X].Type
	if t == nil {
		return nil, nil
	}
	basic, ok := t.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 {
		return nil, nil
	}
	pos := n.For
	end, counter := c.fresh("end"), c.fresh("i")
	x := n.X
	if b, ok := t.(*types.Basic); ok && c.info.Types[n.X].Value != nil {
		x = call(b.Name(), x) // an untyped constant has the type of the key
	}
	limit = define(pos, []ast.Expr{name(end, pos)}, []ast.Expr{x})
	body := n.Body
	switch key, ok := n.Key.(*ast.Ident); {
	case n.Key == nil || ok && key.Name == "_":
	case ok && !c.assigned(c.info.Defs[key], body):
		counter = key.Name
	default:
		set := &ast.AssignStmt{Lhs: []ast.Expr{n.Key}, TokPos: n.TokPos, Tok: n.Tok, Rhs: []ast.Expr{name(counter, pos)}}
		body = block(n.Body, append([]ast.Stmt{set}, inner(n.Body)...)...)
	}
	zero := &ast.BinaryExpr{X: name(end, pos), OpPos: pos, Op: token.SUB, Y: name(end, pos)} // of the type of the limit
	return limit, &ast.ForStmt{
		For:  pos,
		Init: define(pos, []ast.Expr{name(counter, pos)}, []ast.Expr{zero}),
		Cond: &ast.BinaryExpr{X: name(counter, pos), OpPos: pos, Op: token.LSS, Y: name(end, pos)},
		Post: &ast.IncDecStmt{X: name(counter, pos), TokPos: pos, Tok: token.INC},
		Body: body,
	}
}

// inner is a loop's body as a block of its own, where it may declare the name
// of a loop variable again.
func inner(body *ast.BlockStmt) []ast.Stmt {
	if len(body.List) == 0 {
		return nil
	}
	return []ast.Stmt{body}
}

// perIteration gives each iteration its own variables, where a function
// literal or a pointer could tell.
func (c *compiler) perIteration(parent ast.Node, loop ast.Stmt) {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		vars := c.loopVars(n.Tok, n.Body, n.Key, n.Value)
		if len(vars) == 0 {
			return
		}
		var lhs, rhs []ast.Expr
		for _, v := range vars {
			lhs, rhs = append(lhs, name(v.Name, v.Pos())), append(rhs, name(v.Name, v.Pos()))
		}
		n.Body = block(n.Body, append([]ast.Stmt{define(n.Body.Pos(), lhs, rhs)}, inner(n.Body)...)...)
	case *ast.ForStmt:
		init, ok := n.Init.(*ast.AssignStmt)
		if !ok {
			return
		}
		vars := c.loopVars(init.Tok, n.Body, init.Lhs...)
		if len(vars) == 0 {
			return
		}
		// The loop's own variable gets another name; an iteration begins with a
		// copy of it and ends with copying back.
		var own, copies []string
		for _, v := range vars {
			outer := c.fresh(v.Name)
			own, copies = append(own, outer), append(copies, v.Name)
			c.rename(c.info.Defs[v], outer, init, n.Cond, n.Post)
			v.Name = outer
		}
		assign := func(tok token.Token, to, from []string, pos token.Pos) ast.Stmt {
			stmt := &ast.AssignStmt{TokPos: pos, Tok: tok}
			for i := range to {
				stmt.Lhs, stmt.Rhs = append(stmt.Lhs, name(to[i], pos)), append(stmt.Rhs, name(from[i], pos))
			}
			return stmt
		}
		back := func(pos token.Pos) ast.Stmt { return assign(token.ASSIGN, own, copies, pos) }
		label := ""
		if l, ok := parent.(*ast.LabeledStmt); ok {
			label = l.Label.Name
		}
		copyBack(n.Body, label, back)
		list := append([]ast.Stmt{assign(token.DEFINE, copies, own, n.Body.Pos())}, inner(n.Body)...)
		n.Body = block(n.Body, append(list, back(n.Body.Rbrace))...)
	}
}

// loopVars returns the variables of a loop that its body captures.
func (c *compiler) loopVars(tok token.Token, body *ast.BlockStmt, exprs ...ast.Expr) (vars []*ast.Ident) {
	if tok != token.DEFINE {
		return nil
	}
	for _, x := range exprs {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" && c.captured(c.info.Defs[id], body) {
			vars = append(vars, id)
		}
	}
	return vars
}

// assigned reports whether body assigns to the variable.
func (c *compiler) assigned(v types.Object, body ast.Node) bool {
	found := v == nil
	is := func(x ast.Expr) {
		id, ok := ast.Unparen(x).(*ast.Ident)
		found = found || ok && c.info.Uses[id] == v
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				is(lhs)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				is(n.X)
			}
		}
		return !found
	})
	return found
}

// captured reports whether a function literal in body uses the variable, or an
// address of it is taken.
func (c *compiler) captured(v types.Object, body ast.Node) bool {
	found := false
	uses := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && v != nil && c.info.Uses[id] == v
			return !found
		})
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			uses(n)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				uses(n.X)
			}
		}
		return !found
	})
	return found
}

// rename changes the name of a variable in parts of a loop.
func (c *compiler) rename(v types.Object, to string, parts ...ast.Node) {
	for _, part := range parts {
		if part == nil {
			continue
		}
		ast.Inspect(part, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && c.info.Uses[id] == v {
				id.Name = to
			}
			return true
		})
	}
}

// copyBack puts what back returns before each statement that continues a loop.
func copyBack(body *ast.BlockStmt, label string, back func(token.Pos) ast.Stmt) {
	var walk func(n ast.Node, within bool)
	walk = func(n ast.Node, within bool) {
		astutil.Apply(n, func(cur *astutil.Cursor) bool {
			switch s := cur.Node().(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt:
				if s != n {
					walk(s, true)
					return false
				}
			case *ast.RangeStmt:
				if s != n {
					walk(s, true)
					return false
				}
			case *ast.BranchStmt:
				mine := s.Label == nil && !within || s.Label != nil && s.Label.Name == label
				if s.Tok == token.CONTINUE && mine {
					cur.Replace(block(s, back(s.Pos()), s))
					return false
				}
			}
			return true
		}, nil)
	}
	walk(body, false)
}
