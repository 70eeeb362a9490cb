package nb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
)

// script is a Runner: the source of a cell names the function that plays it.
type script map[string]func(sink interp.Sink) (*display.Data, error)

func (s script) Run(ctx context.Context, cell interp.Cell, sink interp.Sink) (*display.Data, error) {
	play, ok := s[cell.Source]
	if !ok {
		return nil, &interp.Error{Name: "CompileError", Value: "undefined: " + cell.Source, Cell: cell.Name, Line: 1, Column: 1,
			Traceback: []string{"\x1b[31m" + cell.Name + ":1:1\x1b[0m: undefined: " + cell.Source}}
	}
	return play(sink)
}

func code(source string) *Cell {
	return &Cell{Type: Code, Source: source, Metadata: map[string]any{}, ExecutionCount: 9,
		Outputs: []*Output{{Type: Stream, Name: "stdout", Text: "stale"}}}
}

func result(mime string, v any) *display.Data {
	return &display.Data{Data: display.MIMEMap{mime: v, "text/plain": "plain"}}
}

// session plays one cell of each kind.
func session(t *testing.T) script {
	dot, err := os.ReadFile("testdata/dot.png")
	if err != nil {
		t.Fatal(err)
	}
	return script{
		"streams": func(sink interp.Sink) (*display.Data, error) {
			sink.Stream("stdout", "<script>alert('out')</script>")
			sink.Stream("stdout", " one\n")
			sink.Stream("stderr", "warned & done\n")
			sink.Stream("stdout", "two\n")
			return nil, nil
		},
		"value": func(interp.Sink) (*display.Data, error) {
			return &display.Data{Data: display.MIMEMap{"text/plain": "a < b"}}, nil
		},
		"chart": func(sink interp.Sink) (*display.Data, error) {
			sink.Display(display.Data{Data: display.MIMEMap{
				"text/html": `<div><img alt="a chart" src="data:image/png;base64,AA=="></div>`, "image/png": dot, "text/plain": "chart"}})
			sink.Display(display.Data{Data: display.MIMEMap{"image/png": dot, "text/plain": "line chart: loss;\n2 series"},
				Metadata: display.MIMEMap{"image/png": map[string]int{"width": 64, "height": 48}}})
			sink.Display(display.Data{Data: display.MIMEMap{"image/svg+xml": []byte("<svg><script>a()</script></svg>")}})
			return result("text/markdown", "**bold** $x$"), nil
		},
		"latex": func(interp.Sink) (*display.Data, error) { return result("text/latex", "$$x < 1$$"), nil },
		"json": func(sink interp.Sink) (*display.Data, error) {
			sink.Display(display.Data{Data: display.MIMEMap{"application/json": map[string]any{"a": []int{1, 2}}}})
			sink.Display(display.Data{Data: display.MIMEMap{"application/vnd.x+json": `{"k": 1}`}})
			sink.Display(display.Data{Data: display.MIMEMap{"application/json": math.NaN(), "text/plain": "NaN"}})
			sink.Display(display.Data{Data: display.MIMEMap{"application/octet-stream": []byte{0, 1}}})
			sink.Display(display.Data{})
			return nil, nil
		},
		"panic": func(sink interp.Sink) (*display.Data, error) {
			sink.Stream("stdout", "before\n")
			return nil, &interp.Error{Name: "Panic", Value: "boom <now>", Cell: "cell 1", Line: 4, Column: 2,
				Traceback: []string{"\x1b[31mPanic\x1b[0m: boom <now>", "and more", "cell 1, line 4"}}
		},
	}
}

// executedNotebook runs a notebook with each kind of output, whose last but one
// cell fails.
func executedNotebook(t *testing.T) (*Notebook, *CellError) {
	n := &Notebook{Cells: []*Cell{{Type: Markdown, Source: "# Outputs\n\nOne of each, $x$.", ID: "first"}}}
	for _, source := range []string{"streams", "  ", "value", "chart", "latex", "json", "panic", "value"} {
		n.Cells = append(n.Cells, code(source))
	}
	return n, n.Execute(context.Background(), session(t), func(int) {})
}

func TestExecute(t *testing.T) {
	n, failure := executedNotebook(t)
	if failure == nil || failure.Cell != 6 || failure.ID != n.Cells[7].ID || failure.Interrupted {
		t.Fatalf("failure %+v", failure)
	}
	if want := "cell 6 (in cell 1, line 4): boom <now>"; failure.Error() != want {
		t.Errorf("got %q, want %q", failure, want)
	}
	if want := "and more\ncell 1, line 4"; failure.Traceback() != want {
		t.Errorf("traceback %q", failure.Traceback())
	}
	var counts []int
	for _, c := range n.Cells {
		counts = append(counts, c.ExecutionCount)
	}
	if want := []int{0, 1, 0, 2, 3, 4, 5, 6, 0}; !reflect.DeepEqual(counts, want) {
		t.Errorf("execution counts %v, want %v", counts, want)
	}
	dot := "iVBORw0KGgo"
	for i, want := range map[int][]*Output{
		1: {
			{Type: Stream, Name: "stdout", Text: "<script>alert('out')</script> one\n"},
			{Type: Stream, Name: "stderr", Text: "warned & done\n"},
			{Type: Stream, Name: "stdout", Text: "two\n"}},
		2: nil,
		3: {{Type: ExecuteResult, ExecutionCount: 2, Data: display.MIMEMap{"text/plain": "a < b"}, Metadata: display.MIMEMap{}}},
		7: {
			{Type: Stream, Name: "stdout", Text: "before\n"},
			{Type: ErrorOutput, ErrorName: "Panic", ErrorValue: "boom <now>", Traceback: []string{"\x1b[31mPanic\x1b[0m: boom <now>", "and more", "cell 1, line 4"}}},
		8: nil,
	} {
		if got := n.Cells[i].Outputs; !reflect.DeepEqual(got, want) {
			t.Errorf("cell %d: outputs %s", i, dump(got))
		}
	}
	chart := n.Cells[4].Outputs
	if len(chart) != 4 || chart[3].Type != ExecuteResult || chart[0].Type != DisplayData ||
		!strings.HasPrefix(chart[0].Data["image/png"].(string), dot) ||
		chart[2].Data["image/svg+xml"] != "<svg><script>a()</script></svg>" {
		t.Errorf("chart cell: %s", dump(chart))
	}
	var got []string
	for _, o := range n.Cells[6].Outputs {
		got = append(got, fmt.Sprint(o.Type, o.Text, o.Data))
	}
	want := []string{
		"display_datamap[application/json:map[a:[1 2]]]",
		"display_datamap[application/vnd.x+json:map[k:1]]",
		"streamdisplay: application/json left out: json: unsupported value: NaN\nmap[]",
		"display_datamap[text/plain:NaN]",
		"display_datamap[application/octet-stream:AAE=]",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("json cell:\n got %q\nwant %q", got, want)
	}
}

func TestTraceback(t *testing.T) {
	title := "\x1b[31mPanic\x1b[0m: boom"
	for _, c := range []struct {
		err  error
		want string
	}{
		{&interp.Error{Name: "Panic", Value: "boom", Traceback: []string{title, "cell 2, line 1", "    f()", "    \x1b[31m^\x1b[0m"}}, "cell 2, line 1\n    f()\n    ^"},
		{&interp.Error{Name: "Panic", Value: "boom", Traceback: []string{title}}, ""},
		{&interp.Error{Name: "Panic", Value: "boom", Traceback: []string{"cell 2, line 1"}}, "cell 2, line 1"},
		{&interp.Error{Name: "Panic", Value: "boom"}, ""},
		{errors.New("boom"), ""},
	} {
		if got := (&CellError{Cell: 2, Err: c.err}).Traceback(); got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}

func dump(outputs []*Output) string {
	var b strings.Builder
	for _, o := range outputs {
		fmt.Fprintf(&b, "\n%+v", *o)
	}
	return b.String()
}

func TestExecuteGoesOnWhenAFailureIsMeant(t *testing.T) {
	meant := code("panic")
	meant.Metadata["tags"] = []any{"x", "raises-exception"}
	meant.Metadata["execution"] = map[string]any{"iopub.execute_input": "2020-01-01"}
	n := &Notebook{Cells: []*Cell{meant, code("value"), code("nosuch"), code("value")}}
	var progress []int
	err := n.Execute(context.Background(), session(t), func(ran int) { progress = append(progress, ran) })
	if err == nil || err.Error() != "cell 3, line 1: undefined: nosuch" {
		t.Errorf("error %v", err)
	}
	if want := []int{0, 1, 2}; !reflect.DeepEqual(progress, want) {
		t.Errorf("progress %v, want %v", progress, want)
	}
	if o := n.Cells[0].Outputs; len(o) != 2 || o[1].Type != ErrorOutput {
		t.Errorf("outputs of the cell that is meant to fail: %s", dump(o))
	}
	if _, stale := meant.Metadata["execution"]; stale {
		t.Error("the times of an earlier run were kept")
	}
	if n.Cells[3].Outputs != nil {
		t.Error("a cell after the failure keeps outputs")
	}
	spec, _ := n.Metadata["kernelspec"].(map[string]any)
	info, _ := n.Metadata["language_info"].(map[string]any)
	if spec["name"] != "gopherscope" || spec["language"] != "go" || info["name"] != "go" {
		t.Errorf("metadata %v", n.Metadata)
	}
}

func TestExecuteInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := session(t)
	s["cancel"] = func(interp.Sink) (*display.Data, error) { cancel(); return nil, nil }
	n := &Notebook{Cells: []*Cell{code("value"), code("cancel"), code("value"), code("value")}}
	failure := n.Execute(ctx, s, func(int) {})
	if failure == nil || !failure.Interrupted || failure.Cell != 3 {
		t.Fatalf("failure %+v", failure)
	}
	if o := n.Cells[2].Outputs; len(o) != 1 || o[0].ErrorName != "Interrupted" || n.Cells[2].ExecutionCount != 0 {
		t.Errorf("the cell that did not run: %s", dump(o))
	}
	if n.Cells[0].Outputs == nil || n.Cells[3].Outputs != nil {
		t.Error("outputs before the interrupt must stay, and none after it")
	}
}

// A goroutine that a cell leaves behind may write while and after the cell ends.
func TestExecuteWithLateWriter(t *testing.T) {
	var group sync.WaitGroup
	n := &Notebook{Cells: []*Cell{code("late"), code("value")}}
	s := session(t)
	s["late"] = func(sink interp.Sink) (*display.Data, error) {
		group.Go(func() {
			for range 1000 {
				sink.Stream("stdout", "x")
			}
		})
		return nil, nil
	}
	if err := n.Execute(context.Background(), s, func(int) {}); err != nil {
		t.Fatal(err)
	}
	text, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if again, _ := n.Encode(); string(again) != string(text) {
		t.Error("outputs changed after the run")
	}
}

func TestStreamsAreBounded(t *testing.T) {
	line := strings.Repeat("é", 1<<10) + "\n"
	for name, c := range map[string]struct {
		write   func(interp.Sink)
		written int
	}{
		"one write": {func(s interp.Sink) { s.Stream("stdout", "x"+strings.Repeat("é", 10<<20)) }, 1 + 20<<20},
		"lines": {func(s interp.Sink) {
			for range 10 << 10 {
				s.Stream("stdout", line)
			}
		}, (2<<10 + 1) * 10 << 10},
		"both streams in turn": {func(s interp.Sink) {
			for range 100_000 {
				s.Stream("stdout", "o")
				s.Stream("stderr", "e")
			}
		}, 200_000},
	} {
		n := &Notebook{Cells: []*Cell{code("x")}}
		failure := n.Execute(t.Context(), script{"x": func(s interp.Sink) (*display.Data, error) {
			c.write(s)
			s.Display(*result("text/html", "<b>"))
			return nil, nil
		}}, func(int) {})
		if failure != nil {
			t.Fatal(failure)
		}
		outputs := n.Cells[0].Outputs
		kept := 0
		for _, o := range outputs[:len(outputs)-2] {
			kept += len(o.Text)
			if strings.Contains(o.Text, "\xc3\ufffd") || !utf8.ValidString(o.Text) {
				t.Errorf("%s: a cut character", name)
			}
		}
		if outputs[len(outputs)-2].Type != DisplayData {
			t.Errorf("%s: what was displayed went missing", name)
		}
		var dropped int
		fmt.Sscanf(outputs[len(outputs)-1].Text, "%d bytes of output were left out", &dropped)
		// A cut character is replaced by one of three bytes.
		if over := kept + dropped - c.written; over < 0 || over > 3 || kept > 10<<20+3 || len(outputs) > 60_000 {
			t.Errorf("%s: %d outputs of %d bytes, %d said to be left out of %d", name, len(outputs), kept, dropped, c.written)
		}
	}
}
