package interp

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestInterruptEndsWhatACommandStarted(t *testing.T) {
	s := open(t)
	file := filepath.Join(t.TempDir(), "pid")
	runInterrupted(t, s, fmt.Sprintf("$ sleep 1000 & echo $! > '%s'; echo started; wait; :", file))
	awaitEndOf(t, file)
}

func TestCloseEndsWhatCommandsLeft(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pid")
	run(t, s, fmt.Sprintf("$ sleep 1000 & echo $! > '%s'", file))
	run(t, s, "$ true")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	awaitEndOf(t, file)
}

// awaitEndOf waits for the end of the process whose number a file holds.
func awaitEndOf(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") { // gone, or left for init to reap
			return
		}
	}
	t.Errorf("process %d of the command runs on", pid)
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}
