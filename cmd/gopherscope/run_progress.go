package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/schollz/progressbar/v3"

	"github.com/rlx-go/gopherscope/internal/nb"
)

// report says how a notebook went: a line on stdout and what went wrong, in a
// cell or else, on stderr.
func (r *notebookRun) report(in input, failure *nb.CellError, err error, elapsed float64) {
	html := filepath.Join(r.out, in.name+".html")
	if err != nil {
		html = "" // none of this run
	}
	if failure != nil {
		fmt.Fprintf(r.stderr, "gopherscope: %s\n", printable(in.path+": "+failure.Error()))
		if trace := strings.TrimRight(failure.Traceback(), "\n"); trace != "" {
			trace = printable(strings.ReplaceAll(trace, "\t", "    "))
			fmt.Fprintln(r.stderr, "    "+strings.ReplaceAll(trace, "\n", "\n    "))
		}
	}
	if err != nil {
		fmt.Fprintf(r.stderr, "gopherscope: %s\n", printable(in.path+": "+err.Error()))
	}
	if r.json {
		line := struct {
			File    string  `json:"file"`
			OK      bool    `json:"ok"`
			Seconds float64 `json:"seconds"`
			HTML    string  `json:"html,omitempty"`
			Cell    int     `json:"cell,omitempty"`
			Error   string  `json:"error,omitempty"`
		}{File: in.path, OK: failure == nil && err == nil, Seconds: math.Round(elapsed*1000) / 1000, HTML: html}
		switch {
		case failure != nil:
			line.Cell, line.Error = failure.Cell, failure.Error()
		case err != nil:
			line.Error = err.Error()
		}
		text, _ := json.Marshal(line) // strings and numbers only
		r.stdout.printf("%s\n", text)
		return
	}
	status := "ok"
	switch {
	case failure != nil && failure.Interrupted:
		status = "interrupted"
	case failure != nil || err != nil:
		status = "failed"
	}
	files := in.path
	if html != "" {
		files += " -> " + html
	}
	r.stdout.printf("%-6s  %6.1f s  %s\n", status, elapsed, printable(files))
}

// progress shows which cell runs: a bar on a terminal, elsewhere one line when
// the notebook starts.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w *os.File, in input) progress {
	cells := in.notebook.CodeCells()
	bar := newBar(w, int64(cells),
		progressbar.OptionSetDescription(printable(in.path)),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
	)
	if bar == nil {
		fmt.Fprintf(w, "running %s (%d cells)\n", printable(in.path), cells)
	}
	return progress{bar}
}

func (p progress) cell(ran int) {
	if p.bar != nil {
		p.bar.Set(ran)
	}
}

func (p progress) end() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// printer keeps the first error of writing to a file, so that a full disk is not
// a success.
type printer struct {
	file *os.File
	err  error
}

func (p *printer) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(p.file, format, args...); p.err == nil {
		p.err = err
	}
}
