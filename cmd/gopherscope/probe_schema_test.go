package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// schema is a JSON schema of draft 2020-12, as far as ours goes: a keyword that is not
// here fails the test that reads it.
type schema struct {
	Schema               string             `json:"$schema"`
	Title                string             `json:"title"`
	Description          string             `json:"description"`
	Ref                  string             `json:"$ref"`
	Defs                 map[string]*schema `json:"$defs"`
	Type                 any                `json:"type"`
	Const                any                `json:"const"`
	Enum                 []any              `json:"enum"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
	MinLength            int                `json:"minLength"`
	MinItems             int                `json:"minItems"`
	Items                *schema            `json:"items"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties *bool              `json:"additionalProperties"`
	OneOf                []*schema          `json:"oneOf"`
}

func readSchema(t *testing.T, name string) *schema {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	var s schema
	if err := decoder.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// check returns what is wrong with a value, "" if nothing.
func (root *schema) check(s *schema, value any, at string) string {
	if s.Ref != "" {
		s = root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	if s.Type != nil {
		types, several := s.Type.([]any)
		if !several {
			types = []any{s.Type}
		}
		if !slices.ContainsFunc(types, func(t any) bool { return isType(value, t.(string)) }) {
			return fmt.Sprintf("%s: %v is not %v", at, value, s.Type)
		}
	}
	if s.Const != nil && !reflect.DeepEqual(s.Const, value) {
		return fmt.Sprintf("%s: %v is not %v", at, value, s.Const)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, value) {
		return fmt.Sprintf("%s: %v is none of %v", at, value, s.Enum)
	}
	if s.OneOf != nil {
		var faults []string
		for _, one := range s.OneOf {
			if fault := root.check(one, value, at); fault != "" {
				faults = append(faults, fault)
			}
		}
		if len(faults) != len(s.OneOf)-1 {
			return fmt.Sprintf("%s: not one of the alternatives: %v", at, faults)
		}
	}
	switch value := value.(type) {
	case float64:
		if s.Minimum != nil && value < *s.Minimum || s.Maximum != nil && value > *s.Maximum {
			return fmt.Sprintf("%s: %v is out of range", at, value)
		}
	case string:
		if len(value) < s.MinLength {
			return at + ": too short"
		}
	case []any:
		if len(value) < s.MinItems {
			return at + ": too few items"
		}
		for i, item := range value {
			if fault := root.check(s.Items, item, fmt.Sprintf("%s[%d]", at, i)); fault != "" {
				return fault
			}
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, there := value[name]; !there {
				return at + "." + name + ": missing"
			}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			property := s.Properties[name]
			if property == nil {
				if s.AdditionalProperties != nil && !*s.AdditionalProperties {
					return at + "." + name + ": not in the schema"
				}
				continue
			}
			if fault := root.check(property, value[name], at+"."+name); fault != "" {
				return fault
			}
		}
	}
	return ""
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

// Every kind of line is as docs/probe.schema.json says.
func TestProbeSchema(t *testing.T) {
	root := readSchema(t, "probe.schema.json")
	dir := t.TempDir()
	zero := weights.Named{Name: "zero", Shape: []int{5, 7}, Data: make([]float32, 35)}
	spike := weights.Named{Name: "spike", Shape: []int{8, 8}, Data: make([]float32, 64)}
	spike.Data[9] = 1
	model := writeModel(t, filepath.Join(dir, "m.safetensors"), zero, spike, weights.Named{Name: "scalar", Data: []float32{1}},
		named("row", "", 7, 1, 40), named("column", "", 8, 40, 1), named("large", weights.F16, 9, 600, 530))
	var text strings.Builder
	for _, args := range [][]string{
		{writeMixedModel(t)}, {silero}, {model}, {model, "--extra", "all", "--include", "spike,row"},
		{model, "--role", "activation", "--include", "spike"},
	} {
		stdout, stderr, status := command(t, t.Context(), append([]string{"probe", "--no-time", "--json"}, args...)...)
		if status != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
		text.WriteString(stdout)
	}
	statuses := map[any]bool{}
	for line := range strings.Lines(text.String()) {
		var value map[string]any
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			t.Fatal(err)
		}
		if fault := root.check(root, value, ""); fault != "" {
			t.Errorf("%v: %s", value["tensor"], fault)
		}
		statuses[value["status"]] = true
	}
	if len(statuses) != 3 {
		t.Errorf("lines of status %v", statuses)
	}
}

// The checker of the schema finds faults.
func TestProbeSchemaFaults(t *testing.T) {
	root := readSchema(t, "probe.schema.json")
	const good = `{"format":1,"path":"p","file":"f","tensor":"t","dtype":"F32","shape":[2],"elements":2,"bytes":8,"status":"skipped","reason":"1-D"}`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"format":1`, `"format":2`, ".format: 2 is not 1"},
		{`"tensor":"t"`, `"tensor":""`, ".tensor: too short"},
		{`"tensor":"t"`, `"tensor":1`, ".tensor: 1 is not string"},
		{`"bytes":8`, `"bytes":-8`, ".bytes: -8 is out of range"},
		{`"bytes":8`, `"bytes":8.5`, ".bytes: 8.5 is not integer"},
		{`"bytes":8,`, ``, ".bytes: missing"},
		{`[2]`, `[-2]`, ".shape[0]: -2 is out of range"},
		{`"skipped"`, `"lost"`, ".status: lost is none of"},
		{`"skipped"`, `"probed"`, "not one of the alternatives"},
		{`,"reason":"1-D"`, ``, "not one of the alternatives"},
		{`"reason"`, `"raeson"`, "not one of the alternatives"},
		{`"path"`, `"more":0,"path"`, ".more: not in the schema"},
	} {
		var value any
		if err := json.Unmarshal([]byte(strings.Replace(good, c.old, c.new, 1)), &value); err != nil {
			t.Fatal(err)
		}
		fault := root.check(root, value, "")
		if c.want == "" && fault != "" || !strings.Contains(fault, c.want) {
			t.Errorf("%s for %s: %q, want %q", c.new, c.old, fault, c.want)
		}
	}
}
