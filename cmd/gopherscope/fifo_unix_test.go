//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func namedPipe(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A command that reads a whole file does not wait for the writer of a named pipe.
func TestNamedPipesAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"ls"}, {"probe", "--no-time"}, {"diff", silero}, {"report", "--from"}, {"report", "--compare"}, {"run"}, {"kernel", "start"},
	} {
		pipe := namedPipe(t, "pipe")
		_, stderr, status := command(t, t.Context(), append(args, pipe)...)
		if status != 1 || !strings.Contains(stderr, pipe) || !strings.Contains(stderr, "not a regular file") {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
}

// Results may come through a pipe; Ctrl-C ends the wait for them.
func TestProbeFromNamedPipe(t *testing.T) {
	pipe := namedPipe(t, "results.jsonl")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	stdout, stderr, status := command(t, ctx, "probe", "--no-time", "--from", pipe)
	if status != 1 || stdout != "" || stderr != "gopherscope: interrupted\n" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}

	lines, _, _ := command(t, t.Context(), "probe", "--no-time", "--json", silero)
	pipe = namedPipe(t, "results.jsonl")
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte(lines), 0) }()
	report, stderr, status := command(t, t.Context(), "probe", "--no-time", "--from", pipe)
	if err := <-written; err != nil || status != 0 || !strings.Contains(report, "8 matrices, 234k values") {
		t.Errorf("%v, status %d, %q, %q", err, status, report, stderr)
	}
}
