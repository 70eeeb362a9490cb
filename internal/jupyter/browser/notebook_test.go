// Package browser tests the kernel in Jupyter Notebook, as a person uses it with
// a browser. It is a module of its own: what drives the browser is no part of
// the program.
package browser

import (
	"context"
	"encoding/json"
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

// patience is how long the test waits for what must come.
const patience = 60 * time.Second

// skip skips a test that this machine cannot run, where that is allowed.
func skip(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("GOPHERSCOPE_REQUIRE") == "all" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func find(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	skip(t, "no "+strings.Join(names, " or "))
	panic("unreachable")
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// serve starts a notebook server on a folder and returns its address.
func serve(t *testing.T, dir string) string {
	t.Helper()
	python := find(t, "/usr/bin/python3")
	if exec.Command(python, "-c", "import notebook.notebookapp").Run() != nil {
		skip(t, "no classic Jupyter Notebook in "+python)
	}
	scratch := t.TempDir()
	program := filepath.Join(scratch, "gopherscope")
	run(t, filepath.Join("..", "..", ".."), "go", "build", "-o", program, "./cmd/gopherscope")
	run(t, scratch, program, "kernel", "install", "--prefix", scratch)

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

// page is a notebook in a browser.
type page struct {
	t   *testing.T
	ctx context.Context
}

func open(t *testing.T, address string) *page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ExecPath(find(t, "chromium", "google-chrome")))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &page{t, ctx}
	// The browser lives as long as the context of the first call, so that this one
	// has no time limit.
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	p.await("a kernel that is ready", `typeof Jupyter !== "undefined" && Jupyter.notebook && Jupyter.notebook.kernel &&
		Jupyter.notebook.kernel.info_reply.status === "ok"`)
	return p
}

// evaluate returns the value of an expression of the page.
func evaluate[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// await waits until an expression of the page is true.
func (p *page) await(what, expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if evaluate[bool](p, "Boolean("+expression+")") {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("no sign of %s; the page has\n%s", what, evaluate[string](p, "document.body.innerText"))
		}
	}
}

// press clicks a button of the toolbar or an entry of a menu.
func (p *page) press(selector string) {
	p.t.Helper()
	quoted, _ := json.Marshal(selector)
	p.await("the button "+selector, fmt.Sprintf("document.querySelector(%s)", quoted))
	evaluate[bool](p, fmt.Sprintf("(document.querySelector(%s).click(), true)", quoted))
}

// run adds a cell at the end, runs it, and returns its index.
func (p *page) run(code string) (cell int) {
	p.t.Helper()
	quoted, _ := json.Marshal(code)
	cell = evaluate[int](p, fmt.Sprintf(`(() => {
		const cell = Jupyter.notebook.insert_cell_at_bottom("code");
		cell.set_text(%s);
		Jupyter.notebook.select(Jupyter.notebook.ncells() - 1);
		return Jupyter.notebook.ncells() - 1;
	})()`, quoted))
	p.press(`button[data-jupyter-action="jupyter-notebook:run-cell-and-select-next"]`)
	return cell
}

func cellPart(cell int, selector string) string {
	return fmt.Sprintf(`document.querySelectorAll("#notebook-container > .cell")[%d].querySelector("%s")`, cell, selector)
}

// shows waits until the outputs of a cell that has ended have a text.
func (p *page) shows(cell int, text string) {
	p.t.Helper()
	quoted, _ := json.Marshal(text)
	p.await(fmt.Sprintf("%q in cell %d", text, cell), fmt.Sprintf(`!%s.innerText.includes("*") && %s.innerText.includes(%s)`,
		cellPart(cell, ".input_prompt"), cellPart(cell, ".output_wrapper"), quoted))
}

func TestNotebook(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cells.ipynb")
	book, err := os.ReadFile(filepath.Join("testdata", "cells.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, book, 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, serve(t, dir)+"/notebooks/cells.ipynb")

	p.press("#run_all_cells a")
	p.shows(0, "hello from cell one")
	p.shows(1, "40")
	p.await("what the third cell shows", cellPart(2, `.output_html b[title=\"shown\"]`))
	p.await("highlighted Go", cellPart(0, ".CodeMirror .cm-keyword"))

	p.shows(p.run(`import "nosuchpackage"`), "nosuchpackage")

	endless := p.run("for { x++ }")
	p.await("the cell that runs", cellPart(endless, ".input_prompt")+`.innerText.includes("*")`)
	behind := p.run("x = -1")
	p.press(`button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]`)
	p.shows(endless, "Interrupted")
	p.shows(p.run("x > 0"), "true")
	p.await("the cell behind, not run", cellPart(behind, ".input_prompt")+`.innerText.match(/\[\s\]/)`)

	asks := p.run("var name string\nfmt.Scan(&name)\nfmt.Println(\"<\" + name + \">\")")
	p.await("the field for an answer", cellPart(asks, "input.raw_input"))
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.SendKeys("input.raw_input", "Ada\n")); err != nil {
		t.Fatal(err)
	}
	p.shows(asks, "<Ada>")

	p.press(`button[data-jupyter-action="jupyter-notebook:confirm-restart-kernel"]`)
	p.press(".modal-dialog .btn-danger")
	p.await("the new kernel", `document.querySelector("#notification_kernel").innerText === "" ||
		document.querySelector("#notification_kernel").innerText.includes("ready")`)
	p.shows(p.run("x"), "undefined: x")
	p.shows(p.run("6 * 7"), "42")

	p.press(`button[data-jupyter-action="jupyter-notebook:save-notebook"]`)
	p.await("the saved notebook", `!Jupyter.notebook.dirty`)
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hello from cell one", "Ada", "undefined: x", `"mimetype": "text/x-go"`, `"pygments_lexer": "go"`} {
		if !strings.Contains(string(saved), want) {
			t.Errorf("the saved notebook has no %s", want)
		}
	}
}
