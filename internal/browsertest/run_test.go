package browsertest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages is the process that serves what it executed.
var pages struct {
	process *exec.Cmd
	address string
}

// executed is the folder of the executed test notebooks and their pages.
var executed = once(func(t *testing.T) string {
	out := filepath.Join(scratch, "executed")
	serve := exec.Command(program(t), "run", "--serve", "--no-browser", "--out", out, "charts.ipynb", "many.ipynb")
	serve.Dir = "testdata"
	serve.Stderr = os.Stderr
	stdout, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	pages.process = serve
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	for lines := bufio.NewScanner(stdout); pages.address == "" && lines.Scan(); {
		pages.address = address.FindString(lines.Text())
	}
	if pages.address == "" {
		t.Fatal("gopherscope run --serve printed no address")
	}
	return out
})

const bodyHeight = "document.documentElement.scrollHeight"

// views shows a page in both colour schemes, narrow and wide.
func (p *page) views(name string, charts []chart, interactive bool) {
	p.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		for _, width := range []int64{400, 1400} {
			p.shows(view{fmt.Sprintf("%s-%s-%d", name, scheme, width), charts, interactive, width, bodyHeight})
		}
	}
}

// The pages of gopherscope run.
func TestRunPage(t *testing.T) {
	out := executed(t)
	for _, c := range []struct {
		name             string
		address          string
		scripts, offline bool
	}{
		{"run-scripts", pages.address, true, false},
		{"run-no-scripts", pages.address, false, false},
		{"run-offline", "file://" + out + "/", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t)
			if !c.scripts {
				p.withoutScripts()
			}
			if c.offline {
				p.offline()
			}
			p.open(c.address + "charts.html")
			p.views(c.name, kinds, c.scripts)
			for _, width := range []int64{400, 1400} {
				p.open(c.address + "many.html")
				p.shows(view{fmt.Sprintf("%s-many-%d", c.name, width), many, c.scripts, width, bodyHeight})
				p.open(c.address + "index.html")
				p.shows(view{fmt.Sprintf("%s-index-%d", c.name, width), nil, c.scripts, width, bodyHeight})
			}
			p.quiet()
		})
	}
}

// Twenty charts carry the library once.
func TestLibraryOnce(t *testing.T) {
	out := executed(t)
	const licence = "Licensed to the Apache Software Foundation" // at the head of ECharts
	for _, name := range []string{"many.html", "many.ipynb", "charts.html", "charts.ipynb"} {
		if n := strings.Count(read(t, filepath.Join(out, name)), licence); n != 1 {
			t.Errorf("%s carries the library %d times", name, n)
		}
	}
}
