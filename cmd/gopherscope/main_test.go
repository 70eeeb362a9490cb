package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/internal/kernelinfo"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain, größe":        "plain, größe",
		"two\nlines":          "two\nlines",
		"\x1b[31mred":         `\x1b[31mred`,
		"tab\tbell\a":         "tab\tbell\\a",
		"not \xff UTF-8":      "not � UTF-8",
		"right-to-left\u202e": `right-to-left\u202e`,
	} {
		if got := printable(text); got != want {
			t.Errorf("printable(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMessageWithoutLibraryPrefix(t *testing.T) {
	err := errors.Join(errors.New("opscope: too small"), errors.New("file: opscope: inside"), errors.New("opscope: again"))
	if got, want := message(err), "too small\nfile: opscope: inside\nagain"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestVersion(t *testing.T) {
	stdout, _, code := command(t, t.Context(), "--version")
	if want := "gopherscope version " + kernelinfo.Version() + ", Go "; code != 0 || !strings.HasPrefix(stdout, want) {
		t.Errorf("%q with status %d, want %q", stdout, code, want)
	}
}

// A wrong command line has a status of its own, which scripts tell from a failure.
func TestExitStatus(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"--help"}, statusOK},
		{[]string{"bench", "amx", "--help"}, statusOK},
		{[]string{"kernel"}, statusOK},
		{[]string{"ls", silero}, statusOK},
		{[]string{"diff", silero, silero}, statusOK},

		{[]string{"help", "bench", "amx"}, statusOK},
		{[]string{"completion"}, statusOK},
		{[]string{"completion", "bash"}, statusOK},

		{[]string{"nosuch"}, statusUsage},
		{[]string{""}, statusUsage},
		{[]string{"help", "nosuch"}, statusUsage},
		{[]string{"help", ""}, statusUsage},
		{[]string{"help", "kernel", "nosuch"}, statusUsage},
		{[]string{"help", "bench", "amx", "extra"}, statusUsage},
		{[]string{"kernel", "nosuch"}, statusUsage},
		{[]string{"completion", "nosuch"}, statusUsage},
		{[]string{"--nosuch"}, statusUsage},
		{[]string{"bench", "nosuch"}, statusUsage},
		{[]string{"bench", "kernels", "--threads", "many"}, statusUsage},
		{[]string{"bench", "kernels", "--schemes", "nosuch"}, statusUsage},
		{[]string{"bench", "all", "--error", "2"}, statusUsage},
		{[]string{"bench", "amx", "--m", "0"}, statusUsage},
		{[]string{"bench", "amx", "--chart", "a.txt"}, statusUsage},
		{[]string{"report", "--threads", "0"}, statusUsage},
		{[]string{"report", "--from", missing, "--quick"}, statusUsage},
		{[]string{"cpu", "extra"}, statusUsage},
		{[]string{"ls"}, statusUsage},
		{[]string{"ls", silero, "--sort", "size"}, statusUsage},
		{[]string{"ls", silero, "--include", "[a"}, statusUsage},
		{[]string{"diff", silero}, statusUsage},
		{[]string{"diff", silero, silero, "--max-error", "-1"}, statusUsage},
		{[]string{"probe"}, statusUsage},
		{[]string{"probe", silero, "--budget", "3"}, statusUsage},
		{[]string{"probe", silero, "--shard", "3/3"}, statusUsage},
		{[]string{"probe", silero, "--layout", "out"}, statusUsage},
		{[]string{"build"}, statusUsage},
		{[]string{"kernel", "start"}, statusUsage},
		{[]string{"run", "--serve", "--json"}, statusUsage},
		{[]string{"run", "--port", "8080"}, statusUsage},
		{[]string{"run", "--serve", "--port", "65536"}, statusUsage},
		{[]string{"run", "--serve", "--port", "-1"}, statusUsage},

		{[]string{"ls", ""}, statusUsage},
		{[]string{"diff", silero, ""}, statusUsage},
		{[]string{"run", ""}, statusUsage},
		{[]string{"kernel", "start", ""}, statusUsage},
		{[]string{"kernel", "install", "--prefix", ""}, statusUsage},
		{[]string{"ls", silero, "--include", ""}, statusUsage},
		{[]string{"probe", silero, "--html="}, statusUsage},
		{[]string{"probe", silero, "--from", "a", "--from", ""}, statusUsage},
		{[]string{"report", "--from", ""}, statusUsage},
		{[]string{"bench", "all", "--json", ""}, statusUsage},
		{[]string{"build", "--with", ""}, statusUsage},

		{[]string{"ls", missing}, statusFailure},
		{[]string{"diff", silero, missing}, statusFailure},
		{[]string{"probe", missing}, statusFailure},
		{[]string{"probe", "--from", missing}, statusFailure},
		{[]string{"report", "--from", missing}, statusFailure},
		{[]string{"kernel", "start", missing}, statusFailure},
		{[]string{"run", missing}, statusFailure},
	} {
		_, stderr, status := command(t, t.Context(), tt.args...)
		if status != tt.want {
			t.Errorf("%v: status %d, want %d: %s", tt.args, status, tt.want, stderr)
		}
	}
}

func TestUnknownCommand(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"prob"}, "gopherscope: unknown command \"prob\" for \"gopherscope\"; did you mean probe?\n"},
		{[]string{"help", "prob"}, "gopherscope: unknown command \"prob\" for \"gopherscope\"; did you mean probe?\n"},
		{[]string{"kernel", "instal"}, "gopherscope: unknown command \"instal\" for \"gopherscope kernel\"; did you mean install?\n"},
		{[]string{"help", "kernel", "nosuch"}, "gopherscope: unknown command \"nosuch\" for \"gopherscope kernel\"\n"},
		{[]string{"ls", silero, ""}, "gopherscope: argument 2 is empty\n"},
		{[]string{"ls", silero, "--exclude="}, "gopherscope: --exclude: the value is empty\n"},
	} {
		stdout, stderr, _ := command(t, t.Context(), tt.args...)
		if stderr != tt.want || stdout != "" {
			t.Errorf("%q: printed %q and\n%q, want\n%q", tt.args, stdout, stderr, tt.want)
		}
	}
}

// The help of a command says what its exit status means; for those of kernel, the help of
// gopherscope does.
func TestHelpOfExitStatus(t *testing.T) {
	for _, verb := range commands(nil, nil) {
		leaves := verb.Commands()
		if len(leaves) == 0 {
			leaves = []*cobra.Command{verb}
		}
		for _, cmd := range leaves {
			if verb.Name() != "kernel" && !strings.Contains(cmd.Long, "Exit status: 0") {
				t.Errorf("%s: its help does not say what its exit status means", cmd.CommandPath())
			}
		}
	}
}
