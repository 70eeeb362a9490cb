package interp

import (
	"reflect"
	"strings"

	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/display"
)

// mainPath is the package of what cells declare.
const mainPath = "main"

// concrete takes a value out of the interface that holds it, and finds the
// interpreted type that it had when it went in.
func concrete(v xreflect.Value, t xreflect.Type) (reflect.Value, xreflect.Type) {
	if t != nil && xreflect.IsEmulatedInterface(t) {
		if v.IsNil() {
			return reflect.Value{}, nil
		}
		v, t = xreflect.FromEmulatedInterface(v)
	}
	rv := v.ReflectValue()
	for rv.IsValid() && rv.Kind() == reflect.Interface {
		rv, t = rv.Elem(), nil
	}
	if inner, typ, ok := fromProxy(rv); ok {
		return concrete(inner, typ)
	}
	return rv, t
}

// fromProxy takes an interpreted value out of the struct by which gomacro gives
// it the methods of a compiled interface.
func fromProxy(v reflect.Value) (xreflect.Value, xreflect.Type, bool) {
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct || v.Elem().NumField() == 0 {
		return xreflect.Value{}, nil, false
	}
	object := v.Elem().Field(0)
	if object.Kind() != reflect.Interface || !object.CanInterface() {
		return xreflect.Value{}, nil, false
	}
	header, ok := object.Interface().(xreflect.InterfaceHeader)
	if !ok {
		return xreflect.Value{}, nil, false
	}
	return header.Value(), header.Type(), true
}

// methods finds the methods of a value whose type may be interpreted.
func (in *interpreter) methods(v reflect.Value, t xreflect.Type) display.Lookup {
	if !v.IsValid() || !v.CanInterface() {
		return func(string) any { return nil }
	}
	compiled := display.Methods(v.Interface())
	if t == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return compiled
	}
	return func(name string) any {
		if m := compiled(name); m != nil {
			return m
		}
		in.tables.Lock()
		m := findMethod(t, name)
		in.tables.Unlock()
		return m.bind(v)
	}
}

// method is a method of an interpreted type; the zero method is none.
type method struct {
	funs   *[]reflect.Value // gomacro's table, which a later cell may change
	index  int
	fields []int // the way to the embedded field that has it
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
	if n != 1 {
		return method{}
	}
	return method{m.Funs, m.Index, m.FieldIndex}
}

// bind returns the method as a func value with its receiver, or nil.
func (m method) bind(v reflect.Value) any {
	if m.funs == nil || m.index >= len(*m.funs) {
		return nil
	}
	f := (*m.funs)[m.index]
	if !f.IsValid() || f.Kind() != reflect.Func || f.IsNil() {
		return nil
	}
	receiver, ok := receiverFor(v, m.fields, f.Type().In(0))
	if !ok {
		return nil
	}
	return bound(f, receiver).Interface()
}

// receiverFor walks the embedded fields to the value that has the method, and
// makes it a value or a pointer as the method wants it.
func receiverFor(v reflect.Value, fields []int, want reflect.Type) (reflect.Value, bool) {
	if !v.CanAddr() && v.Kind() != reflect.Pointer {
		place := reflect.New(v.Type()).Elem()
		place.Set(v)
		v = place
	}
	for _, i := range fields {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	switch {
	case v.Type() == want:
		return v, v.CanInterface()
	case v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem() == want:
		return v.Elem(), v.CanInterface()
	case v.CanAddr() && reflect.PointerTo(v.Type()) == want:
		return v.Addr(), v.CanInterface()
	case v.Type().ConvertibleTo(want):
		return v.Convert(want), v.CanInterface()
	}
	return v, false
}

// bound is f without its first parameter.
func bound(f, receiver reflect.Value) reflect.Value {
	ft := f.Type()
	var in, out []reflect.Type
	for i := 1; i < ft.NumIn(); i++ {
		in = append(in, ft.In(i))
	}
	for i := range ft.NumOut() {
		out = append(out, ft.Out(i))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, ft.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		args = append([]reflect.Value{receiver}, args...)
		if ft.IsVariadic() {
			return f.CallSlice(args)
		}
		return f.Call(args)
	})
}

// rich renders a value that shows itself, and sends its prelude before it.
func (in *interpreter) rich(v reflect.Value, t xreflect.Type) (display.Data, bool) {
	lookup := in.methods(v, t)
	if !v.IsValid() || !v.CanInterface() {
		return display.Data{}, false
	}
	data, ok := display.Render(v.Interface(), lookup)
	if !ok {
		return display.Data{}, false
	}
	if id, html, ok := display.Prelude(lookup); ok {
		in.session.prelude(id, html)
	}
	return data, true
}

// text is the plain text of a value.
func (in *interpreter) text(v reflect.Value, t xreflect.Type) string {
	if !v.IsValid() {
		return "<nil>"
	}
	if !v.CanInterface() {
		return "<" + v.Type().String() + ">"
	}
	return display.TextOf(v.Interface(), in.methods(v, t))
}

// display shows a value now.
func (in *interpreter) display(v xreflect.Value, t xreflect.Type) {
	rv, t := concrete(v, t)
	data, ok := in.rich(rv, t)
	if !ok {
		data = display.MakeData(display.MIMETypeText, in.text(rv, t))
	}
	in.session.out.display(data)
}

// result is what the values of the last expression show: one value in its own
// way, several as text, and nothing when all are nil. A nil error among others
// is left out.
func (in *interpreter) result(values []value) *display.Data {
	var shown []string
	count := 0
	var data display.Data
	rich := false
	for _, val := range values {
		v, t := concrete(val.Value, val.typ)
		if !v.IsValid() {
			if val.typ != nil && val.typ.ReflectType() != errorType {
				shown = append(shown, "<nil>")
			}
			continue
		}
		count++
		if count == 1 {
			data, rich = in.rich(v, t)
		}
		shown = append(shown, in.text(v, t))
	}
	switch {
	case count == 0:
		return nil
	case count == 1 && rich:
		return &data
	}
	data = display.MakeData(display.MIMETypeText, strings.Join(shown, " "))
	return &data
}
