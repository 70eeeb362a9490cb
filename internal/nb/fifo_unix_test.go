//go:build unix

package nb

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a named pipe would wait for a writer that never comes.
func TestNamedPipesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"f.ipynb", "f.png"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	notebook := filepath.Join(dir, "f.ipynb")
	if _, err := ReadFile(notebook); err == nil || err.Error() != notebook+": is not a regular file" {
		t.Errorf("got %v", err)
	}
	got := strings.TrimSpace(mustRender(t, newDocument(dir), "![pipe](f.png)"))
	if want := `<p><span class="missing">pipe (image not readable: f.png)</span></p>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
