package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// Every kind of line is as docs/probe.schema.json says.
func TestProbeSchema(t *testing.T) {
	schema := probeSchema()
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
		if err := (&validation{root: schema, strict: true}).check(schema, value, ""); err != nil {
			t.Errorf("%v: %v", value["tensor"], err)
		}
		statuses[value["status"]] = true
	}
	if len(statuses) != 3 {
		t.Errorf("lines of status %v", statuses)
	}
}

// The checker of the schema finds faults.
func TestProbeSchemaFaults(t *testing.T) {
	schema := probeSchema()
	const good = `{"format":1,"path":"p","file":"f","tensor":"t","dtype":"F32","shape":[2],"elements":2,"bytes":8,"status":"skipped","reason":"1-D"}`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"format":1`, `"format":2`, "format: want 1, got 2"},
		{`"tensor":"t"`, `"tensor":""`, `tensor: want a string that is not empty, got ""`},
		{`"tensor":"t"`, `"tensor":1`, "tensor: want a string that is not empty, got 1"},
		{`"bytes":8`, `"bytes":-8`, "bytes: want a whole number of at least 0, got -8"},
		{`"bytes":8`, `"bytes":8.5`, "bytes: want a whole number of at least 0, got 8.5"},
		{`"bytes":8,`, ``, "bytes: it is missing"},
		{`[2]`, `[2,-2]`, "shape[1]: want a whole number of at least 0, got -2"},
		{`"skipped"`, `"lost"`, `status: want one of "probed", "skipped", "tied", "failed", got "lost"`},
		{`"skipped"`, `"probed"`, "profile: it is missing"},
		{`,"reason":"1-D"`, ``, "reason: it is missing"},
		{`"reason"`, `"raeson"`, "raeson: not in the schema"},
		{`"path"`, `"more":0,"path"`, "more: not in the schema"},
	} {
		var value any
		if err := json.Unmarshal([]byte(strings.Replace(good, c.old, c.new, 1)), &value); err != nil {
			t.Fatal(err)
		}
		err := (&validation{root: schema, strict: true}).check(schema, value, "")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}
