package interp

import (
	"reflect"
	"strings"

	"github.com/cosmos72/gomacro/xreflect"

	"github.com/rlx-go/gopherscope/internal/adapt"
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
		var m method
		in.tables.read(func() { m = findMethod(t, name) })
		return m.bind(v)
	}
}

// rich renders a value that shows itself, and sends its prelude before it.
func (in *interpreter) rich(v reflect.Value, t xreflect.Type) (display.Data, bool) {
	if !v.IsValid() || !v.CanInterface() {
		return display.Data{}, false
	}
	if adapted, err := adapt.Of(v.Interface()); err != nil {
		panic(err)
	} else if adapted != nil {
		v, t = reflect.ValueOf(adapted), nil
	}
	lookup := in.methods(v, t)
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
	var known display.Typed
	if t != nil {
		known = typed{in, t}
	}
	return display.TextTyped(v.Interface(), in.methods(v, t), known)
}

// typed is a type of cells for who prints a value of it.
type typed struct {
	in *interpreter
	t  xreflect.Type
}

func (t typed) Concrete(v reflect.Value) (reflect.Value, display.Typed) {
	v, of := concrete(xreflect.MakeValue(v), t.t)
	if of == nil {
		return v, nil
	}
	return v, typed{t.in, of}
}

func (t typed) Methods(v reflect.Value) display.Lookup {
	lookup := t.in.methods(v, t.t)
	return func(name string) any {
		if text, ok := lookup(name).(func() string); ok {
			return func() string { return t.in.undisturbed(text) }
		}
		return nil
	}
}

// undisturbed calls a method that may panic, and leaves the interpreter as it was
// before it did.
func (in *interpreter) undisturbed(text func() string) string {
	if !in.onEvaluator() {
		return text()
	}
	run := in.env.Run
	env, flags, deferOf, panicOf, panicked := run.CurrEnv, run.ExecFlags, run.DeferOfFun, run.PanicFun, run.Panic
	ended := false
	defer func() {
		if !ended {
			run.CurrEnv, run.ExecFlags, run.DeferOfFun, run.PanicFun, run.Panic = env, flags, deferOf, panicOf, panicked
		}
	}()
	result := text()
	ended = true
	return result
}

func (t typed) Key() display.Typed {
	if t.t.Kind() != reflect.Map {
		return nil
	}
	return typed{t.in, t.t.Key()}
}

func (t typed) Elem() display.Typed {
	switch t.t.Kind() {
	case reflect.Array, reflect.Map, reflect.Pointer, reflect.Slice:
		return typed{t.in, t.t.Elem()}
	}
	return nil
}

func (t typed) Field(i int) display.Typed {
	if t.t.Kind() != reflect.Struct {
		return nil
	}
	return typed{t.in, t.t.Field(i).Type}
}

// display shows a value now.
func (in *interpreter) display(v xreflect.Value, t xreflect.Type) {
	in.gate()
	in.session.out.display(in.lateSink(), in.shown(concrete(v, t)))
}

// shown is what a value shows as.
func (in *interpreter) shown(v reflect.Value, t xreflect.Type) display.Data {
	if data, ok := in.rich(v, t); ok {
		return data
	}
	return display.MakeData(display.MIMETypeText, in.text(v, t))
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
