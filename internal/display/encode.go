package display

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Encode returns a value in the form in which notebooks are stored and in which
// the messaging protocol carries it, with no map nil. Of content in text types
// it makes a string, in binary types base64 of a []byte, in JSON types (see
// IsJSON) the JSON value, numbers as json.Number; a string or a []byte of a JSON
// type is parsed, and stays a string when it is not JSON. A value of another
// type becomes its Text in a text type and its JSON in the others. Metadata and
// transient values become JSON values.
//
// What JSON cannot hold is left out. Each problem is one line that says so, and
// the problems are sorted.
func Encode(d Data) (encoded Data, problems []string) {
	leftOut := func(what string, err error) {
		problems = append(problems, fmt.Sprintf("display: %s left out: %v", what, err))
	}
	encoded = Data{Data: MIMEMap{}, Metadata: MIMEMap{}, Transient: MIMEMap{}}
	for mimeType, v := range d.Data {
		if content, err := encodeContent(mimeType, v); err != nil {
			leftOut(mimeType, err)
		} else {
			encoded.Data[mimeType] = content
		}
	}
	for _, m := range []struct {
		name     string
		from, to MIMEMap
	}{{"metadata", d.Metadata, encoded.Metadata}, {"transient", d.Transient, encoded.Transient}} {
		for key, v := range m.from {
			if value, err := encodeJSON(v); err != nil {
				leftOut(m.name+" "+key, err)
			} else {
				m.to[key] = value
			}
		}
	}
	slices.Sort(problems)
	return encoded, problems
}

func encodeContent(mimeType string, v any) (any, error) {
	switch content := unnamed(v).(type) {
	case string:
		if IsJSON(mimeType) && json.Valid([]byte(content)) {
			return decodeJSON([]byte(content))
		}
		return content, nil
	case []byte:
		if IsText(mimeType) {
			return encodeContent(mimeType, string(content))
		}
		return base64.StdEncoding.EncodeToString(content), nil
	}
	if IsText(mimeType) && !hasSyntax(baseType(mimeType), "json") {
		return protect(func() (string, error) { return Text(v), nil })
	}
	if IsJSON(mimeType) {
		return encodeJSON(v)
	}
	text, err := marshal(v)
	return string(text), err
}

// unnamed makes a string or a []byte of a type that is no more than that, such as
// template.HTML. Other values it returns as they are.
func unnamed(v any) any {
	rv := reflect.ValueOf(v)
	switch {
	case !rv.IsValid() || rv.NumMethod() > 0:
	case rv.Kind() == reflect.String:
		return rv.String()
	case rv.Kind() == reflect.Slice && rv.Type().Elem().Kind() == reflect.Uint8:
		return rv.Bytes()
	}
	return v
}

// encodeJSON returns the JSON value of v.
func encodeJSON(v any) (any, error) {
	text, err := marshal(v)
	if err != nil {
		return nil, err
	}
	return decodeJSON(text)
}

func marshal(v any) ([]byte, error) {
	return protect(func() ([]byte, error) { return json.Marshal(v) })
}

func decodeJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// protect makes an error of a panic in a method of the value.
func protect[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
