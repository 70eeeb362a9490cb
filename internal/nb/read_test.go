package nb

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
)

func TestDecode(t *testing.T) {
	n, err := Decode([]byte(`{"nbformat": 4, "nbformat_minor": 2, "x": [1e400],
	 "metadata": {"kernelspec": {"name": "k", "language": "Go"}, "signature": "s"}, "cells": [
	 {"cell_type": "markdown", "metadata": {"trusted": true, "a": 1.50}, "source": ["# T\n", "text"],
	  "attachments": {"i.png": {"image/png": ["QQ", "=="]}}},
	 {"cell_type": "code", "metadata": {}, "source": "x", "execution_count": 7, "y": null, "outputs": [
	  {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]},
	  {"output_type": "execute_result", "execution_count": 7, "metadata": {"z": {}}, "data": {
	   "text/plain": ["1\n", "2"], "application/json": ["1", "2"], "application/vnd.x+json": {"q": 1}}},
	  {"output_type": "display_data", "data": {"image/png": "QQ=="}, "metadata": {}},
	  {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t", "u"]}]},
	 {"cell_type": "raw", "metadata": {}, "source": [], "id": "raw"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Language(); got != "go" {
		t.Errorf("language %q", got)
	}
	if n.Cells[0].Source != "# T\ntext" || n.Cells[0].Attachments["i.png"]["image/png"] != "QQ==" {
		t.Errorf("markdown cell %+v", n.Cells[0])
	}
	if n.Cells[2].ID != "raw" {
		t.Errorf("id %q", n.Cells[2].ID)
	}
	c := n.Cells[1]
	if c.ExecutionCount != 7 || len(c.Outputs) != 4 {
		t.Fatalf("code cell %+v", c)
	}
	want := []*Output{
		{Type: Stream, Name: "stdout", Text: "a\nb"},
		{Type: ExecuteResult, ExecutionCount: 7, Metadata: display.MIMEMap{"z": map[string]any{}}, Data: display.MIMEMap{
			"text/plain": "1\n2", "application/json": []any{"1", "2"}, "application/vnd.x+json": c.Outputs[1].Data["application/vnd.x+json"]}},
		{Type: DisplayData, Data: display.MIMEMap{"image/png": "QQ=="}, Metadata: display.MIMEMap{}},
		{Type: ErrorOutput, ErrorName: "E", ErrorValue: "v", Traceback: []string{"t", "u"}},
	}
	for i, o := range c.Outputs {
		want[i].extra = map[string]any{}
		if !reflect.DeepEqual(o, want[i]) {
			t.Errorf("output %d: %+v", i, o)
		}
	}

	text, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{`"x": [` + "\n  1e400\n ]", `"y": null`, `"a": 1.50`, `"nbformat_minor": 5`,
		"\"text/plain\": [\n       \"1\\n\",\n       \"2\"\n      ]", `"image/png": "QQ=="`} {
		if !strings.Contains(string(text), kept) {
			t.Errorf("no %s in\n%s", kept, text)
		}
	}
	for _, gone := range []string{"trusted", "signature"} {
		if strings.Contains(string(text), gone) {
			t.Errorf("%s was kept", gone)
		}
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ metadata, want string }{
		{`{}`, ""},
		{`{"kernelspec": {"name": "python3", "display_name": "Python 3"}}`, ""},
		{`{"language_info": {"name": "Python"}}`, "python"},
		{`{"kernelspec": {"language": "go"}, "language_info": {"name": "python"}}`, "go"},
		{`{"kernelspec": 3, "language_info": [{}]}`, ""},
	} {
		n, err := Decode([]byte(`{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": ` + c.metadata + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Language(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.metadata, got, c.want)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	cell := func(fields string) string {
		return `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "raw", "source": "", "metadata": {}}, {` + fields + `}]}`
	}
	output := func(fields string) string {
		return cell(`"cell_type": "code", "source": "", "metadata": {}, "outputs": [{` + fields + `}]`)
	}
	for _, c := range []struct{ source, want string }{
		{"", "is empty, not a notebook"},
		{" \n", "is empty, not a notebook"},
		{"package main\n", "line 1, column 1: not JSON: invalid character 'p' looking for beginning of value"},
		{"{\n \"cells\": [\n  é}", "line 3, column 3: not JSON: invalid character '"},
		{"{\n \"cells\": [", "line 2, column 11: not JSON: unexpected end of JSON input"},
		{"{\n\"é\xff\": 1}", "line 2, column 3: not JSON: not UTF-8"},
		{"{} x", "line 1, column 4: not JSON: invalid character 'x' after top-level value"},
		{"\xff\xfe{\x00}\x00", "line 1, column 1: not JSON: not UTF-8"},
		{strings.Repeat("[", 20000), "line 1, column 10001: not JSON: "},
		{"null", "not a notebook: the JSON value is nothing, not an object"},
		{"[]", "not a notebook: the JSON value is a list, not an object"},
		{"{}", `not a notebook: it has no "nbformat"`},
		{`{"nbformat": 4, "nbformat_minor": 5}`, `not a notebook: it has no "cells"`},
		{`{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}`,
			`nbformat: is 3, but only 4 is read; "jupyter nbconvert --to notebook" converts older notebooks`},
		{`{"nbformat": 5, "nbformat_minor": 0, "cells": []}`, "nbformat: is 5, but only 4 is read"},
		{`{"nbformat": "4", "nbformat_minor": 5, "cells": []}`, "nbformat: want a whole number, got a string"},
		{`{"nbformat": 4, "nbformat_minor": 5.5, "cells": []}`, "nbformat_minor: want a whole number, got 5.5"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": {}}`, "cells: want a list, got an object"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": 1}`, "metadata: want an object, got 1"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [7]}`, "cells[0]: want an object, got 7"},
		{cell(``), "cells[1].cell_type: want a string, got nothing"},
		{cell(`"cell_type": "heading", "source": ""`), `cells[1].cell_type: is "heading", not code, markdown or raw`},
		{cell(`"cell_type": "code"`), "cells[1].source: want a string or a list of strings, got nothing"},
		{cell(`"cell_type": "code", "source": ["a", 1]`), "cells[1].source: want a string or a list of strings, got a list"},
		{cell(`"cell_type": "code", "source": "", "metadata": []`), "cells[1].metadata: want an object, got a list"},
		{cell(`"cell_type": "code", "source": "", "outputs": "x"`), "cells[1].outputs: want a list, got a string"},
		{cell(`"cell_type": "code", "source": "", "execution_count": -1`), "cells[1].execution_count: is -1, below 0"},
		{cell(`"cell_type": "code", "source": "", "execution_count": 99999999999999999999999`), "cells[1].execution_count: want a whole number, got a number"},
		{cell(`"cell_type": "markdown", "source": "", "attachments": {"a": 1}`), `cells[1].attachments["a"]: want an object, got 1`},
		{cell(`"cell_type": "code", "source": "", "outputs": [true]`), "cells[1].outputs[0]: want an object, got true"},
		{output(`"output_type": "pyout"`), `cells[1].outputs[0].output_type: is "pyout", not stream, display_data, execute_result or error`},
		{output(`"output_type": "stream", "name": "stdout"`), "cells[1].outputs[0].text: want a string or a list of strings, got nothing"},
		{output(`"output_type": "stream", "text": ""`), "cells[1].outputs[0].name: want a string, got nothing"},
		{output(`"output_type": "display_data", "data": {"image/png": 1}`), `cells[1].outputs[0].data["image/png"]: want a string or a list of strings, got 1`},
		{output(`"output_type": "error", "ename": "", "evalue": "", "traceback": [1]`), "cells[1].outputs[0].traceback[0]: want a string, got 1"},
	} {
		n, err := Decode([]byte(c.source))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.80q\n got %v\nwant %s", c.source, err, c.want)
		}
		if err != nil && (n != nil || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%.80q: a notebook with the error, or more than one line: %q", c.source, err)
		}
	}
}

func TestReadFileErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	large := write("large.ipynb", "")
	if err := os.Truncate(large, maxFileSize+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                              ": is a directory, not a notebook",
		filepath.Join(dir, "no.ipynb"):   "",
		write("empty.ipynb", ""):         ": is empty, not a notebook",
		write("main.ipynb", "\npackage"): ": line 2, column 1: not JSON: invalid character 'p' looking for beginning of value",
		large:                            ": is larger than 64 MiB, the most that is read",
	} {
		_, err := ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), path+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// FuzzDecode checks that what was read can be written, is read again as the
// same, and can be shown.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.ipynb")
	if err != nil || len(files) == 0 {
		f.Fatal("no testdata/*.ipynb", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"nbformat": 4, "nbformat_minor": 0, "metadata": {"kernelspec": []}, "cells": [
	 {"cell_type": "code", "source": "", "id": 3, "outputs": [{"output_type": "display_data", "data": {"image/png": "%", "a": "b"},
	  "metadata": {"image/png": {"width": "9"}}}]}, {"cell_type": "markdown", "source": "$$ ![a](b) <img src=x> $", "id": ""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Decode(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of more than one line: %q", err)
			}
			return
		}
		text, err := n.Encode()
		if err != nil {
			t.Fatal(err)
		}
		checkFormat(t, text)
		again, err := Decode(text)
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, text)
		}
		text2, err := again.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, text2) {
			t.Errorf("written again it differs:\n%s\n%s", text, text2)
		}
		if _, _, err := (&Page{Notebook: n, Name: "fuzz", Dir: t.TempDir()}).HTML(); err != nil {
			t.Fatal(err)
		}
	})
}
