package interp

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/rlx-go/gopherscope/internal/bindings"
)

// gomacro finds some mistakes at run time only, accepts some that Go does not
// ("a" + 1 is "aa"), and describes others by its own syntax tree. So go/types
// looks at a cell first, in the surroundings that gomacro knows: it has Go's
// own words for what is wrong.

// check reports what go/types finds wrong with the statements and the bodies of
// functions of the cell; types, constants and signatures are compiled before.
func (c *compiler) check(order []ast.Node, funcs []*ast.FuncDecl) problems {
	return c.checkFile(c.asFile(order, funcs), &c.info)
}

// checkDecls reports what go/types finds wrong with the types and constants of
// the cell. gomacro does not come to an end with some that lead back to
// themselves.
func (c *compiler) checkDecls(typeDecls, consts []ast.Node) problems {
	if len(typeDecls)+len(consts) == 0 {
		return nil
	}
	pos := token.Pos(c.src.base)
	file := &ast.File{Package: pos, Name: name(mainPath, pos)}
	restore := c.snapshot()
	defer restore()
	for _, decl := range slices.Concat(typeDecls, consts) {
		file.Decls = append(file.Decls, decl.(*ast.GenDecl))
		for _, spec := range decl.(*ast.GenDecl).Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				c.forget(spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					c.forget(id.Name)
				}
			}
		}
	}
	c.objects = map[*ast.Ident]types.Object{}
	return c.checkFile(file, &types.Info{Defs: c.objects, Types: map[ast.Expr]types.TypeAndValue{}})
}

func (c *compiler) checkFile(file *ast.File, info *types.Info) (found problems) {
	config := types.Config{
		DisableUnusedImportCheck: true,
		Error: func(err error) {
			var e types.Error
			if !errors.As(err, &e) || e.Soft && !strings.Contains(e.Msg, " does not satisfy ") || strings.HasSuffix(e.Msg, "is not used") {
				return
			}
			if strings.HasPrefix(e.Msg, "\t") && len(found) > 0 { // goes on about the one before
				found[len(found)-1].msg += "\n" + e.Msg
				return
			}
			// Generic functions have no place in the notebook.
			msg := strings.ReplaceAll(e.Msg, " (declared at -)", "")
			msg = c.explained(msg)
			found = append(found, problem{e.Pos, msg})
		},
	}
	pkg := c.world.mainPackage(c.interpreter, file)
	_ = types.NewChecker(&config, &c.comp.Fileset.FileSet, pkg, info).Files([]*ast.File{file})
	if len(found) == 0 {
		found = largeArrays(file, info)
	}
	slices.SortStableFunc(found, func(a, b problem) int { return int(a.pos - b.pos) })
	return found
}

// sameType is go/types' message about a value whose type has the name of the type
// that is wanted, and is another.
var sameType = regexp.MustCompile(`^cannot use (.+?) \((variable )?.*?of (?:\w+ )?type ([^)]+)\) as (\S+) value(?: in argument to (\S+))?`)

// explained adds what to do to a message of go/types, or says it in the terms of
// notebooks.
func (c *compiler) explained(msg string) string {
	if name, ok := strings.CutPrefix(msg, "undefined: "); ok {
		if pkg, member, ok := strings.Cut(name, "."); ok {
			if imp := c.imported(pkg); imp != nil && bindings.IsGeneric(imp.Path, member) {
				return name + " is generic: of generic functions, cells can call those of slices, maps and cmp." +
					"\nWrite what you need of it for your types in a package of your own, and build a kernel with that:" +
					"\n\"gopherscope build --help\""
			}
		}
		return msg + importHint(name)
	}
	if strings.HasPrefix(msg, "use of untyped nil in assignment to _") {
		return "nil has no type, so that there is nothing to show"
	}
	if m := sameType.FindStringSubmatch(msg); m != nil && m[3] == m[4] {
		typ, older := strings.TrimLeft(m[3], "*[]"), m[1]
		if m[2] == "" && m[5] != "" {
			older = m[5]
		}
		return msg + "\n" + typ + " was declared again: " + older + " is of the one before. Run again what declares " + older
	}
	return msg
}

// asFile makes the cell a file with one function. What the cell declares at
// the top level is local to it, in the order of the source. A name that is
// declared again opens a block, where it hides the one before. The bodies of
// functions come last, where they see every variable.
func (c *compiler) asFile(order []ast.Node, funcs []*ast.FuncDecl) *ast.File {
	body := &ast.BlockStmt{Lbrace: token.Pos(c.src.base), Rbrace: token.Pos(c.src.base + len(c.src.text))}
	block := body
	declared := map[string]bool{}
	add := func(stmt ast.Stmt, names []*ast.Ident) {
		if slices.ContainsFunc(names, func(n *ast.Ident) bool { return declared[n.Name] }) {
			inner := &ast.BlockStmt{Lbrace: stmt.Pos(), Rbrace: body.Rbrace}
			block.List = append(block.List, inner)
			block, declared = inner, map[string]bool{}
		}
		for _, n := range names {
			declared[n.Name] = n.Name != "_"
		}
		block.List = append(block.List, stmt)
	}
	for _, n := range order {
		switch n := n.(type) {
		case *ast.ValueSpec:
			add(varDecl(n.Names, n.Type, n.Values, n.Pos()), n.Names)
		case *ast.AssignStmt:
			names, _ := defined(n)
			add(n, names)
		case *ast.ExprStmt:
			add(asStatement(n), nil)
		case ast.Stmt:
			add(n, nil)
		}
	}
	for _, f := range funcs {
		add(literal(f), nil)
	}
	pos := body.Lbrace
	f := &ast.FuncDecl{Name: name("_", pos), Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{}}, Body: body}
	return &ast.File{Package: pos, Name: name(mainPath, pos), Decls: []ast.Decl{f}}
}

// literal is a function or method declaration as a statement.
func literal(f *ast.FuncDecl) ast.Stmt {
	t := f.Type
	if f.Recv != nil {
		params := &ast.FieldList{Opening: t.Params.Opening, Closing: t.Params.Closing}
		for _, field := range slices.Concat(f.Recv.List, t.Params.List) {
			if len(field.Names) == 0 { // all are named or none is
				named := *field
				named.Names = []*ast.Ident{name("_", field.Pos())}
				field = &named
			}
			params.List = append(params.List, field)
		}
		t = &ast.FuncType{Func: t.Func, Params: params, Results: t.Results}
	}
	return discard(&ast.FuncLit{Type: t, Body: f.Body}, f.Pos())
}

// asStatement makes an expression that is no call a statement that Go allows.
func asStatement(stmt *ast.ExprStmt) ast.Stmt {
	switch x := ast.Unparen(stmt.X).(type) {
	case *ast.CallExpr:
		return stmt
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return stmt
		}
	}
	return discard(stmt.X, stmt.Pos())
}

// discard is _ = x.
func discard(x ast.Expr, pos token.Pos) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{name("_", pos)}, TokPos: pos, Tok: token.ASSIGN, Rhs: []ast.Expr{x}}
}
