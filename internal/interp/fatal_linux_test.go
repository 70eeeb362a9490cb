//go:build !race

package interp

import (
	"os/exec"
	"strings"
	"testing"
)

// The runtime writes the first line of a fatal error to descriptor 2 alone.
func TestAFatalErrorSaysItsFirstLine(t *testing.T) {
	t.Parallel()
	_, stderr, err := runPart(t, "fatal")
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 {
		t.Errorf("ended with %v", err)
	}
	if !strings.HasPrefix(stderr, "fatal error: sync: unlock of unlocked mutex\n") || strings.Count(stderr, "fatal error: ") != 1 || !strings.Contains(stderr, "\ngoroutine ") {
		t.Errorf("stderr is %.500q", stderr)
	}
}
