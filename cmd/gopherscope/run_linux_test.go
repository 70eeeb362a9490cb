package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/internal/nb"
)

func TestRunUnwritableFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "1")
	// A folder in which nobody can create files.
	stdout, stderr, status := command(t, t.Context(), "run", "--out", "/proc/self", "a.ipynb")
	if status != 1 || stdout != "" || strings.Contains(stderr, "running") || !strings.Contains(stderr, "cannot write to the folder ") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestRunFullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "a.ipynb", "1")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	stderr, err := os.Create("stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	if status := execute(t.Context(), []string{"run", "--json", "a.ipynb"}, full, stderr); status != 1 {
		t.Errorf("status %d", status)
	}
	if got := read(t, "stderr"); !strings.Contains(got, "gopherscope: cannot write to the standard output: ") {
		t.Errorf("stderr %q", got)
	}
}

func TestRunCatchesWhatIsWrittenToDescriptors(t *testing.T) {
	t.Chdir(t.TempDir())
	writeNotebook(t, "n.ipynb", "import \"os\"\nos.NewFile(1, \"\").WriteString(\"to descriptor 1\")\nos.NewFile(2, \"\").WriteString(\"to descriptor 2\");")
	stdout, stderr, status := command(t, t.Context(), "run", "n.ipynb")
	if status != 0 {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	if !strings.Contains(stdout, "n.ipynb -> ") || !strings.Contains(stderr, "running n.ipynb") {
		t.Errorf("its own output went astray: stdout %q, stderr %q", stdout, stderr)
	}
	book, err := nb.ReadFile("out/n.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range book.Cells[1].Outputs {
		got[o.Name] += o.Text
	}
	if got["stdout"] != "to descriptor 1" || got["stderr"] != "to descriptor 2" {
		t.Errorf("the cell has %q", got)
	}
}
