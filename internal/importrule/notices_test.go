package importrule

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The licences of the linked modules ask for their notice to go with the binary.
func TestEveryLinkedModuleIsInTheLicenceNotice(t *testing.T) {
	notice, err := os.ReadFile(filepath.Join("..", "..", "docs", "third-party-licenses.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(notice)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			listed[strings.TrimSpace(cells[1])] = true
		}
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module+"/cmd/gopherscope").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if path != module && !listed[path] {
			t.Errorf("docs/third-party-licenses.md does not list %s", path)
			listed[path] = true
		}
	}
}
