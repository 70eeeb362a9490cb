package main

import (
	"errors"
	"strings"
	"testing"

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
