package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// jsonError says in plain words, with the place, why json.Unmarshal refused a text.
func jsonError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: not JSON: %w", jsonPosition(text, syntax.Offset), syntax)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: %w", jsonPosition(text, wrong.Offset), jsonTypeError(wrong))
	}
	return err
}

// jsonTypeError says which field of a JSON text has a value of a wrong kind, without the
// types of Go. It does not tell the place, because a type with an UnmarshalJSON method counts
// offsets from the start of its own value.
func jsonTypeError(wrong *json.UnmarshalTypeError) error {
	// The path names an embedded struct by its Go type, which the text lacks. From Go 1.27 on
	// it has indices too; they are left out, so that both releases say the same. The names of
	// fields have no capitals and do not start with a digit.
	path := slices.DeleteFunc(strings.Split(wrong.Field, "."), func(name string) bool {
		return name != strings.ToLower(name) || strings.IndexAny(name, "0123456789") == 0
	})
	field := strings.Join(path, ".")
	if field == "" {
		field = "the value"
	}
	return fmt.Errorf("%s: want %s, got %s", field, wantedJSON(wrong.Type), gotJSON(wrong.Value))
}

// wantedJSON names the JSON value that a type of Go takes.
func wantedJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wantedJSON(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("a whole number of %d bits", t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a whole number of %d bits, 0 or more", t.Bits())
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "another value"
}

// gotJSON names a JSON value as json.UnmarshalTypeError describes it.
func gotJSON(value string) string {
	if number, ok := strings.CutPrefix(value, "number "); ok {
		return number
	}
	switch value {
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a " + value
}

// jsonPosition returns the line and the column, in code points, of the last of so many
// bytes of a text.
func jsonPosition(text []byte, count int64) string {
	before := text[:max(0, min(count-1, int64(len(text))))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1)
}
