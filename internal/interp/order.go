package interp

import (
	"go/ast"
	"go/token"
)

// inOrder returns what a cell runs, statements and the specifications of
// variables, in the order in which it runs: that of the source, but for
// variables that are declared with no statement between them, which are in the
// order in which they need each other, as in a package.
func inOrder(items []ast.Node, funcs []*ast.FuncDecl) (order []ast.Node) {
	bodies := map[string]*ast.FuncDecl{}
	for _, f := range funcs {
		bodies[f.Name.Name] = f
	}
	var vars []*ast.ValueSpec
	flush := func() {
		for _, spec := range sortVars(vars, bodies) {
			order = append(order, spec)
		}
		vars = nil
	}
	for _, item := range items {
		switch item := item.(type) {
		case *ast.GenDecl:
			if item.Tok == token.VAR {
				for _, spec := range item.Specs {
					vars = append(vars, spec.(*ast.ValueSpec))
				}
			}
		case ast.Stmt:
			flush()
			order = append(order, item)
		}
	}
	flush()
	return order
}

// sortVars moves a variable before those whose values need it, by themselves or
// through a function of the cell.
func sortVars(specs []*ast.ValueSpec, funcs map[string]*ast.FuncDecl) (sorted []*ast.ValueSpec) {
	declares := map[string]*ast.ValueSpec{}
	for _, spec := range specs {
		for _, name := range spec.Names {
			declares[name.Name] = spec
		}
	}
	done := map[ast.Node]bool{}
	var visit func(spec *ast.ValueSpec)
	var need func(n ast.Node)
	need = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if spec := declares[id.Name]; spec != nil {
					visit(spec)
				}
				if f := funcs[id.Name]; f != nil && !done[f] {
					done[f] = true
					need(f.Body)
				}
			}
			return true
		})
	}
	visit = func(spec *ast.ValueSpec) {
		if done[spec] {
			return
		}
		done[spec] = true
		for _, value := range spec.Values {
			need(value)
		}
		sorted = append(sorted, spec)
	}
	for _, spec := range specs {
		visit(spec)
	}
	return sorted
}
