package display

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a value's text: what a reader takes in, not what a page can hold.
const (
	maxText  = 8 << 10 // bytes of a whole value, marks of what was cut not counted
	maxElems = 100     // elements shown of a slice, array or map
	maxDepth = 6       // nesting of values
	maxSort  = 10_000  // larger maps are shown in no order
	maxShort = 60      // bytes of an element that the next one follows on the same line
)

// Text is a value as fmt prints it with %+v, except that it is bounded: long
// slices, maps and strings are cut, with their length. Matrices are tables, the
// fields that pointers lead to are shown, and a value's own Error or String
// method is used as fmt uses it.
func Text(v any) string { return TextOf(v, Methods(v)) }

// TextOf is Text for a value whose methods are found by method.
func TextOf(v any, method Lookup) string { return TextTyped(v, method, nil) }

// Typed is the type of a value, and what is in the value, where reflection does
// not know it: values of types that a cell declares have no methods for it.
type Typed interface {
	// Concrete takes a value out of an interface. The type it returns is nil when
	// reflection knows all of it.
	Concrete(v reflect.Value) (reflect.Value, Typed)
	Methods(v reflect.Value) Lookup
	// Key, Elem and Field are the types of what is in a value of the type, nil
	// when it has no such thing.
	Key() Typed
	Elem() Typed
	Field(i int) Typed
}

// TextTyped is TextOf for a value of a type, which may be nil.
func TextTyped(v any, method Lookup, t Typed) string {
	if s, ok := v.(string); ok {
		return cut(s)
	}
	if table, ok := matrixTable(v, method); ok {
		return table
	}
	if text, ok := ownText(method); ok {
		return cut(text)
	}
	if f, ok := v.(fmt.Formatter); ok && !isNil(v) {
		return cut(fmt.Sprintf("%+v", f))
	}
	var p printer
	p.value(reflect.ValueOf(v), t, 0)
	return p.String()
}

// ownText is what a value's Error or String method gives, the first of them as in fmt.
func ownText(method Lookup) (text string, ok bool) {
	for _, name := range []string{"Error", "String"} {
		if text, ok := method(name).(func() string); ok {
			return text(), true
		}
	}
	return "", false
}

// cut bounds a string.
func cut(s string) string { return cutTo(s, maxText) }

// cutTo bounds a string to size bytes, on a character's boundary, and says how
// long it was.
func cutTo(s string, size int) string {
	if len(s) <= size {
		return s
	}
	end := size
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s... (%d bytes)", s[:end], len(s))
}

// printer writes values until their text is long enough.
type printer struct {
	strings.Builder
	open []uintptr // pointers being printed, against cycles
}

func (p *printer) full() bool { return p.Len() >= maxText }

// text writes as much of s as there is room for.
func (p *printer) text(s string) { p.WriteString(cutTo(s, max(0, maxText-p.Len()))) }

func (p *printer) value(v reflect.Value, t Typed, depth int) {
	if t != nil && depth > 0 && v.IsValid() {
		v, t = t.Concrete(v)
	}
	switch {
	case p.full():
		return
	case !v.IsValid():
		p.WriteString("<nil>")
		return
	case depth > maxDepth:
		p.WriteString("...")
		return
	}
	if depth > 0 && (t != nil && p.byType(v, t) || p.own(v)) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		p.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32:
		fmt.Fprint(p, float32(v.Float()))
	case reflect.Float64:
		fmt.Fprint(p, v.Float())
	case reflect.Complex64:
		fmt.Fprint(p, complex64(v.Complex()))
	case reflect.Complex128:
		fmt.Fprint(p, v.Complex())
	case reflect.String:
		p.text(v.String())
	case reflect.Interface:
		p.value(v.Elem(), nil, depth)
	case reflect.Pointer:
		p.pointer(v, t, depth)
	case reflect.Struct:
		p.fields(v, t, depth)
	case reflect.Slice, reflect.Array:
		p.elems(v, t, depth)
	case reflect.Map:
		p.entries(v, t, depth)
	default: // channels, functions, unsafe pointers
		if v.Kind() != reflect.UnsafePointer && v.IsNil() {
			p.WriteString("<nil>")
		} else {
			p.text(fmt.Sprintf("<%s>", v.Type()))
		}
	}
}

// byType prints a nested value by the methods that its type in the cell has, and
// reports whether it has one.
func (p *printer) byType(v reflect.Value, t Typed) (printed bool) {
	if !v.IsValid() || !v.CanInterface() || v.Kind() == reflect.Pointer && v.IsNil() {
		return false
	}
	defer func() {
		if recover() != nil { // one of many values is not to hide the others
			p.WriteString("<its text cannot be had: its method panicked>")
			printed = true
		}
	}()
	text, ok := ownText(t.Methods(v))
	if ok {
		p.text(text)
	}
	return ok
}

func keyOf(t Typed) Typed {
	if t == nil {
		return nil
	}
	return t.Key()
}

func elemOf(t Typed) Typed {
	if t == nil {
		return nil
	}
	return t.Elem()
}

func fieldOf(t Typed, i int) Typed {
	if t == nil {
		return nil
	}
	return t.Field(i)
}

// own prints a nested value in the way its type asks for, and reports whether
// it asks for one.
func (p *printer) own(v reflect.Value) bool {
	if k := v.Kind(); !v.CanInterface() || k == reflect.Interface || k == reflect.Pointer && v.IsNil() {
		return false
	}
	if rows, cols, _, ok := asMatrix(v.Interface(), Methods(v.Interface())); ok {
		fmt.Fprintf(p, "<%d x %d matrix>", rows, cols)
		return true
	}
	switch v.Interface().(type) {
	case error, fmt.Stringer, fmt.Formatter:
		// fmt turns a panic of these methods into text.
		p.text(fmt.Sprintf("%+v", v.Interface()))
		return true
	}
	return false
}

func (p *printer) pointer(v reflect.Value, t Typed, depth int) {
	switch {
	case v.IsNil():
		p.WriteString("<nil>")
	case slices.Contains(p.open, v.Pointer()):
		p.WriteString("&...")
	default:
		p.open = append(p.open, v.Pointer())
		p.WriteString("&")
		p.value(v.Elem(), elemOf(t), depth+1)
		p.open = p.open[:len(p.open)-1]
	}
}

func (p *printer) fields(v reflect.Value, t Typed, depth int) {
	p.WriteByte('{')
	for i := range v.NumField() {
		if i > 0 {
			p.WriteByte(' ')
		}
		if p.full() {
			p.WriteString("...")
			break
		}
		fmt.Fprintf(p, "%s:", fieldName(v.Type().Field(i)))
		p.value(v.Field(i), fieldOf(t, i), depth+1)
	}
	p.WriteByte('}')
}

// FieldMarks are the cuneiform letters of which gomacro puts one before the names
// of the unexported and embedded fields of its types, which it exports.
const FieldMarks = "\U00012038\U000122F2\U0001202A"

// fieldName is the name of a field as its source has it.
func fieldName(f reflect.StructField) string { return strings.TrimLeft(f.Name, FieldMarks) }

func (p *printer) elems(v reflect.Value, t Typed, depth int) {
	p.WriteByte('[')
	separator := byte(' ')
	for i := range v.Len() {
		if i > 0 {
			p.WriteByte(separator)
		}
		if i == maxElems || p.full() {
			fmt.Fprintf(p, "... (%d elements)", v.Len())
			break
		}
		start := p.Len()
		p.value(v.Index(i), elemOf(t), depth+1)
		// After a long element or one of several lines the next would not be seen to begin.
		if shown := p.String()[start:]; len(shown) > maxShort || strings.Contains(shown, "\n") {
			separator = '\n'
		}
	}
	p.WriteByte(']')
}

func (p *printer) entries(v reflect.Value, t Typed, depth int) {
	keys := v.MapKeys()
	if len(keys) <= maxSort {
		p.sortKeys(keys, keyOf(t), depth)
	}
	p.WriteString("map[")
	for i, key := range keys {
		if i > 0 {
			p.WriteByte(' ')
		}
		if i == maxElems || p.full() {
			fmt.Fprintf(p, "... (%d entries)", v.Len())
			break
		}
		p.value(key, keyOf(t), depth+1)
		p.WriteByte(':')
		p.value(v.MapIndex(key), elemOf(t), depth+1)
	}
	p.WriteByte(']')
}

// sortKeys orders keys of one basic kind by value, others by their text.
func (p *printer) sortKeys(keys []reflect.Value, t Typed, depth int) {
	for _, key := range keys {
		if !basic(key) || key.Kind() != keys[0].Kind() {
			p.sortByText(keys, t, depth)
			return
		}
	}
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanFloat():
			return cmp.Compare(a.Float(), b.Float())
		default:
			return strings.Compare(a.String(), b.String())
		}
	})
}

func basic(v reflect.Value) bool {
	return v.CanInt() || v.CanUint() || v.CanFloat() || v.Kind() == reflect.String
}

func (p *printer) sortByText(keys []reflect.Value, t Typed, depth int) {
	type keyText struct {
		key  reflect.Value
		text string
	}
	texts := make([]keyText, len(keys))
	for i, key := range keys {
		// What is being printed may lead back to the map, as a key or from within one.
		k := printer{open: slices.Clip(p.open)}
		k.value(key, t, depth+1)
		texts[i] = keyText{key, k.String()}
	}
	slices.SortStableFunc(texts, func(a, b keyText) int { return strings.Compare(a.text, b.text) })
	for i, k := range texts {
		keys[i] = k.key
	}
}
