package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlx-go/gopherscope/opscope/weights"
)

// An interrupted run keeps what it has printed, says that it was interrupted, and
// names what is missing; what it printed lets another run go on.
func TestProbeInterrupted(t *testing.T) {
	dir := t.TempDir()
	var tensors []weights.Named
	for i := range 40 {
		tensors = append(tensors, named(fmt.Sprintf("layers.%d.w", i), "", uint64(i), 300, 300))
	}
	path := writeModel(t, filepath.Join(dir, "m.safetensors"), tensors...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reading, writing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	done := make(chan int, 1)
	go func() {
		done <- execute(ctx, []string{"probe", "--no-time", "--json", path}, writing, stderr)
		writing.Close()
	}()
	var lines strings.Builder
	for scanner := bufio.NewScanner(reading); scanner.Scan(); {
		lines.WriteString(scanner.Text() + "\n")
		cancel() // after the first line
	}
	if status := <-done; status != 1 || !strings.Contains(read(t, stderr.Name()), "interrupted") {
		t.Errorf("status %d, stderr %q", status, read(t, stderr.Name()))
	}
	first := parseLines(t, lines.String())
	if len(first) == 0 || len(first) == len(tensors) {
		t.Fatalf("%d of %d lines", len(first), len(tensors))
	}
	part := filepath.Join(dir, "part.jsonl")
	if err := os.WriteFile(part, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if rest := probeLines(t, path, "--from", part); len(rest) != len(tensors)-len(first) {
		t.Errorf("%d lines, then %d, of %d", len(first), len(rest), len(tensors))
	}
}

func TestProbeInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stdout, stderr, status := command(t, ctx, "probe", "--no-time", silero)
	if status != 1 || stdout != "" || stderr != "gopherscope: interrupted\n" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}
