package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/rlx-go/gopherscope/docs"
)

var (
	reportSchema = sync.OnceValue(func() *schema { return mustSchema(docs.ReportSchema) })
	probeSchema  = sync.OnceValue(func() *schema { return mustSchema(docs.ProbeSchema) })
)

// schema is a JSON schema of draft 2020-12, with the keywords that ours have.
type schema struct {
	Schema               string             `json:"$schema"`
	Title                string             `json:"title"`
	Description          string             `json:"description"`
	Ref                  string             `json:"$ref"`
	Defs                 map[string]*schema `json:"$defs"`
	Type                 anyOf[string]      `json:"type"`
	Const                any                `json:"const"`
	Enum                 []any              `json:"enum"`
	Minimum              *float64           `json:"minimum"`
	ExclusiveMinimum     *float64           `json:"exclusiveMinimum"`
	Maximum              *float64           `json:"maximum"`
	MinLength            int                `json:"minLength"`
	MinItems             int                `json:"minItems"`
	Items                *schema            `json:"items"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties *bool              `json:"additionalProperties"`
	OneOf                []*schema          `json:"oneOf"`
}

// anyOf is one value in JSON, or several in a list.
type anyOf[T any] []T

func (a *anyOf[T]) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]T)(a))
	}
	*a = make(anyOf[T], 1)
	return json.Unmarshal(text, &(*a)[0])
}

// mustSchema reads a schema of this program. A keyword that is not in the type would be
// ignored without a word, so it panics.
func mustSchema(text []byte) *schema {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	s := new(schema)
	if err := decoder.Decode(s); err != nil {
		panic(err)
	}
	return s
}

// validate says where a JSON text, which is one of a file that a program of this format
// wrote, is not as the schema says. Fields that the schema lacks are let be: a later program
// may write more of them in the same format.
func (s *schema) validate(text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return (&validation{root: s}).check(s, value, "")
}

type validation struct {
	root *schema
	// strict takes a field that the schema lacks for a fault, as the schema says.
	strict bool
}

// check returns the first fault of a value, with its path.
func (v *validation) check(s *schema, value any, path string) error {
	if s.Ref != "" {
		s = v.root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	fault := func() error {
		if path == "" {
			path = "the value"
		}
		return fmt.Errorf("%s: want %s, got %s", strings.TrimPrefix(path, "."), s.wanted(), got(value))
	}
	if s.Type != nil && !slices.ContainsFunc(s.Type, func(t string) bool { return isType(value, t) }) ||
		s.Const != nil && !reflect.DeepEqual(s.Const, value) ||
		s.Enum != nil && !slices.Contains(s.Enum, value) {
		return fault()
	}
	switch value := value.(type) {
	case float64:
		if s.Minimum != nil && value < *s.Minimum || s.ExclusiveMinimum != nil && value <= *s.ExclusiveMinimum ||
			s.Maximum != nil && value > *s.Maximum {
			return fault()
		}
	case string:
		if len(value) < s.MinLength {
			return fault()
		}
	case []any:
		if len(value) < s.MinItems {
			return fault()
		}
		for i, item := range value {
			if err := v.check(s.Items, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := v.checkObject(s, value, path); err != nil {
			return err
		}
	}
	return v.checkOneOf(s, value, path)
}

func (v *validation) checkObject(s *schema, value map[string]any, path string) error {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		property := s.Properties[name]
		if property != nil {
			if err := v.check(property, value[name], path+"."+name); err != nil {
				return err
			}
		} else if v.strict && s.AdditionalProperties != nil && !*s.AdditionalProperties {
			return fmt.Errorf("%s: not in the schema", strings.TrimPrefix(path+"."+name, "."))
		}
	}
	for _, name := range s.Required {
		if _, there := value[name]; !there {
			return fmt.Errorf("%s: it is missing", strings.TrimPrefix(path+"."+name, "."))
		}
	}
	return nil
}

func (v *validation) checkOneOf(s *schema, value any, path string) error {
	var faults []string
	for _, one := range s.OneOf {
		if value != nil && slices.Equal(one.Type, []string{"null"}) {
			continue // of which nothing needs to be said
		}
		err := v.check(one, value, path)
		if err == nil {
			return nil
		}
		// An alternative that only lacks a field is the one that is meant.
		if complete := *one; complete.Required != nil {
			complete.Required = nil
			if v.check(&complete, value, path) == nil {
				return err
			}
		}
		faults = append(faults, err.Error())
	}
	if faults != nil {
		return fmt.Errorf("%s", strings.Join(faults, ", or "))
	}
	return nil
}

func isType(value any, name string) bool {
	switch value := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && value == float64(int64(value))
	case []any:
		return name == "array"
	}
	return name == "object"
}

// wanted says in words which values a schema takes.
func (s *schema) wanted() string {
	switch {
	case s.Const != nil:
		return got(s.Const)
	case s.Enum != nil:
		var values []string
		for _, v := range s.Enum {
			values = append(values, got(v))
		}
		return "one of " + strings.Join(values, ", ")
	}
	names := map[string]string{
		"null": "null", "boolean": "true or false", "string": "a string", "number": "a number",
		"integer": "a whole number", "array": "a list", "object": "an object",
	}
	var kinds []string
	for _, t := range s.Type {
		kinds = append(kinds, names[t])
	}
	text := strings.Join(kinds, " or ")
	switch {
	case s.ExclusiveMinimum != nil && s.Maximum != nil:
		text += fmt.Sprintf(" above %v and at most %v", *s.ExclusiveMinimum, *s.Maximum)
	case s.ExclusiveMinimum != nil:
		text += fmt.Sprintf(" above %v", *s.ExclusiveMinimum)
	case s.Minimum != nil && s.Maximum != nil:
		text += fmt.Sprintf(" from %v to %v", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		text += fmt.Sprintf(" of at least %v", *s.Minimum)
	case s.MinLength > 0 || s.MinItems > 0:
		text += " that is not empty"
	}
	return text
}

// got is a JSON value in an error.
func got(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q", shortName(value))
	case []any:
		if len(value) == 0 {
			return "an empty list"
		}
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprint(value)
}
