package main

import (
	"os/exec"
	"syscall"
)

// browserCommand returns the command that opens an address in the user's
// browser. It is in a process group of its own, because Ctrl-C is for this program.
func browserCommand(url string) *exec.Cmd {
	cmd := exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return cmd
}
