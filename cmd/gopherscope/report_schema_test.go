package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Results are as docs/report.schema.json says.
func TestReportSchema(t *testing.T) {
	schema := reportSchema()
	strict := &validation{root: schema, strict: true}
	r, dir := measuredReport(t)
	text, err := os.ReadFile(filepath.Join(dir, "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	r.NotTimed = []notTimed{{"w4a16", "too large an error"}}
	other, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range [][]byte{text, other} {
		var value map[string]any
		if err := json.Unmarshal(one, &value); err != nil {
			t.Fatal(err)
		}
		if err := strict.check(schema, value, ""); err != nil {
			t.Error(err)
		}
		value["extra"] = true
		if err := strict.check(schema, value, ""); err == nil || err.Error() != "extra: not in the schema" {
			t.Errorf("a field more: %v", err)
		}
	}
	if err := schema.validate([]byte(strings.Replace(string(text), "{", `{"of_a_later_program":1,`, 1))); err != nil {
		t.Errorf("a field more: %v", err)
	}
}

// A report with a figure that no run writes is refused, and the figure named.
func TestReportRefusesFigures(t *testing.T) {
	_, dir := measuredReport(t)
	text, err := os.ReadFile(filepath.Join(dir, "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report any
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "r.json")
	refusal := func(path string, wrong any) string {
		t.Helper()
		place := at(t, report, path)
		kept := place.get()
		defer place.set(kept)
		place.set(wrong)
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err = readReport(file); err == nil {
			return ""
		}
		return err.Error()
	}
	const above0, atLeast0, atLeast1 = ": want a number above 0, got ", ": want a number of at least 0, got ", ": want a whole number of at least 1, got "
	for _, c := range []struct {
		path  string
		wrong any
		want  string
	}{
		{"cache_vs_dram.rows[1].read_gbps", nil, above0 + "null"},
		{"cache_vs_dram.rows[1].read_gbps", 0, above0 + "0"},
		{"cache_vs_dram.rows[0].gbps", -3.5, above0 + "-3.5"},
		{"cache_vs_dram.machine.read_gbps[0].gbps", 0, above0 + "0"},
		{"cache_vs_dram.machine.read_gbps[0].bytes", 0, atLeast1 + "0"},
		{"cache_vs_dram.rows[0].median_ns", 0, atLeast1 + "0"},
		{"quantization.cases[0].machine.f32_peak_gflops", 0, above0 + "0"},
		{"quantization.cases[0].machine.read_gbps", []any{}, ": want a list that is not empty, got an empty list"},
		{"quantization.cases[0].rows[0].ns", -1, atLeast1 + "-1"},
		{"quantization.cases[0].rows[0].ns", nil, atLeast1 + "null"},
		{"quantization.cases[0].rows[1].err", -0.1, above0 + "-0.1"},
		{"quantization.cases[0].rows[1].roof", nil, atLeast0 + "null"},
		{"quantization.cases[0].rows[0].scheme", "w8a8", `: want "f32", got "w8a8"`},
		{"sparse.rows[0].density", 1.5, ": want a number above 0 and at most 1, got 1.5"},
		{"sparse.rows[1].density", 1e-9, ": 1e-09 is not above that of the row before it"},
		{"low_rank[1].rows[1].rank", 1, ": 1 is not above that of the row before it"},
		{"sparse.k", 0, atLeast1 + "0"},
		{"low_rank[0].rows", nil, ": want a list that is not empty, got null"},
		{"matrix_unit.runs[0].rows[0].gops", 0, above0 + "0"},
		{"matrix_unit.runs[0].threads", 0, atLeast1 + "0"},
		{"error_compounding.runs[0].product[0]", -1, atLeast0 + "-1"},
		{"error_compounding", nil, ": want an object, got null"},
	} {
		if got := refusal(c.path, c.wrong); !strings.HasSuffix(got, c.path+c.want) {
			t.Errorf("%s = %v: %q, want %q", c.path, c.wrong, got, c.path+c.want)
		}
	}
	// null is no figure anywhere.
	figures := numbers(report, "")
	if len(figures) < 500 {
		t.Fatalf("%d figures", len(figures))
	}
	check := &validation{root: reportSchema()}
	for _, path := range figures {
		place := at(t, report, path)
		kept := place.get()
		place.set(nil)
		if err := check.check(check.root, report, ""); err == nil || !strings.HasPrefix(err.Error(), path+": want ") {
			t.Errorf("%s = null: %v", path, err)
		}
		place.set(kept)
	}
}

// A jsonPlace is a value in an object or a list.
type jsonPlace struct {
	get func() any
	set func(any)
}

// at finds the place of a path such as "a.b[0].c".
func at(t *testing.T, value any, path string) jsonPlace {
	t.Helper()
	var place jsonPlace
	for _, step := range regexp.MustCompile(`[^.\[\]]+`).FindAllString(path, -1) {
		switch in := value.(type) {
		case map[string]any:
			place = jsonPlace{func() any { return in[step] }, func(v any) { in[step] = v }}
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(in) {
				t.Fatalf("no %s", path)
			}
			place = jsonPlace{func() any { return in[i] }, func(v any) { in[i] = v }}
		default:
			t.Fatalf("no %s", path)
		}
		value = place.get()
	}
	return place
}

// numbers lists the paths of all numbers in a value.
func numbers(value any, path string) (paths []string) {
	switch value := value.(type) {
	case float64:
		return []string{strings.TrimPrefix(path, ".")}
	case map[string]any:
		for name, v := range value {
			paths = append(paths, numbers(v, path+"."+name)...)
		}
	case []any:
		for i, v := range value {
			paths = append(paths, numbers(v, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return paths
}
