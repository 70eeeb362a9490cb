package main

import (
	"os"
	"strings"
	"testing"
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
