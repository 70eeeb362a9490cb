package interp

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strconv"

	"github.com/cosmos72/gomacro/fast"
	gomacro "github.com/cosmos72/gomacro/go/types"
	"github.com/cosmos72/gomacro/xreflect"
	"golang.org/x/tools/go/ast/astutil"
)

// gomacro makes a wrong value of an untyped string or bool that becomes one of a
// compiled named type: a comparison with it is false, and a variable cannot hold
// it. So such constants are given a name that is declared with the right value.

// typedConstant returns the name that stands for a constant expression of a
// compiled named type, or nil for other expressions.
func (c *compiler) typedConstant(x ast.Expr) ast.Expr {
	tv := c.info.Types[x]
	if tv.Value == nil {
		return nil
	}
	if declared := c.constantOf(x); declared != nil && types.Identical(declared.Type(), tv.Type) {
		return nil
	}
	named, ok := types.Unalias(tv.Type).(*types.Named)
	if !ok {
		return nil
	}
	basic, ok := named.Underlying().(*types.Basic)
	if !ok || basic.Info()&(types.IsString|types.IsBoolean) == 0 {
		return nil
	}
	t := c.compiledType(named)
	if t == nil {
		return nil
	}
	with := c.constantName(tv.Value, t, x.Pos())
	c.info.Types[with] = tv
	return with
}

// constantOf returns the constant that x is the name of, or nil.
func (c *compiler) constantOf(x ast.Expr) types.Object {
	var id *ast.Ident
	switch x := x.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	return c.info.Uses[id]
}

// compiledType finds gomacro's type for a compiled type, or nil.
func (c *compiler) compiledType(t *types.Named) xreflect.Type {
	for _, known := range c.comp.Universe.ReflectTypes {
		if named, ok := known.GoType().(*gomacro.Named); ok && c.world.compiled[named] == t {
			return known
		}
	}
	return nil
}

// constantName declares a constant for the cell that is being compiled.
func (c *compiler) constantName(val constant.Value, t xreflect.Type, pos token.Pos) ast.Expr {
	var v any
	if val.Kind() == constant.Bool {
		v = constant.BoolVal(val)
	} else {
		v = constant.StringVal(val)
	}
	id := name(c.fresh("constant"), pos)
	c.comp.NewBind(id.Name, fast.ConstBind, t).Value = reflect.ValueOf(v).Convert(t.ReflectType()).Interface()
	c.passed = append(c.passed, id.Name)
	return id
}

// constantBytes makes the argument of a conversion such as
// json.RawMessage("{}") one that is no untyped constant.
func (c *compiler) constantBytes(n *ast.CallExpr) {
	to := c.info.Types[n.Fun]
	if !to.IsType() || len(n.Args) != 1 {
		return
	}
	if _, ok := to.Type.Underlying().(*types.Slice); !ok {
		return
	}
	if val := c.info.Types[n.Args[0]].Value; val != nil && val.Kind() == constant.String {
		n.Args[0] = call("string", n.Args[0])
	}
}

// constantDecls does in constant declarations of the cell, which are compiled
// before go/types looks at it, what typedConstant does elsewhere: where the type
// is written next to literals.
func (c *compiler) constantDecls(decls []ast.Node) {
	for _, decl := range decls {
		for _, spec := range decl.(*ast.GenDecl).Specs {
			spec := spec.(*ast.ValueSpec)
			for i, value := range spec.Values {
				spec.Values[i] = c.literalsOf(c.stringType(spec.Type), value)
			}
		}
	}
}

// constantValues mends the values of declared constants that gomacro converted,
// and gives those that it may have got wrong the value that go/types found.
func (c *compiler) constantValues(decls []ast.Node) {
	for _, decl := range decls {
		for _, spec := range decl.(*ast.GenDecl).Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				if bind := c.comp.Binds[id.Name]; bind != nil {
					if v, ok := bind.Value.(reflect.Value); ok {
						bind.Value = v.Interface()
					}
					if v := floatValue(c.objects[id], bind.Type.ReflectType()); v.IsValid() {
						bind.Value = v.Interface()
					}
				}
			}
		}
	}
}

// plainString declares a type that is made of a compiled named string type as
// one made of string, which is the same.
func (c *compiler) plainString(spec *ast.TypeSpec) {
	if !spec.Assign.IsValid() && c.stringType(spec.Type) != nil {
		spec.Type = name("string", spec.Type.Pos())
	}
}

// literalsOf gives the string literals of x the type t, and those in a
// conversion its type.
func (c *compiler) literalsOf(t xreflect.Type, x ast.Expr) ast.Expr {
	pre := func(cur *astutil.Cursor) bool {
		switch n := cur.Node().(type) {
		case *ast.CallExpr:
			if to := c.stringType(n.Fun); to != nil && len(n.Args) == 1 {
				n.Args[0] = c.literalsOf(to, n.Args[0])
			}
			return false
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); t != nil && n.Kind == token.STRING && err == nil {
				cur.Replace(c.constantName(constant.MakeString(text), t, n.Pos()))
			}
		}
		return true
	}
	return astutil.Apply(&ast.ParenExpr{X: x}, pre, nil).(*ast.ParenExpr).X
}

// stringType returns the compiled named string type that x denotes, or nil.
func (c *compiler) stringType(x ast.Expr) (t xreflect.Type) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		t = c.comp.Types[x.Name]
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok {
			if imp := c.imported(pkg.Name); imp != nil {
				t = imp.Types[x.Sel.Name]
			}
		}
	}
	if t == nil || t.Kind() != reflect.String || t.ReflectType() == reflect.TypeFor[string]() {
		return nil
	}
	return t
}
