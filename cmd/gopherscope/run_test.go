package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rlx-go/gopherscope/internal/nb"
)

// command runs a command line and returns what it printed and its exit status.
func command(t *testing.T, ctx context.Context, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	dir := t.TempDir()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	status = execute(ctx, args, files[0], files[1])
	var texts [2]string
	for i, f := range files {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts[0], texts[1], status
}

// writeNotebook writes a notebook with these code cells.
func writeNotebook(t *testing.T, path string, sources ...string) {
	t.Helper()
	n := &nb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{
		"name": "gopherscope", "display_name": "Go (gopherscope)", "language": "go"}}}
	n.Cells = append(n.Cells, &nb.Cell{Type: nb.Markdown, Source: "# Title of " + filepath.Base(path) + "\n\nWhat it does."})
	for _, s := range sources {
		n.Cells = append(n.Cells, &nb.Cell{Type: nb.Code, Source: s, Outputs: []*nb.Output{{Type: nb.Stream, Name: "stdout", Text: "stale"}}})
	}
	text, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(text))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "notebooks/data/greeting.txt", "hello from the data folder")
	writeNotebook(t, "notebooks/02-data.ipynb", "import (\n\t\"fmt\"\n\t\"os\"\n)",
		"text, err := os.ReadFile(\"data/greeting.txt\")\nif err != nil {\n\tpanic(err)\n}\nfmt.Println(string(text))", "6 * 7")
	writeNotebook(t, "notebooks/01-fresh.ipynb", "x := 5", "x + 1")
	before := read(t, "notebooks/01-fresh.ipynb")

	stdout, stderr, status := command(t, t.Context(), "run")
	if status != 0 {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	if got, want := list(t, "out"), "01-fresh.html 01-fresh.ipynb 02-data.html 02-data.ipynb index.html"; got != want {
		t.Errorf("out has %s, want %s", got, want)
	}
	if first, second := strings.Index(stdout, "01-fresh.ipynb"), strings.Index(stdout, "02-data.ipynb"); first < 0 || second < first {
		t.Errorf("stdout does not name the notebooks in order:\n%s", stdout)
	}
	if !strings.Contains(stderr, "running "+filepath.Join("notebooks", "02-data.ipynb")+" (3 cells)") {
		t.Errorf("stderr shows no progress:\n%s", stderr)
	}
	if read(t, "notebooks/01-fresh.ipynb") != before {
		t.Error("the source was changed")
	}
	n, err := nb.ReadFile("out/02-data.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if o := n.Cells[2].Outputs; len(o) != 1 || o[0].Text != "hello from the data folder\n" {
		t.Errorf("outputs %+v", o)
	}
	if o := n.Cells[3].Outputs; len(o) != 1 || o[0].Data["text/plain"] != "42" {
		t.Errorf("outputs %+v", o)
	}
	index := read(t, "out/index.html")
	for _, want := range []string{"Title of 01-fresh.ipynb", `href="02-data.html"`, "What it does."} {
		if !strings.Contains(index, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
}

func TestRunQuick(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOPHERSCOPE_QUICK", "") // so that it is set back
	writeNotebook(t, "a.ipynb", "import \"os\"", `os.Getenv("GOPHERSCOPE_QUICK") != ""`)
	for _, c := range []struct {
		args []string
		want string
	}{{[]string{"run", "a.ipynb"}, "false"}, {[]string{"run", "--quick", "a.ipynb"}, "true"}} {
		if _, stderr, status := command(t, t.Context(), c.args...); status != 0 {
			t.Fatalf("%v: status %d\n%s", c.args, status, stderr)
		}
		n, err := nb.ReadFile("out/a.ipynb")
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Cells[2].Outputs[0].Data["text/plain"]; got != c.want {
			t.Errorf("%v: the variable being set is %v, want %v", c.args, got, c.want)
		}
	}
	// Figures of a quick run are not kept.
	before := read(t, "a.ipynb")
	for _, args := range [][]string{{"run", "--in-place", "a.ipynb"}, {"run", "--in-place", "--quick", "a.ipynb"}} {
		if _, _, status := command(t, t.Context(), args...); status == 0 || read(t, "a.ipynb") != before {
			t.Errorf("%v: status %d", args, status)
		}
	}
}

func TestRunInPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "fails.ipynb", "panic(1)")
	before := read(t, "fails.ipynb")
	n := &nb.Notebook{Cells: []*nb.Cell{
		{Type: nb.Markdown, Source: "# A chart"},
		{Type: nb.Code, Source: `import "github.com/rlx-go/gopherscope/charts"`},
		{Type: nb.Markdown, Source: "It rises."},
		{Type: nb.Code, Source: `charts.Line{Title: "t", X: charts.Axis{Label: "x"}, Y: charts.Axis{Label: "y"},
	Series: []charts.Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}}.Figure()`},
	}}
	text, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "chart.ipynb", string(text))
	if _, stderr, status := command(t, t.Context(), "run", "--in-place", "fails.ipynb", "chart.ipynb"); status != 1 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	if read(t, "fails.ipynb") != before {
		t.Error("a notebook that failed was written")
	}
	written := read(t, "chart.ipynb")
	if err := nb.CheckCommitted([]byte(written)); err != nil {
		t.Errorf("the notebook written is not fit to be committed: %v", err)
	}
	if !strings.Contains(written, "image/png") || strings.Contains(written, "text/html") {
		t.Error("the notebook has no static picture alone")
	}
	if !strings.Contains(read(t, "out/chart.html"), "<script") {
		t.Error("the page has no interactive chart")
	}
}

func TestRunInPlaceKeepsWhatWasEditedMeanwhile(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "import \"os\"\nos.WriteFile(\"a.ipynb\", []byte(\"edited\"), 0o644)")
	_, stderr, status := command(t, t.Context(), "run", "--in-place", "a.ipynb")
	if want := "a.ipynb: changed while it ran, so that it is not written back"; status != 1 || !strings.Contains(stderr, want) {
		t.Errorf("status %d, stderr %q, want %q", status, stderr, want)
	}
	if got := read(t, "a.ipynb"); got != "edited" {
		t.Errorf("the edited notebook is %.100q", got)
	}
	if !strings.Contains(read(t, "out/a.ipynb"), "WriteFile") {
		t.Error("out has not the notebook that ran")
	}
}

func TestRunFailingCell(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "one := []int{1}", "i := 0\ni += 7\none[i]", "1")
	writeNotebook(t, "b.ipynb", "2")
	stdout, stderr, status := command(t, t.Context(), "run", "--json", "--out", "pages", "a.ipynb", "b.ipynb")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	if !strings.Contains(stderr, "gopherscope: a.ipynb: cell 2, line 3: ") || strings.Count(stderr, "out of range") != 1 ||
		!strings.Contains(stderr, "\n        one[i]\n") || !strings.HasSuffix(stderr, "gopherscope: 1 of 2 notebooks failed\n") {
		t.Errorf("stderr:\n%s", stderr)
	}
	type result struct {
		File, HTML, Error string
		OK                bool
		Seconds           float64
		Cell              int
	}
	var results []result
	for d := json.NewDecoder(strings.NewReader(stdout)); d.More(); {
		var r result
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%v in\n%s", err, stdout)
		}
		results = append(results, r)
	}
	if len(results) != 2 || results[0].OK || !results[1].OK || results[0].Cell != 2 || results[1].Error != "" ||
		!strings.HasPrefix(results[0].Error, "cell 2, line 3: ") || results[1].HTML != filepath.Join("pages", "b.html") || results[1].Seconds < 0 {
		t.Errorf("results %+v", results)
	}
	n, err := nb.ReadFile("pages/a.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if o := n.Cells[2].Outputs; len(o) != 1 || o[0].Type != nb.ErrorOutput {
		t.Errorf("the failing cell has outputs %+v", o)
	}
	if n.Cells[3].Outputs != nil {
		t.Error("a cell after the failure has outputs")
	}
	if page := read(t, "pages/a.html"); !strings.Contains(page, "<strong>Failed at") {
		t.Error("the page does not say that it failed")
	}
	if index := read(t, "pages/index.html"); !strings.Contains(index, "failed at") || !strings.Contains(index, ">ok<") {
		t.Error("the list does not say which failed")
	}
}

func TestRunInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "1", "for {\n}", "2")
	writeNotebook(t, "b.ipynb", "3")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	stdout, stderr, status := command(t, ctx, "run", "a.ipynb", "b.ipynb")
	if status != 1 || !strings.HasPrefix(stdout, "interrupted ") || !strings.HasSuffix(stderr, "gopherscope: interrupted\n") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if got, want := list(t, "out"), "a.html a.ipynb index.html"; got != want {
		t.Errorf("out has %s, want %s", got, want)
	}
	n, err := nb.ReadFile("out/a.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if o := n.Cells[2].Outputs; len(n.Cells[1].Outputs) != 1 || len(o) != 1 || o[0].ErrorName != "Interrupted" || n.Cells[3].Outputs != nil {
		t.Errorf("outputs of the interrupted cell: %+v", o)
	}
	if !strings.Contains(read(t, "out/a.html"), "<strong>Interrupted at") {
		t.Error("the page does not say that it was interrupted")
	}
}

// What cannot be run is refused before anything runs, in one line a file.
func TestRunBadInput(t *testing.T) {
	const notebook = `{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {}}`
	t.Chdir(t.TempDir())
	write(t, "good.ipynb", notebook)
	write(t, "index.ipynb", notebook)
	write(t, "other/Good.ipynb", notebook)
	write(t, "page.html", notebook)
	write(t, "linked/index.html", notebook)
	if err := os.Link("linked/index.html", "linked.ipynb"); err != nil {
		t.Fatal(err)
	}
	write(t, "empty.ipynb", "")
	write(t, "text.ipynb", "# Not a notebook\n")
	write(t, "cut.ipynb", notebook[:40])
	write(t, "old.ipynb", `{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}`)
	write(t, "python.ipynb", strings.Replace(notebook, `"metadata": {}`, `"metadata": {"kernelspec": {"name": "python3", "display_name": "P", "language": "python"}}`, 1))
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"there is no notebooks/*.ipynb here; run it in the project's folder or name the notebooks"}},
		{"gone.ipynb", []string{"stat gone.ipynb: "}},
		{"*.no", []string{"stat *.no: "}},
		{"other", []string{"other: is a directory, not a notebook"}},
		{"empty.ipynb", []string{"empty.ipynb: is empty, not a notebook"}},
		{"text.ipynb", []string{"text.ipynb: line 1, column 1: not JSON: "}},
		{"cut.ipynb", []string{"cut.ipynb: line 1, column 40: not JSON: unexpected end of JSON input"}},
		{"old.ipynb", []string{"old.ipynb: nbformat: is 3, "}},
		{"python.ipynb", []string{`python.ipynb: is a notebook in "python", not in Go`}},
		{"good.ipynb empty.ipynb gone.ipynb", []string{"empty.ipynb: is empty", "stat gone.ipynb: "}},
		{"good.ipynb other/Good.ipynb", []string{"other/Good.ipynb: has the same name as good.ipynb"}},
		{"good.ipynb good.ipynb", []string{"good.ipynb: has the same name as good.ipynb"}},
		{"index.ipynb", []string{"index.ipynb: its page would be index.html"}},
		{"--out . good.ipynb", []string{"good.ipynb: would be overwritten by good.ipynb; choose another folder with --out"}},
		{"--out . page.html", []string{"page.html: would be overwritten by page.html; choose another folder with --out"}},
		{"--out linked linked.ipynb", []string{"linked.ipynb: would be overwritten by " + filepath.Join("linked", "index.html")}},
		{"--out other/.. good.ipynb", []string{"good.ipynb: would be overwritten by "}},
	} {
		stdout, stderr, status := command(t, t.Context(), append([]string{"run"}, strings.Fields(c.args)...)...)
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		if status != 1 || stdout != "" || len(lines) != len(c.want) {
			t.Errorf("run %s: status %d, stdout %q, stderr\n%s", c.args, status, stdout, stderr)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(strings.TrimPrefix(lines[i], "gopherscope: "), want) {
				t.Errorf("run %s: got %q, want %q", c.args, lines[i], want)
			}
		}
		if _, err := os.Stat("out"); err == nil {
			t.Fatalf("run %s wrote something", c.args)
		}
	}
}

func TestRunOutIsAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "out", "a file")
	writeNotebook(t, "a.ipynb", "1")
	_, stderr, status := command(t, t.Context(), "run", "a.ipynb")
	if status != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "out") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

// A page that cannot be written does not keep the others from being.
func TestRunOneUnwritablePage(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "out/a.html/in the way", "")
	writeNotebook(t, "a.ipynb", "1")
	writeNotebook(t, "b.ipynb", "2")
	stdout, stderr, status := command(t, t.Context(), "run", "--json", "a.ipynb", "b.ipynb")
	if status != 1 || !strings.Contains(stderr, "gopherscope: a.ipynb: cannot write ") ||
		!strings.HasSuffix(stderr, "1 of 2 notebooks failed\n") {
		t.Errorf("status %d, stderr:\n%s", status, stderr)
	}
	if !strings.Contains(stdout, `"file":"a.ipynb","ok":false`) || !strings.Contains(stdout, `"file":"b.ipynb","ok":true`) {
		t.Errorf("stdout:\n%s", stdout)
	}
	if index := read(t, "out/index.html"); strings.Contains(index, "a.html") || !strings.Contains(index, "b.html") {
		t.Error("the list does not hold just the page that was written")
	}
}

func TestRunPrintsNoControlCharacters(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", `panic("\x1b]0;title\a")`)
	stdout, stderr, status := command(t, t.Context(), "run", "a.ipynb")
	if status != 1 || strings.ContainsAny(stdout+stderr, "\x1b\a") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

func TestRunShowsChartsOfOtherLibraries(t *testing.T) {
	t.Chdir(t.TempDir())
	const bar = "b := charts.NewBar()\nb.SetXAxis([]string{\"a\", \"b\"}).AddSeries(\"count\", []opts.BarData{{Value: 1}, {Value: 2}})\nb"
	writeNotebook(t, "n.ipynb", "import (\n\t\"github.com/go-echarts/go-echarts/v2/charts\"\n\t\"github.com/go-echarts/go-echarts/v2/opts\"\n\t\"gonum.org/v1/plot\"\n)",
		"p := plot.New()\np.Title.Text = \"mine\"\np", bar, bar)
	if stdout, stderr, status := command(t, t.Context(), "run", "n.ipynb"); status != 0 {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	book, err := nb.ReadFile("out/n.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[int][]string{2: {"execute_result"}, 3: {"display_data", "execute_result"}, 4: {"execute_result"}} {
		outputs := book.Cells[cell].Outputs
		var got []string
		for _, o := range outputs {
			got = append(got, o.Type)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("cell %d has the outputs %v, want %v", cell, got, want)
			continue
		}
		last := outputs[len(outputs)-1].Data
		if _, isPNG := last["image/png"]; isPNG != (cell == 2) || last["text/html"] == nil {
			t.Errorf("cell %d is shown as %v", cell, last)
		}
	}
	page := read(t, "out/n.html")
	if n := strings.Count(page, "page.gopherscopeECharts = host.echarts"); n != 1 {
		t.Errorf("the page has ECharts %d times", n)
	}
	for _, want := range []string{`alt="Plot: mine`, "count (bar, 2 values)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// A panic of a goroutine is a failure of the cell that started it, whichever runs
// when it comes.
func TestRunGoroutinePanics(t *testing.T) {
	for name, test := range map[string]struct {
		cells []string
		want  string
	}{
		"own":   {[]string{"1", "go func() { panic(\"boom\") }()\nimport \"time\"\ntime.Sleep(500 * time.Millisecond)"}, "cell 2: panic in a goroutine started at cell 2:1: boom"},
		"later": {[]string{"c := make(chan int)\ngo func() {\n\t<-c\n\tpanic(\"boom\")\n}()", "import \"time\"", "c <- 1\ntime.Sleep(500 * time.Millisecond)", "7"}, "cell 1: panic in a goroutine started at cell 1:2: boom"},
	} {
		dir := t.TempDir()
		path, out := filepath.Join(dir, name+".ipynb"), filepath.Join(dir, "out")
		writeNotebook(t, path, test.cells...)
		stdout, stderr, status := command(t, context.Background(), "run", "--out", out, path)
		if status != 1 || !strings.Contains(stdout, "failed") || !strings.Contains(stderr, path+": "+test.want+"\n") {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want %q", name, status, stdout, stderr, test.want)
		}
		if page := read(t, filepath.Join(out, name+".html")); !strings.Contains(page, "Panic: panic in a goroutine started at") {
			t.Errorf("%s: the page does not tell of the panic", name)
		}
	}
	path := filepath.Join(t.TempDir(), "meant.ipynb")
	writeNotebook(t, path, "go func() { panic(\"boom\") }()\nimport \"time\"\ntime.Sleep(500 * time.Millisecond)", "1")
	write(t, path, strings.Replace(read(t, path), `"metadata": {}`, `"metadata": {"tags": ["raises-exception"]}`, -1))
	if _, stderr, status := command(t, context.Background(), "run", "--out", filepath.Dir(path)+"/out", path); status != 0 {
		t.Errorf("a cell that may fail: status %d, stderr %q", status, stderr)
	}
}
