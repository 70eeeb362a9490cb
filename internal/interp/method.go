package interp

import (
	"fmt"
	"go/ast"
	"reflect"
	"strconv"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/xreflect"
)

// method is a method of an interpreted type, its own or one of a field that it
// embeds. The zero method is none.
type method struct {
	name   string
	typ    reflect.Type     // of the method, without its receiver
	fields []int            // the way to the embedded field that has it
	held   bool             // that field is an interface
	funs   *[]reflect.Value // else: gomacro's table, which a later cell may change
	index  int
}

// findMethod finds a method of an interpreted type or of a pointer to one.
func findMethod(t xreflect.Type, name string) method {
	if t.Kind() == reflect.Pointer && !t.Named() {
		t = t.Elem()
	}
	if !t.Named() || t.PkgPath() != mainPath || t.Kind() == reflect.Interface {
		return method{}
	}
	m, n := t.MethodByName(name, mainPath)
	if n != 1 || m.Type == nil || m.Type.NumIn() == 0 {
		return method{}
	}
	return method{
		name:   name,
		typ:    withoutReceiver(m.Type.ReflectType()),
		fields: m.FieldIndex,
		held:   m.Type.In(0).Kind() == reflect.Interface,
		funs:   m.Funs,
		index:  m.Index,
	}
}

func withoutReceiver(f reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for i := 1; i < f.NumIn(); i++ {
		in = append(in, f.In(i))
	}
	for i := range f.NumOut() {
		out = append(out, f.Out(i))
	}
	return reflect.FuncOf(in, out, f.IsVariadic())
}

// bind returns the method as a func value with its receiver, or nil when there
// is none.
func (m method) bind(v reflect.Value) any {
	if m.typ == nil || !m.held && !m.implementation().IsValid() {
		return nil
	}
	return m.bound(v).Interface()
}

func (m method) bound(v reflect.Value) reflect.Value {
	return reflect.MakeFunc(m.typ, func(args []reflect.Value) []reflect.Value { return m.invoke(v, args) })
}

// implementation is the function that takes the receiver first. It is not valid
// when the cell that declares it failed.
func (m method) implementation() reflect.Value {
	if m.funs == nil || m.index >= len(*m.funs) {
		return reflect.Value{}
	}
	if f := (*m.funs)[m.index]; f.IsValid() && f.Kind() == reflect.Func && !f.IsNil() {
		return f
	}
	return reflect.Value{}
}

// invoke calls the method on v.
func (m method) invoke(v reflect.Value, args []reflect.Value) []reflect.Value {
	v = embedded(v, m.fields)
	f := m.implementation()
	switch {
	case m.held && v.Kind() == reflect.Interface:
		f = v.MethodByName(m.name)
	case m.held: // an interface of cells: after its value come its methods
		f = v.Elem().Field(m.index + 1)
	case !f.IsValid():
		panic(fmt.Errorf("method %s is declared in a cell that failed", m.name))
	default:
		args = append([]reflect.Value{receiver(v, f.Type().In(0))}, args...)
	}
	if m.typ.IsVariadic() {
		return f.CallSlice(args)
	}
	return f.Call(args)
}

// embedded walks to an embedded field.
func embedded(v reflect.Value, fields []int) reflect.Value {
	if len(fields) > 0 && !v.CanAddr() && v.Kind() != reflect.Pointer {
		v = addressable(v)
	}
	for _, i := range fields {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// receiver makes v a value or a pointer, as the method wants it.
func receiver(v reflect.Value, want reflect.Type) reflect.Value {
	switch {
	case v.Type() == want:
		return v
	case v.Kind() == reflect.Pointer && v.Type().Elem() == want:
		return v.Elem()
	case reflect.PointerTo(v.Type()) == want && v.CanAddr():
		return v.Addr()
	case reflect.PointerTo(v.Type()) == want:
		return addressable(v).Addr()
	}
	return v.Convert(want)
}

func addressable(v reflect.Value) reflect.Value {
	place := reflect.New(v.Type()).Elem()
	place.Set(v)
	return place
}

// methodName is the builtin that takes a method off a pointer to a number:
// gomacro has no pointer receivers for those. Its arguments are the pointer and
// the method's name.
const methodName = hidden + "method"

func (in *interpreter) compileMethod(c *fast.Comp, sym fast.Symbol, node *ast.CallExpr) *fast.Call {
	pointer := c.Expr1(node.Args[0], nil)
	name, _ := strconv.Unquote(node.Args[1].(*ast.BasicLit).Value)
	found, _ := pointer.Type.Elem().MethodByName(name, mainPath)
	m := findMethod(pointer.Type, name)
	var params, results []xreflect.Type
	for i := 1; i < found.Type.NumIn(); i++ {
		params = append(params, found.Type.In(i))
	}
	for i := range found.Type.NumOut() {
		results = append(results, found.Type.Out(i))
	}
	t := c.Universe.FuncOf(params, results, found.Type.IsVariadic())
	return builtinCall(sym, pointer, func(v xreflect.Value) xreflect.Value {
		return xreflect.MakeValue(m.bound(v.ReflectValue()))
	}, t)
}
