package interp

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cosmos72/gomacro/imports"
)

// recursive are packages with functions of a type that contains itself, which
// gomacro may know wrongly: it depends on the order in which it meets types.
var recursive = []string{"go/types", "golang.org/x/tools/go/gcexportdata", "golang.org/x/tools/go/packages", "text/template/parse"}

// Every symbol of every package that can be imported compiles in a cell: what
// go/types is told of it agrees with what gomacro knows.
func TestEverySymbolOfEveryPackage(t *testing.T) {
	s := open(t)
	for _, path := range importable() {
		if slices.Contains(recursive, path) {
			continue
		}
		pkg := imports.Packages[path]
		var cell strings.Builder
		fmt.Fprintf(&cell, "import p %q\n", path)
		for _, name := range slices.Sorted(maps.Keys(pkg.Types)) {
			if token.IsExported(name) && token.IsIdentifier(name) {
				fmt.Fprintf(&cell, "{ var x p.%s; _ = x }\n", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(pkg.Binds)) {
			if bind := pkg.Binds[name]; token.IsExported(name) && bind.IsValid() {
				if strings.HasPrefix(pkg.Untypeds[name], "int:") || strings.HasPrefix(pkg.Untypeds[name], "float:") {
					fmt.Fprintf(&cell, "const _ = p.%s\n", name) // may overflow a variable
				} else {
					fmt.Fprintf(&cell, "{ x := p.%s; _ = x }\n", name)
				}
			}
		}
		if o := runCell(s, path, cell.String()+";"); o.err != nil {
			t.Errorf("%s: %v", path, o.err)
		}
	}
}
