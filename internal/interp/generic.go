package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"github.com/cosmos72/gomacro/imports"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/generics"
)

// gomacro has no type parameters, but go/types finds the types with which a cell
// uses the generic functions of slices, maps and cmp. So an instance with those
// types takes the place of such a function.

func init() {
	for _, path := range []string{"cmp", "maps", "slices"} {
		imports.Packages[path] = imports.Package{Name: path}
	}
}

// instance is a function made for a cell.
type instance struct {
	slot int
	fun  reflect.Value
}

// genericFunc returns what stands for a generic function of a package, or nil
// for other expressions. x selects it, with or without type arguments.
func (c *compiler) genericFunc(x ast.Expr) ast.Expr {
	fun := x
	switch index := x.(type) {
	case *ast.IndexExpr:
		fun = index.X
	case *ast.IndexListExpr:
		fun = index.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	f, ok := c.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || generics.Declared(f.Pkg().Path()) == nil {
		return nil
	}
	sig, ok := c.info.Instances[sel.Sel].Type.(*types.Signature)
	if !ok {
		return nil
	}
	syntax := c.typeSyntax(sig, x.Pos())
	if syntax == nil {
		fail(x.Pos(), "%s.%s cannot be called with these types in a cell", f.Pkg().Name(), f.Name())
	}
	t := c.comp.Type(syntax)
	made, err := generics.Instance(f.Pkg().Path(), f.Name(), t.ReflectType())
	if err != nil {
		fail(x.Pos(), "%v", err)
	}
	with := name(c.fresh(f.Name()), x.Pos())
	bind := c.comp.NewFuncBind(with.Name, t)
	c.passed = append(c.passed, with.Name)
	c.unit.instances = append(c.unit.instances, instance{bind.Desc.Index(), made})
	c.info.Types[with] = types.TypeAndValue{Type: sig}
	return with
}

// typeSyntax is a type in the syntax of rewritten source, or nil. A sequence is
// a plain function.
func (c *compiler) typeSyntax(t types.Type, pos token.Pos) ast.Expr {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return name(t.Name(), pos)
	case *types.Named:
		if obj := t.Obj(); obj.Pkg() != nil && obj.Pkg().Path() == "iter" {
			return c.typeSyntax(t.Underlying(), pos)
		}
		if alias := c.aliasOf(t); alias != "" {
			return name(alias, pos)
		}
	case *types.Slice:
		if elem := c.typeSyntax(t.Elem(), pos); elem != nil {
			return &ast.ArrayType{Lbrack: pos, Elt: elem}
		}
	case *types.Pointer:
		if elem := c.typeSyntax(t.Elem(), pos); elem != nil {
			return &ast.StarExpr{Star: pos, X: elem}
		}
	case *types.Map:
		key, elem := c.typeSyntax(t.Key(), pos), c.typeSyntax(t.Elem(), pos)
		if key != nil && elem != nil {
			return &ast.MapType{Map: pos, Key: key, Value: elem}
		}
	case *types.Interface:
		if t.Empty() {
			return &ast.InterfaceType{Interface: pos, Methods: &ast.FieldList{Opening: pos, Closing: pos}}
		}
	case *types.Signature:
		params, results := c.fieldsSyntax(t.Params(), t.Variadic(), pos), c.fieldsSyntax(t.Results(), false, pos)
		if params != nil && results != nil {
			return &ast.FuncType{Func: pos, Params: params, Results: results}
		}
	}
	return nil
}

func (c *compiler) fieldsSyntax(vars *types.Tuple, variadic bool, pos token.Pos) *ast.FieldList {
	list := &ast.FieldList{Opening: pos, Closing: pos}
	for i := range vars.Len() {
		t := c.typeSyntax(vars.At(i).Type(), pos)
		if t == nil {
			return nil
		}
		if last, ok := t.(*ast.ArrayType); ok && variadic && i == vars.Len()-1 {
			t = &ast.Ellipsis{Ellipsis: pos, Elt: last.Elt}
		}
		list.List = append(list.List, &ast.Field{Type: t})
	}
	return list
}

// install puts the instances of a cell where its code finds them.
func (in *interpreter) install(instances []instance) {
	for _, i := range instances {
		in.env.Vals[i.slot] = xreflect.MakeValue(i.fun)
	}
}
