//go:build unix

package jupyter

import (
	"path/filepath"
	"syscall"
	"testing"
)

// Opening a named pipe would wait for a writer that never comes.
func TestConnectionFileIsNotANamedPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernel.json")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	checkReason(t, file, "not a regular file")
}
