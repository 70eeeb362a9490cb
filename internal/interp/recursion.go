package interp

import (
	"go/ast"
	"maps"
	"reflect"
	"strconv"

	"github.com/cosmos72/gomacro/fast"
	gomacro "github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"
)

// Reflection cannot make a type that contains itself, and gomacro's stand-in
// for one has no methods. So a field by which a struct type leads back to
// itself is declared as an empty interface, and where a cell reads or writes it,
// the value is converted from and to the type that the field has in the source.

// cutField is such a field.
type cutField struct {
	alias string // the name by which rewritten source knows the field's type
	typ   xreflect.Type
}

// cutFields are the fields of one type, by name.
type cutFields map[string]cutField

// cut is a field to be cut, before its type is known.
type cut struct {
	typ, field string
	expr       ast.Expr
}

// cutRecursion returns declarations of types whose structs do not lead back to
// themselves, and the fields that did.
func cutRecursion(decls []ast.Node) (without []ast.Node, cuts []cut) {
	uses := map[string]map[string]bool{} // a type to the types of the cell in its declaration
	for _, name := range declaredTypes(decls) {
		uses[name] = map[string]bool{}
	}
	eachType(decls, func(spec *ast.TypeSpec) {
		for _, name := range namesIn(spec.Type) {
			if uses[name] != nil {
				uses[spec.Name.Name][name] = true
			}
		}
	})
	var leads func(from, to string, seen map[string]bool) bool
	leads = func(from, to string, seen map[string]bool) bool {
		for name := range uses[from] {
			if name == to {
				return true
			}
			if !seen[name] {
				seen[name] = true
				if leads(name, to, seen) {
					return true
				}
			}
		}
		return false
	}
	structs := map[string]bool{}
	eachType(decls, func(spec *ast.TypeSpec) {
		_, structs[spec.Name.Name] = spec.Type.(*ast.StructType)
	})
	for _, decl := range decls {
		d := *decl.(*ast.GenDecl)
		d.Specs = nil
		for _, spec := range decl.(*ast.GenDecl).Specs {
			s := *spec.(*ast.TypeSpec)
			back := func(name string) bool {
				return uses[name] != nil && (name == s.Name.Name || leads(name, s.Name.Name, map[string]bool{}))
			}
			switch t := s.Type.(type) {
			case *ast.StructType:
				t, fields := cutStruct(t, back)
				s.Type = t
				for _, f := range fields {
					f.typ = s.Name.Name
					cuts = append(cuts, f)
				}
			default:
				if leads(s.Name.Name, s.Name.Name, maps.Clone(structs)) {
					fail(s.Pos(), "a type that leads back to itself cannot be declared in a cell unless it is a struct: make %s a struct with a field of such a type", s.Name.Name)
				}
			}
			d.Specs = append(d.Specs, &s)
		}
		without = append(without, &d)
	}
	return without, cuts
}

// cutStruct replaces the types of the fields that lead back.
func cutStruct(t *ast.StructType, back func(name string) bool) (*ast.StructType, []cut) {
	var cuts []cut
	fields := &ast.FieldList{Opening: t.Fields.Opening, Closing: t.Fields.Closing}
	for _, f := range t.Fields.List {
		leads := false
		for _, name := range namesIn(f.Type) {
			leads = leads || back(name)
		}
		if leads && len(f.Names) > 0 {
			if array, ok := f.Type.(*ast.ArrayType); ok && array.Len != nil {
				fail(f.Pos(), "field %s: an array whose elements lead back to the type cannot be declared in a cell: use a slice", f.Names[0].Name)
			}
			for _, name := range f.Names {
				cuts = append(cuts, cut{field: name.Name, expr: f.Type})
			}
			anything := *f
			anything.Type = &ast.InterfaceType{Interface: f.Type.Pos(), Methods: &ast.FieldList{Opening: f.Type.Pos(), Closing: f.Type.Pos()}}
			f = &anything
		}
		fields.List = append(fields.List, f)
	}
	return &ast.StructType{Struct: t.Struct, Fields: fields}, cuts
}

func eachType(decls []ast.Node, f func(*ast.TypeSpec)) {
	for _, decl := range decls {
		for _, spec := range decl.(*ast.GenDecl).Specs {
			f(spec.(*ast.TypeSpec))
		}
	}
}

func declaredTypes(decls []ast.Node) (names []string) {
	eachType(decls, func(spec *ast.TypeSpec) { names = append(names, spec.Name.Name) })
	return names
}

// namesIn lists the names that a type expression refers to.
func namesIn(t ast.Expr) (names []string) {
	ast.Inspect(t, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // its names refer to nothing
			names = append(names, namesIn(n.Type)...)
			return false
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	})
	return names
}

// resolveCuts finds the types of the fields that were cut, which are known now.
func (c *compiler) resolveCuts(decls []ast.Node, cuts []cut) {
	for _, cut := range cuts {
		c.comp.Pos = cut.expr.Pos()
		named := c.comp.Types[cut.typ].GoType().(*gomacro.Named)
		if c.cuts[named] == nil {
			c.cuts[named] = cutFields{}
		}
		t := c.comp.Type(cut.expr)
		field := cutField{c.alias(t), t}
		c.cuts[named][cut.field] = field
	}
	eachType(decls, func(spec *ast.TypeSpec) { // type B A has the fields of A
		from, ok := spec.Type.(*ast.Ident)
		if !ok || spec.Assign.IsValid() || c.comp.Types[from.Name] == nil {
			return
		}
		if old, ok := c.comp.Types[from.Name].GoType().(*gomacro.Named); ok && c.cuts[old] != nil {
			if named, ok := c.comp.Types[spec.Name.Name].GoType().(*gomacro.Named); ok {
				c.cuts[named] = c.cuts[old]
			}
		}
	})
}

// alias gives a type a name for rewritten source.
func (in *interpreter) alias(t xreflect.Type) string {
	in.aliases++
	name := hidden + "type" + strconv.Itoa(in.aliases)
	in.comp.Types[name] = t
	return name
}

// fieldName is the builtin that reads a field: its arguments are the field as
// it is and the type it has in the source.
const fieldName = hidden + "field"

func (in *interpreter) compileField(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	field := c.Expr1(node.Args[0], nil)
	t := c.Type(node.Args[1])
	return builtinCall(sym, field, func(v xreflect.Value) xreflect.Value {
		for v.IsValid() && v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		switch {
		case !v.IsValid():
			return xreflect.Zero(t)
		case v.Type() != t.ReflectType():
			return v.Convert(t.ReflectType())
		}
		return v
	}, t)
}
