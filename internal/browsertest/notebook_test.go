package browsertest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// serve starts a server, a Python module, with our kernel and no settings but its
// arguments, and returns its address.
func serve(t *testing.T, module string, args ...string) string {
	t.Helper()
	python := python(t, module)
	scratch := t.TempDir()
	run(t, scratch, program(t), "kernel", "install", "--prefix", scratch)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	server := exec.Command(python, append([]string{"-m", module, "--no-browser", "--allow-root", "--ip=127.0.0.1",
		fmt.Sprint("--port=", port), "--port-retries=0"}, args...)...)
	server.Env = append(os.Environ(), "JUPYTER_PATH="+filepath.Join(scratch, "share", "jupyter"),
		"JUPYTER_DATA_DIR="+scratch, "JUPYTER_RUNTIME_DIR="+scratch, "JUPYTER_CONFIG_DIR="+scratch, "IPYTHONDIR="+scratch)
	log, err := os.Create(filepath.Join(scratch, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(os.Interrupt)
		server.Process.Signal(os.Interrupt) // the first asks whether it is meant
		ended := time.AfterFunc(10*time.Second, func() { server.Process.Kill() })
		server.Wait()
		ended.Stop()
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s", text)
		}
	})
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if answer, err := http.Get(address + "/api"); err == nil {
			answer.Body.Close()
			return address
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// serveNotebooks starts the server of the classic Jupyter Notebook on a folder.
func serveNotebooks(t *testing.T, dir string) string {
	t.Helper()
	return serve(t, "notebook", "--NotebookApp.token=", "--notebook-dir="+dir)
}

// A notebook is a page of a front end that runs cells.
type notebook struct {
	*page
	frontEnd
}

// A frontEnd is where a notebook's page has what a test uses.
type frontEnd struct {
	cells string // all cells
	// Parts of a cell, of which the keyword is highlighted Go and the answer the
	// field for a program's input.
	prompt, outputs, keyword, answer string
	// add is a function that adds a cell of a text at the end and returns its index.
	add string
	// What to click, one after the other.
	runAll, runCell, interrupt, restart, save []string
	// Expressions that are true after a restart and after saving.
	restarted, saved string
}

var classic = frontEnd{
	cells: "#notebook-container > .cell", prompt: ".input_prompt", outputs: ".output_wrapper",
	keyword: ".CodeMirror .cm-keyword", answer: "input.raw_input",
	add: `code => {
		const cell = Jupyter.notebook.insert_cell_at_bottom("code");
		cell.set_text(code);
		Jupyter.notebook.select(Jupyter.notebook.ncells() - 1);
		return Jupyter.notebook.ncells() - 1;
	}`,
	runAll:    []string{"#run_all_cells a"},
	runCell:   []string{`button[data-jupyter-action="jupyter-notebook:run-cell-and-select-next"]`},
	interrupt: []string{`button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]`},
	restart:   []string{`button[data-jupyter-action="jupyter-notebook:confirm-restart-kernel"]`, ".modal-dialog .btn-danger"},
	save:      []string{`button[data-jupyter-action="jupyter-notebook:save-notebook"]`},
	restarted: `document.querySelector("#notification_kernel").innerText === "" ||
		document.querySelector("#notification_kernel").innerText.includes("ready")`,
	saved: "!Jupyter.notebook.dirty",
}

// openNotebook opens a page of the classic Jupyter Notebook.
func openNotebook(t *testing.T, address string) *notebook {
	t.Helper()
	p := newPage(t)
	p.open(address)
	p.await("a kernel that is ready", `typeof Jupyter !== "undefined" && Jupyter.notebook && Jupyter.notebook.kernel &&
		Jupyter.notebook.kernel.info_reply.status === "ok"`)
	return &notebook{p, classic}
}

// press clicks buttons of the toolbar, of a dialog or of a menu.
func (p *notebook) press(buttons []string) {
	p.t.Helper()
	for _, selector := range buttons {
		p.await("the button "+selector, "document.querySelector("+quoted(selector)+")")
		evaluate[bool](p.page, "(document.querySelector("+quoted(selector)+").click(), true)")
	}
}

// run adds a cell at the end, runs it, and returns its index.
func (p *notebook) run(code string) (cell int) {
	p.t.Helper()
	cell = evaluate[int](p.page, "("+p.add+")("+quoted(code)+")")
	p.press(p.runCell)
	return cell
}

// part returns the first element of a cell that has a selector.
func (p *notebook) part(cell int, selector string) string {
	return fmt.Sprintf(`document.querySelectorAll(%s)[%d].querySelector(%s)`, quoted(p.cells), cell, quoted(selector))
}

// showsText waits until the outputs of a cell that has ended have a text.
func (p *notebook) showsText(cell int, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("%q in cell %d", text, cell), fmt.Sprintf(`!%s.innerText.includes("*") && %s.innerText.includes(%s)`,
		p.part(cell, p.prompt), p.part(cell, p.outputs), quoted(text)))
}

// works uses a copy of cells.ipynb, a file, as people do.
func (p *notebook) works(file string) {
	p.t.Helper()
	p.press(p.runAll)
	p.showsText(0, "hello from cell one")
	p.showsText(1, "40")
	p.await("what the third cell shows", p.part(2, p.outputs+" b[title=shown]"))
	p.await("highlighted Go", p.part(0, p.keyword))

	p.showsText(p.run(`import "nosuchpackage"`), "nosuchpackage")

	endless := p.run("for { x++ }")
	p.await("the cell that runs", p.part(endless, p.prompt)+`.innerText.includes("*")`)
	behind := p.run("x = -1")
	p.press(p.interrupt)
	p.showsText(endless, "Interrupted")
	p.showsText(p.run("x > 0"), "true")
	p.await("the cell behind, not run", p.part(behind, p.prompt)+`.innerText.match(/\[\s\]/)`)

	asks := p.run("var name string\nfmt.Scan(&name)\nfmt.Println(\"<\" + name + \">\")")
	p.await("the field for an answer", p.part(asks, p.answer))
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.SendKeys(p.answer, "Ada\n")); err != nil {
		p.t.Fatal(err)
	}
	p.showsText(asks, "<Ada>")

	p.press(p.restart)
	p.await("the new kernel", p.restarted)
	p.showsText(p.run("x"), "undefined: x")
	p.showsText(p.run("6 * 7"), "42")

	p.press(p.save)
	p.await("the saved notebook", p.saved)
	saved := read(p.t, file)
	for _, want := range []string{"hello from cell one", "Ada", "undefined: x", `"mimetype": "text/x-go"`, `"pygments_lexer": "go"`} {
		if !strings.Contains(saved, want) {
			p.t.Errorf("the saved notebook has no %s", want)
		}
	}
}

func TestNotebook(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cells.ipynb")
	write(t, file, read(t, filepath.Join("testdata", "cells.ipynb")))
	openNotebook(t, serveNotebooks(t, dir)+"/notebooks/cells.ipynb").works(file)
}

// The charts of a notebook that was run here, and of one that comes from
// elsewhere, whose scripts the front end does not run.
func TestNotebookCharts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run.ipynb"), read(t, filepath.Join("testdata", "charts.ipynb")))
	write(t, filepath.Join(dir, "untrusted.ipynb"), read(t, filepath.Join(executed(t), "charts.ipynb")))
	address := serveNotebooks(t, dir)
	for _, name := range []string{"run", "untrusted"} {
		t.Run(name, func(t *testing.T) {
			p := openNotebook(t, address+"/notebooks/"+name+".ipynb")
			if name == "run" {
				p.press(p.runAll)
				p.await("the last cell", `Jupyter.notebook.get_cells().every(c => c.cell_type !== "code" || c.input_prompt_number > 0)`)
			}
			for _, width := range []int64{400, 1400} {
				p.shows(view{fmt.Sprintf("notebook-%s-%d", name, width), kinds, name == "run", width,
					`document.querySelector("#site").scrollHeight + 250`})
			}
			// Debian has this extension in a package of its own, and a font without address.
			p.quiet("/nbextensions/widgets/", "Access to font at 'about:blank'", "net::ERR_FAILED about:blank")
		})
	}
}
