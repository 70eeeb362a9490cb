package nb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

var idPattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkFormat checks what nbformat's schema asks of a 4.5 document, as far as
// the writer is answerable for it.
func checkFormat(t *testing.T, text []byte) {
	t.Helper()
	var doc struct {
		NBFormat int              `json:"nbformat"`
		Minor    int              `json:"nbformat_minor"`
		Metadata map[string]any   `json:"metadata"`
		Cells    []map[string]any `json:"cells"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.NBFormat != 4 || doc.Minor < 5 || doc.Metadata == nil || doc.Cells == nil {
		t.Errorf("nbformat %d.%d, metadata %v, %d cells", doc.NBFormat, doc.Minor, doc.Metadata, len(doc.Cells))
	}
	is := func(v any, kinds string) bool {
		switch v.(type) {
		case nil:
			return kinds == "count"
		case float64:
			return kinds == "count"
		case string:
			return kinds == "string"
		case []any:
			return kinds == "list"
		case map[string]any:
			return kinds == "object"
		}
		return false
	}
	require := func(place string, m map[string]any, fields map[string]string) {
		for field, kind := range fields {
			if v, ok := m[field]; !ok || !is(v, kind) {
				t.Errorf("%s.%s is %v, want a %s", place, field, v, kind)
			}
		}
	}
	ids := map[string]bool{}
	for _, c := range doc.Cells {
		require("cell", c, map[string]string{"id": "string", "cell_type": "string", "metadata": "object", "source": "list"})
		id, _ := c["id"].(string)
		if !idPattern.MatchString(id) || ids[id] {
			t.Errorf("id %q is not valid or not unique", id)
		}
		ids[id] = true
		if c["cell_type"] != "code" {
			continue
		}
		require("code cell", c, map[string]string{"execution_count": "count", "outputs": "list"})
		for _, o := range c["outputs"].([]any) {
			o := o.(map[string]any)
			switch o["output_type"] {
			case "stream":
				require("stream", o, map[string]string{"name": "string", "text": "list"})
			case "execute_result":
				require("execute_result", o, map[string]string{"data": "object", "metadata": "object", "execution_count": "count"})
			case "display_data":
				require("display_data", o, map[string]string{"data": "object", "metadata": "object"})
			case "error":
				require("error", o, map[string]string{"ename": "string", "evalue": "string", "traceback": "list"})
			default:
				t.Errorf("output_type %v", o["output_type"])
			}
		}
	}
}

// A notebook that Jupyter wrote is written again byte for byte.
func TestRoundTrip(t *testing.T) {
	const file = "testdata/jupyter.ipynb" // written by nbformat 5.5
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs when written again:\n%s", file, got)
	}
	checkFormat(t, got)
}

func TestIDs(t *testing.T) {
	cells := func(ids ...string) *Notebook {
		n := &Notebook{}
		for _, id := range ids {
			n.Cells = append(n.Cells, &Cell{Type: Code, Source: "x", ID: id})
		}
		return n
	}
	ids := func(n *Notebook) []string {
		n.fillIDs()
		var ids []string
		for _, c := range n.Cells {
			ids = append(ids, c.ID)
		}
		return ids
	}
	// The first 8 digits of: printf 'code\nx' | sha256sum
	const made = "39e8c74b"
	got := ids(cells("a", "", "a", "", "no spaces", made+"-2"))
	want := []string{"a", made, made + "-3", made + "-4", made + "-5", made + "-2"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if again := ids(cells("a", "", "a", "", "no spaces", made+"-2")); !reflect.DeepEqual(again, got) {
		t.Errorf("the ids change: %q, %q", got, again)
	}
}

func TestSplitLines(t *testing.T) {
	// What Python's str.splitlines(True) answers.
	for s, want := range map[string][]string{
		"":                      {},
		"a":                     {"a"},
		"a\n":                   {"a\n"},
		"a\n\nb":                {"a\n", "\n", "b"},
		"a\r\nb\rc\n":           {"a\r\n", "b\r", "c\n"},
		"a\v\f\x1cb":            {"a\v", "\f", "\x1c", "b"},
		"é\u0085è\u2028ü\u2029": {"é\u0085", "è\u2028", "ü\u2029"},
	} {
		if got := splitLines(s); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

// TestNBFormat asks Jupyter's own library whether what was written is valid, and
// whether it would have written the same.
func TestNBFormat(t *testing.T) {
	python := "/usr/bin/python3" // the first on PATH may be one without Jupyter
	if err := exec.Command(python, "-c", "import nbformat").Run(); err != nil {
		testreq.Skip(t, fmt.Sprintf("%s has no nbformat (Debian: python3-nbformat): %v", python, err))
	}
	dir := t.TempDir()
	executed, _ := executedNotebook(t)
	old, err := ReadFile("testdata/old.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]*Notebook{"executed": executed, "old": old} {
		text, err := n.Encode()
		if err != nil {
			t.Fatal(err)
		}
		checkFormat(t, text)
		file := filepath.Join(dir, name+".ipynb")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		const program = `
import io, json, sys, warnings, nbformat
from nbformat.warnings import DuplicateCellId, MissingIDFieldWarning
warnings.simplefilter("error", DuplicateCellId)
warnings.simplefilter("error", MissingIDFieldWarning)
text = open(sys.argv[1], encoding="utf-8").read()
nbformat.validate(json.loads(text))
out = io.StringIO()
nbformat.write(nbformat.reads(text, as_version=4), out)
if out.getvalue() != text:
    sys.exit("nbformat would write:\n" + out.getvalue())
`
		if out, err := exec.Command(python, "-c", program, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, text)
		}
	}
}
