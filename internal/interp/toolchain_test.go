package interp

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rlx-go/gopherscope/internal/testreq"
)

// Nothing that a cell does starts the go command: it is replaced by one that
// leaves a trace.
func TestNoToolchain(t *testing.T) {
	if runtime.GOOS == "windows" {
		testreq.Skip(t, "the test needs shell scripts, which Windows does not run")
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	for _, name := range []string{"go", "gcc", "git", "sh", "env"} {
		script := "#!/bin/sh\necho " + name + " \"$@\" >> " + trace + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("GOROOT", "")
	s := open(t)
	run(t, s, `import ("fmt"; "strings"; "time"; "net/http"; "encoding/json"; "text/template"; "gonum.org/v1/gonum/mat"; "github.com/go-echarts/go-echarts/v2/charts")
type T struct{ http.Client; b strings.Builder; d time.Duration; m *mat.Dense; l *charts.Line }
fmt.Sprint(T{}.d, json.Valid(nil), template.New("x").Name());`)
	for _, unknown := range []string{"nosuch", "example.com/x/y", "plugin", "./local", "golang.org/x/tools"} {
		runCell(s, "cell", "import \""+unknown+"\"").failure(t)
	}
	complete(t, s, "http.|")
	if content, err := os.ReadFile(trace); err == nil {
		t.Errorf("commands were started:\n%s", content)
	}
}
