// Gen writes docs.zip: the documentation of each package that cells can import.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"go/ast"
	"go/doc"
	"go/format"
	"go/token"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	gomacro "github.com/cosmos72/gomacro/imports"
	"golang.org/x/tools/go/packages"

	_ "github.com/rlx-go/gopherscope/internal/bindings"
	"github.com/rlx-go/gopherscope/internal/interp/docs"
)

func main() {
	log.SetFlags(0)
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(gomacro.Packages)), func(p string) bool {
		return strings.HasPrefix(p, "github.com/cosmos72/") || strings.HasPrefix(p, "github.com/gopherdata/")
	})
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedCompiledGoFiles,
		Env:  append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64"),
		Fset: token.NewFileSet(),
	}
	pkgs, err := packages.Load(config, append(paths, "builtin", "cmp", "iter", "maps", "slices", "github.com/rlx-go/gopherscope/internal/display")...)
	if err != nil {
		log.Fatal(err)
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range pkgs {
		if len(p.Syntax) == 0 {
			log.Printf("%s: no source", p.PkgPath)
			continue
		}
		text, err := json.Marshal(entries(config.Fset, p))
		if err != nil {
			log.Fatal(err)
		}
		path := p.PkgPath
		if strings.HasSuffix(path, "gopherscope/internal/display") {
			path = "display" // as cells import it
		}
		w, err := z.Create(path + ".json")
		if err != nil {
			log.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			log.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("docs.zip", out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func entries(fset *token.FileSet, p *packages.Package) map[string]docs.Entry {
	mode := doc.Mode(0)
	if p.PkgPath == "builtin" { // whose names are not exported
		mode = doc.AllDecls
	}
	d, err := doc.NewFromFiles(fset, p.Syntax, p.PkgPath, mode)
	if err != nil {
		log.Fatal(err)
	}
	found := map[string]docs.Entry{"": {Doc: d.Doc}}
	text := func(decl ast.Decl) string {
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Body, f.Doc = nil, nil
		}
		if g, ok := decl.(*ast.GenDecl); ok {
			g.Doc = nil
		}
		var b bytes.Buffer
		if err := format.Node(&b, fset, decl); err != nil {
			log.Fatal(err)
		}
		return b.String()
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, spec := range v.Decl.Specs {
				spec := spec.(*ast.ValueSpec)
				comment := spec.Doc.Text()
				if comment == "" {
					comment = spec.Comment.Text()
				}
				if comment == "" {
					comment = v.Doc
				}
				one := *spec
				one.Doc, one.Comment = nil, nil
				decl := text(&ast.GenDecl{Tok: v.Decl.Tok, Specs: []ast.Spec{&one}})
				for _, name := range spec.Names {
					found[name.Name] = docs.Entry{Decl: decl, Doc: comment}
				}
			}
		}
	}
	funcs := func(prefix string, list []*doc.Func) {
		for _, f := range list {
			found[prefix+f.Name] = docs.Entry{Decl: text(f.Decl), Doc: f.Doc}
		}
	}
	values(d.Consts)
	values(d.Vars)
	funcs("", d.Funcs)
	for _, t := range d.Types {
		found[t.Name] = docs.Entry{Decl: text(t.Decl), Doc: t.Doc}
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
	}
	return found
}
