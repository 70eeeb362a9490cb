// Package browsertest tests what people see in a browser: the pages of gopherscope
// run, those of nbconvert, the outputs as JupyterLab renders them, and the kernel
// in the classic Jupyter Notebook and in JupyterLab's notebook panel. It is a
// module of its own: what drives the browser is no part of the program.
package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// scratch is removed after all tests.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "browsertest"); err != nil {
		panic(err)
	}
	status := m.Run()
	if browser.ctx != nil {
		browser.close()
	}
	if pages.process != nil {
		pages.process.Process.Signal(os.Interrupt)
		pages.process.Wait()
	}
	os.RemoveAll(scratch)
	os.Exit(status)
}

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

// python returns Debian's Python, if it has the module.
func python(t *testing.T, module string) string {
	t.Helper()
	path := find(t, "/usr/bin/python3")
	if exec.Command(path, "-c", "import "+module).Run() != nil {
		skip(t, path+" has no "+module)
	}
	return path
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// once returns a function that makes something for all tests. A test that needs
// what could not be made fails as the first one did.
func once(build func(t *testing.T) string) func(t *testing.T) string {
	var lock sync.Mutex
	var made string
	return func(t *testing.T) string {
		t.Helper()
		lock.Lock()
		defer lock.Unlock()
		if made == "" {
			made = build(t)
		}
		return made
	}
}

// program builds gopherscope.
var program = once(func(t *testing.T) string {
	path := filepath.Join(scratch, "gopherscope")
	run(t, filepath.Join("..", ".."), "go", "build", "-o", path, "./cmd/gopherscope")
	return path
})
