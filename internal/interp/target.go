package interp

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"
)

// target is the type of the place that an expression's value goes to, or nil.
func (c *compiler) target(cur *astutil.Cursor, elements map[*ast.KeyValueExpr]*ast.CompositeLit) types.Type {
	typeOf := func(x ast.Expr) types.Type { return c.info.Types[x].Type }
	switch parent := cur.Parent().(type) {
	case *ast.CallExpr:
		if t := c.converted[parent]; t != nil {
			return t
		}
		fun := parent.Fun
		if guarded, ok := fun.(*ast.CallExpr); ok && len(guarded.Args) == 1 && typeOf(fun) == nil { // of a go statement
			fun = guarded.Args[0]
		}
		if t := typeOf(fun); cur.Name() == "Args" && t != nil {
			if sig, ok := t.Underlying().(*types.Signature); ok {
				return parameter(sig, cur.Index(), parent.Ellipsis.IsValid())
			}
		}
	case *ast.CompositeLit:
		if cur.Name() == "Elts" {
			return element(typeOf(parent), cur.Index(), "")
		}
	case *ast.KeyValueExpr:
		field := ""
		if key, ok := parent.Key.(*ast.Ident); ok {
			field = key.Name
		}
		if m, ok := underlying(typeOf(elements[parent])).(*types.Map); ok && cur.Name() == "Key" {
			return m.Key()
		}
		if cur.Name() == "Value" {
			return element(typeOf(elements[parent]), -1, field)
		}
	case *ast.SendStmt:
		if ch, ok := underlying(typeOf(parent.Chan)).(*types.Chan); ok && cur.Name() == "Value" {
			return ch.Elem()
		}
	case *ast.AssignStmt:
		if cur.Name() == "Rhs" && parent.Tok == token.ASSIGN && len(parent.Lhs) == len(parent.Rhs) {
			return typeOf(parent.Lhs[cur.Index()])
		}
	case *ast.ValueSpec:
		if cur.Name() == "Values" && parent.Type != nil {
			return typeOf(parent.Type)
		}
	case *ast.ReturnStmt:
		if results := c.results[parent]; results != nil && results.Len() == len(parent.Results) {
			return results.At(cur.Index()).Type()
		}
	}
	return nil
}

func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// parameter is the type of the i-th argument of a call.
func parameter(sig *types.Signature, i int, ellipsis bool) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 && !ellipsis {
		if s, ok := sig.Params().At(n - 1).Type().Underlying().(*types.Slice); ok {
			return s.Elem()
		}
		return nil
	}
	if i >= n {
		return nil
	}
	return sig.Params().At(i).Type()
}

// element is the type of an element of a literal: the i-th, or that of a field.
func element(lit types.Type, i int, field string) types.Type {
	if p, ok := underlying(lit).(*types.Pointer); ok { // &T elided in a list of *T
		lit = p.Elem()
	}
	switch t := underlying(lit).(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Map:
		return t.Elem()
	case *types.Struct:
		for j := range t.NumFields() {
			if j == i || t.Field(j).Name() == field {
				return t.Field(j).Type()
			}
		}
	}
	return nil
}

// resultsOf finds the result types that each return statement of a function
// has to do with.
func (c *compiler) resultsOf(n ast.Node) {
	var in []*ast.FuncType
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				in = append(in, n.Type)
				walk(n.Body)
				in = in[:len(in)-1]
				return false
			case *ast.FuncLit:
				in = append(in, n.Type)
				walk(n.Body)
				in = in[:len(in)-1]
				return false
			case *ast.ReturnStmt:
				if len(in) > 0 {
					if sig, ok := c.info.Types[in[len(in)-1]].Type.(*types.Signature); ok {
						c.results[n] = sig.Results()
					}
				}
			}
			return true
		})
	}
	walk(n)
}
