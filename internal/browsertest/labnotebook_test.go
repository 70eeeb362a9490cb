package browsertest

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// labPanel is the panel of notebook.js.
var labPanel = frontEnd{
	cells: ".jp-Notebook .jp-Cell", prompt: ".jp-InputPrompt", outputs: ".jp-OutputArea",
	keyword: ".cm-line span", answer: "input.jp-Stdin-input",
	add: `code => {
		const notebook = panel.content;
		notebook.activeCellIndex = notebook.widgets.length - 1;
		if (notebook.activeCell.model.sharedModel.getSource()) document.querySelector("` + tool("insert") + `").click();
		notebook.activeCell.model.sharedModel.setSource(code);
		return notebook.activeCellIndex;
	}`,
	runAll:    []string{tool("run"), tool("run"), tool("run")},
	runCell:   []string{tool("run")},
	interrupt: []string{tool("interrupt")},
	restart:   []string{tool("restart"), ".jp-Dialog .jp-mod-accept"},
	save:      []string{tool("save")},
	restarted: `restarts > 0 && panel.sessionContext.session.kernel.status === "idle"`,
	saved:     "!panel.context.model.dirty",
}

// tool is the button of a name in JupyterLab's toolbar.
func tool(name string) string {
	return fmt.Sprintf(".jp-Toolbar [data-jp-item-name=%s] jp-button", name)
}

// openLabNotebook opens a notebook of a folder in JupyterLab's panel, with a
// Jupyter server.
func openLabNotebook(t *testing.T, dir, name string) *notebook {
	t.Helper()
	const token = "token-of-the-test"
	writeLabPage(t, filepath.Join(jupyterLab(t), name+".html"), "notebook", "jupyter-config-data",
		map[string]string{"token": token, "appendToken": "true", "notebookPath": name})
	address := serve(t, "jupyter_server", "--ServerApp.token="+token, "--ServerApp.root_dir="+dir,
		"--ServerApp.extra_static_paths="+jupyterLab(t))
	p := newPage(t)
	p.open(address + "/static/" + name + ".html")
	p.await("a kernel that is ready", "window.panel")
	evaluate[bool](p, `(window.restarts = 0, panel.sessionContext.statusChanged.connect((_, status) => {
		if (status === "restarting") restarts++;
	}))`)
	return &notebook{p, labPanel}
}

// keys presses keys in what has the focus.
func (p *page) keys(keys string, options ...chromedp.KeyOption) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.KeyEvent(keys, options...)); err != nil {
		p.t.Fatal(err)
	}
}

// The kernel in JupyterLab's own notebook panel.
func TestLabNotebook(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cells.ipynb")
	write(t, file, read(t, filepath.Join("testdata", "cells.ipynb")))
	p := openLabNotebook(t, dir, "cells.ipynb")
	p.works(file)

	evaluate[bool](p.page, "("+p.add+`)(""), panel.content.mode = "edit", panel.content.activeCell.editor.focus(), true`)
	p.await("the cursor in the cell", "panel.content.activeCell.editor.hasFocus()")
	p.keys(`import "fmt"; fmt.Print`)
	p.keys(kb.Tab)
	p.await("a function that continues the name", `document.querySelector(".jp-Completer-item[data-value=Println][title=function]")`)
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Click(".jp-Completer-item[data-value=Println]")); err != nil {
		t.Fatal(err)
	}
	p.await("the chosen name", `panel.content.activeCell.model.sharedModel.getSource() === 'import "fmt"; fmt.Println'`)
	p.keys(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))
	p.await("its documentation", `document.querySelector(".jp-Tooltip")?.innerText.includes("func Println(")`)
	for _, theme := range []string{"light", "dark"} {
		evaluate[bool](p.page, "(setTheme("+quoted(theme)+"), true)")
		p.screenshot("lab-notebook-" + theme)
	}
	p.quiet()
}
