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
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module+"/cmd/gopherscope")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		for path := range strings.FieldsSeq(string(out)) {
			if path != module && !listed[path] {
				t.Errorf("docs/third-party-licenses.md does not list %s, linked on %s", path, system)
				listed[path] = true
			}
		}
	}
}
