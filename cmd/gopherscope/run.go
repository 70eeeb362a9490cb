package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
	"github.com/rlx-go/gopherscope/internal/interp"
	"github.com/rlx-go/gopherscope/internal/kernelinfo"
	"github.com/rlx-go/gopherscope/internal/nb"
)

// runCommand is the verb that executes notebooks without Jupyter.
func runCommand(stdout, stderr *os.File) *cobra.Command {
	r := notebookRun{stdout: printer{file: stdout}, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "run [notebook.ipynb ...]",
		Short: "Execute notebooks and make web pages of them",
		Long: `Run executes Go notebooks from top to bottom, each in a session of its own and
in its own folder, so that a notebook finds its data. It starts no other program
and uses no network, unless a cell does. The notebooks of one run share the
process: an environment variable that one sets is set for those after it.

Without arguments it runs notebooks/*.ipynb, in the order of their names. For
each notebook it writes to the output folder
  NAME.ipynb   the notebook with its outputs (nbformat 4.5)
  NAME.html    a page that needs nothing else: formulas, charts and code colours
               show without a network, and without scripts as TeX and pictures
and at last index.html, which lists the notebooks of this run.

--in-place also writes each notebook that ran without a failure back to its own
file, with pictures in place of charts that need scripts: what belongs under
version control.

--quick sets GOPHERSCOPE_QUICK=1 in the environment, by which notebooks take
smaller shapes and fewer points; in Jupyter, set it before the kernel starts.
The figures of such a run are a test of the code, not findings.

All notebooks are read and checked before any runs. A cell that fails ends its
notebook; its error is shown in the page and on stderr, and the other notebooks
still run. A cell tagged "raises-exception" may fail. Ctrl-C ends the running
cell and then the program, after it has written what was executed; a second
Ctrl-C ends it at once.

With --serve it then opens index.html in the browser, and serves the files of
this run at 127.0.0.1, so to this machine alone, until Ctrl-C.

Exit status: 0 when every cell ran, 1 when a cell failed, the run was
interrupted, or a file could not be read or written, 2 when the command line is
wrong.`,
		Example: `  gopherscope run                                  # all of notebooks/, to out/
  gopherscope run --serve                          # and show the pages in the browser
  gopherscope run notebooks/07-real-weights.ipynb  # one of them
  gopherscope run --out /tmp/pages lessons/*.ipynb # your own, elsewhere
  gopherscope run --quick                          # do all cells run?
  gopherscope run --json | jq -r 'select(.ok | not) | .error'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !r.serve && (cmd.Flags().Changed("port") || r.noBrowser) {
				return asUsage(errors.New("--port and --no-browser are for --serve"))
			}
			return r.run(cmd.Context(), args)
		},
	}
	cmd.Flags().StringVar(&r.out, "out", "out", "folder for the executed notebooks and their pages")
	cmd.Flags().BoolVar(&r.serve, "serve", false, "serve the pages to this machine after the run and open them in the browser")
	cmd.Flags().IntVar(&r.port, "port", 0, "with --serve: the port (default any that is free)")
	cmd.Flags().BoolVar(&r.noBrowser, "no-browser", false, "with --serve: only print the address")
	cmd.Flags().BoolVar(&r.quick, "quick", false, "small shapes, by setting GOPHERSCOPE_QUICK=1 for the cells")
	cmd.Flags().BoolVar(&r.inPlace, "in-place", false, "write the executed notebooks back to their own files too, with static pictures")
	cmd.MarkFlagsMutuallyExclusive("quick", "in-place")
	cmd.Flags().BoolVar(&r.json, "json", false, "print one JSON object a notebook instead of text: file, ok, seconds, html, cell, error")
	cmd.MarkFlagsMutuallyExclusive("serve", "json")
	return cmd
}

// quickVariable is set for cells that are to take smaller shapes.
const quickVariable = "GOPHERSCOPE_QUICK"

// notebookRun is one invocation of the verb.
type notebookRun struct {
	stdout  printer
	stderr  *os.File
	out     string
	quick   bool
	inPlace bool
	json    bool

	serve     bool
	port      int
	noBrowser bool
}

// input is a notebook to run.
type input struct {
	path     string // as given
	absolute string
	name     string // base name without suffix
	notebook *nb.Notebook
}

func (r *notebookRun) run(ctx context.Context, args []string) error {
	release, err := r.keepStreams()
	if err != nil {
		return err
	}
	defer release()
	inputs, err := r.inputs(args)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	if err := makeFolder(out); err != nil {
		return err
	}
	if r.inPlace && os.Getenv(quickVariable) != "" {
		return errors.New(quickVariable + " is set, so the figures would not be those to keep: unset it for --in-place")
	}
	if r.quick {
		if err := os.Setenv(quickVariable, "1"); err != nil {
			return err
		}
	}
	defer secondInterruptKills(ctx)()
	var server *pageServer
	if r.serve {
		if server, err = newPageServer(out, r.port); err != nil {
			return err
		}
		defer server.close()
	}

	var entries []nb.Entry
	written := []string{"index.html"}
	failed := 0
	for _, in := range inputs {
		start := time.Now()
		entry, err := r.one(ctx, in, out)
		r.report(in, entry.Failure, err, time.Since(start).Seconds())
		if err == nil {
			entries = append(entries, entry)
			written = append(written, in.name+".html", in.name+".ipynb")
		}
		if err != nil || entry.Failure != nil {
			failed++
		}
		if ctx.Err() != nil {
			break
		}
	}
	index, err := nb.Index(entries)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(out, "index.html"), index); err != nil {
		return err
	}
	if !r.json {
		r.stdout.printf("%s lists the pages\n", filepath.Join(r.out, "index.html"))
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if server != nil {
		server.names = written
		if err := r.show(ctx, server); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d notebooks failed", failed, len(inputs))
	}
	return writeError(r.stdout.err)
}

// keepStreams has the run write to files of its own: while a notebook runs, what
// the process prints is the notebook's.
func (r *notebookRun) keepStreams() (release func(), err error) {
	stdout, err := interp.Keep(r.stdout.file)
	if err != nil {
		return nil, err
	}
	stderr, err := interp.Keep(r.stderr)
	if err != nil {
		return nil, errors.Join(err, stdout.Close())
	}
	r.stdout.file, r.stderr = stdout, stderr
	return func() { stdout.Close(); stderr.Close() }, nil
}

// inputs reads the notebooks and refuses what cannot be run or written, all of
// it at once.
func (r *notebookRun) inputs(args []string) ([]input, error) {
	paths, err := notebookPaths(args)
	if err != nil {
		return nil, err
	}
	var inputs []input
	var problems []error
	owner := map[string]string{} // page to notebook; letter case does not make names differ everywhere
	for _, path := range paths {
		in, err := readInput(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		key := strings.ToLower(in.name)
		switch other, twice := owner[key]; {
		case twice:
			problems = append(problems, fmt.Errorf("%s: has the same name as %s, so both would be %s",
				path, other, filepath.Join(r.out, in.name+".html")))
		case key == "index":
			problems = append(problems, fmt.Errorf("%s: its page would be index.html, which lists the notebooks; rename it", path))
		}
		owner[key] = path
		inputs = append(inputs, in)
	}
	outputs := []string{"index.html"}
	for _, in := range inputs {
		outputs = append(outputs, in.name+".ipynb", in.name+".html")
	}
	for _, output := range outputs {
		target := filepath.Join(r.out, output)
		if overwritten := overwrittenInput(target, inputs); overwritten != "" {
			problems = append(problems, fmt.Errorf("%s: would be overwritten by %s; choose another folder with --out", overwritten, target))
		}
	}
	return inputs, errors.Join(problems...)
}

// notebookPaths returns the files to run: those given, patterns expanded for
// shells that do not, or all of the folder notebooks.
func notebookPaths(args []string) ([]string, error) {
	if len(args) == 0 {
		paths, err := filepath.Glob(filepath.Join("notebooks", "*.ipynb"))
		if err == nil && len(paths) == 0 {
			err = errors.New("there is no notebooks/*.ipynb here; run it in the project's folder or name the notebooks")
		}
		return paths, err
	}
	var paths []string
	for _, arg := range args {
		matches, _ := filepath.Glob(arg)
		if _, err := os.Lstat(arg); err == nil || len(matches) == 0 {
			matches = []string{arg} // a name; when there is no such file, reading it says so
		}
		paths = append(paths, matches...)
	}
	return paths, nil
}

func readInput(path string) (input, error) {
	notebook, err := nb.ReadFile(path)
	if err != nil {
		return input{}, err
	}
	if language := notebook.Language(); language != "" && language != "go" {
		return input{}, fmt.Errorf("%s: is a notebook in %.40q, not in Go", path, language)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return input{}, err
	}
	base := filepath.Base(absolute)
	return input{path: path, absolute: absolute, name: strings.TrimSuffix(base, filepath.Ext(base)), notebook: notebook}, nil
}

// overwrittenInput returns the input that writing to path would overwrite, or "".
func overwrittenInput(path string, inputs []input) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	for _, in := range inputs {
		if i, err := os.Stat(in.absolute); err == nil && os.SameFile(info, i) {
			return in.path
		}
	}
	return ""
}

// one runs a notebook and writes its two files. A cell's failure is in the
// entry; the error is any other.
func (r *notebookRun) one(ctx context.Context, in input, out string) (nb.Entry, error) {
	progress := newProgress(r.stderr, in)
	start := time.Now()
	failure, err := executeIn(ctx, in, progress.cell)
	elapsed := time.Since(start).Seconds()
	progress.end()
	if err != nil {
		return nb.Entry{}, err
	}
	page := nb.Page{
		Notebook: in.notebook, Name: in.name, Dir: filepath.Dir(in.absolute),
		Facts:   fmt.Sprintf("Go %s on %s/%s", kernelinfo.GoVersion(), runtime.GOOS, runtime.GOARCH),
		Seconds: elapsed, Failure: failure,
	}
	html, entry, err := page.HTML()
	if err != nil {
		return entry, err
	}
	notebook, err := in.notebook.Encode()
	if err != nil {
		return entry, err
	}
	if err := writeFile(filepath.Join(out, in.name+".ipynb"), notebook); err != nil {
		return entry, err
	}
	if err := writeFile(filepath.Join(out, in.name+".html"), html); err != nil || !r.inPlace || failure != nil {
		return entry, err
	}
	in.notebook.Settle()
	if notebook, err = in.notebook.Encode(); err != nil {
		return entry, err
	}
	return entry, writeFile(in.absolute, notebook)
}

// executeIn runs a notebook in a new session, in its own folder.
func executeIn(ctx context.Context, in input, progress func(int)) (*nb.CellError, error) {
	before, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if err := os.Chdir(filepath.Dir(in.absolute)); err != nil {
		return nil, err
	}
	defer os.Chdir(before)
	session, err := interp.NewWithDescriptors()
	if err != nil {
		return nil, err
	}
	failure := in.notebook.Execute(ctx, session, progress)
	return failure, session.Close()
}

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
	if !term.IsTerminal(int(w.Fd())) {
		fmt.Fprintf(w, "running %s (%d cells)\n", printable(in.path), cells)
		return progress{}
	}
	return progress{progressbar.NewOptions(cells,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(printable(in.path)),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(),
	)}
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

// writeFile writes a file whole or not at all.
func writeFile(path string, data []byte) error {
	if err := atomicfile.Write(path, data); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// makeFolder makes a folder in which files can be created.
func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	return writableFolder(path)
}

// writableFolder says why no file can be created in a folder.
func writableFolder(path string) error {
	f, err := os.CreateTemp(path, ".*.tmp")
	if err != nil {
		if reason := errors.Unwrap(err); reason != nil {
			err = reason // without the temporary name
		}
		return fmt.Errorf("cannot write to the folder %s: %w", path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// canWrite says before a long measurement what would keep its results from the file that a
// flag names, if it names one.
func canWrite(flag, file string) error {
	if file == "" {
		return nil
	}
	if err := writableFolder(filepath.Dir(file)); err != nil {
		return fmt.Errorf("%s %s: %w", flag, file, err)
	}
	return nil
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
