package interp

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"github.com/cosmos72/gomacro/fast"
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
	if target == nil || !c.mustConvert(tv.Type, target) {
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
	if p, ok := from.(*types.Pointer); ok {
		from = p.Elem()
	}
	named, ok := from.(*types.Named)
	if !ok || named.Obj().Pkg() != c.world.main || i.Empty() {
		return false
	}
	_, basic := named.Underlying().(*types.Basic)
	return basic || !c.isEmulated(target)
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

// The builtins that make an interface of the value in another: convertName and
// assertName must succeed, tryName gives nil when the value lacks a method.
const (
	convertName = hidden + "convert"
	assertName  = hidden + "assert"
	tryName     = hidden + "try"
)

func (in *interpreter) compileConvert(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	arg := c.Expr1(node.Args[0], nil)
	to := c.Type(node.Args[1])
	switch {
	case arg.Type == nil: // nil
		arg.ConstTo(to)
	case arg.Untyped():
		arg.ConstTo(arg.DefaultType())
	}
	from := arg.Type
	convert := func(v xreflect.Value) xreflect.Value { return in.convertDynamic(v, from, to, sym.Name) }
	if from.Kind() != reflect.Interface {
		static := in.converter(from, to)
		convert = func(v xreflect.Value) xreflect.Value { return xreflect.MakeValue(static(v.ReflectValue())) }
	}
	return builtinCall(sym, arg, convert, to)
}

// convertDynamic converts a value whose type is known only now.
func (in *interpreter) convertDynamic(v xreflect.Value, from, to xreflect.Type, how string) xreflect.Value {
	rv, t := concrete(v, from)
	if !rv.IsValid() {
		if how == assertName {
			panic(fmt.Errorf("interface conversion: interface is nil, not %v", to))
		}
		return xreflect.Zero(to)
	}
	in.tables.Lock()
	if t == nil {
		t = in.comp.Universe.FromReflectType(rv.Type())
	}
	var convert func(reflect.Value) reflect.Value
	if to.NumMethod() == 0 || t.Implements(to) {
		convert = in.converter(t, to)
	}
	in.tables.Unlock()
	switch {
	case convert != nil:
		return xreflect.MakeValue(convert(rv))
	case how == tryName:
		return xreflect.Zero(to)
	}
	panic(fmt.Errorf("interface conversion: %v is not %v: missing method %s", t, to, missingMethod(t, to)))
}

// converter returns what makes an interface of values of a type that implements
// it. It uses gomacro's tables.
func (in *interpreter) converter(from, to xreflect.Type) func(reflect.Value) reflect.Value {
	target := to.ReflectType()
	if target.Kind() == reflect.Interface && from.ReflectType().Implements(target) {
		return func(v reflect.Value) reflect.Value { return v.Convert(target) }
	}
	if proxy := in.proxy(from, to); proxy != nil {
		return proxy
	}
	convert := in.comp.Converter(from, to)
	return func(v reflect.Value) reflect.Value { return convert(xreflect.MakeValue(v)).ReflectValue() }
}

// proxy returns what wraps values of an interpreted type in the struct that has
// the methods of a compiled interface, or nil when that is not the way.
func (in *interpreter) proxy(from, to xreflect.Type) func(reflect.Value) reflect.Value {
	target := to.ReflectType()
	if target.Kind() != reflect.Interface {
		return nil
	}
	methods := make([]method, target.NumMethod())
	for i := range methods {
		if methods[i] = findMethod(from, target.Method(i).Name); methods[i].typ == nil {
			return nil
		}
	}
	table := reflect.New(in.comp.InterfaceProxy(to)).Elem()
	for i, m := range methods {
		field := table.Field(i + 1)
		field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value {
			return m.invoke(args[0].Interface().(xreflect.InterfaceHeader).Value().ReflectValue(), args[1:])
		}))
	}
	return func(v reflect.Value) reflect.Value {
		wrapped := reflect.New(table.Type())
		wrapped.Elem().Set(table)
		wrapped.Elem().Field(0).Set(reflect.ValueOf(xreflect.MakeInterfaceHeader(xreflect.MakeValue(v), from)))
		return wrapped.Convert(target)
	}
}

func missingMethod(t, of xreflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range of.NumMethod() {
		m := of.Method(i).Name
		if _, n := t.MethodByName(m, mainPath); n == 0 {
			return m
		}
	}
	return "with the same parameters"
}

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
		return c.passing(c.comp.Types[obj.Name()])
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
