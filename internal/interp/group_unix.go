//go:build unix

package interp

import (
	"os/exec"
	"sync"
	"syscall"
)

// commandGroups are the process groups of the shell commands that have left
// something running.
type commandGroups struct {
	mu   sync.Mutex
	left map[int]struct{} // by number
}

// run runs a command in a group of its own, so that the end of its context is the
// end of what it has started, too.
func (g *commandGroups) run(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	err := c.Run()
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.Process != nil {
		if g.left == nil {
			g.left = map[int]struct{}{}
		}
		g.left[c.Process.Pid] = struct{}{}
	}
	for group := range g.left { // another command's may have the number of one that is gone
		if syscall.Kill(-group, 0) == syscall.ESRCH {
			delete(g.left, group)
		}
	}
	return err
}

// end asks what is left to end.
func (g *commandGroups) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for group := range g.left {
		syscall.Kill(-group, syscall.SIGTERM)
	}
	g.left = nil
}
