package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/display"
	"github.com/rlx-go/gopherscope/internal/interp"
	"github.com/rlx-go/gopherscope/internal/nb"
)

func TestOutputAfterTheCell(t *testing.T) {
	late := make(chan struct{})
	k := startKernel(t, scripted{"go": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		go func() {
			<-late
			sink.Stream("stdout", "late")
		}()
		return nil, nil
	}}.session())
	c := k.connect(t)
	head := c.send(c.shell, "execute_request", executeJSON("go", ""))
	c.published(head)
	close(late)
	r := c.iopub.next(t)
	wantBody(t, r, `{"name":"stdout","text":"late"}`)
	if r.parent != head {
		t.Errorf("parent %s, want the cell's", r.parent)
	}
}

// A cell leaves the same outputs in a notebook whether the program's own run
// executes it or a Jupyter client.
func TestOutputsAreThoseOfRun(t *testing.T) {
	bundles := []display.Data{
		{Data: map[string]any{"application/json": "5", "text/plain": "five"}},
		{Data: map[string]any{"application/json": "{bad", "text/plain": "a\nb\n"}},
		{Data: map[string]any{"application/json": []byte(`{"a": [1.50]}`)}},
		{Data: map[string]any{"application/vnd.x+json": map[string]any{"<": 1 << 60}}},
		{Data: map[string]any{"application/json; charset=utf-8": "[1]", "model/gltf+json": []byte("{}")}},
		{Data: map[string]any{"application/xml": []byte("<a/>"), "image/x+xml": []byte("<a/>"), "image/svg+xml": []byte("<svg/>")}},
		{Data: map[string]any{"image/png": []byte{0, 1, 0xff}, "text/plain": 12}, Metadata: map[string]any{"image/png": map[string]int{"width": 3}, "bad": func() {}}},
		{Data: map[string]any{"text/html": "<b>", "b/b": make(chan int), "application/json": math.NaN()}},
		{Data: map[string]any{"a/a": func() {}}},
		{},
	}
	cells := scripted{}
	book := &nb.Notebook{}
	for i, bundle := range bundles {
		for kind, run := range map[string]func(interp.Sink) *display.Data{
			"shown":  func(sink interp.Sink) *display.Data { sink.Display(bundle); return nil },
			"result": func(interp.Sink) *display.Data { return &bundle },
		} {
			source := fmt.Sprint(kind, " ", i)
			cells[source] = func(_ context.Context, sink interp.Sink) (*display.Data, error) { return run(sink), nil }
			book.Cells = append(book.Cells, &nb.Cell{Type: nb.Code, Source: source})
		}
	}
	session := cells.session()
	if err := book.Execute(t.Context(), session, func(int) {}); err != nil {
		t.Fatal(err)
	}
	c := startKernel(t, session).connect(t)
	for _, cell := range book.Cells {
		_, published := c.execute(cell.Source)
		got := []any{}
		for _, m := range published[1:] {
			output := map[string]any{"output_type": m.header.MsgType}
			maps.Copy(output, m.body)
			delete(output, "transient") // is not stored
			got = append(got, output)
		}
		if want := storedOutputs(t, cell); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\nJupyter has %v\nrun has     %v", cell.Source, got, want)
		}
	}
}

// storedOutputs returns the outputs of a cell as its notebook has them, with the
// lines of texts joined as every reader of notebooks joins them.
func storedOutputs(t *testing.T, cell *nb.Cell) []any {
	t.Helper()
	text, err := (&nb.Notebook{Cells: []*nb.Cell{cell}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Cells []struct{ Outputs []any }
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	join := func(fields map[string]any) {
		for name, v := range fields {
			lines, ok := v.([]any)
			if !ok || display.IsJSON(name) {
				continue
			}
			var b strings.Builder
			for _, line := range lines {
				b.WriteString(line.(string))
			}
			fields[name] = b.String()
		}
	}
	for _, o := range stored.Cells[0].Outputs {
		output := o.(map[string]any)
		join(output)
		if data, ok := output["data"].(map[string]any); ok {
			join(data)
		}
	}
	return stored.Cells[0].Outputs
}

func TestWhatAMessageCannotHoldIsLeftOut(t *testing.T) {
	k := startKernel(t, scripted{
		"value": func(context.Context, interp.Sink) (*display.Data, error) {
			return &display.Data{
				Data:     map[string]any{"application/json": `{"b":[1.50]}`, "application/bad+json": func() {}},
				Metadata: map[string]any{"image/png": map[string]any{"width": 3}, "bad": make(chan int)},
			}, nil
		},
		"nothing": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
			sink.Display(display.Data{})
			return &display.Data{}, nil
		},
	}.session())
	c := k.connect(t)
	_, published := c.execute("value")
	if got := kinds(published); !slices.Equal(got, []string{"execute_input", "stream", "execute_result"}) {
		t.Fatalf("published %v", got)
	}
	wantBody(t, published[1], `{"name":"stderr","text":"display: application/bad+json left out: json: unsupported type: func()\ndisplay: metadata bad left out: json: unsupported type: chan int\n"}`)
	wantBody(t, published[2], `{"execution_count":1,"metadata":{"image/png":{"width":3}},"data":{"application/json":{"b":[1.5]}}}`)

	if _, published = c.execute("nothing"); len(published) != 1 {
		t.Errorf("published %v, want the input only", kinds(published))
	}
}

func TestManyLinesArriveWholeAndInOrder(t *testing.T) {
	const lines = 200_000
	k := startKernel(t, scripted{"print": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		for i := range lines {
			sink.Stream("stdout", fmt.Sprintln(i))
		}
		return nil, nil
	}}.session())
	c := k.connect(t)
	_, published := c.execute("print")
	var text strings.Builder
	for _, m := range published[1:] {
		text.WriteString(m.body["text"].(string))
	}
	got := strings.Split(text.String(), "\n")
	if len(got) != lines+1 {
		t.Fatalf("%d lines, want %d", len(got)-1, lines)
	}
	for i := range lines {
		if got[i] != fmt.Sprint(i) {
			t.Fatalf("line %d is %q", i, got[i])
		}
	}
}

func TestADisplayLargerThanAnyLimitArrives(t *testing.T) {
	const size = 8 << 20
	k := startKernel(t, scripted{"big": func(_ context.Context, sink interp.Sink) (*display.Data, error) {
		sink.Display(display.Data{Data: map[string]any{"text/plain": strings.Repeat("x", size)}})
		return nil, nil
	}}.session())
	k.allowBehind(size / 2)
	c := k.connect(t)
	_, published := c.execute("big")
	if text := published[1].body["data"].(map[string]any)["text/plain"].(string); len(text) != size {
		t.Errorf("%d bytes arrived, want %d", len(text), size)
	}
}
