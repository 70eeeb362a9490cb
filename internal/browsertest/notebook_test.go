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

// serve starts a notebook server on a folder and returns its address.
func serve(t *testing.T, dir string) string {
	t.Helper()
	python := python(t, "notebook.notebookapp")
	scratch := t.TempDir()
	run(t, scratch, program(t), "kernel", "install", "--prefix", scratch)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	server := exec.Command(python, "-m", "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1",
		fmt.Sprint("--port=", port), "--port-retries=0", "--NotebookApp.token=", "--notebook-dir="+dir)
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

// A notebook is a page of the classic Jupyter Notebook.
type notebook struct{ *page }

func openNotebook(t *testing.T, address string) *notebook {
	t.Helper()
	p := newPage(t)
	p.open(address)
	p.await("a kernel that is ready", `typeof Jupyter !== "undefined" && Jupyter.notebook && Jupyter.notebook.kernel &&
		Jupyter.notebook.kernel.info_reply.status === "ok"`)
	return &notebook{p}
}

// press clicks a button of the toolbar or an entry of a menu.
func (p *notebook) press(selector string) {
	p.t.Helper()
	p.await("the button "+selector, "document.querySelector("+quoted(selector)+")")
	evaluate[bool](p.page, "(document.querySelector("+quoted(selector)+").click(), true)")
}

// run adds a cell at the end, runs it, and returns its index.
func (p *notebook) run(code string) (cell int) {
	p.t.Helper()
	cell = evaluate[int](p.page, fmt.Sprintf(`(() => {
		const cell = Jupyter.notebook.insert_cell_at_bottom("code");
		cell.set_text(%s);
		Jupyter.notebook.select(Jupyter.notebook.ncells() - 1);
		return Jupyter.notebook.ncells() - 1;
	})()`, quoted(code)))
	p.press(`button[data-jupyter-action="jupyter-notebook:run-cell-and-select-next"]`)
	return cell
}

func cellPart(cell int, selector string) string {
	return fmt.Sprintf(`document.querySelectorAll("#notebook-container > .cell")[%d].querySelector("%s")`, cell, selector)
}

// shows waits until the outputs of a cell that has ended have a text.
func (p *notebook) showsText(cell int, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("%q in cell %d", text, cell), fmt.Sprintf(`!%s.innerText.includes("*") && %s.innerText.includes(%s)`,
		cellPart(cell, ".input_prompt"), cellPart(cell, ".output_wrapper"), quoted(text)))
}

func TestNotebook(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cells.ipynb")
	write(t, file, read(t, filepath.Join("testdata", "cells.ipynb")))
	p := openNotebook(t, serve(t, dir)+"/notebooks/cells.ipynb")

	p.press("#run_all_cells a")
	p.showsText(0, "hello from cell one")
	p.showsText(1, "40")
	p.await("what the third cell shows", cellPart(2, `.output_html b[title=\"shown\"]`))
	p.await("highlighted Go", cellPart(0, ".CodeMirror .cm-keyword"))

	p.showsText(p.run(`import "nosuchpackage"`), "nosuchpackage")

	endless := p.run("for { x++ }")
	p.await("the cell that runs", cellPart(endless, ".input_prompt")+`.innerText.includes("*")`)
	behind := p.run("x = -1")
	p.press(`button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]`)
	p.showsText(endless, "Interrupted")
	p.showsText(p.run("x > 0"), "true")
	p.await("the cell behind, not run", cellPart(behind, ".input_prompt")+`.innerText.match(/\[\s\]/)`)

	asks := p.run("var name string\nfmt.Scan(&name)\nfmt.Println(\"<\" + name + \">\")")
	p.await("the field for an answer", cellPart(asks, "input.raw_input"))
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.SendKeys("input.raw_input", "Ada\n")); err != nil {
		t.Fatal(err)
	}
	p.showsText(asks, "<Ada>")

	p.press(`button[data-jupyter-action="jupyter-notebook:confirm-restart-kernel"]`)
	p.press(".modal-dialog .btn-danger")
	p.await("the new kernel", `document.querySelector("#notification_kernel").innerText === "" ||
		document.querySelector("#notification_kernel").innerText.includes("ready")`)
	p.showsText(p.run("x"), "undefined: x")
	p.showsText(p.run("6 * 7"), "42")

	p.press(`button[data-jupyter-action="jupyter-notebook:save-notebook"]`)
	p.await("the saved notebook", `!Jupyter.notebook.dirty`)
	saved := read(t, file)
	for _, want := range []string{"hello from cell one", "Ada", "undefined: x", `"mimetype": "text/x-go"`, `"pygments_lexer": "go"`} {
		if !strings.Contains(saved, want) {
			t.Errorf("the saved notebook has no %s", want)
		}
	}
}

// The charts of a notebook that was run here, and of one that comes from
// elsewhere, whose scripts the front end does not run.
func TestNotebookCharts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run.ipynb"), read(t, filepath.Join("testdata", "charts.ipynb")))
	write(t, filepath.Join(dir, "untrusted.ipynb"), read(t, filepath.Join(executed(t), "charts.ipynb")))
	address := serve(t, dir)
	for _, name := range []string{"run", "untrusted"} {
		t.Run(name, func(t *testing.T) {
			p := openNotebook(t, address+"/notebooks/"+name+".ipynb")
			if name == "run" {
				p.press("#run_all_cells a")
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
