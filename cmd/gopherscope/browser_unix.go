//go:build !windows

package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// browserCommand returns the command that opens an address in the user's
// browser. It is in a process group of its own, because Ctrl-C is for this program.
func browserCommand(url string) *exec.Cmd {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	cmd := exec.Command(name, url)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}
