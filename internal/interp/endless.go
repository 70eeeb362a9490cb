package interp

import (
	"fmt"
	"reflect"
	"strings"
)

// fmt follows maps, slices and interfaces for ever when a value contains itself,
// and the stack that this fills ends the process: nothing can recover from it.

// printable panics when one of the arguments of a function of fmt contains itself.
func printable(args []any) {
	for _, arg := range args {
		v := reflect.ValueOf(arg)
		if v.Kind() == reflect.Pointer { // at the top fmt follows it, further in it prints the address
			v = v.Elem()
		}
		if (endless{}).has(v) {
			panic(refusal(fmt.Sprintf("the value contains itself (its type is %s): it would be printed without end", v.Type())))
		}
	}
}

// printableBy is printable where a format is given. %T and %p print no contents.
func printableBy(format string, args []any) {
	if !strings.Contains(format, "%T") && !strings.Contains(format, "%p") {
		printable(args)
	}
}

// endless has the maps and slices that are around a value.
type endless map[part]bool

// part is a map, or a slice from where it begins.
type part struct {
	at  uintptr
	len int
	typ reflect.Type
}

// has reports whether fmt comes to no end with a value.
func (e endless) has(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Map, reflect.Slice, reflect.Array, reflect.Struct:
	default:
		return false
	}
	if v.Kind() != reflect.Interface && v.CanInterface() {
		switch v.Interface().(type) {
		case fmt.Formatter, fmt.Stringer, error: // prints itself
			return false
		}
	}
	switch v.Kind() {
	case reflect.Interface:
		return e.has(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if e.has(v.Field(i)) {
				return true
			}
		}
	case reflect.Array:
		return mayNest(v.Type().Elem()) && e.hasElement(v)
	case reflect.Slice:
		if v.Len() == 0 || !mayNest(v.Type().Elem()) {
			return false
		}
		return e.within(v, e.hasElement)
	case reflect.Map:
		if v.Len() == 0 || !mayNest(v.Type().Elem()) && !mayNest(v.Type().Key()) {
			return false
		}
		return e.within(v, e.hasEntry)
	}
	return false
}

func (e endless) within(v reflect.Value, has func(reflect.Value) bool) bool {
	p := part{v.Pointer(), v.Len(), v.Type()}
	if e[p] {
		return true
	}
	e[p] = true
	defer delete(e, p)
	return has(v)
}

func (e endless) hasElement(v reflect.Value) bool {
	for i := range v.Len() {
		if e.has(v.Index(i)) {
			return true
		}
	}
	return false
}

func (e endless) hasEntry(v reflect.Value) bool {
	for entry := v.MapRange(); entry.Next(); {
		if e.has(entry.Key()) || e.has(entry.Value()) {
			return true
		}
	}
	return false
}

// mayNest reports whether values of a type can lead fmt to others.
func mayNest(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Map, reflect.Slice, reflect.Struct:
		return true
	case reflect.Array:
		return mayNest(t.Elem())
	}
	return false
}
