package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/cosmos72/gomacro/ast2"
	"github.com/cosmos72/gomacro/fast"
)

// unit is a compiled cell: all of it compiles before any of it runs.
type unit struct {
	// setup makes the cell's functions and methods; it cannot fail.
	setup     []*fast.Expr
	steps     []*step
	instances []instance // of generic functions
}

// step is one top-level statement or variable.
type step struct {
	pos   token.Pos
	exprs []*fast.Expr
	// meant is what the names that the step declares meant before it, and
	// declared what they mean after.
	meant    []meaning
	declared []*fast.Bind
	// scratch are the slots to clear when the step has run.
	scratch []int
	// deferred says that the value of the step is a function to be called when
	// the cell ends.
	deferred bool
	// node is the statement, nil for a declaration.
	node ast.Stmt
}

// compile compiles a cell. A cell that fails declares nothing.
func (in *interpreter) compile(src *source) (u *unit, failed *Error) {
	in.tables.write(func() { u, failed = in.compileAlone(src) })
	return u, failed
}

func (in *interpreter) compileAlone(src *source) (u *unit, failed *Error) {
	in.prepare() // tells the compiler which slots have been taken the address of
	c := &compiler{
		interpreter: in,
		src:         src,
		unit:        &unit{},
		info:        newInfo(),
		results:     map[*ast.ReturnStmt]*types.Tuple{},
		converted:   map[ast.Expr]types.Type{},
		statements:  map[ast.Expr][2]token.Pos{},
	}
	undo := in.snapshot()
	defer func() {
		if r := recover(); r != nil {
			list, ok := r.(problems)
			if !ok {
				list = problems{in.problem(r)}
			}
			failed = in.compileError(list)
			for _, f := range slices.Backward(c.undo) {
				f()
			}
			undo()
		}
		for _, name := range c.passed {
			in.forget(name)
		}
		in.comp.Code.Clear()
	}()
	c.cell()
	return c.unit, nil
}

// snapshot returns what takes the names and the slots back to what they are now.
func (in *interpreter) snapshot() (restore func()) {
	binds, typs := maps.Clone(in.comp.Binds), maps.Clone(in.comp.Types)
	num, intNum := in.comp.BindNum, in.comp.IntBindNum
	return func() {
		in.comp.Binds, in.comp.Types = binds, typs
		in.comp.BindNum, in.comp.IntBindNum = num, intNum
	}
}

// compiler compiles one cell. Its methods panic on an error.
type compiler struct {
	*interpreter
	src  *source
	unit *unit
	undo []func()

	objects    map[*ast.Ident]types.Object      // types and constants of the cell
	info       types.Info                       // of the cell's expressions
	results    map[*ast.ReturnStmt]*types.Tuple // what they return
	converted  map[ast.Expr]types.Type          // conversions made by rewriting
	statements map[ast.Expr][2]token.Pos        // around index and slice expressions: from and to
	made       int                              // names made by rewriting
	passed     []string                         // aliases of types and constants that only this cell needs
}

// cell compiles the parts of a cell in the order in which they need each other,
// which is not that of the source: a function may be used before it is
// declared, and it may use a variable that a statement declares.
func (c *compiler) cell() {
	var imports []*ast.ImportSpec
	var typeDecls, consts []ast.Node
	var funcs, methods []*ast.FuncDecl
	for _, item := range c.src.items {
		switch item := item.(type) {
		case *ast.FuncDecl:
			if item.Recv == nil {
				funcs = append(funcs, item)
			} else {
				methods = append(methods, item)
			}
		case *ast.GenDecl:
			switch item.Tok {
			case token.IMPORT:
				for _, spec := range item.Specs {
					imports = append(imports, spec.(*ast.ImportSpec))
				}
			case token.CONST:
				consts = append(consts, item)
			case token.TYPE:
				typeDecls = append(typeDecls, item)
			}
		}
	}
	c.refuseGenerics(typeDecls, funcs, methods)
	c.imports(imports)
	if found := c.checkDecls(typeDecls, consts); len(found) > 0 {
		panic(found)
	}
	eachType(typeDecls, c.plainString)
	c.constantDecls(consts)
	c.typesAndConsts(typeDecls, consts)
	c.constantValues(consts)
	for _, f := range funcs {
		c.declareFunc(f)
	}
	for _, m := range methods {
		c.declareMethod(m)
	}
	order := inOrder(c.src.items, funcs)
	if found := c.check(order, slices.Concat(funcs, methods)); len(found) > 0 {
		panic(found)
	}
	for _, f := range slices.Concat(funcs, methods) {
		c.rewrite(f)
	}
	for _, n := range order {
		switch n := c.rewrite(n).(type) {
		case ast.Stmt:
			c.statement(n)
		case *ast.ValueSpec:
			c.variable(n)
		}
	}
	for _, f := range slices.Concat(funcs, methods) {
		c.setup(c.node(f))
	}
}

func (c *compiler) setup(e *fast.Expr) {
	if e != nil {
		c.unit.setup = append(c.unit.setup, e)
	}
}

// node compiles one declaration or statement.
func (c *compiler) node(n ast.Node) *fast.Expr {
	c.comp.Pos = n.Pos()
	return c.ir.CompileNode(n)
}

// fail panics with a compile error at a position.
func fail(pos token.Pos, format string, args ...any) { panic(problemf(pos, format, args...)) }

func (c *compiler) refuseGenerics(typeDecls []ast.Node, funcs, methods []*ast.FuncDecl) {
	for _, f := range slices.Concat(funcs, methods) {
		if f.Type.TypeParams != nil {
			fail(f.Type.TypeParams.Pos(), "generic functions cannot be declared in a cell: write %s for the type that you need", f.Name.Name)
		}
	}
	for _, decl := range typeDecls {
		for _, spec := range decl.(*ast.GenDecl).Specs {
			if t := spec.(*ast.TypeSpec); t.TypeParams != nil {
				fail(t.TypeParams.Pos(), "generic types cannot be declared in a cell: write %s for the type that you need", t.Name.Name)
			}
		}
	}
}

// group compiles declarations of types and constants, which gomacro sorts by
// what they need.
func (c *compiler) group(decls []ast.Node) {
	if len(decls) > 0 {
		c.comp.Pos = decls[0].Pos()
		c.setup(c.comp.Compile(ast2.NodeSlice{X: decls}))
	}
}

// declareFunc makes a function known before its body is compiled. Functions of
// earlier cells that call it call the new one, unless its type has changed.
func (c *compiler) declareFunc(f *ast.FuncDecl) {
	name := f.Name.Name
	if name == "_" {
		return
	}
	c.comp.Pos = f.Pos()
	t, _, _ := c.comp.TypeFunction(f.Type)
	old := c.comp.Binds[name]
	if old == nil || old.Desc.Class() != fast.FuncBind || !old.Type.IdenticalTo(t) {
		c.forget(name)
	}
	delete(c.comp.Types, name)
	c.comp.NewFuncBind(name, t)
}

func (c *compiler) statement(stmt ast.Stmt) {
	s := c.step(stmt)
	s.node = stmt
	inner := stmt
	for {
		labeled, ok := inner.(*ast.LabeledStmt)
		if !ok {
			break
		}
		inner = labeled.Stmt
	}
	switch inner := inner.(type) {
	case *ast.AssignStmt:
		if names, ok := defined(inner); ok {
			c.define(s, names, nil, inner.Rhs, inner.TokPos)
			return
		}
	case *ast.ExprStmt:
		switch x := ast.Unparen(inner.X).(type) {
		case *ast.IndexExpr, *ast.TypeAssertExpr, *ast.UnaryExpr:
			// As a statement gomacro gives these two values, and asserts nothing.
			scratch := &ast.Ident{NamePos: x.Pos(), Name: scratchName(0)}
			s.add(c.node(varDecl([]*ast.Ident{scratch}, nil, []ast.Expr{x}, x.Pos())))
			s.add(c.node(&ast.ExprStmt{X: scratch}))
			if bind := c.comp.Binds[scratch.Name]; bind.Desc.Class() == fast.VarBind {
				s.scratch = append(s.scratch, bind.Desc.Index())
			}
			return
		}
	case *ast.DeclStmt: // behind a label
		fail(inner.Pos(), "a label cannot stand before a declaration")
	case *ast.DeferStmt:
		// gomacro would run it at once.
		s.add(c.node(c.deferredCall(inner)))
		s.deferred = true
		return
	}
	s.add(c.node(stmt))
}

// step begins the next step.
func (c *compiler) step(n ast.Node) *step {
	s := &step{pos: n.Pos()}
	c.unit.steps = append(c.unit.steps, s)
	return s
}

func (s *step) add(e *fast.Expr) {
	if e != nil {
		s.exprs = append(s.exprs, e)
	}
}
