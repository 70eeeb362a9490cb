package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	// As long as a name may be.
	path := filepath.Join(dir, strings.Repeat("n", 250)+".html")
	for _, text := range []string{"one", "two"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != text {
			t.Errorf("got %q", got)
		}
	}
	usual := filepath.Join(t.TempDir(), "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(usual)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.Stat(path); err != nil || got.Mode() != want.Mode() {
		t.Errorf("mode %v, %v, want %v", got.Mode(), err, want.Mode())
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.MkdirAll(filepath.Join(target, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	// A folder cannot be replaced by a file, and in no folder can one be created.
	for _, path := range []string{target, filepath.Join(dir, "no", "file")} {
		if err := Write(path, []byte("x")); err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v, want a reason without a name", path, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestLinksAreReplacedNotFollowed(t *testing.T) {
	dir := t.TempDir()
	other, link := filepath.Join(dir, "other"), filepath.Join(dir, "link")
	if err := os.WriteFile(other, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(other, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if read(t, other) != "kept" || read(t, link) != "new" {
		t.Error("the other name's content changed")
	}
}
