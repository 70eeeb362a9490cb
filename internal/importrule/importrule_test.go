// Package importrule holds the rule of who may import whom.
package importrule

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rlx-go/gopherscope"

// allowed lists, for each package of the module, the packages of the module and
// the guarded libraries that its non-test files may import. A package that is
// not listed fails the test, so that a new one is placed on purpose.
var allowed = map[string][]string{
	"accel":                        {"kernels", "github.com/ebitengine/purego"},
	"charts":                       {"internal/atomicfile", "github.com/go-echarts/go-echarts/v2", "gonum.org/v1/plot"},
	"cmd/gopherscope":              {"docs", "internal/atomicfile", "internal/bytesize", "internal/cpu", "internal/interp", "internal/jupyter", "internal/kernelinfo", "internal/nb", "kernels", "opscope", "opscope/bench", "opscope/experiment", "opscope/weights", "accel", "charts", "gonum.org/v1/gonum"},
	"docs":                         {},
	"internal/adapt":               {"charts", "github.com/go-echarts/go-echarts/v2", "gonum.org/v1/plot"},
	"internal/asmcheck":            {},
	"internal/atomicfile":          {},
	"internal/bindings":            {"accel", "kernels", "opscope", "opscope/bench", "opscope/experiment", "opscope/transformer", "opscope/weights", "charts", "github.com/gopherdata/gophernotes", "github.com/go-echarts/go-echarts/v2", "gonum.org/v1/gonum", "gonum.org/v1/plot"},
	"internal/bindings/gen":        {"internal/interp/docs/extract"},
	"internal/bytesize":            {},
	"internal/cpu":                 {},
	"internal/display":             {},
	"internal/elementwise":         {"internal/cpu"},
	"internal/guard":               {},
	"internal/importrule":          {},
	"internal/generics":            {},
	"internal/interp":              {"internal/adapt", "internal/bindings", "internal/display", "internal/generics", "internal/interp/docs", "github.com/cosmos72/gomacro", "github.com/gopherdata/gophernotes"},
	"internal/interp/docs":         {},
	"internal/interp/docs/extract": {"internal/interp/docs"},
	"internal/interp/docs/gen":     {"internal/bindings", "internal/interp/docs/extract", "github.com/cosmos72/gomacro", "github.com/gopherdata/gophernotes"},
	"internal/jupyter":             {"internal/atomicfile", "internal/interp", "internal/display", "internal/kernelinfo", "github.com/go-zeromq/zmq4"},
	"internal/kernelinfo":          {},
	"internal/nb":                  {"internal/interp", "internal/display", "internal/kernelinfo"},
	"internal/pages":               {},
	"internal/skinny":              {"internal/cpu", "kernels"},
	"internal/testreq":             {},
	"kernels":                      {"internal/cpu", "internal/pages", "gonum.org/v1/gonum"},
	"kernels/kerneltest":           {"kernels", "internal/guard"},
	"opscope":                      {"internal/bytesize", "internal/cpu", "internal/elementwise", "internal/pages", "internal/skinny", "kernels", "opscope/bench", "gonum.org/v1/gonum"},
	"opscope/bench":                {"kernels", "internal/cpu", "internal/pages"},
	"opscope/experiment":           {"accel", "charts", "internal/bytesize", "internal/cpu", "kernels", "opscope", "opscope/bench", "opscope/transformer"},
	"opscope/transformer":          {"kernels"},
	"opscope/weights":              {"kernels", "internal/atomicfile"},
	"opscope/weights/gguftest":     {},
}

// guarded libraries are those that only the packages that name them may import.
var guarded = []string{
	"github.com/cosmos72/gomacro",
	"github.com/gopherdata/gophernotes",
	"github.com/go-zeromq/zmq4",
	"github.com/ebitengine/purego",
	"github.com/go-echarts/go-echarts/v2",
	"gonum.org/v1/gonum",
	"gonum.org/v1/plot",
}

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportsGoOneWay(t *testing.T) {
	for _, pkg := range listPackages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, module), "/")
		may, ok := allowed[name]
		if !ok {
			t.Errorf("package %q is not in the import rule: add it to allowed", name)
			continue
		}
		for _, imported := range pkg.Imports {
			if subject, checked := ruled(imported); checked && !slices.Contains(may, subject) {
				t.Errorf("%s imports %s, which the import rule does not allow", name, imported)
			}
		}
	}
}

func TestRuleNamesExistingPackages(t *testing.T) {
	names := map[string]bool{}
	for _, pkg := range listPackages(t) {
		names[strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, module), "/")] = true
	}
	for name := range allowed {
		if !names[name] {
			t.Errorf("the import rule lists %q, which does not exist", name)
		}
	}
}

// ruled returns the name under which the rule knows an import: a package of the
// module by its path inside it, a guarded library by its module path.
func ruled(imported string) (string, bool) {
	if name, ok := strings.CutPrefix(imported, module+"/"); ok {
		return name, true
	}
	for _, lib := range guarded {
		if imported == lib || strings.HasPrefix(imported, lib+"/") {
			return lib, true
		}
	}
	return "", false
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg listedPackage
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, pkg)
	}
}
