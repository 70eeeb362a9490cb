//go:build unix

package jupyter

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestProcessEndsWhatItsCellsStarted(t *testing.T) {
	c := startChildWith(t, func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }) // as launchers do
	cl := c.connect(t)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cl.execute("import \"os/exec\"\n" + fmt.Sprintf("exec.Command(\"/bin/sh\", \"-c\", %q).Start()", "(/bin/sleep 1000; :) >'"+fifo+"' & wait"))
	f, err := os.Open(fifo) // waits until it is open for writing
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c.stop(t, cl)
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, f) // ends with the last process that has it open
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("what a cell started is still there")
	}
}
