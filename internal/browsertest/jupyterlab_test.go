package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serveFolder serves a folder to this machine and returns its address. It has an
// answer for the icon that browsers ask every server for.
func serveFolder(t *testing.T, folder string) string {
	t.Helper()
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// jupyterLab bundles JupyterLab's renderers and its notebook panel, and returns the folder of the bundle.
var jupyterLab = once(func(t *testing.T) string {
	npm := find(t, "npm")
	folder := filepath.Join(scratch, "jupyterlab")
	if err := os.CopyFS(folder, os.DirFS("jupyterlab")); err != nil {
		t.Fatal(err)
	}
	run(t, folder, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	run(t, folder, npm, "run", "build")
	return filepath.Join(folder, "built")
})

// labPage writes a page that shows an executed notebook as JupyterLab does, and
// returns its name in the folder of the bundle.
func labPage(t *testing.T, notebook string, trusted bool) string {
	t.Helper()
	var file struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Outputs []any  `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(executed(t), notebook+".ipynb"))), &file); err != nil {
		t.Fatal(err)
	}
	var given struct {
		Cells   [][]any `json:"cells"`
		Trusted bool    `json:"trusted"`
	}
	given.Trusted = trusted
	for _, cell := range file.Cells {
		if cell.Type == "code" {
			given.Cells = append(given.Cells, joined(cell.Outputs).([]any))
		}
	}
	name := fmt.Sprintf("%s-%t.html", notebook, trusted)
	writeLabPage(t, filepath.Join(jupyterLab(t), name), "page", "notebook", given)
	return name
}

// writeLabPage writes a page in JupyterLab's themes, which runs a script of the
// bundle that finds its data under an id.
func writeLabPage(t *testing.T, path, script, id string, data any) {
	t.Helper()
	text, err := json.Marshal(data) // without "<", as a script needs it
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, `<!DOCTYPE html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="`+script+`.css">
<link rel="stylesheet" href="light.css" data-theme="light">
<link rel="stylesheet" href="dark.css" data-theme="dark">
<style>body { margin: 0; background: var(--jp-layout-color0); color: var(--jp-content-font-color1); font-family: var(--jp-ui-font-family); }</style>
<body class="jp-ThemedContainer" data-jp-theme-light="true">
<main></main>
<script type="application/json" id="`+id+`">`+string(text)+`</script>
<script src="`+script+`.js"></script>
`)
}

// joined returns an output with its texts whole, which a file has as lists of
// lines. Jupyter's server does that before a front end sees them.
func joined(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			value[key] = joined(v)
		}
	case []any:
		var lines strings.Builder
		texts := len(value) > 0
		for i, v := range value {
			line, ok := v.(string)
			texts = texts && ok
			lines.WriteString(line)
			value[i] = joined(v)
		}
		if texts {
			return lines.String()
		}
	}
	return value
}

// What JupyterLab shows of an executed notebook.
func TestJupyterLab(t *testing.T) {
	folder := jupyterLab(t)
	served := serveFolder(t, folder)
	for _, c := range []struct {
		name, address    string
		trusted, offline bool
	}{
		{"lab-trusted", served, true, false},
		{"lab-untrusted", served, false, false},
		{"lab-offline", "file://" + folder + "/", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t)
			if c.offline {
				p.offline()
			}
			p.open(c.address + labPage(t, "charts", c.trusted))
			for _, theme := range []string{"light", "dark"} {
				evaluate[bool](p, "(setTheme("+quoted(theme)+"), true)")
				for _, width := range []int64{400, 1400} {
					p.shows(view{fmt.Sprintf("%s-%s-%d", c.name, theme, width), kinds, c.trusted, width, bodyHeight})
				}
			}
			p.open(c.address + labPage(t, "many", c.trusted))
			p.shows(view{c.name + "-many", many, c.trusted, 1400, bodyHeight})
			p.quiet()
		})
	}
}
