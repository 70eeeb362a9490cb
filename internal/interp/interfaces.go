package interp

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cosmos72/gomacro/imports"
	"github.com/cosmos72/gomacro/xreflect"
	"golang.org/x/tools/go/ast/astutil"
)

// gomacro forgets to convert an interpreted type whose values are numbers or
// strings when it passes or stores one as an interface, cannot convert its
// constants at all, calls methods of values through pointers and of embedded
// interfaces wrongly, and so it does conversions from one interface of cells to
// another. So these conversions are written out.

// toInterface returns what stands for an expression where it becomes an
// interface that gomacro does not make right, or nil.
func (c *compiler) toInterface(x ast.Expr, cur *astutil.Cursor, elements map[*ast.KeyValueExpr]*ast.CompositeLit) ast.Expr {
	tv := c.info.Types[x]
	if tv.Type == nil || !tv.IsValue() {
		return nil
	}
	target := c.target(cur, elements)
	if target == nil || !c.mustConvert(tv.Type, target) && (tv.Value == nil || !c.isEmulated(target)) {
		return nil
	}
	if to := c.typeExpr(target, x.Pos()); to != nil {
		return call(convertName, x, to)
	}
	return nil
}

// mustConvert reports whether gomacro does not make the target right of a value
// of the type from.
func (c *compiler) mustConvert(from, target types.Type) bool {
	i, ok := target.Underlying().(*types.Interface)
	if !ok || types.Identical(from, target) {
		return false
	}
	if types.IsInterface(from) {
		return c.isEmulated(from) || c.isEmulated(target)
	}
	if basic, ok := from.(*types.Basic); ok && basic.Kind() == types.UntypedNil {
		return false
	}
	if c.isEmulated(target) {
		return true
	}
	if p, ok := from.(*types.Pointer); ok {
		from = p.Elem()
	}
	named, ok := from.(*types.Named)
	return ok && named.Obj().Pkg() == c.world.main && !i.Empty()
}

// caseConstants converts the constants that a switch over an interface compares
// with.
func (c *compiler) caseConstants(n *ast.SwitchStmt) {
	tag := c.info.Types[n.Tag].Type
	if tag == nil || !types.IsInterface(tag) {
		return
	}
	for _, clause := range n.Body.List {
		list := clause.(*ast.CaseClause).List
		for i, x := range list {
			tv := c.info.Types[x]
			to := c.typeExpr(tag, x.Pos())
			if tv.Value != nil && to != nil && c.mustConvert(tv.Type, tag) {
				list[i] = call(convertName, x, to)
			}
		}
	}
}

// isEmulated reports whether gomacro has its own representation of an interface
// type, since reflection cannot make one.
func (c *compiler) isEmulated(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.Empty() {
		return false
	}
	named, ok := t.(*types.Named)
	return !ok || named.Obj().Pkg() == c.world.main
}

// typeExpr is an interface type in rewritten source, or nil.
func (c *compiler) typeExpr(t types.Type, pos token.Pos) ast.Expr {
	if i, ok := t.Underlying().(*types.Interface); ok && i.Empty() {
		return &ast.InterfaceType{Interface: pos, Methods: &ast.FieldList{Opening: pos, Closing: pos}}
	}
	if alias := c.aliasOf(t); alias != "" {
		return name(alias, pos)
	}
	return nil
}

// explicit returns what stands for a conversion to an interface, or nil for
// other calls.
func (c *compiler) explicit(n *ast.CallExpr) ast.Expr {
	to := c.info.Types[n.Fun]
	if !to.IsType() || len(n.Args) != 1 || !types.IsInterface(to.Type) {
		return nil
	}
	from := c.info.Types[n.Args[0]]
	if from.Type == nil || from.Value == nil && !c.mustConvert(from.Type, to.Type) {
		return nil
	}
	return call(convertName, n.Args[0], n.Fun)
}

// assertion returns what stands for an assertion to an interface with methods,
// or nil for others.
func (c *compiler) assertion(n *ast.TypeAssertExpr) ast.Expr {
	if n.Type == nil {
		return nil
	}
	to := c.info.Types[n.Type].Type
	if i, ok := underlying(to).(*types.Interface); !ok || i.Empty() {
		c.some(n)
		return nil
	}
	pos := n.Pos()
	if _, commaOK := c.info.Types[n].Type.(*types.Tuple); !commaOK {
		return call(assertName, n.X, n.Type)
	}
	// An assertion that holds gives no nil.
	v := func() ast.Expr { return name(hidden+"v", pos) }
	isNil := &ast.BinaryExpr{X: v(), OpPos: pos, Op: token.NEQ, Y: name("nil", pos)}
	results := &ast.FieldList{Opening: pos, Closing: pos, List: []*ast.Field{{Type: n.Type}, {Type: name("bool", pos)}}}
	f := &ast.FuncLit{
		Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{Opening: pos, Closing: pos}, Results: results},
		Body: block(n,
			define(pos, []ast.Expr{v()}, []ast.Expr{call(tryName, n.X, n.Type)}),
			&ast.ReturnStmt{Return: pos, Results: []ast.Expr{v(), isNil}}),
	}
	return &ast.CallExpr{Fun: f, Lparen: pos, Rparen: n.End()}
}

// aliasOf gives a named type of go/types a name for rewritten source, or "".
func (c *compiler) aliasOf(t types.Type) string {
	named, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	obj := named.Obj()
	switch {
	case obj.Pkg() == nil:
		return obj.Name() // error
	case obj.Pkg() == c.world.main:
		// Not a type of the same name that was declared since, or a local one.
		if known := c.comp.Types[obj.Name()]; known != nil && c.world.typ(known.GoType()) == t {
			return c.passing(known)
		}
		return ""
	}
	path := obj.Pkg().Path()
	if _, ok := imports.Packages[path]; !ok {
		return ""
	}
	c.importPackage("_", path)
	return c.passing(c.comp.KnownImports[path].Types[obj.Name()])
}

// passing is an alias that is forgotten when the cell has compiled.
func (c *compiler) passing(t xreflect.Type) string {
	if t == nil {
		return ""
	}
	alias := c.alias(t)
	c.passed = append(c.passed, alias)
	return alias
}
