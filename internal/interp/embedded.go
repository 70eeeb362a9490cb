package interp

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"

	"github.com/cosmos72/gomacro/xreflect"
)

// gomacro mixes up the methods of an interface that embeds others: it numbers
// them in two orders. So an interface type is declared with all its methods.

// flattenInterfaces writes out the embedded interfaces of the declarations.
func (c *compiler) flattenInterfaces(decls []ast.Node) {
	local := map[string]*ast.InterfaceType{}
	eachType(decls, func(spec *ast.TypeSpec) {
		if t, ok := spec.Type.(*ast.InterfaceType); ok {
			local[spec.Name.Name] = t
		}
	})
	flat := map[string]*ast.InterfaceType{}
	eachType(decls, func(spec *ast.TypeSpec) {
		if t, ok := spec.Type.(*ast.InterfaceType); ok {
			flat[spec.Name.Name] = c.flatten(t, local)
		}
	})
	eachType(decls, func(spec *ast.TypeSpec) {
		if t := flat[spec.Name.Name]; t != nil {
			spec.Type = t
		}
	})
}

func (c *compiler) flatten(t *ast.InterfaceType, local map[string]*ast.InterfaceType) *ast.InterfaceType {
	methods := &ast.FieldList{Opening: t.Methods.Opening, Closing: t.Methods.Closing}
	add := func(m *ast.Field) {
		same := func(f *ast.Field) bool { return f.Names[0].Name == m.Names[0].Name }
		if !slices.ContainsFunc(methods.List, same) {
			methods.List = append(methods.List, m)
		}
	}
	for _, m := range t.Methods.List {
		if len(m.Names) > 0 {
			add(m)
			continue
		}
		switch embedded := m.Type.(type) {
		case *ast.UnaryExpr, *ast.BinaryExpr:
			fail(m.Pos(), "a constraint of type parameters cannot be declared in a cell")
		case *ast.Ident:
			if inner := local[embedded.Name]; inner != nil && inner != t {
				for _, m := range c.flatten(inner, local).Methods.List {
					add(m)
				}
				continue
			}
		}
		c.comp.Pos = m.Pos()
		known := c.comp.Type(m.Type)
		if known.Kind() != reflect.Interface {
			fail(m.Pos(), "an interface with a type that is none is a constraint of type parameters, which cannot be declared in a cell")
		}
		for i := range known.NumMethod() {
			add(c.methodField(known.Method(i), m.Pos()))
		}
	}
	return &ast.InterfaceType{Interface: t.Interface, Methods: methods}
}

// methodField is a known method in the syntax of an interface type.
func (c *compiler) methodField(m xreflect.Method, pos token.Pos) *ast.Field {
	list := func(n int, at func(int) ast.Expr) *ast.FieldList {
		fields := &ast.FieldList{Opening: pos, Closing: pos}
		for i := range n {
			fields.List = append(fields.List, &ast.Field{Type: at(i)})
		}
		return fields
	}
	last := m.Type.NumIn() - 1
	params := list(last, func(i int) ast.Expr { // the first is the receiver
		if t := m.Type.In(i + 1); i+1 == last && m.Type.IsVariadic() {
			return &ast.Ellipsis{Ellipsis: pos, Elt: name(c.passing(t.Elem()), pos)}
		} else {
			return name(c.passing(t), pos)
		}
	})
	results := list(m.Type.NumOut(), func(i int) ast.Expr { return name(c.passing(m.Type.Out(i)), pos) })
	return &ast.Field{
		Names: []*ast.Ident{name(m.Name, pos)},
		Type:  &ast.FuncType{Func: pos, Params: params, Results: results},
	}
}
