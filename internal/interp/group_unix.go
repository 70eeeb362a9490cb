//go:build unix

package interp

import (
	"os/exec"
	"syscall"
)

// asGroup makes the end of a command's context the end of what the command has
// started, too.
func asGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
