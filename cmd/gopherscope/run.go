package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

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
			if r.port < 0 || r.port > math.MaxUint16 {
				return asUsage(fmt.Errorf("--port %d: want 0 to %d", r.port, math.MaxUint16))
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
	if err := in.unchanged(); err != nil {
		return entry, err
	}
	return entry, writeFile(in.absolute, notebook)
}

// unchanged says when the file is not what was run any more: someone may have
// edited it in the meantime.
func (in input) unchanged() error {
	info, err := os.Stat(in.absolute)
	if err == nil && (info.Size() != in.read.Size() || !info.ModTime().Equal(in.read.ModTime())) {
		err = errors.New("changed while it ran, so that it is not written back")
	}
	return err
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
