package interp

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// meaning is what a name stands for.
type meaning struct {
	name string
	bind *fast.Bind
	typ  xreflect.Type
}

func (in *interpreter) meaning(name string) meaning {
	return meaning{name, in.comp.Binds[name], in.comp.Types[name]}
}

func (in *interpreter) restore(m meaning) {
	in.forget(m.name)
	if m.bind != nil {
		in.comp.Binds[m.name] = m.bind
	}
	if m.typ != nil {
		in.comp.Types[m.name] = m.typ
	}
}

func (in *interpreter) forget(name string) {
	delete(in.comp.Binds, name)
	delete(in.comp.Types, name)
}

// defined returns the names that a statement declares with :=.
func defined(stmt *ast.AssignStmt) ([]*ast.Ident, bool) {
	if stmt.Tok != token.DEFINE {
		return nil, false
	}
	var names []*ast.Ident
	for _, lhs := range stmt.Lhs {
		name, ok := lhs.(*ast.Ident)
		if !ok {
			fail(lhs.Pos(), "no name on the left side of :=")
		}
		names = append(names, name)
	}
	return names, true
}

// variable compiles one specification of a var declaration.
func (c *compiler) variable(spec *ast.ValueSpec) {
	s := c.step(spec)
	if len(spec.Values) > 0 {
		c.define(s, spec.Names, spec.Type, spec.Values, spec.Pos())
		return
	}
	c.comp.Pos = spec.Pos()
	t := c.comp.Type(spec.Type)
	for _, name := range spec.Names {
		c.declare(s, name.Name, t)
		s.add(c.node(varDecl([]*ast.Ident{name}, spec.Type, nil, name.Pos())))
		c.declared(s, name)
	}
}

// define compiles a declaration of variables with values. When a name is in
// use, the values first go to scratch variables: they may need what the name
// meant, and only then is it known whether the type is the same.
func (c *compiler) define(s *step, names []*ast.Ident, typ ast.Expr, values []ast.Expr, pos token.Pos) {
	used := func(name *ast.Ident) bool {
		m := c.meaning(name.Name)
		return m.bind != nil || m.typ != nil
	}
	if !slices.ContainsFunc(names, used) {
		for _, name := range names {
			c.declare(s, name.Name, nil)
		}
		s.add(c.node(varDecl(names, typ, values, pos)))
		c.declared(s, names...)
		return
	}
	scratch := make([]*ast.Ident, len(names))
	for i, name := range names {
		scratch[i] = &ast.Ident{NamePos: name.NamePos, Name: scratchName(i)}
	}
	s.add(c.node(varDecl(scratch, typ, values, pos)))
	for i, name := range names {
		bind := c.comp.Binds[scratch[i].Name]
		if bind.Desc.Class() == fast.VarBind {
			s.scratch = append(s.scratch, bind.Desc.Index())
		}
		c.declare(s, name.Name, bind.Type)
		s.add(c.node(varDecl([]*ast.Ident{name}, nil, []ast.Expr{scratch[i]}, name.Pos())))
		c.declared(s, name)
	}
}

// declare prepares the declaration of a variable of type t, or of a name that
// is new. Functions of earlier cells see the new value when the type stays the
// same; otherwise they keep the old variable.
func (c *compiler) declare(s *step, name string, t xreflect.Type) {
	if name == "_" {
		return
	}
	s.meant = append(s.meant, c.meaning(name))
	old := c.comp.Binds[name]
	if old != nil && old.Desc.Settable() && t != nil && old.Type.IdenticalTo(t) {
		return
	}
	c.forget(name)
}

func (c *compiler) declared(s *step, names ...*ast.Ident) {
	for _, name := range names {
		if bind := c.comp.Binds[name.Name]; bind != nil && name.Name != "_" {
			s.declared = append(s.declared, bind)
		}
	}
}

// scratchName is a name that no source can have.
func scratchName(i int) string { return hidden + strconv.Itoa(i) }

// hidden begins the names that cells cannot use: it is no letter.
const hidden = "·"

// varDecl is a var declaration as a statement, which gomacro compiles as it is,
// where it sorts what a declaration declares.
func varDecl(names []*ast.Ident, typ ast.Expr, values []ast.Expr, pos token.Pos) ast.Stmt {
	spec := &ast.ValueSpec{Names: names, Type: typ, Values: values}
	return &ast.DeclStmt{Decl: &ast.GenDecl{TokPos: pos, Tok: token.VAR, Specs: []ast.Spec{spec}}}
}
