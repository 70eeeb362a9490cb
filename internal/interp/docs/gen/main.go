// Gen writes docs.zip: the documentation of each package that cells can import.
package main

import (
	"bytes"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	gomacro "github.com/cosmos72/gomacro/imports"
	"golang.org/x/tools/go/packages"

	_ "github.com/rlx-go/gopherscope/internal/bindings"
	"github.com/rlx-go/gopherscope/internal/interp/docs/extract"
)

func main() {
	log.SetFlags(0)
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(gomacro.Packages)), func(p string) bool {
		return strings.HasPrefix(p, "github.com/cosmos72/") || strings.HasPrefix(p, "github.com/gopherdata/")
	})
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedCompiledGoFiles,
		Env:  append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64"),
	}
	pkgs, err := packages.Load(config, append(paths, "builtin", "cmp", "iter", "maps", "slices", "github.com/rlx-go/gopherscope/internal/display")...)
	if err != nil {
		log.Fatal(err)
	}
	archive := extract.Archive{}
	for _, p := range pkgs {
		if len(p.Syntax) == 0 {
			log.Printf("%s: no source", p.PkgPath)
			continue
		}
		path := p.PkgPath
		if strings.HasSuffix(path, "gopherscope/internal/display") {
			path = "display" // as cells import it
		}
		if archive[path], err = extract.Entries(p); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
	var out bytes.Buffer
	if err := archive.Write(&out, nil); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("docs.zip", out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
