package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// What nbconvert's pages ask for unless they are told where else it is.
var fromNetwork = []string{
	"https://cdnjs.cloudflare.com/ajax/libs/require.js/2.1.10/require.min.js",
	"https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/latest.js?config=TeX-AMS_CHTML-full,Safe",
}

// converted is the folder of the pages that nbconvert makes: with RequireJS beside
// them, and in network.html from where it says.
var converted = once(func(t *testing.T) string {
	python := python(t, "nbconvert")
	folder := filepath.Join(scratch, "nbconvert")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	const requireJS = "/usr/share/javascript/requirejs/require.min.js"
	if _, err := os.Stat(requireJS); err != nil {
		skip(t, err.Error())
	}
	write(t, filepath.Join(folder, "require.js"), read(t, requireJS))
	local := []string{"--HTMLExporter.require_js_url=require.js", "--HTMLExporter.mathjax_url="}
	for page, c := range map[string]struct {
		notebook string
		args     []string
	}{
		"light":   {"charts", local},
		"dark":    {"charts", append(local, "--theme=dark")},
		"many":    {"many", local},
		"network": {"charts", nil},
	} {
		args := append([]string{"-m", "nbconvert", "--to=html", "--output=" + page, "--output-dir=" + folder}, c.args...)
		run(t, executed(t), python, append(args, c.notebook+".ipynb")...)
	}
	return folder
})

// The pages that nbconvert makes of an executed notebook.
func TestNbconvert(t *testing.T) {
	folder := converted(t)
	served := serveFolder(t, folder)
	for _, scripts := range []bool{true, false} {
		name := "nbconvert-scripts"
		if !scripts {
			name = "nbconvert-no-scripts"
		}
		t.Run(name, func(t *testing.T) {
			p := newPage(t)
			if !scripts {
				p.withoutScripts()
			}
			for _, theme := range []string{"light", "dark"} {
				p.open(served + theme + ".html")
				for _, width := range []int64{400, 1400} {
					p.shows(view{fmt.Sprintf("%s-%s-%d", name, theme, width), kinds, scripts, width, bodyHeight})
				}
			}
			p.open(served + "many.html")
			p.shows(view{name + "-many", many, scripts, 1400, bodyHeight})
			p.quiet()
		})
	}
	t.Run("nbconvert-offline", func(t *testing.T) {
		p := newPage(t)
		p.offline()
		p.open("file://" + filepath.Join(folder, "network.html"))
		for _, width := range []int64{400, 1400} {
			p.shows(view{fmt.Sprintf("nbconvert-offline-%d", width), kinds, true, width, bodyHeight})
		}
		p.quiet(fromNetwork...)
	})
}
