package nb

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

// settled returns a notebook as it is to be committed: a title, prose before each
// cell, a picture, a table, a line of text.
func settled(t *testing.T) *Notebook {
	n := &Notebook{Cells: []*Cell{
		{Type: Markdown, Source: "# Title\n\nWhat is a root worth?"},
		{Type: Code, Source: "chart"},
		{Type: Markdown, Source: "A table."},
		{Type: Code, Source: "table"},
		{Type: Markdown, Source: "A line."},
		{Type: Code, Source: "line"},
	}}
	s := script{
		"chart": func(sink interp.Sink) (*display.Data, error) {
			sink.Display(display.Data{Data: display.MIMEMap{"text/html": "<script>library()</script>"}})
			return &display.Data{Data: display.MIMEMap{"text/html": `<img src="data:image/png;base64,AA=="><script>draw()</script>`,
				"image/png": []byte{0x89}, "text/plain": "rises"}}, nil
		},
		"table": func(interp.Sink) (*display.Data, error) {
			return &display.Data{Data: display.MIMEMap{"text/html": "<table><tr><td>3</table>", "text/plain": "3"}}, nil
		},
		"line": func(sink interp.Sink) (*display.Data, error) {
			sink.Stream("stdout", "41 GB/s, 1/2 of https://example.org/a/b, a:b\n")
			return nil, nil
		},
	}
	if err := n.Execute(context.Background(), s, func(int) {}); err != nil {
		t.Fatal(err)
	}
	n.Settle()
	return n
}

func TestSettle(t *testing.T) {
	n := settled(t)
	chart := n.Cells[1].Outputs
	if len(chart) != 1 || chart[0].Data["image/png"] == nil || chart[0].Data["text/html"] != nil || chart[0].Data["text/plain"] != "rises" {
		t.Errorf("the chart's outputs are %+v", chart)
	}
	if table := n.Cells[3].Outputs; len(table) != 1 || table[0].Data["text/html"] == nil {
		t.Errorf("the table's outputs are %+v", table)
	}
}

func TestCheckCommitted(t *testing.T) {
	code := func(n *Notebook) *Cell { return n.Cells[3] }
	out := func(n *Notebook) *Output { return code(n).Outputs[0] }
	for _, c := range []struct {
		name   string
		change func(n *Notebook)
		want   string // part of the error, "" for none
	}{
		{"as settled", func(n *Notebook) {}, ""},
		{"prose changed", func(n *Notebook) { n.Cells[2].Source = "Other words." }, ""},
		{"too large", func(n *Notebook) { out(n).Data["text/plain"] = strings.Repeat("x", MaxCommitted) }, "bytes long"},
		{"another kernel", func(n *Notebook) { n.Metadata["kernelspec"].(map[string]any)["name"] = "gophernotes" }, "names the kernel gophernotes"},
		{"no kernel", func(n *Notebook) { delete(n.Metadata, "kernelspec") }, "names the kernel"},
		{"no title", func(n *Notebook) { n.Cells[0].Source = "Title" }, "title"},
		{"no prose", func(n *Notebook) { n.Cells[2].Source = " \n" }, "cell 2 has no prose"},
		{"code after code", func(n *Notebook) { n.Cells[2] = n.Cells[1] }, "cell 2 has no prose"},
		{"source changed", func(n *Notebook) { code(n).Source = "table " }, "cell 2: outputs are not of this code"},
		{"earlier source changed", func(n *Notebook) { n.Cells[1].Source = "chart " }, "cell 3: outputs are not of this code"},
		{"cell moved", func(n *Notebook) { n.Cells[3], n.Cells[5] = n.Cells[5], n.Cells[3] }, "cell 2 was run as number 3"},
		{"cell blank", func(n *Notebook) { code(n).Source = "" }, "cell 2 is blank"},
		{"not run", func(n *Notebook) { code(n).ExecutionCount = 0 }, "cell 2 was run as number 0"},
		{"no hash", func(n *Notebook) { delete(code(n).Metadata, "gopherscope") }, "cell 2: outputs are not of this code"},
		{"failed", func(n *Notebook) { code(n).Outputs = []*Output{{Type: ErrorOutput, ErrorValue: "boom"}} }, "cell 2: failed: boom"},
		{"meant to fail", func(n *Notebook) {
			code(n).Outputs = []*Output{{Type: ErrorOutput, ErrorValue: "boom"}}
			code(n).Metadata["tags"] = []any{"raises-exception"}
		}, ""},
		{"error as value", func(n *Notebook) { out(n).Data["text/plain"] = "<nil> charts: no title" }, "ended with an error: <nil> charts: no title"},
		{"stderr", func(n *Notebook) { code(n).Outputs = []*Output{{Type: Stream, Name: "stderr", Text: "w"}} }, "wrote to stderr"},
		{"script", func(n *Notebook) { out(n).Data["text/html"] = "<p>a</p><SCRIPT src=x>" }, `"<SCRIPT"`},
		{"handler", func(n *Notebook) { out(n).Data["text/html"] = "<p onclick='x()'>" }, "onclick"},
		{"network", func(n *Notebook) { out(n).Data["text/html"] = `<img src="https://example.org/a.png">` }, "src="},
		{"SVG", func(n *Notebook) { out(n).Data["image/svg+xml"] = "<svg/>" }, "image/svg+xml"},
		{"JSON", func(n *Notebook) { out(n).Data["application/json"] = map[string]any{} }, "application/json"},
		{"path", func(n *Notebook) { out(n).Data["text/plain"] = "open /home/someone/x: no such file" }, "/home/someone/x"},
		{"path in colours", func(n *Notebook) { out(n).Data["text/plain"] = "\x1b[31m/opt/lib\x1b[0m" }, "/opt/lib"},
		{"path of Windows", func(n *Notebook) { n.Cells[5].Outputs[0].Text = `C:\Users\someone` }, `C:\Users`},
		{"name", func(n *Notebook) { out(n).Data["text/plain"] = "by Someone." }, "Someone"},
		{"part of a word", func(n *Notebook) { out(n).Data["text/plain"] = "someonelse" }, ""},
		{"name that is a word of the text", func(n *Notebook) { out(n).Data["text/plain"] = "the root of 2" }, ""},
	} {
		n := settled(t)
		c.change(n)
		data, err := n.Encode()
		if err != nil {
			t.Fatal(err)
		}
		err = CheckCommitted(data, "someone", "root", "")
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if CheckCommitted([]byte("{}")) == nil {
		t.Error("a file that is no notebook passes")
	}
}

// The notebooks of this project.
func TestCommittedNotebooks(t *testing.T) {
	var names []string
	if u, err := user.Current(); err == nil {
		names = append(names, u.Username)
	}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckCommitted(data, names...); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
		n, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if last := n.Cells[len(n.Cells)-1]; last.Type != Markdown || !strings.Contains(last.Source, "# Exercises\n") {
			t.Errorf("%s does not end with exercises", filepath.Base(file))
		}
	}
}
